// Preloaded into a server (`node --import`): its clock is BENCH_CLOCK_AHEAD_MS ahead of everybody
// else's. Timers are not.
const aheadMs = Number(process.env.BENCH_CLOCK_AHEAD_MS);
const now = () => OwnDate.now() + aheadMs;
const OwnDate = Date;
globalThis.Date = new Proxy(OwnDate, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  apply: () => new OwnDate(now()).toString(),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});
