/**
 * Every bench: its folder, and what it measures in one line. A folder holds a bench and its parts.
 */

/** @type {Record<string, Record<string, string>>} */
const FOLDERS = {
  speed: {
    speed: 'one client over HTTP, next to kokoro-js on the same weights',
    'first-sound': 'where the wait for the first audio goes',
    'screen-reader': 'from a key to the first sample, over the module of speech-dispatcher',
    overhead: 'what the engine adds to the bare networks',
    text: 'a megabyte of anything through the text front-end',
    reading: 'what reading costs in each language, a character and a token',
    traces: 'what traces cost a request',
  },
  streams: {
    streams: 'live listeners without a stall, in six kinds of load',
    stream: 'the first words behind a writer as fast as a language model',
    load: 'listings of voices while the engine is busy',
    steady: 'long requests one after another: memory and event loop',
    proportion: 'what text and sessions cost the server as they grow',
    gateway: 'what listeners and refusals cost the gateway',
    formats: 'what encoding mp3, Opus and FLAC costs',
    gpu: 'a server with a GPU next to the same without it',
  },
  sound: {
    sound: 'what instruments hear of the voices, and every player of this machine',
    voices: 'every voice in its own language: loudness, pitch, lengths and ends',
    character: 'pitch, pace, range and brightness of each voice, behind its description',
    delivery: 'rests, pace, rises of questions, declination, DNSMOS and words, before and after',
    joins: 'pitch, level and rest where the first sentence behind a writer is cut, beside the whole',
    openings: 'sentences of base-tts that begin with the light vocoder, beside the generator alone',
    short: 'words that stand alone in every English voice, as a recogniser hears them',
    apart: 'how far apart two devices sound, from lines that gpu wrote',
    fast: 'fast speech: words that are still heard, and DNSMOS, by speed',
  },
  resilience: {
    soak: 'random clients for a while, while engines are killed and frozen',
    attacks: 'clients that send and never read, or ask for what is expensive',
    chaos: 'a distributed service whose parts are killed, frozen and cut off',
  },
  fleet: {
    cell: 'gateways, workers, NATS and PostgreSQL on one machine, and where they end',
    nats: 'the same engines embedded and behind NATS',
    'round-trips': 'what distance between gateway and worker costs',
    accounts: 'requests a second with SQLite and with PostgreSQL',
    sizing: 'a simulation: what so many concurrent streams need',
  },
  command: {
    start: 'how long commands take to start, with and without a server',
    book: 'an audiobook: time, processor and memory, next to the same text by tts speak',
    beside: 'first sound and stalls of a listener beside an audiobook on the same server',
    pages: 'the pages in Chromium: sizes, first paint, frames while a long text is spoken',
    picture: 'the moving picture of the README, from a real terminal',
  },
};

/** The benches in the order of the list. */
export const BENCHES = Object.entries(FOLDERS).flatMap(([folder, benches]) =>
  Object.entries(benches).map(([name, measures]) => ({ name, folder, measures })),
);

/**
 * The bench that a command line names, and its options: by its name alone, or behind its folder's
 * (`sound delivery`). Undefined where there is none.
 *
 * @param {readonly string[]} args
 */
export function benchOf([name, next, ...options]) {
  const part = BENCHES.find((each) => each.folder === name && each.name === next);
  if (part !== undefined) return { bench: part, options };
  const bench = BENCHES.find((each) => each.name === name);
  return bench && { bench, options: next === undefined ? [] : [next, ...options] };
}

/** What `npm run bench` prints. */
export function listOfBenches() {
  const groups = Object.entries(FOLDERS).map(([folder, benches]) => {
    const lines = Object.entries(benches).map(([name, measures]) => `  ${name.padEnd(12)} ${measures}\n`);
    return `bench/${folder}\n${lines.join('')}`;
  });
  return `npm run bench -- [FOLDER] NAME [options] runs one; the file of each begins with its options.\n\n${groups.join('\n')}`;
}
