/** Names of other API families at `/v1`: the error says where they are served. */
import { SPEECH_MODELS } from '../protocol/contract.js';
import { excerpt, TtsError } from '../protocol/errors.js';
import type { ServerDeps } from './deps.js';
import type { Door, Family } from './door.js';

interface NamesAsked {
  readonly doors: readonly Door[];
  readonly catalogue: Pick<ServerDeps['catalogue'], 'all'>;
}

const families = (doors: readonly Door[]): Family[] => doors.flatMap(({ family }) => family ?? []);

/** Throws `model_not_found` or `voice_not_found` for a name that another door knows. */
export function refuseForeignNames(fields: unknown, { doors, catalogue }: NamesAsked): void {
  const { model, voice } = (fields ?? {}) as { readonly model?: unknown; readonly voice?: unknown };
  if (typeof model === 'string' && !SPEECH_MODELS.some((ours) => ours === model)) {
    const family = families(doors).find((one) => one.knowsModel(model));
    if (family)
      throw foreign(family, { param: 'model', name: model, ours: `Here there are: ${SPEECH_MODELS.join(', ')}.` });
  }
  if (typeof voice === 'string' && !catalogue.all.some(({ voice: { id } }) => id === voice)) {
    const family = families(doors).find((one) => one.knowsVoice(voice));
    if (family)
      throw foreign(family, { param: 'voice', name: voice, ours: 'GET /v1/voices lists those that are here.' });
  }
}

interface ForeignName {
  readonly param: 'model' | 'voice';
  readonly name: string;
  readonly ours: string;
}

function foreign({ name: family, basePath }: Family, { param, name, ours }: ForeignName): TtsError {
  const where = `is a name of ${family}'s dialect, which this server speaks under ${basePath}: make that the base URL`;
  return new TtsError(`${param}_not_found`, `The ${param} "${excerpt(name, 40)}" ${where}. ${ours}`, { param });
}

/** Where a path that is not here is served, as a sentence; '' where it is nowhere. */
export function servedElsewhere(path: string, doors: readonly Door[], isServed: (path: string) => boolean): string {
  const found = doors.flatMap(({ family, prefix }) => {
    if (!family) return [];
    const rest = path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path;
    const there = [`${prefix}${rest}`, `${prefix}/v1${rest}`].find(isServed);
    return there === undefined ? [] : [`${family.name}'s dialect has it at ${there} (base URL ${family.basePath})`];
  });
  return found.length === 0 ? '' : ` ${found.join(', ')}.`;
}
