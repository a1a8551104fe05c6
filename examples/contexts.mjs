// Two replies at once over one connection, in ElevenLabs' dialect, as voice agents speak: node contexts.mjs a.pcm b.pcm
import { writeFileSync } from 'node:fs';
import { WebSocket } from 'ws';

const base = process.env.TTS_BASE_URL ?? 'http://127.0.0.1:8787';
const path = '/elevenlabs/v1/text-to-speech/english_female_professional/multi-stream-input';
const query = 'model_id=eleven_flash_v2_5&output_format=pcm_24000';
const socket = new WebSocket(`${base.replace(/^http/, 'ws')}${path}?${query}`, {
  headers: { 'xi-api-key': process.env.TTS_API_KEY },
});
const send = (message) => socket.send(JSON.stringify(message));

const replies = {
  [process.argv[2]]: 'The kettle is on. Tea in four minutes.',
  [process.argv[3]]: 'Your train leaves from platform three.',
};
const audio = Object.fromEntries(Object.keys(replies).map((name) => [name, []]));

socket.on('open', () => {
  for (const [name, text] of Object.entries(replies)) {
    // A context begins with one space and its settings, and ends when it is closed.
    send({ text: ' ', context_id: name, voice_settings: { speed: 1.1 } });
    send({ text: `${text} `, context_id: name });
    send({ context_id: name, close_context: true });
  }
  send({ close_socket: true });
});
socket.on('message', (data) => {
  const message = JSON.parse(data);
  if (message.error) throw new Error(`${message.error}: ${message.message}`);
  if (message.audio) audio[message.contextId].push(Buffer.from(message.audio, 'base64'));
  if (!message.isFinal) return;
  const pcm = Buffer.concat(audio[message.contextId]);
  writeFileSync(message.contextId, pcm);
  console.log(`${(pcm.length / 48_000).toFixed(1)} s of PCM in ${message.contextId}`);
});
