/** How loud a clip is, as ffmpeg measures it. */
import { spawnSync } from 'node:child_process';
import { pcmBytes } from '../../src/protocol/audio.js';

/** Integrated loudness as broadcasters measure it (EBU R 128, ITU-R BS.1770), in LUFS. */
export function loudness(pcm: Int16Array): number {
  const args = '-hide_banner -nostats -f s16le -ar 24000 -ac 1 -i pipe:0 -af ebur128 -f null -'.split(' ');
  const { stderr } = spawnSync('ffmpeg', args, { input: pcmBytes(pcm), encoding: 'utf8' });
  return Number(/I:\s+(-[\d.]+) LUFS/.exec(stderr.slice(stderr.lastIndexOf('Summary')))![1]);
}
