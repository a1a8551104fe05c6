// Speaks while the text is still being written, over the WebSocket: node stream.mjs hello.pcm
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import WebSocket from 'ws';

const { TTS_BASE_URL = 'http://127.0.0.1:8787', TTS_API_KEY } = process.env;
const file = process.argv[2];

/** Stands for anything that writes bit by bit, such as a language model. */
async function* writer() {
  for (const word of 'Once there was a small grey cat. It slept all day.'.split(/(?<= )/)) {
    await sleep(50);
    yield word;
  }
}

const address = new URL(
  '/v1/text-to-speech/english_female_professional/stream-input?model_id=base-tts-fast',
  TTS_BASE_URL,
);
address.protocol = address.protocol.replace('http', 'ws');
const socket = new WebSocket(address, { headers: { authorization: `Bearer ${TTS_API_KEY}` } });
const send = (message) => socket.send(JSON.stringify(message));
const sound = [];

socket.on('open', async () => {
  send({ text: ' ' }); // the beginning
  for await (const text of writer()) send({ text });
  send({ text: '' }); // the end
});
socket.on('message', (data) => {
  const { audio, message } = JSON.parse(data);
  if (message) console.error(message);
  if (audio) sound.push(Buffer.from(audio, 'base64')); // 24 kHz, 16 bits, mono
});
socket.on('close', () => {
  writeFileSync(file, Buffer.concat(sound));
  console.log(`${(Buffer.concat(sound).length / 48_000).toFixed(1)} s of PCM in ${file}`);
});
