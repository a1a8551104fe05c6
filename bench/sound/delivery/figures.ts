/** Small statistics that the measures share. */

/** By linear interpolation between neighbours; NaN of nothing. */
export function quantile(values: readonly number[], share: number): number {
  if (values.length === 0) return Number.NaN;
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const [low, high] = [sorted[Math.floor(at)]!, sorted[Math.ceil(at)]!];
  return low + (high - low) * (at - Math.floor(at));
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Standard deviation of a sample; NaN of fewer than two. */
export function deviation(values: readonly number[]): number {
  if (values.length < 2) return Number.NaN;
  const middle = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1));
}

/** Slope of the line of least squares. */
export function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const [x, y] = [mean(points.map((each) => each[0])), mean(points.map((each) => each[1]))];
  let [both, square] = [0, 0];
  for (const point of points) {
    both += (point[0] - x) * (point[1] - y);
    square += (point[0] - x) ** 2;
  }
  return both / square;
}
