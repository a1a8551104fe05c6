/**
 * A real browser for the pages: Debian's chromium, with ears at the output of the audio graph and
 * eyes on the words.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';

/**
 * Debian has the engine of the browser alone as well, which starts with half of the work and draws
 * no windows of its own.
 */
const CHROMIUM = ['chromium-headless-shell', 'chromium', 'chromium-browser']
  .map((name) => `/usr/bin/${name}`)
  .find((file) => existsSync(file));

export const hasChromium = (): boolean => CHROMIUM !== undefined;

/** `rebound`: a name of somebody else's that was made to point at this machine. */
export function launchBrowser({ rebound = 'rebound.example' } = {}): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM!,
    args: [
      '--no-sandbox',
      '--autoplay-policy=no-user-gesture-required',
      `--host-resolver-rules=MAP ${rebound} 127.0.0.1`,
    ],
  });
}

/** What a page complains of: scripts that failed, and whatever its policy forbade. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) complaints.push(message.text());
  });
  return complaints;
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Has the rules of accessibility looked at as a page stands now: all of them, or these. */
export async function expectAccessible(page: Page, rules?: readonly string[]): Promise<void> {
  // A document takes it once: to load it is a fifth of a second of a core.
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(AXE);
  // Of rules that were kept it lists nothing, which is most of its work on a long page.
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) };
  const found = await page.evaluate(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
      violations.map(({ id, nodes }) => ({ rule: id, where: nodes.map(({ html }) => html.slice(0, 200)) })))`,
  );
  expect(found).toEqual([]);
}

export const PHONE_SIZE = { width: 390, height: 844 } as const;

/** The rules that look at colours, which are all that another theme can break. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/**
 * Shows a page in the dark as it stands, and has its colours looked at; where a phone is asked for,
 * in a phone's size, in which all rules are looked at again.
 */
export async function expectAccessibleInTheDark(page: Page, size: 'desk' | 'phone' = 'desk'): Promise<void> {
  // Without motion colours change at once, and are looked at where they end.
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  if (size === 'phone') await page.setViewportSize(PHONE_SIZE);
  await expectAccessible(page, size === 'desk' ? OF_COLOURS : undefined);
}

const EARS = `registerProcessor('ears', class extends AudioWorkletProcessor {
  process([input]) {
    if (input[0]) this.port.postMessage({ frame: currentFrame, samples: input[0].slice() });
    return true;
  }
});`;

/**
 * Runs in the page: everything that goes to the loudspeaker goes to the ears as well, and every
 * frame that is drawn is noted with the word that it lights.
 */
function attach(ears: string): void {
  // biome-ignore lint/suspicious/noExplicitAny: a page's own global.
  const page = globalThis as any;
  const heard = { frames: [] as number[], blocks: [] as Float32Array[], drawn: [] as object[] };
  page.heard = heard;
  let context: { readonly currentTime: number } | undefined;
  // The ears are there before the page's own worklet is, so they miss no sample of it.
  const { addModule } = page.AudioWorklet.prototype;
  page.AudioWorklet.prototype.addModule = async function (...args: unknown[]) {
    const url = page.URL.createObjectURL(new page.Blob([ears], { type: 'text/javascript' }));
    await addModule.call(this, url);
    return addModule.apply(this, args);
  };
  const { connect } = page.AudioNode.prototype;
  page.AudioNode.prototype.connect = function (target: unknown, ...rest: unknown[]) {
    if (target instanceof page.AudioDestinationNode) {
      context = this.context;
      const node = new page.AudioWorkletNode(this.context, 'ears');
      node.port.onmessage = ({ data }: { data: { frame: number; samples: Float32Array } }) => {
        heard.frames.push(data.frame);
        heard.blocks.push(data.samples);
      };
      connect.call(this, node);
      connect.call(node, this.context.destination);
    }
    return connect.call(this, target, ...rest);
  };
  let word = -1;
  const lit = (
    changes: { target: { classList: { contains(name: string): boolean }; dataset: { index: string } } }[],
  ) => {
    for (const { target } of changes) if (target.classList.contains('now')) word = Number(target.dataset.index);
  };
  new page.MutationObserver(lit).observe(page.document, {
    subtree: true,
    attributes: true,
    attributeFilter: ['class'],
  });
  // Asked for anew in a task after the frame, so that it runs behind the page's own drawing.
  const channel = new page.MessageChannel();
  channel.port1.onmessage = () =>
    page.requestAnimationFrame(() => {
      if (context) heard.drawn.push({ atS: context.currentTime, word });
      channel.port2.postMessage(0);
    });
  channel.port2.postMessage(0);
}

interface Heard {
  /** From the first frame the ears were there; frames nobody told of are silent. */
  readonly samples: Float32Array;
  readonly firstFrame: number;
  /** The word that was lit in each frame drawn, and the audio graph's time of that frame. */
  readonly drawn: readonly { readonly word: number; readonly atS: number }[];
}

export interface Listener {
  heard(): Promise<Heard>;
  /** Everything the server said over its sockets. */
  readonly messages: readonly {
    readonly audio?: string;
    readonly alignment?: { chars: string[]; charStartTimesMs: number[] };
  }[];
}

/** What a page must be made with that is listened to: its policy would not let the ears in. */
export const LISTENED = { bypassCSP: true } as const;

/** To be called before the page is opened. */
export async function listenTo(page: Page): Promise<Listener> {
  const messages: Listener['messages'][number][] = [];
  page.on('websocket', (socket) => {
    socket.on('framereceived', ({ payload }) => messages.push(JSON.parse(String(payload))));
  });
  await page.addInitScript(attach, EARS);
  return {
    messages,
    async heard() {
      const { frames, blocks, drawn } = await page.evaluate(() => {
        // biome-ignore lint/suspicious/noExplicitAny: as above.
        const { frames, blocks, drawn } = (globalThis as any).heard;
        return { frames, blocks: blocks.map((block: Float32Array) => [...block]), drawn };
      });
      const firstFrame = frames[0] ?? 0;
      const samples = new Float32Array((frames.at(-1) ?? 0) - firstFrame + 128);
      for (const [i, block] of (blocks as number[][]).entries()) samples.set(block, frames[i]! - firstFrame);
      return { samples, firstFrame, drawn };
    },
  };
}
