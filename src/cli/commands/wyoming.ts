/** `tts wyoming`: Wyoming for Home Assistant beside a server that runs elsewhere. */
import { Command } from 'commander';
import type { Sources } from '../../config.js';
import { TtsError } from '../../protocol/errors.js';
import { connect } from '../connection.js';
import { addSettings, settingsOf } from '../context.js';
import { checkModel, withVoiceId } from '../names.js';
import { chooseModel } from '../service/model-choice.js';
import { GRACE_MS, serverLog, untilSignalled } from '../service/server-process.js';
import { needsKey, startWyoming, wyomingPlace } from '../service/wyoming.js';

const EXAMPLES = `
Examples:
  $ tts wyoming                                           on this machine, port 10200
  $ tts wyoming 0.0.0.0 --wyoming-allow 192.168.1.0/24 --api-key-file key.txt
  $ tts wyoming --server https://tts.example.org --api-key-file key.txt
  $ tts serve --wyoming 10200                             in the server itself, which needs no second process

Home Assistant: Settings, Devices & services, Add integration, Wyoming Protocol; host and port as above.
The protocol has no keys: beyond this machine only the networks of --wyoming-allow are answered, and what they say is booked
to the key of --api-key-file.`;

export function command(): Command {
  const wyoming = new Command('wyoming')
    .description('Speaks the Wyoming protocol, for Home Assistant and its satellites, through a tts server.')
    .argument('[ADDRESS]', 'host, port or both to listen on', '127.0.0.1:10200');
  addSettings(wyoming, ['wyomingAllow', 'wyomingZeroconf', 'voice', 'model'], { voice: '-v', model: '-m' });
  addSettings(wyoming, ['server', 'apiKey', 'apiKeyFile', 'logLevel']);
  addSettings(wyoming, ['engine', 'device', 'threads', 'modelDir', 'offline', 'lexicon', 'voicesDir', 'runtimeDir']);
  return wyoming.addHelpText('after', EXAMPLES).action(async (address: string, _options: unknown, self: Command) => {
    await run(address, await withVoiceId(settingsOf(self)));
  });
}

async function run(address: string, settings: Sources): Promise<void> {
  const { config } = settings;
  const asked = checkModel(config.model);
  const place = wyomingPlace(address, config);
  if (!place.isLocal && config.apiKey === '') throw needsKey('--api-key-file');
  const signalled = untilSignalled();
  const stopping = new AbortController();
  void signalled.then(() => stopping.abort());
  const log = await serverLog(config);
  const connection = await connect(settings, { speech: true }, stopping.signal);
  // A server inside this command knows no keys but its own.
  if (!place.isLocal && connection.kind === 'embedded') {
    await connection.close();
    throw new TtsError(
      'config_invalid',
      'Beyond this machine Wyoming needs a server with keys, and none runs here: use tts serve --wyoming, or name one with --server.',
    );
  }
  const server = { ...connection, apiKey: config.apiKey || connection.apiKey };
  const wyoming = await startWyoming({
    config,
    place,
    address: server,
    model: async () => asked ?? chooseModel(config),
    log,
  });
  process.stdout.write(`speaks Wyoming at ${wyoming.url}, through ${connection.name}\n`);
  await signalled;
  await wyoming.stop(GRACE_MS);
  await connection.close();
  process.exit(0);
}
