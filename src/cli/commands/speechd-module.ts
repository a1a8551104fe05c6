/** `tts speechd-module`: the voice of Orca and other clients of speech-dispatcher. */
import { once } from 'node:events';
import { chmodSync, fstatSync, rmSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Writable } from 'node:stream';
import { Command } from 'commander';
import { baseDir, type Config, type Sources } from '../../config.js';
import { makeFolder } from '../../folder.js';
import { TtsError } from '../../protocol/errors.js';
import type { ModuleOutput, ModuleParts } from '../../speechd/module.js';
import { type Connection, connect } from '../connection.js';
import { addSettings, settingsOf } from '../context.js';
import { checkModel, withVoiceId } from '../names.js';
import { readSpeechdConfig, type SpeechdConfig } from '../service/speechd-config.js';
import { complain } from '../terminal.js';
import { packageVersion } from '../version.js';

const EXAMPLES = `
Examples:
  $ tts speechd-module --install     Orca, spd-say and others find it as "tts"
  $ spd-say -o tts "Hello there."
  $ tts speechd-module --remove

speech-dispatcher runs it without options. It speaks through the tts serve of this user, else with an engine of its own; words
and letters that screen readers say most are made once in the background and kept in the user's cache.
Its settings are those of the other commands (TTS_VOICE, tts config), or lines in
~/.config/speech-dispatcher/modules/tts.conf: TtsVoice "british_male_george", TtsModel, TtsServer, TtsApiKeyFile,
TtsSoundIconFolder.`;

interface ModuleFlags {
  readonly install?: boolean;
  readonly remove?: boolean;
}

export function command(): Command {
  const speechd = new Command('speechd-module')
    .description('Speaks for speech-dispatcher, and so for Orca and other screen readers.')
    .argument('[CONFIG]', "the module's configuration file, as speech-dispatcher names it")
    .option('--install', "put it into this user's folder for such modules")
    .option('--remove', 'take it away from there');
  addSettings(speechd, ['voice', 'model', 'server', 'apiKey', 'apiKeyFile', 'engine'], { voice: '-v', model: '-m' });
  addSettings(speechd, ['device', 'threads', 'modelDir', 'offline', 'lexicon', 'voicesDir', 'runtimeDir']);
  return speechd
    .addHelpText('after', EXAMPLES)
    .action(async (file: string | undefined, { install, remove }: ModuleFlags, self: Command) => {
      if (install) return installModule();
      if (remove) return removeModule();
      await run(self, readSpeechdConfig(file));
    });
}

/**
 * Where speech-dispatcher 0.11 and later look for modules of a user (`user_module_dir` in its
 * speechd.c). The server finds it there by itself; a line `AddModule` would hide all others.
 */
const moduleFile = (): string =>
  path.join(baseDir(process.env, 'DATA'), '..', 'libexec', 'speech-dispatcher-modules', 'sd_tts');

const inQuotes = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

async function installModule(): Promise<void> {
  const { NODE_FLAGS } = await import('../../speechd/node-flags.js');
  const file = moduleFile();
  const script = `#!/bin/sh
# Made by "tts speechd-module --install"; "tts speechd-module --remove" takes it away.
exec ${inQuotes(process.execPath)} ${NODE_FLAGS.join(' ')} ${inQuotes(path.resolve(process.argv[1]!))} speechd-module "$@"
`;
  try {
    // The server goes to the folder by way of this one, which a new user may not have.
    makeFolder(baseDir(process.env, 'DATA'));
    makeFolder(path.dirname(file));
    writeFileSync(file, script);
    chmodSync(file, 0o755);
  } catch (cause) {
    throw new TtsError('output_failed', `${file} cannot be written: ${(cause as Error).message}.`, { cause });
  }
  process.stdout.write(
    `${file} is there. A speech-dispatcher that runs already knows it after: killall speech-dispatcher\n` +
      'Try it with: spd-say -o tts "Hello there."\n',
  );
}

function removeModule(): void {
  rmSync(moduleFile(), { force: true });
  process.stdout.write(`${moduleFile()} is gone.\n`);
}

async function run(self: Command, file: SpeechdConfig): Promise<void> {
  const settings = await withVoiceId(withFile(settingsOf(self), file));
  const stdout = asynchronousStdout();
  const output: ModuleOutput = {
    write: (bytes) => stdout.write(bytes),
    drained: async (signal) => void (await once(stdout, 'drain', { signal })),
  };
  const stopping = new AbortController();
  let connection: Connection | undefined;
  const { SpeechModule } = await import('../../speechd/module.js');
  const done = new Promise<number>((resolve) => {
    const module = new SpeechModule({
      output,
      open: async () => {
        connection = await connect(asFast(settings), { speech: true }, stopping.signal);
        return partsOf(connection, settings.config, file, stopping.signal);
      },
      onError: (error) => complain(error instanceof Error ? error.message : String(error)),
      onEnd: resolve,
    });
    createInterface({ input: process.stdin })
      .on('line', (line) => module.receive(line))
      .on('close', () => {
        module.close();
        resolve(0);
      });
    // The server ended without a word.
    stdout.on('error', () => resolve(0));
  });
  const code = await done;
  stopping.abort();
  await new Promise<void>((resolve) => stdout.write('', () => resolve()));
  await connection?.close();
  process.exit(code);
}

/** A key is answered sooner by the fast model; another is loaded where a voice needs it. */
const asFast = (settings: Sources): Sources => ({
  ...settings,
  config: { ...settings.config, model: settings.config.model || 'base-tts-fast' },
});

/** The file of speech-dispatcher goes before other settings but flags. */
function withFile(settings: Sources, { voice, model, server, apiKeyFile }: SpeechdConfig): Sources {
  const given = Object.entries({ voice, model, server, apiKeyFile }).filter(
    ([key, value]) => value !== undefined && settings.sources[key as keyof Config] !== 'flag',
  );
  const config = { ...settings.config, ...Object.fromEntries(given) } as Config;
  return { ...settings, config };
}

async function partsOf(
  connection: Connection,
  config: Config,
  { soundIcons }: SpeechdConfig,
  signal: AbortSignal,
): Promise<ModuleParts> {
  const [{ createHttpClient }, { Speech }, { VoiceList }, { SOUND_ICONS_DIR }] = await Promise.all([
    import('../../client/http.js'),
    import('../../speechd/speech.js'),
    import('../../speechd/voice-list.js'),
    import('../../speechd/sound-icons.js'),
  ]);
  const client = createHttpClient(connection);
  const [all, fast] = await Promise.all([client.voices('base-tts', signal), client.voices('base-tts-fast', signal)]);
  const voices = new VoiceList({
    all: all.data,
    fast: new Set(fast.data.map(({ id }) => id)),
    usual: config.voice,
    model: checkModel(config.model),
  });
  const speech = new Speech({
    address: connection,
    client,
    ready: () => connection.ready(),
    cacheDir: path.join(baseDir(process.env, 'CACHE'), 'tts', 'speechd'),
    version: `${packageVersion()} ${all.catalog_version} ${config.engine}`,
    // Speech of a server elsewhere may cost credits.
    prepares: connection.kind !== 'remote',
  });
  return { speech, voices, soundIconsDir: soundIcons ?? SOUND_ICONS_DIR };
}

/**
 * Node writes to pipes synchronously, so that a server that takes no more audio for now would keep
 * its own STOP from being read.
 */
function asynchronousStdout(): Writable {
  const kind = fstatSync(1);
  return kind.isFIFO() || kind.isSocket() ? new Socket({ fd: 1, readable: false, writable: true }) : process.stdout;
}
