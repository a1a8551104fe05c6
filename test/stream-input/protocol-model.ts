/** Random sequences of client actions, and what a session that meets them may end with. */

export type Action =
  | { readonly do: 'send'; readonly what: string; readonly data: string | Buffer; readonly effect: Effect }
  /** Text as a WebSocket message in several frames. */
  | { readonly do: 'fragments'; readonly data: readonly string[]; readonly effect: Effect }
  /** Bytes behind the library's back: no frame of the protocol. */
  | { readonly do: 'garbage'; readonly bytes: Buffer }
  | { readonly do: 'wait'; readonly ms: number };

type Effect =
  | { readonly kind: 'initialize' | 'keepalive' | 'end' }
  | { readonly kind: 'text'; readonly text: string; readonly fails: boolean }
  | { readonly kind: 'error'; readonly code: string; readonly alsoFirst: boolean }
  /** The library closes by itself. */
  | { readonly kind: 'closed'; readonly code: number };

/** How the client ends what it began. */
type Parting = 'end' | 'idle' | 'terminate' | 'close';

export interface Script {
  readonly actions: readonly Action[];
  readonly parting: Parting;
}

/**
 * Any one of `results` is right; where it is `final` and something was heard, exactly `chars` were
 * billed.
 */
export interface Expected {
  readonly results: ReadonlySet<string>;
  readonly chars: number;
}

export type Random = () => number;

/** mulberry32: small, seedable, good enough to shuffle. */
export function random(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const pick = <T>(rnd: Random, items: readonly T[]): T => items[Math.floor(rnd() * items.length)]!;
const send = (what: string, data: unknown, effect: Effect): Action => ({
  do: 'send',
  what,
  data: typeof data === 'string' || Buffer.isBuffer(data) ? data : JSON.stringify(data),
  effect,
});
const error = (code: string, alsoFirst = false): Effect => ({ kind: 'error', code, alsoFirst });

const TEXTS = [
  'Hello there. ',
  'Dr. Smith, ',
  'word',
  '  ',
  '\n\n',
  '😀',
  'Is it? Yes! ',
  'a',
  '<b>',
  '3.14 ',
  'é\u0301',
  '\ud800',
];

function text(rnd: Random): { data: object; effect: Effect } {
  const fails = rnd() < 0.04;
  const body = fails ? 'This will FAIL here. ' : pick(rnd, TEXTS).repeat(1 + Math.floor(rnd() * 3));
  const flush = rnd() < 0.2 ? { flush: rnd() < 0.8 } : {};
  const extra = rnd() < 0.1 ? { unknown: { deep: [1] }, voice_settings: null } : {};
  return { data: { text: body, ...flush, ...extra }, effect: { kind: 'text', text: body, fails } };
}

const INVALID: readonly (() => Action)[] = [
  () => send('no JSON', '{"text":', error('invalid_json')),
  () => send('nothing', '', error('invalid_json')),
  () => send('a list', '[1]', error('invalid_message')),
  () => send('a number for text', { text: 1 }, error('invalid_message')),
  () => send('a string for flush', { text: 'a', flush: 'x' }, error('invalid_message')),
  () => send('a binary frame', Buffer.from('{"text":"a"}'), error('invalid_message')),
  () => send('random bytes', Buffer.from([0, 255, 1, 2, 3]), error('invalid_message')),
  () => send('other settings', { text: 'a', voice_settings: { speed: 3 } }, error('invalid_voice_settings')),
  () => send('64 KiB and more', { text: 'a'.repeat(70_000) }, error('message_too_large', true)),
  () => send('1 MiB and more', 'x'.repeat(1_100_000), { kind: 'closed', code: 1009 }),
  () => ({ do: 'garbage', bytes: Buffer.from([0xff, 0xff, 0xff, 0xff, 0x00, 0x01]) }),
];

function action(rnd: Random): Action {
  const dice = rnd();
  if (dice < 0.55) {
    const { data, effect } = text(rnd);
    const json = JSON.stringify(data);
    if (rnd() < 0.8) return { do: 'send', what: 'text', data: json, effect };
    const cut = Math.floor(rnd() * json.length);
    return { do: 'fragments', data: [json.slice(0, cut), json.slice(cut)], effect };
  }
  if (dice < 0.7) return send('space', { text: ' ', ...(rnd() < 0.3 && { flush: true }) }, { kind: 'keepalive' });
  if (dice < 0.8) return { do: 'wait', ms: Math.floor(rnd() * 15) };
  if (dice < 0.87) return send('End', { text: '', flush: rnd() < 0.5 }, { kind: 'end' });
  return pick(rnd, INVALID)();
}

export function script(rnd: Random): Script {
  const actions: Action[] = [];
  if (rnd() < 0.9) actions.push(send('Initialize', { text: ' ' }, { kind: 'initialize' }));
  const length = Math.floor(rnd() * 14);
  for (let i = 0; i < length; i++) actions.push(action(rnd));
  const dice = rnd();
  return { actions, parting: dice < 0.7 ? 'end' : dice < 0.72 ? 'idle' : dice < 0.86 ? 'terminate' : 'close' };
}

/** Characters of the whole text without white space at its ends. */
const billed = (text: string) => [...text.replace(/^\p{White_Space}+|\p{White_Space}+$/gu, '')].length;

/** The rules once more, written independently of the session: what may this script end with? */
export function expected({ actions, parting }: Script): Expected {
  // Whoever leaves may be gone before the answer reaches it.
  const leaves = parting === 'terminate' || parting === 'close';
  const results = new Set<string>(leaves ? ['left'] : []);
  let initialized = false;
  let ended = false;
  let text = '';
  for (const one of actions) {
    if (one.do === 'wait') continue;
    if (one.do === 'garbage' || one.effect.kind === 'closed') {
      results.add('closed');
      // Behind End it races with Final.
      if (!ended) return { results, chars: billed(text) };
      continue;
    }
    if (ended) continue;
    const { effect } = one;
    if (!initialized) {
      if (effect.kind === 'initialize' || effect.kind === 'keepalive') {
        initialized = true;
        continue;
      }
      results.add(effect.kind === 'error' && effect.alsoFirst ? effect.code : 'not_initialized');
      return { results, chars: billed(text) };
    }
    if (effect.kind === 'error') {
      results.add(effect.code);
      return { results, chars: billed(text) };
    }
    if (effect.kind === 'text') {
      text += effect.text;
      // The engine fails in its own time: anything that comes in between may be first.
      if (effect.fails) results.add('synthesis_failed');
    }
    if (effect.kind === 'end') ended = true;
  }
  if (leaves) {
    if (ended) results.add('final');
  } else if (ended || (parting === 'end' && initialized)) {
    results.add('final');
  } else if (parting === 'end') {
    results.add('not_initialized');
  } else {
    results.add('inactivity_timeout');
  }
  // A text that fails is never left out of what is spoken: Final cannot come.
  if (results.has('synthesis_failed')) results.delete('final');
  return { results, chars: billed(text) };
}
