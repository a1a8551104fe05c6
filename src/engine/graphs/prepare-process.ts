/** Entry of a process that prepares one graph and ends. */
import type { Preparation } from './prepare.js';

// As in the process of an engine: before the runtime is loaded, and the parent ends the work.
process.env.ORT_DISABLE_TELEMETRY ??= '1';
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
process.once('disconnect', () => process.exit(1));

const { prepare } = await import('./prepare.js');
try {
  await prepare(JSON.parse(process.argv[2]!) as Preparation);
  process.exit(0);
} catch {
  process.exit(1);
}
