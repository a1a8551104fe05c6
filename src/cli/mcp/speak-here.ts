/** One text for an agent: played on this machine, or written to a file of it. */
import path from 'node:path';
import type { AudioSink } from '../../client/sinks/sink.js';
import type { Sources } from '../../config.js';
import type { Made, SpeakRequest, ToolCall } from '../../mcp/host.js';
import type { Results } from '../../mcp/results.js';
import { samplesToMs } from '../../protocol/audio.js';
import { countChars } from '../../protocol/characters.js';
import type { SpeechModel } from '../../protocol/contract.js';
import { excerpt, TtsError } from '../../protocol/errors.js';
import { type Connection, ofOwnServer } from '../connection.js';
import { orAbort } from '../interrupt.js';
import { checkModel, withVoiceSuggestion } from '../names.js';
import { chooseModel, knownChoice } from '../service/model-choice.js';
import { destinationOf, type FileFormat } from '../speech-options.js';
import { languageOf, languageRemark, needsStandardModel } from '../voice-choice.js';

export interface SpeakHere {
  /** With the voice that speaks. */
  readonly settings: Sources;
  readonly request: SpeakRequest;
  /** The file that the agent named, which is there for good. */
  readonly file: string | undefined;
  readonly play: boolean;
  readonly connection: Connection;
  readonly results: Results;
  readonly owner: string;
}

/** Between looks at how much was heard (ms). */
const FOLLOW_MS = 300;
/** Of what is only played and kept for a while. */
const KEPT_FORMAT = 'mp3';

export async function speakHere(speaking: SpeakHere, call: ToolCall): Promise<Made> {
  const { settings, request, file, play, connection, results, owner } = speaking;
  const { config } = settings;
  const { voice } = config;
  // Refuses a text of which the voice reads no letter; a voice that was named is not doubted.
  await languageRemark(config, voice, request.text);
  const asked = checkModel(config.model) ?? ((await needsStandardModel(config, voice)) ? 'base-tts' : undefined);
  const place = file === undefined ? await results.place(KEPT_FORMAT) : { file };
  const format = file === undefined ? KEPT_FORMAT : formatOf(file);
  const sink = await openSink(place.file, format, { title: excerpt(request.text, 60), voice, play }, call.signal);
  try {
    await orAbort(connection.ready(), call.signal);
    const model = asked ?? (await knownChoice(config)) ?? (await chooseModel(config));
    const { samples, remark } = await say(speaking, model, sink, call);
    const name = path.basename(file ?? `speech.${KEPT_FORMAT}`);
    const { contentTypeOf } = await import('../../audio/format.js');
    const title = excerpt(request.text, 60);
    const result = await results.keep({ ...place, owner, name, title, mimeType: contentTypeOf(format) });
    const lines = [`File: ${place.file}`, ...(remark === undefined ? [] : [remark])];
    return { voice, model, audioMs: samplesToMs(samples), played: play, result, lines };
  } catch (error) {
    const named = { voice, model: asked ?? ('base-tts' as const), address: connection };
    const told = await withVoiceSuggestion(error, named, call.signal);
    throw connection.kind === 'embedded' ? ofOwnServer(told) : told;
  } finally {
    await sink.discard();
  }
}

async function say(
  { settings: { config }, request: { text, speed = 1 }, connection, play }: SpeakHere,
  model: SpeechModel,
  sink: AudioSink,
  { signal, progress: tell }: ToolCall,
): Promise<{ readonly samples: number; readonly remark: string | undefined }> {
  const [{ createHttpClient }, { speakRequests }, { Progress }, { LeftOut }] = await Promise.all([
    import('../../client/http.js'),
    import('../../client/speak-requests.js'),
    import('../../client/progress.js'),
    import('../../client/left-out.js'),
  ]);
  const { voice } = config;
  const client = createHttpClient({ ...connection, unheard: !play });
  const progress = new Progress();
  const leftOut = new LeftOut(false, await languageOf(config, voice));
  const all = countChars(text);
  const follow = setInterval(() => {
    const chars = Math.min(all, progress.timeline.charsAt(sink.heardSamples));
    tell(chars, all, `${chars} of ${all} characters`);
  }, FOLLOW_MS);
  try {
    const fields = { model, voice, speed };
    await speakRequests({ client, sections: [{ text }], fields, sink, progress, leftOut }, signal);
    if (progress.made === 0) await leftOut.refuseNothing();
    await sink.finish(signal);
    tell(all, all, `${all} characters`);
    return { samples: progress.made, remark: await leftOut.inWords() };
  } finally {
    clearInterval(follow);
    client.close();
  }
}

function formatOf(file: string): FileFormat {
  const destination = destinationOf({ output: file }, false);
  return destination.kind === 'file' ? destination.format : KEPT_FORMAT;
}

async function openSink(
  file: string,
  format: FileFormat,
  { title, voice, play }: { readonly title: string; readonly voice: string; readonly play: boolean },
  signal: AbortSignal,
): Promise<AudioSink> {
  const { createFileSink } = await import('../../client/sinks/file.js');
  const encoding = { format, tags: { title, artist: voice } };
  if (!play) return createFileSink(file, encoding);
  const player = await openPlayer(signal);
  try {
    const { createTeeSink } = await import('../../client/sinks/tee.js');
    return createTeeSink(await createFileSink(file, encoding), player);
  } catch (error) {
    await player.discard();
    throw error;
  }
}

async function openPlayer(signal: AbortSignal): Promise<AudioSink> {
  const { openSpeaker } = await import('../../client/sinks/speaker.js');
  try {
    return await openSpeaker({ steady: true }, signal);
  } catch (error) {
    if (!(error instanceof TtsError) || error.code !== 'no_sound_device') throw error;
    const message = 'Nothing on this machine can play sound. Name a file, or set "play" to false for a resource.';
    throw new TtsError('no_sound_device', message, { cause: error });
  }
}
