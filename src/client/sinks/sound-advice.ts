/** Why a machine plays no sound, and what to install: tells missing packages from devices. */
import type { PlayerSearch, UnfitPlayer } from './players.js';

export const triedText = (tried: readonly UnfitPlayer[]): string =>
  [...new Set(tried.map(({ name, why }) => `${name}: ${why}`))].join('; ');

export function whyNoSound({ deviceSeen, tried }: PlayerSearch): string {
  const why = deviceSeen
    ? 'There is a sound device here, but nothing that plays on it'
    : 'This machine has no sound device';
  return tried.length === 0 ? `${why}.` : `${why} (${triedText(tried)}).`;
}

/** `speaker` is built when it is installed; npm leaves it out silently where that fails. */
const BUILD_TOOLS: Partial<Record<NodeJS.Platform, string>> = {
  linux: 'apt install build-essential python3 libasound2-dev',
  darwin: 'xcode-select --install',
  win32: 'Visual Studio Build Tools and Python',
};

export function soundAdvice({ deviceSeen, tried }: PlayerSearch, platform: NodeJS.Platform): string {
  const missing = new Set(tried.filter(({ installed }) => !installed).map(({ name }) => name));
  const advice = deviceSeen ? [] : ['Write files with -o out.wav, or give this machine a sound device.'];
  if (missing.has('speaker') || missing.has('@audio/speaker')) {
    const tools = missing.has('speaker')
      ? ` (speaker is built then; first: ${BUILD_TOOLS[platform] ?? 'a C compiler'})`
      : '';
    advice.push(
      `To install ${['speaker', '@audio/speaker'].filter((name) => missing.has(name)).join(' and ')}, install tts again with its optional packages: npm ci --include=optional in a clone, else npm install --global --include=optional${tools}.`,
    );
  }
  if (missing.has('aplay')) advice.push('A player of the system will do as well: on Debian, apt install alsa-utils.');
  return advice.length > 0 ? advice.join(' ') : 'Write files with -o out.wav; TTS_DEBUG=1 shows more.';
}
