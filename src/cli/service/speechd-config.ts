/** The file that speech-dispatcher hands to its modules: lines of a name and a value. */
import { readFileSync } from 'node:fs';

/** Settings of the module, by the names of speech-dispatcher's style. */
const NAMES = {
  TtsVoice: 'voice',
  TtsModel: 'model',
  TtsServer: 'server',
  TtsApiKeyFile: 'apiKeyFile',
  TtsSoundIconFolder: 'soundIcons',
} as const;

export type SpeechdConfig = Partial<Record<(typeof NAMES)[keyof typeof NAMES], string>>;

/** The server names a file whether it is there or not; lines of other names are passed over. */
export function readSpeechdConfig(file: string | undefined): SpeechdConfig {
  let text = '';
  try {
    if (file !== undefined) text = readFileSync(file, 'utf8');
  } catch {
    // Without a file everything has its default.
  }
  const found: SpeechdConfig = {};
  for (const line of text.split('\n')) {
    const [, name, quoted, bare] = /^\s*(\w+)\s+(?:"([^"]*)"|(\S+))/.exec(line) ?? [];
    const key = NAMES[name as keyof typeof NAMES];
    if (key !== undefined) found[key] = quoted ?? bare ?? '';
  }
  return found;
}
