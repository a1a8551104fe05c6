/** Whether a worker on another machine has what this gateway's jobs need. */
import type { BaseModel, SegmentJob } from '../../protocol/job.js';
import type { Announcement } from '../../worker/nats-wire.js';
import type { Unusable } from './worker.js';

type WorkerFacts = NonNullable<Announcement['facts']>;

/** How this gateway reads text, and digests of its styles by name. */
export interface GatewayReading {
  readonly textVersion: string;
  readonly styles: Readonly<Record<string, string>> | undefined;
}

/** Whether the worker's style has the same content; an engine that names no styles needs none. */
function hasStyle(facts: WorkerFacts, ours: GatewayReading, style: string): boolean {
  const theirs = facts.styles;
  return theirs === undefined || (theirs[style] !== undefined && theirs[style] === ours.styles?.[style]);
}

/** Why the worker is given no job of a model; undefined where it is compatible. */
export function incompatibility(facts: WorkerFacts, ours: GatewayReading, model: BaseModel): Unusable | undefined {
  if (facts.textVersion !== ours.textVersion) return 'text_version';
  if (!facts.models.includes(model)) return 'model';
  const styles = Object.keys(ours.styles ?? {});
  const anyStyle = facts.styles === undefined || styles.some((style) => hasStyle(facts, ours, style));
  return anyStyle ? undefined : 'styles';
}

export const hasStyles = (facts: WorkerFacts, ours: GatewayReading, { mix }: Pick<SegmentJob, 'mix'>): boolean =>
  mix.every(({ style }) => hasStyle(facts, ours, style));
