/** `tts book`: an EPUB becomes files with chapters, and a run that is killed goes on. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants, getPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { samplesToMs } from '../../src/protocol/audio.js';
import { type EpubParts, epubFiles, epubOf, zipOf } from '../../testkit/epub.js';
import { createRecogniser } from '../../testkit/sound/recogniser.js';
import { modelDirForTests, realEngine, speak } from '../../testkit/speech.js';
import { unzip } from '../../testkit/unzip.js';
import { serverAtHome } from '../support/at-home.js';
import { readOverlays } from '../support/books/overlays.js';
import { makeHome, tts } from '../support/processes/tts.js';
import { decodeFile, hasFfmpeg, probe } from '../support/sound/ffmpeg.js';

const { home, run, spokenBy } = await serverAtHome({ sine: { msPerChar: 20, delayMs: 15 } });

const paragraphs = (name: string, count: number) =>
  Array.from({ length: count }, (_, i) => `<p>The ${name} paragraph number ${i} of the book is this one.</p>`).join('');
const LAMP: EpubParts = {
  title: 'The Lamp',
  author: 'A. Writer',
  documents: {
    'a.xhtml': `<h1>Dusk</h1>${paragraphs('first', 12)}`,
    'b.xhtml': `<h1>Night</h1>${paragraphs('second', 12)}`,
    'c.xhtml': `<h1>Dawn</h1>${paragraphs('third', 12)}`,
  },
  contents: [
    ['I. Dusk', 'a.xhtml'],
    ['II. Night', 'b.xhtml'],
    ['III. Dawn', 'c.xhtml'],
  ],
};
writeFileSync(home.file('lamp.epub'), epubOf(LAMP));

describe('tts book', () => {
  it('shows what is in a book', async () => {
    const { code, stdout } = await run(['book', 'lamp.epub', '--list']);
    expect(code).toBe(0);
    expect(String(stdout)).toMatch(
      /^The Lamp by A\. Writer \(en\)\n +1 +\d:\d\d +I\. Dusk\n[\s\S]*3 chapters, about 2:\d\d, \S+ MB/,
    );
    const { stdout: json } = await run(['book', 'lamp.epub', '--list', '--json', '--chapters', '2-']);
    expect(JSON.parse(String(json))).toMatchObject({
      event: 'book',
      title: 'The Lamp',
      chapters: [{ number: 2, title: 'II. Night' }, { number: 3 }],
    });
  });

  it('makes one file with chapters, or a file for each and a playlist, and tells how far it is', async () => {
    const { code, stdout } = await run(['book', 'lamp.epub', '-o', 'lamp.mp3', '--json']);
    expect(code).toBe(0);
    const events = String(stdout)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { event: string; title?: string; audioMs?: number; startMs?: number });
    expect(events[0]).toMatchObject({ event: 'book', title: 'The Lamp' });
    expect(events.filter(({ event }) => event === 'chapter').map(({ title }) => title)).toEqual([
      'I. Dusk',
      'II. Night',
      'III. Dawn',
    ]);
    expect(events.some(({ event }) => event === 'progress')).toBe(true);
    expect(events.at(-1)).toMatchObject({ event: 'done', files: ['lamp.mp3'] });
    expect(await run(['book', 'lamp.epub', '-o', 'parts/', '--chapters', '2-3'])).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^wrote parts\/, \S+, 2 chapters\n$/),
    });
    expect(readdirSync(home.file('parts')).sort()).toEqual(['2 II. Night.mp3', '3 III. Dawn.mp3', 'The Lamp.m3u8']);
    expect(readFileSync(home.file('parts/The Lamp.m3u8'), 'utf8')).toMatch(
      /^#EXTM3U\n#PLAYLIST:The Lamp\n#EXTINF:\d+,II\. Night\n2 II\. Night\.mp3\n/,
    );
    if (!hasFfmpeg()) return;
    const { chapters, format } = probe(home.file('lamp.mp3'));
    const done = events.at(-1)!.audioMs! / 1000;
    expect(chapters.map(({ tags: { title } }) => title)).toEqual(['I. Dusk', 'II. Night', 'III. Dawn']);
    expect(Math.abs(Number(chapters.at(-1)!.end_time) - done)).toBeLessThan(0.01);
    expect(format.tags).toMatchObject({
      title: 'The Lamp',
      artist: 'A. Writer',
      composer: 'english_female_professional',
    });
    expect(probe(home.file('parts/2 II. Night.mp3')).format.tags).toMatchObject({
      title: 'II. Night',
      album: 'The Lamp',
      track: '2/3',
    });
  });

  it('is what tts speak does with an EPUB', async () => {
    expect(await run(['speak', '-f', 'lamp.epub', '-o', 'spoken.mp3', '--chapters', '-q'])).toMatchObject({ code: 0 });
    expect(readFileSync(home.file('spoken.mp3')).equals(readFileSync(home.file('lamp.mp3')))).toBe(true);
    expect(await run(['speak', '-f', 'lamp.epub', '-o', 'spoken.mp3'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/tts book/),
    });
  });

  it('makes only what was edited, and everything again after --clean', async () => {
    const edited = LAMP.documents['b.xhtml']!.replace('number 3', 'number thirty-three');
    writeFileSync(home.file('lamp.epub'), epubOf({ ...LAMP, documents: { ...LAMP.documents, 'b.xhtml': edited } }));
    const again = await spokenBy(() => run(['book', 'lamp.epub', '-o', 'edited.mp3', '-q']));
    expect(again).toBe('The second paragraph number thirty-three of the book is this one.');
    expect(
      await spokenBy(() => run(['book', 'lamp.epub', '-o', 'edited.mp3', '-q', '--speed', '1.1', '--chapters', '1'])),
    ).toContain('first');
    writeFileSync(home.file('lamp.epub'), epubOf(LAMP));
    expect(String((await run(['book', '--clean', 'lamp.epub'])).stdout)).toMatch(/^removed \d+/);
    expect(await spokenBy(() => run(['book', 'lamp.epub', '-o', 'edited.mp3', '-q', '--chapters', '3']))).toContain(
      'third',
    );
  });

  it('gives the same file to the byte after being killed at any moment, and leaves nothing else', async () => {
    await run(['book', '--clean']);
    mkdirSync(home.file('killed'));
    // The moments differ from run to run of this test, and the outcome must not.
    for (let kill = 0; kill < 10; kill += 1) {
      const afterMs = 400 + Math.random() * 1_200;
      await run(['book', 'lamp.epub', '-o', 'killed/lamp.mp3', '-q'], {
        during: async (child) => {
          await sleep(afterMs);
          child.kill('SIGKILL');
        },
      });
    }
    const priorities = new Set<number>();
    const made = await run(['book', 'lamp.epub', '-o', 'killed/lamp.mp3', '-q'], {
      during: async (child) => {
        for (; child.exitCode === null; await sleep(10)) priorities.add(getPriority(child.pid));
      },
    });
    expect(made).toMatchObject({ code: 0 });
    // It lets other programs go first.
    expect(Math.max(...priorities)).toBeGreaterThanOrEqual(constants.priority.PRIORITY_BELOW_NORMAL);
    expect(readFileSync(home.file('killed/lamp.mp3')).equals(readFileSync(home.file('lamp.mp3')))).toBe(true);
    expect(readdirSync(home.file('killed'))).toEqual(['lamp.mp3']);
    rmSync(home.file('killed'), { recursive: true });
  });

  it('makes a book to read along, the same to the byte after a kill, and speaks nothing twice', async () => {
    await run(['book', '--clean']);
    mkdirSync(home.file('aloud'));
    const args = ['book', 'lamp.epub', '-o', 'aloud/lamp.epub', '-q'];
    await run(args, {
      during: async (child) => {
        await sleep(400 + Math.random() * 1_200);
        child.kill('SIGKILL');
      },
    });
    expect(await run(args)).toMatchObject({ code: 0 });
    expect(readdirSync(home.file('aloud'))).toEqual(['lamp.epub']);
    const whole = readFileSync(home.file('aloud/lamp.epub'));
    await run(['book', '--clean']);
    expect(await run(['speak', '-f', 'lamp.epub', '-o', 'aloud/whole.epub', '--chapters', '-q'])).toMatchObject({
      code: 0,
    });
    expect(readFileSync(home.file('aloud/whole.epub')).equals(whole)).toBe(true);
    const byWord = ['book', 'lamp.epub', '-o', 'aloud/words.epub', '--overlay', 'word', '--format', 'mp3', '-q'];
    expect(await spokenBy(() => run(byWord))).toBe('');
    const { clips } = readOverlays(unzip(readFileSync(home.file('aloud/words.epub'))));
    expect(clips.slice(0, 5).map(({ text }) => text)).toEqual(['Dusk', 'The', 'first', 'paragraph', 'number']);
    expect(await run(['book', 'lamp.epub', '-o', 'x.epub', '--format', 'flac'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/m4a or mp3/),
    });
    expect(await run(['book', 'lamp.epub', '-o', 'lamp.epub'])).toMatchObject({ code: 2 });
  });

  it('refuses a broken book by the name of the file, and makes what there is with --skip-broken', async () => {
    const files = epubFiles(LAMP);
    delete files['OEBPS/b.xhtml'];
    writeFileSync(home.file('broken.epub'), zipOf(files));
    expect(await run(['book', 'broken.epub', '-o', 'broken.mp3'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/OEBPS\/b\.xhtml/),
    });
    const made = await run(['book', 'broken.epub', '-o', 'broken.mp3', '--skip-broken']);
    expect(made).toMatchObject({ code: 0, stderr: expect.stringMatching(/OEBPS\/b\.xhtml[\s\S]*2 chapters/) });
    expect(await run(['book', 'none.epub'])).toMatchObject({ code: 2, stderr: expect.stringMatching(/no such file/) });
    expect(await run(['book'])).toMatchObject({ code: 2, stderr: expect.stringMatching(/Which book/) });
    expect(await run(['book', 'lamp.epub', '-o', 'x.doc'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/\.mp3/),
    });
    expect(await run(['book', 'lamp.epub', '--chapters', '9'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/1 to 3/),
    });
  });

  it('speaks with the real voice and an engine of its own, also what is in another language', async () => {
    const lonely = makeHome();
    const env = {
      ...lonely.env,
      TTS_ENGINE: 'kokoro',
      TTS_MODEL_DIR: await modelDirForTests(),
      TTS_MODEL: 'base-tts-fast',
    };
    const said = 'The keeper looked at the dark water for a while.';
    const body = `<h1>One</h1><p>The keeper said <i lang="fr">bonjour</i> to the old lighthouse. ${said}</p>`;
    writeFileSync(lonely.file('real.epub'), epubOf({ documents: { 'a.xhtml': body, 'b.xhtml': '<p>The end.</p>' } }));
    expect(await tts(['book', 'real.epub', '-q'], { env, cwd: lonely.dir })).toMatchObject({ code: 0, stderr: '' });
    if (!hasFfmpeg()) return;
    expect(probe(lonely.file('real.m4b')).chapters.map(({ tags: { title } }) => title)).toEqual(['One', 't']);
    const recogniser = await createRecogniser(env.TTS_MODEL_DIR);
    expect(await recogniser.transcribe(decodeFile(lonely.file('real.m4b')))).toMatch(
      /keeper.* to the old light ?house/i,
    );
    await recogniser.close();
    // The same sentences are in the EPUB, without a model: all are kept. Their words begin when the
    // model says they do; a book is narrated, which takes a little longer than a plain reading.
    const aloud = ['book', 'real.epub', '-o', 'aloud.epub', '--overlay', 'word', '-q'];
    const bare = { ...env, TTS_MODEL_DIR: lonely.file('none'), TTS_OFFLINE: 'true' };
    expect(await tts(aloud, { env: bare, cwd: lonely.dir })).toMatchObject({ code: 0, stderr: '' });
    const files = unzip(readFileSync(lonely.file('aloud.epub')));
    const { clips } = readOverlays(files);
    const engine = await realEngine(['base-tts-fast']);
    const { timings } = await speak(engine, said);
    await engine.close();
    const first = clips.findIndex(({ text }, at) => text === 'The' && clips[at + 2]?.text === 'looked');
    const zero = clips[first]!.beginMs - samplesToMs(timings.startSamples[0]!);
    for (const [index, { 0: word, index: char }] of [...said.matchAll(/\S+/g)].entries()) {
      const { text, beginMs } = clips[first + index]!;
      expect(text).toBe(word);
      expect(Math.abs(beginMs - zero - samplesToMs(timings.startSamples[char]!))).toBeLessThanOrEqual(80);
    }
    // And that is where they are in the file: what is said of one sentence is there at its time.
    writeFileSync(lonely.file('one.m4a'), files.get(clips[first]!.sound)!);
    const sound = decodeFile(lonely.file('one.m4a'));
    const loud = (fromMs: number, ms: number) =>
      Math.max(...sound.subarray(fromMs * 24, (fromMs + ms) * 24).map((sample) => Math.abs(sample)));
    const beforeMs = clips[first]!.beginMs - 200;
    expect(loud(beforeMs, 150)).toBeLessThan(loud(clips[first]!.beginMs, 200) / 10);
    lonely.remove();
  });
});
