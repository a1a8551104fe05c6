/** What the terminal at stderr is good for. */

/** Live lines are for a person who watches: a terminal, not asked to be quiet, not a build machine. */
export const liveLines = (quiet: boolean): boolean => {
  const { CI, TERM } = process.env;
  const building = CI !== undefined && CI !== '' && CI !== '0' && CI !== 'false';
  return Boolean(process.stderr.isTTY) && !quiet && !building && TERM !== 'dumb';
};

/** Whether to colour what goes to stderr. */
export const styled = (): boolean => !process.env.NO_COLOR && Boolean(process.stderr.isTTY);
