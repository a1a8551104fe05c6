/** What the terminal at stderr is good for. */

/** Live lines are for a person who watches: a terminal, not asked to be quiet, not a build machine. */
export const liveLines = (quiet: boolean): boolean => {
  const { CI, TERM } = process.env;
  const building = CI !== undefined && CI !== '' && CI !== '0' && CI !== 'false';
  return Boolean(process.stderr.isTTY) && !quiet && !building && TERM !== 'dumb';
};

/** Whether to colour. The terminal library looks at stdout, which may be carrying sound: it is told. */
export function styled(): boolean {
  const color = !process.env.NO_COLOR && Boolean(process.stderr.isTTY);
  process.env.FORCE_COLOR ??= color ? '1' : '0';
  return color;
}
