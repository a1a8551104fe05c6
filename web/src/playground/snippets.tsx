/** The same request with curl, `tts speak` and the openai client, to copy. */
import { useSignal } from '@preact/signals';
import { trim } from '../../../src/protocol/characters.js';
import { CopyButton } from '../shared/copy-button.js';
import { model, server, text, voice } from './state.js';

const shellQuoted = (value: string) => `'${value.replaceAll("'", `'\\''`)}'`;

const SNIPPETS = [
  {
    id: 'curl',
    name: 'curl',
    of: (input: string) => {
      const body = JSON.stringify({ model: model.value, voice: voice.value, input });
      return [
        `curl ${location.origin}/v1/audio/speech \\`,
        '  -H "Authorization: Bearer $TTS_API_KEY" \\',
        "  -H 'Content-Type: application/json' \\",
        `  -d ${shellQuoted(body)} \\`,
        '  -o speech.wav',
      ].join('\n');
    },
  },
  {
    id: 'tts',
    name: 'tts speak',
    of: (input: string) => {
      const elsewhere = server.value?.keyless ? '' : ` --server ${location.origin}`;
      return `tts speak${elsewhere} -m ${model.value} -v ${voice.value} \\\n  ${shellQuoted(input)} \\\n  -o speech.wav`;
    },
  },
  {
    id: 'openai',
    name: 'openai',
    of: (input: string) =>
      [
        "import { writeFile } from 'node:fs/promises';",
        "import OpenAI from 'openai';",
        '',
        'const client = new OpenAI({',
        `  baseURL: '${location.origin}/openai/v1',`,
        '  apiKey: process.env.TTS_API_KEY,',
        '});',
        'const speech = await client.audio.speech.create({',
        `  model: '${model.value}',`,
        `  voice: '${voice.value}',`,
        `  input: ${JSON.stringify(input)},`,
        "  response_format: 'wav',",
        '});',
        "await writeFile('speech.wav', Buffer.from(await speech.arrayBuffer()));",
      ].join('\n'),
  },
] as const;

export function Snippets() {
  const chosen = useSignal<string>('curl');
  const snippet = SNIPPETS.find(({ id }) => id === chosen.value)!;
  const code = snippet.of(trim(text.value) || 'Hello.');
  return (
    <section class="panel" aria-labelledby="code-title">
      <div class="panel-head">
        <h2 id="code-title">The same from code</h2>
        <CopyButton text={code} />
      </div>
      <fieldset class="tabs">
        <legend class="visually-hidden">Language</legend>
        {SNIPPETS.map(({ id, name }) => (
          <label key={id}>
            <input
              type="radio"
              name="snippet"
              checked={chosen.value === id}
              onChange={() => {
                chosen.value = id;
              }}
            />
            <span>{name}</span>
          </label>
        ))}
      </fieldset>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it. */}
      <pre tabIndex={0}>
        <code>{code}</code>
      </pre>
    </section>
  );
}
