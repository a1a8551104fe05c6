/** Every door of the server. To add an API dialect, write its folder and its line here. */
import type { Door, DoorLoader } from '../door.js';
import { ELEVENLABS } from './elevenlabs/index.js';
import { MCP } from './mcp/index.js';
import { OPENAI } from './openai/index.js';
import { OPERATIONS } from './operations/index.js';
import { V1 } from './v1/index.js';

/** Pages, and the doors behind them, are loaded only where they are served. */
export const loadDoors: DoorLoader = async ({ docs, web, jobs }) => {
  const doors: Door[] = [V1, OPENAI, ELEVENLABS, MCP, OPERATIONS];
  if (jobs) doors.push((await import('./jobs/index.js')).JOBS);
  if (web !== 'off') {
    doors.push((await import('./admin/index.js')).ADMIN);
    doors.push((await import('./web/index.js')).WEB);
  }
  if (docs) doors.push((await import('./pages/index.js')).PAGES);
  return doors;
};
