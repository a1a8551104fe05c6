/** The tools on a server: speech through the gateway for one key, results as links. */
import type { KeyRecord } from '../../../accounts/types.js';
import type { AudioFormat } from '../../../audio/format.js';
import type {
  BookRequest,
  ExplainedReading,
  ListedVoice,
  Made,
  McpHost,
  ReadingRequest,
  SpeakRequest,
  ToolCall,
} from '../../../mcp/host.js';
import type { Results } from '../../../mcp/results.js';
import { MAX_SPOKEN_CHARS } from '../../../mcp/tools.js';
import { samplesToMs } from '../../../protocol/audio.js';
import { DEFAULT_VOICE, parseModel, type SpeechModel } from '../../../protocol/contract.js';
import { excerpt } from '../../../protocol/errors.js';
import { readingOf, speaks } from '../../../protocol/languages.js';
import { detectLanguage } from '../../../text/detect-language.js';
import type { ExplainLimit } from '../../access/explain-limit.js';
import type { ServerParts } from '../../door.js';
import { namedSpeaker } from '../../foreign-names.js';
import { checkSounds, spokenInput } from '../../speech/spoken-input.js';
import { AudioFile } from './audio-file.js';
import { makeBook } from './make-book.js';
import { RESULTS_PATH } from './results-path.js';
import { type Speaker, speech } from './speech.js';

export interface ServerHostOptions {
  readonly parts: ServerParts;
  readonly key: KeyRecord;
  readonly results: Results;
  /** Of the server, as the agent reached it. */
  readonly baseUrl: string;
  /** Shared by all sessions. */
  readonly explaining: ExplainLimit;
}

export class ServerHost implements McpHost {
  readonly place = 'elsewhere';
  readonly #options: ServerHostOptions;

  constructor(options: ServerHostOptions) {
    this.#options = options;
  }

  async speak(request: SpeakRequest, call: ToolCall): Promise<Made> {
    const { parts, key } = this.#options;
    const input = spokenInput(request.text, 'text', MAX_SPOKEN_CHARS);
    const speaker = this.#speakerFor(input.text, request);
    const { catalogue, texts } = parts;
    const fitting = (wanted: string) => catalogue.fitting(wanted)?.voice.id;
    await checkSounds(input, texts, { ...speaker, fitting });
    const { speed = 1, format = 'mp3' } = request;
    return this.#make(speaker, format as AudioFormat, excerpt(input.text, 60), async (file) => {
      let chars = 0;
      const order = { ...speaker, key, input, speed, unheard: true, route: 'mcp_speak' };
      for await (const event of speech(parts, order, call.signal)) {
        if (event.type === 'audio') await file.write(event.pcm);
        else {
          chars += event.chars;
          call.progress(Math.min(chars, input.chars), input.chars, `${chars} of ${input.chars} characters`);
        }
      }
      await file.finish();
    });
  }

  async makeBook(request: BookRequest, call: ToolCall): Promise<Made> {
    const { parts, key } = this.#options;
    const { text = '', title, format = 'm4b', speed = 1 } = request;
    const speaker = this.#speakerFor(text, request);
    let chapters: readonly string[] = [];
    const made = await this.#make(speaker, format as AudioFormat, title ?? excerpt(text, 60), async (file) => {
      chapters = await makeBook({ parts, key, speaker, text, title, speed }, file, call);
    });
    return { ...made, chapters };
  }

  async voices(model: string | undefined): Promise<readonly ListedVoice[]> {
    const { catalogue } = this.#options.parts;
    const base = model === undefined ? undefined : parseModel(model as SpeechModel).base;
    return catalogue.all
      .filter(({ models }) => base === undefined || models.includes(base))
      .map(({ voice, language }) => ({ ...voice, language }));
  }

  async explain({ text, voice, language, ssml = false }: ReadingRequest): Promise<ExplainedReading> {
    const { parts, key, explaining } = this.#options;
    const speaker = this.#speakerFor(text, { voice, language, model: 'base-tts' });
    const how = { language: speaker.language, ssml, words: undefined };
    return explaining.run(key.id, () => parts.texts.explain(text, how));
  }

  /** The voice that was named, else the default one of the text's language. */
  #speakerFor(text: string, { voice, language, model }: Omit<SpeakRequest, 'text'>): Speaker {
    const { parts, key } = this.#options;
    const { catalogue } = parts;
    const wanted = language ?? detectLanguage(text);
    const usual = catalogue.get('base-tts', DEFAULT_VOICE);
    const fitting = wanted === undefined || speaks(usual.language, wanted) ? usual : catalogue.fitting(wanted);
    const named = namedSpeaker(catalogue, key, {
      model: model ?? 'any',
      modelParam: 'model',
      modelAlias: () => 'base-tts-fast',
      voice: voice ?? (fitting ?? usual).voice.id,
      voiceParam: 'voice',
      voiceAliases: new Map(),
    });
    const spoken = catalogue.speaker(parseModel(named.model).base, named.voice);
    return { ...named, language: readingOf(spoken.language, language) };
  }

  async #make(
    { voice, model }: Speaker,
    format: AudioFormat,
    title: string,
    write: (file: AudioFile) => Promise<void>,
  ): Promise<Made> {
    const { results, key, baseUrl } = this.#options;
    const { id, file } = await results.place(format);
    const audio = await AudioFile.open(file, format, { title, artist: voice });
    try {
      await write(audio);
    } catch (error) {
      await audio.discard();
      throw error;
    }
    const { mimeType, samples } = audio;
    const result = await results.keep({ id, owner: key.id, name: `speech.${format}`, title, mimeType, file });
    const lines = [`Listen: ${baseUrl}/mcp${RESULTS_PATH}/${id}.${format}`];
    return { voice, model, audioMs: samplesToMs(samples), played: false, result, lines };
  }
}
