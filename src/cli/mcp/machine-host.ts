/** The tools on the agent's own machine: sound is played there, files are read and written. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Sources } from '../../config.js';
import type {
  BookRequest,
  ExplainedReading,
  ListedVoice,
  Made,
  McpHost,
  ReadingRequest,
  SpeakRequest,
  ToolCall,
} from '../../mcp/host.js';
import type { Results } from '../../mcp/results.js';
import { TtsError } from '../../protocol/errors.js';
import type { Language } from '../../protocol/job.js';
import { readingOf } from '../../protocol/languages.js';
import { type Connection, connect } from '../connection.js';
import { noSuchVoice, voiceIdOf } from '../names.js';
import { ownCatalogue } from '../own-voices.js';
import { chooseVoice } from '../voice-choice.js';
import { speakHere } from './speak-here.js';

export interface MachineHostOptions {
  readonly settings: Sources;
  readonly results: Results;
  /** Whose results they are. */
  readonly owner: string;
}

/** An engine of the command's own is given up so long after its last use (ms). */
const IDLE_MS = 10 * 60_000;

export class MachineHost implements McpHost {
  readonly place = 'here';
  readonly #options: MachineHostOptions;
  readonly #closed = new AbortController();
  #connection: Promise<Connection> | undefined;
  #users = 0;
  #idle: NodeJS.Timeout | undefined;
  /** What is played one after the other, not over each other. */
  #playing: Promise<unknown> = Promise.resolve();

  constructor(options: MachineHostOptions) {
    this.#options = options;
  }

  async speak(request: SpeakRequest, call: ToolCall): Promise<Made> {
    const { results, owner } = this.#options;
    const settings = await this.#settingsFor(request.text, request);
    const file = request.file === undefined ? undefined : newFile(request.file, 'file');
    const play = request.play ?? file === undefined;
    const work = () =>
      this.#connected((connection) => speakHere({ settings, request, file, play, connection, results, owner }, call));
    if (!play) return work();
    const turn = this.#playing.then(work, work);
    this.#playing = turn.catch(() => undefined);
    return turn;
  }

  async makeBook(request: BookRequest, call: ToolCall): Promise<Made> {
    const { results, owner } = this.#options;
    const [{ runBook }, { bookDestination }] = await Promise.all([
      import('../book/run.js'),
      import('../book/destination.js'),
    ]);
    const file = path.resolve(request.book ?? '');
    const beside = path.join(path.dirname(file), `${path.parse(file).name}.m4b`);
    const output = request.output ?? beside;
    const isFolder = /[/\\]$/.test(output);
    const target = request.replace || isFolder ? output : newFile(output, 'output', ' Set "replace" to replace it.');
    const destination = bookDestination(isFolder ? output : path.resolve(target), undefined, file);
    const { speed = 1, chapters: range } = request;
    const fixed = {
      notes: 'skip',
      skipBroken: false,
      list: false,
      json: false,
      quiet: true,
      overlay: 'sentence',
    } as const;
    const made = await runBook(
      {
        ...fixed,
        settings: await this.#named(request),
        file,
        destination,
        speed,
        range,
        onSentence: (done, all, chapter) => call.progress(done, all, `${chapter}: sentence ${done} of ${all}`),
      },
      AbortSignal.any([call.signal, this.#closed.signal]),
    );
    const { files, chapters, voice, model, audioMs } = made!;
    const [only] = isFolder ? [] : files;
    const { contentTypeOf } = await import('../../audio/format.js');
    const name = only && path.basename(only);
    const result =
      only &&
      (await results.keep({
        owner,
        name: name!,
        title: name!,
        mimeType: contentTypeOf(destination.format),
        file: path.resolve(only),
      }));
    const lines = files.map((each) => `File: ${path.resolve(each)}`);
    return { voice, model, audioMs, played: false, chapters, result: result || undefined, lines };
  }

  voices(model: string | undefined, call: ToolCall): Promise<readonly ListedVoice[]> {
    return this.#connected(async (connection) => {
      const { createHttpClient } = await import('../../client/http.js');
      const client = createHttpClient(connection);
      try {
        const { data } = await client.voices(model ?? 'base-tts', call.signal);
        return data.map((voice) => ({ ...voice, language: voice.locale ?? voice.language }));
      } finally {
        client.close();
      }
    });
  }

  /** As `tts explain` does: by the rules and the lexicon of this machine. */
  async explain({ text, ssml = false, ...asked }: ReadingRequest): Promise<ExplainedReading> {
    const { config } = await this.#settingsFor(text, asked);
    const [{ createReader }, { explainText }, { loadLexicon }, { ensureLanguage }] = await Promise.all([
      import('../../text/reader.js'),
      import('../../text/explain.js'),
      import('../../text/lexicon.js'),
      import('../../models/language-packs.js'),
    ]);
    const { all } = await ownCatalogue(config);
    const named = all.find(({ voice }) => voice.id === config.voice);
    if (named === undefined) {
      throw noSuchVoice(
        config.voice,
        all.map(({ voice }) => voice.id),
      );
    }
    const language = readingOf(named.language, asked.language);
    const { modelDir, offline } = config;
    const files = (wanted: Language) => ensureLanguage(wanted, { modelDir, offline });
    const lexicon = config.lexicon === '' ? undefined : await loadLexicon(config.lexicon);
    const reader = await createReader({ language, files, ...(lexicon && { lexicon }) });
    return explainText(text, reader, { ssml, language });
  }

  async close(): Promise<void> {
    this.#closed.abort(new TtsError('session_ended', 'The agent has left.'));
    clearTimeout(this.#idle);
    const connection = this.#connection;
    this.#connection = undefined;
    await (await connection?.catch(() => undefined))?.close();
  }

  /** The settings with the voice that speaks: the named one, else one that reads the text. */
  async #settingsFor(text: string, asked: Omit<SpeakRequest, 'text'>): Promise<Sources> {
    const settings = await this.#named(asked);
    if (settings.sources.voice === 'flag') return settings;
    const { detectLanguage } = await import('../../text/detect-language.js');
    const voice = await chooseVoice(settings, asked.language ?? detectLanguage(text));
    return { ...settings, config: { ...settings.config, voice } };
  }

  /** The settings with what the agent named; the command's own flags are its defaults. */
  async #named({ voice, model }: { voice?: string | undefined; model?: string | undefined }): Promise<Sources> {
    const { config, sources } = this.#options.settings;
    const named = voice === undefined ? undefined : await voiceIdOf(voice, config.voicesDir);
    return {
      ...this.#options.settings,
      config: { ...config, voice: named ?? config.voice, model: model ?? config.model },
      sources: named === undefined ? sources : { ...sources, voice: 'flag' },
    };
  }

  /** A server that was found may be gone by the next call: then another is looked for. */
  async #connected<Told>(work: (connection: Connection) => Promise<Told>): Promise<Told> {
    clearTimeout(this.#idle);
    this.#users += 1;
    const { settings } = this.#options;
    this.#connection ??= connect(settings, {}, this.#closed.signal);
    const used = this.#connection;
    try {
      return await work(await used);
    } catch (error) {
      const isGone = error instanceof TtsError && ['connection_failed', 'connection_lost'].includes(error.code);
      if (
        isGone ||
        (await used.then(
          () => false,
          () => true,
        ))
      )
        await this.#leave(used);
      throw error;
    } finally {
      this.#users -= 1;
      if (this.#users === 0) this.#idle = setTimeout(() => void this.#leave(used), IDLE_MS).unref();
    }
  }

  async #leave(connection: Promise<Connection>): Promise<void> {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    await (await connection.catch(() => undefined))?.close();
  }
}

/** Agents replace nothing by mistake. */
function newFile(name: string, param: string, instead = ''): string {
  const file = path.resolve(name);
  if (existsSync(file)) {
    throw new TtsError('invalid_value', `${file} exists already. Name another file.${instead}`, { param });
  }
  return file;
}
