// kokoro-js in a process of its own: the folder of the pack is its argument, texts are messages,
// times or audio are answers.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { env } from '@huggingface/transformers';
import { KokoroTTS, TextSplitterStream } from 'kokoro-js';

const [published, tokenizer] = process.argv.slice(2);
// It wants the files laid out and named as on the hub; they are the same bytes.
const folder = mkdtempSync(path.join(tmpdir(), 'tts-bench-peer-'));
mkdirSync(path.join(folder, 'kokoro', 'onnx'), { recursive: true });
symlinkSync(published, path.join(folder, 'kokoro', 'onnx', 'model_quantized.onnx'));
symlinkSync(tokenizer, path.join(folder, 'kokoro', 'tokenizer.json'));
writeFileSync(path.join(folder, 'kokoro', 'config.json'), '{"model_type":"style_text_to_speech_2"}');
writeFileSync(path.join(folder, 'kokoro', 'tokenizer_config.json'), '{"tokenizer_class":"PreTrainedTokenizer"}');
env.localModelPath = folder;
env.allowRemoteModels = false;

const tts = await KokoroTTS.from_pretrained('kokoro', { dtype: 'q8', device: 'cpu' });
rmSync(folder, { recursive: true });
process.on('disconnect', () => process.exit());
process.on('message', async ({ text, sound }) => {
  const start = performance.now();
  let firstMs;
  let samples = 0;
  const pieces = [];
  const splitter = new TextSplitterStream();
  splitter.push(text);
  splitter.close();
  for await (const { audio } of tts.stream(splitter, { voice: 'af_heart' })) {
    firstMs ??= performance.now() - start;
    samples += audio.audio.length;
    if (sound) pieces.push(Int16Array.from(audio.audio, (value) => Math.max(-1, Math.min(1, value)) * 32_767));
  }
  const wallMs = performance.now() - start;
  if (sound) {
    const whole = new Int16Array(samples);
    let at = 0;
    for (const piece of pieces) {
      whole.set(piece, at);
      at += piece.length;
    }
    process.send(whole);
    return;
  }
  process.send({ firstMs, wallMs, seconds: samples / 24_000, rssBytes: process.memoryUsage.rss() });
});
process.send('ready');
