/** The request of the page in other programs, as code to copy. */

interface SpokenRequest {
  readonly origin: string;
  readonly model: string;
  readonly voice: string;
  readonly input: string;
  /** The command finds this server by itself. */
  readonly isLocal: boolean;
}

export interface Snippet {
  readonly id: string;
  readonly name: string;
  readonly of: (request: SpokenRequest) => string;
}

const shellQuoted = (value: string) => `'${value.replaceAll("'", `'\\''`)}'`;
const quoted = (value: string) => JSON.stringify(value);

const curl: Snippet = {
  id: 'curl',
  name: 'curl',
  of: ({ origin, model, voice, input }) =>
    [
      `curl ${origin}/v1/audio/speech \\`,
      '  -H "Authorization: Bearer $TTS_API_KEY" \\',
      "  -H 'Content-Type: application/json' \\",
      `  -d ${shellQuoted(JSON.stringify({ model, voice, input }))} \\`,
      '  -o speech.wav',
    ].join('\n'),
};

const command: Snippet = {
  id: 'tts',
  name: 'tts speak',
  of: ({ origin, model, voice, input, isLocal }) =>
    `tts speak${isLocal ? '' : ` --server ${origin}`} -m ${model} -v ${voice} \\\n  ${shellQuoted(input)} \\\n  -o speech.wav`,
};

const python: Snippet = {
  id: 'python',
  name: 'Python',
  of: ({ origin, model, voice, input }) =>
    [
      'import json, os, urllib.request',
      '',
      'request = urllib.request.Request(',
      `    "${origin}/v1/audio/speech",`,
      '    headers={',
      '        "Authorization": f"Bearer {os.environ[\'TTS_API_KEY\']}",',
      '        "Content-Type": "application/json",',
      '    },',
      '    data=json.dumps({',
      `        "model": "${model}",`,
      `        "voice": "${voice}",`,
      `        "input": ${quoted(input)},`,
      '    }).encode(),',
      ')',
      'with urllib.request.urlopen(request) as speech, open("speech.wav", "wb") as file:',
      '    file.write(speech.read())',
    ].join('\n'),
};

const javascript: Snippet = {
  id: 'javascript',
  name: 'JavaScript',
  of: ({ origin, model, voice, input }) =>
    [
      "import { writeFile } from 'node:fs/promises';",
      '',
      `const response = await fetch('${origin}/v1/audio/speech', {`,
      "  method: 'POST',",
      '  headers: {',
      "    authorization: 'Bearer ' + process.env.TTS_API_KEY,",
      "    'content-type': 'application/json',",
      '  },',
      '  body: JSON.stringify({',
      `    model: '${model}',`,
      `    voice: '${voice}',`,
      `    input: ${quoted(input)},`,
      '  }),',
      '});',
      'if (!response.ok) throw new Error(await response.text());',
      "await writeFile('speech.wav', Buffer.from(await response.arrayBuffer()));",
    ].join('\n'),
};

const openai: Snippet = {
  id: 'openai',
  name: 'openai',
  of: ({ origin, model, voice, input }) =>
    [
      "import { writeFile } from 'node:fs/promises';",
      "import OpenAI from 'openai';",
      '',
      'const client = new OpenAI({',
      `  baseURL: '${origin}/openai/v1',`,
      '  apiKey: process.env.TTS_API_KEY,',
      '});',
      'const speech = await client.audio.speech.create({',
      `  model: '${model}',`,
      `  voice: '${voice}',`,
      `  input: ${quoted(input)},`,
      "  response_format: 'wav',",
      '});',
      "await writeFile('speech.wav', Buffer.from(await speech.arrayBuffer()));",
    ].join('\n'),
};

const elevenlabs: Snippet = {
  id: 'elevenlabs',
  name: 'ElevenLabs',
  of: ({ origin, model, voice, input }) =>
    [
      'import os',
      'from elevenlabs.client import ElevenLabs',
      '',
      'client = ElevenLabs(',
      '    api_key=os.environ["TTS_API_KEY"],',
      `    base_url="${origin}/elevenlabs",`,
      ')',
      'speech = client.text_to_speech.convert(',
      `    "${voice}",`,
      `    model_id="${model}",`,
      `    text=${quoted(input)},`,
      '    output_format="mp3_44100_128",',
      ')',
      'with open("speech.mp3", "wb") as file:',
      '    for part in speech:',
      '        file.write(part)',
    ].join('\n'),
};

const websocket: Snippet = {
  id: 'websocket',
  name: 'WebSocket',
  of: ({ origin, model, voice, input }) =>
    [
      "import { createWriteStream } from 'node:fs';",
      "import WebSocket from 'ws';",
      '',
      'const socket = new WebSocket(',
      `  '${origin.replace(/^http/, 'ws')}/v1/text-to-speech/${voice}/stream-input?model_id=${model}',`,
      "  { headers: { authorization: 'Bearer ' + process.env.TTS_API_KEY } },",
      ');',
      '// 16-bit samples at 24 kHz: ffplay -f s16le -ar 24000 speech.pcm',
      "const file = createWriteStream('speech.pcm');",
      "socket.on('open', () => {",
      "  socket.send(JSON.stringify({ text: ' ' }));",
      `  socket.send(JSON.stringify({ text: ${quoted(input)} }));`,
      "  socket.send(JSON.stringify({ text: '' }));",
      '});',
      "socket.on('message', (data) => {",
      '  const { audio, error, message } = JSON.parse(data);',
      "  if (audio) file.write(Buffer.from(audio, 'base64'));",
      '  if (error) console.error(message);',
      '});',
      "socket.on('close', () => file.end());",
    ].join('\n'),
};

export const SNIPPETS: readonly Snippet[] = [curl, command, python, javascript, openai, elevenlabs, websocket];
