/** Points in time as people type them: 2026-12-31, 2026-12-31T18:00:00Z, or 30d, 12h, 15m, 90s. */
import { TtsError } from '../protocol/errors.js';

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const ISO = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;
const HAS_ZONE = /(?:Z|[+-]\d\d:?\d\d)$/;

/** A duration such as 30d lies in `direction` of now. A time without a zone is UTC. */
export function parseMoment(option: string, text: string, direction: 'ahead' | 'behind', now = new Date()): Date {
  const duration = /^(\d{1,9})([smhdw])$/.exec(text.trim());
  if (duration) {
    const ms = Number(duration[1]) * UNIT_MS[duration[2]!]!;
    const moment = new Date(now.getTime() + (direction === 'ahead' ? ms : -ms));
    if (!Number.isNaN(moment.getTime())) return moment;
  } else if (ISO.test(text.trim())) {
    const iso = text.trim().replace(' ', 'T');
    const moment = new Date(iso.length === 10 || HAS_ZONE.test(iso.slice(10)) ? iso : `${iso}Z`);
    if (!Number.isNaN(moment.getTime())) return moment;
  }
  const examples = direction === 'ahead' ? '30d, 12h or 2027-01-31' : '24h, 7d or 2026-01-31';
  throw new TtsError('usage', `${option} takes a time such as ${examples}, not ${JSON.stringify(text)}.`);
}
