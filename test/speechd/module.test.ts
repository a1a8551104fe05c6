/** The output module at the wire of speech-dispatcher: what it answers, says, marks and keeps. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../testkit/server.js';
import { ModuleProcess } from '../../testkit/speechd-module.js';
import { serverAtHome } from '../support/at-home.js';

const { server, home, run, textsSince, jobs } = await serverAtHome({ sine: { msPerChar: 20 } });
const started: ModuleProcess[] = [];
afterEach(async () => {
  for (const module of started.splice(0)) {
    module.child.kill('SIGKILL');
    await module.exited;
  }
});

async function start(args: readonly string[] = []): Promise<ModuleProcess> {
  const module = new ModuleProcess(home.env, args);
  started.push(module);
  await module.init();
  return module;
}

const SETTINGS = ['pitch=0', 'pitch_range=0', 'rate=0', 'volume=100', 'punctuation_mode=none', 'spelling_mode=off'];
SETTINGS.push('cap_let_recogn=none', 'voice=male1', 'language=NULL', 'synthesis_voice=NULL');
const set = (module: ModuleProcess, ...more: string[]) => module.command('SET', [...SETTINGS, ...more]);

describe('commands', () => {
  it('are answered with the codes of the protocol', async () => {
    const module = new ModuleProcess(home.env, ['/nowhere/tts.conf']);
    started.push(module);
    expect(await module.command('INIT')).toEqual(['299 OK LOADED SUCCESSFULLY']);
    expect(await module.command('AUDIO', ['audio_output_method=alsa'])).toEqual([
      '207 OK RECEIVING AUDIO SETTINGS',
      '303 ERROR INVALID PARAMETER OR VALUE',
    ]);
    expect((await module.command('AUDIO', ['audio_output_method=server']))[1]).toBe('203 OK AUDIO INITIALIZED');
    expect((await module.command('LOGLEVEL', ['log_level=3']))[1]).toBe('203 OK LOGLEVEL SET');
    expect(await set(module)).toEqual(['203 OK RECEIVING SETTINGS', '203 OK SETTINGS RECEIVED']);
    expect((await module.command('SET', ['rate=fast']))[1]).toMatch(/^303 /);
    expect(await module.command('DEBUG OFF')).toEqual(['200 OK DEBUGGING OFF']);
    expect(await module.command('DANCE')).toEqual(['300 ERR UNKNOWN COMMAND']);
    expect((await module.command('CHAR', ['a', 'b']))[1]).toMatch(/^305 /);
    expect((await module.command('SPEAK', []))[1]).toMatch(/^301 /);
    // Without a message there is nothing to stop.
    module.send('STOP\nPAUSE\n');
    expect(await module.command('QUIT')).toEqual(['210 OK QUIT']);
    expect(await module.exited).toBe(0);
  });

  it('say why the module cannot be used', async () => {
    const module = new ModuleProcess(home.env, ['--server', 'http://127.0.0.1:9']);
    started.push(module);
    expect(await module.command('INIT')).toEqual(['399 ERR CANT INIT MODULE']);
    expect(module.messages[0]!.lines[0]).toMatch(/No connection/);
    expect(await module.exited).toBe(1);
  });

  it('list the voices by language', async () => {
    const module = await start();
    const list = async (command: string) => {
      module.send(`${command}\n`);
      return module.next();
    };
    const all = await list('LIST VOICES');
    expect(all.last).toBe('200 OK VOICE LIST SENT');
    expect(all.lines).toContain('british_male_george\ten-GB\tmale');
    expect(all.lines.length).toBeGreaterThan(50);
    const french = await list('LIST VOICES fr');
    expect(french.lines.length).toBeGreaterThan(0);
    for (const line of french.lines) expect(line).toMatch(/^french_.*\tfr-FR\t/);
    expect((await list('LIST VOICES tlh')).last).toBe('304 CANT LIST VOICES');
  });

  it('end with the server', async () => {
    const module = await start();
    module.child.stdin!.end();
    expect(await module.exited).toBe(0);
  });
});

describe('SPEAK', () => {
  it('sends the audio of each sentence with its marks in order', async () => {
    const module = await start();
    await set(module);
    const before = jobs().length;
    const text = '<speak>One &amp; two.<mark name="__spd_0"/> .Three.<mark name="__spd_1"/> The last sentence</speak>';
    const { events, samples, blocks } = await module.speak('SPEAK', text);
    expect(events).toEqual(['701 BEGIN', 'audio', '__spd_0', 'audio', '__spd_1', 'audio', '702 END']);
    expect(textsSince(before).join('|')).toContain('One & two.');
    expect(Math.max(...samples)).toBeGreaterThan(1_000);
    expect(blocks.every(({ sampleRate, pcm }) => sampleRate === 24_000 && pcm.length <= 5_000)).toBe(true);
  });

  it('reaches marks inside a sentence when their words are heard', async () => {
    const module = await start();
    await set(module);
    const text = '<speak><mark name="0:5"/>Hello <mark name="6:11"/>wide <mark name="12"/>world</speak>';
    const { events } = await module.speak('SPEAK', text);
    expect(events).toEqual(['701 BEGIN', '0:5', 'audio', '6:11', 'audio', '12', 'audio', '702 END']);
  });

  it('of a text without a word ends without a sound', async () => {
    const module = await start();
    await set(module);
    expect((await module.speak('SPEAK', '<speak>…</speak>')).events).toEqual(['701 BEGIN', '702 END']);
    expect((await module.speak('SPEAK', '<speak>Again.</speak>')).events).toContain('audio');
  });

  it('follows rate, pitch and volume', async () => {
    const module = await start();
    const said = async (...more: string[]) => {
      await set(module, ...more);
      return module.speak('SPEAK', '<speak>A sentence that is always the same length.</speak>');
    };
    const plain = await said();
    const fastest = await said('rate=100');
    expect(plain.samples.length / fastest.samples.length).toBeCloseTo(6, 0);
    const slow = await said('rate=-100');
    expect(slow.samples.length / plain.samples.length).toBeGreaterThan(2);
    const high = await said('pitch=100');
    expect(high.blocks[0]!.sampleRate).toBe(33_941);
    // The same time: more samples, played faster.
    expect(high.samples.length / 33_941 / (plain.samples.length / 24_000)).toBeCloseTo(1, 1);
    const quiet = await said('volume=-50');
    expect(Math.max(...quiet.samples) / Math.max(...plain.samples)).toBeCloseTo(0.25, 1);
  });

  it.each([-100, -50, 10, 40, 75, 90, 100])('takes the rate %d with every pitch without a fault', async (rate) => {
    const module = await start();
    for (const pitch of [-100, 0, 100]) {
      await set(module, `rate=${rate}`, `pitch=${pitch}`);
      const { events } = await module.speak(
        'SPEAK',
        '<speak>Faster and faster it goes, up to the end of the line.</speak>',
      );
      expect(events).toEqual(['701 BEGIN', 'audio', '702 END']);
    }
  });

  it('names signs as the punctuation mode says, and spells', async () => {
    const module = await start();
    const spoken = async (text: string, ...more: string[]) => {
      await set(module, ...more);
      const before = jobs().length;
      await module.speak('SPEAK', `<speak>${text}</speak>`);
      return textsSince(before).join('').replaceAll(/\s+/g, ' ').trim();
    };
    expect(await spoken('Fish, chips @ noon (now)!')).toBe('Fish, chips @ noon (now)!');
    expect(await spoken('Fish, chips @ noon (now)!', 'punctuation_mode=some')).toBe('Fish, chips at noon (now)!');
    expect(await spoken('Fish, chips @ noon (now)!', 'punctuation_mode=all')).toBe(
      'Fish comma, chips at noon left paren now right paren exclamation mark!',
    );
    expect(await spoken('ok', 'spelling_mode=on')).toMatch(/characters">o<.*characters">k</);
  });

  it('takes the voice that is named, or one of the language and type', async () => {
    const module = await start();
    const voiceFor = async (...more: string[]) => {
      await set(module, ...more);
      const before = (await server.ledger(server.partner.id)).length;
      await module.speak('SPEAK', `<speak>Words that nobody said before number ${jobs().length}, really.</speak>`);
      await until(async () => (await server.ledger(server.partner.id)).length > before, 'the row of the ledger');
      return (await server.ledger(server.partner.id)).at(-1)!.voice;
    };
    expect(await voiceFor('synthesis_voice=british_male_george')).toBe('british_male_george');
    expect(await voiceFor('language=fr')).toMatch(/^french_/);
    expect(await voiceFor('language=it-IT', 'voice=male1')).toMatch(/^italian_male/);
    expect(await voiceFor('language=en-US')).toBe('english_female_professional');
    expect(await voiceFor('synthesis_voice=nobody')).toBe('english_female_professional');
  });
});

describe('STOP and PAUSE', () => {
  it('stops at once, in the middle of a sentence', async () => {
    const module = await start();
    await set(module);
    await module.command('SPEAK', [`<speak>${'A long sentence of many words. '.repeat(300)}</speak>`]);
    await until(() => module.messages.at(-1)!.last === '705 AUDIO', 'audio');
    module.send('STOP\n');
    const { events } = await module.hear();
    expect(events.at(-1)).toBe('703 STOP');
    const count = module.messages.length;
    expect((await module.speak('SPEAK', '<speak>Next.</speak>')).events).toEqual(['701 BEGIN', 'audio', '702 END']);
    // Nothing of the stopped message came after its end.
    expect(module.messages.slice(count).filter(({ last }) => last.startsWith('703'))).toEqual([]);
  });

  it('pauses at the end of a sentence', async () => {
    const module = await start();
    await set(module);
    const sentence = (n: number) => `The sentence with the number ${n} is read.<mark name="__spd_${n}"/> `;
    const text = Array.from({ length: 200 }, (_, n) => sentence(n)).join('');
    await module.command('SPEAK', [`<speak>${text}</speak>`]);
    await until(() => module.messages.at(-1)!.last === '705 AUDIO', 'audio');
    module.send('PAUSE\n');
    const { events } = await module.hear();
    expect(events.at(-1)).toBe('704 PAUSE');
    expect(events.at(-2)).toMatch(/^__spd_\d+$/);
    expect(events.length).toBeLessThan(400);
  });
});

describe('CHAR, KEY and SOUND_ICON', () => {
  it('say letters, signs, capitals and keys', async () => {
    const module = await start();
    const spoken = async (type: string, text: string, ...more: string[]) => {
      await set(module, ...more);
      const before = jobs().length;
      const { events } = await module.speak(type, text);
      expect(events.slice(0, 2)).toEqual(['701 BEGIN', 'audio']);
      return textsSince(before)
        .join(' ')
        .replaceAll(/<[^>]*>/g, '');
    };
    expect(await spoken('CHAR', 'w')).toBe('w');
    expect(await spoken('CHAR', ';')).toBe('semicolon');
    expect(await spoken('CHAR', 'space')).toBe('space');
    expect(await spoken('CHAR', 'X', 'cap_let_recogn=spell')).toBe('capital X');
    expect(await spoken('KEY', 'control_shift_q')).toBe('control shift q');
    expect(await spoken('KEY', 'page_up')).toBe('page up');
    expect(await spoken('SOUND_ICON', 'no-such-icon')).toBe('no such icon');
    // What was said once is ready.
    expect(await spoken('KEY', 'page_up')).toBe('');
  });

  it('play an icon whose file is there', async () => {
    const wav = Buffer.concat([
      Buffer.from('RIFF....WAVEfmt \x10\0\0\0\x01\0\x01\0', 'latin1'),
      Buffer.alloc(12),
      Buffer.from('data\x08\0\0\0', 'latin1'),
      Buffer.from([1, 0, 2, 0, 10, 0, 125, 0]),
    ]);
    wav.writeUInt32LE(16_000, 24);
    wav.writeUInt16LE(16, 34);
    writeFileSync(home.file('bell.wav'), wav);
    writeFileSync(home.file('tts.conf'), `# ours\nTtsSoundIconFolder "${home.dir}"\nTtsVoice british_male_george\n`);
    const module = await start([home.file('tts.conf')]);
    await set(module);
    const { blocks } = await module.speak('SOUND_ICON', 'bell');
    expect(blocks).toMatchObject([{ sampleRate: 16_000 }]);
    expect([...blocks[0]!.pcm]).toEqual([1, 2, 10, 125]);
    await module.speak('SPEAK', '<speak>By the voice of the configuration file.</speak>');
    await until(() => server.accounts.active === 0, 'the end');
    expect((await server.ledger(server.partner.id)).at(-1)!.voice).toBe('british_male_george');
  });
});

describe('what is said most', () => {
  it('is made in the background, kept in the cache, and said without a request', async () => {
    const cache = path.join(home.dir, '.cache/tts/speechd');
    const module = await start(['-v', 'british_female_emma']);
    await set(module);
    const files = () => (existsSync(cache) ? readdirSync(cache).filter((name) => name.endsWith('.pcm')) : []);
    const isWhole = (name: string) => readFileSync(path.join(cache, name)).includes('"text window"');
    await until(() => files().some(isWhole), 'the words');
    module.child.stdin!.end();
    await module.exited;
    const again = await start(['-v', 'british_female_emma']);
    await set(again, 'rate=50');
    const before = jobs().length;
    for (const [type, text] of [
      ['CHAR', 'q'],
      ['CHAR', '7'],
      ['SPEAK', '<speak>heading level 2</speak>'],
      ['KEY', 'escape'],
    ]) {
      expect((await again.speak(type!, text!)).events).toEqual(['701 BEGIN', 'audio', '702 END']);
    }
    expect(jobs().length).toBe(before);
  });
});

describe('--install and --remove', () => {
  it("put an executable into the user's folder for modules, and take it away", async () => {
    const file = path.join(home.dir, '.local/libexec/speech-dispatcher-modules/sd_tts');
    expect((await run(['speechd-module', '--install'])).stdout.toString()).toContain(file);
    expect(statSync(file).mode & 0o111).toBe(0o111);
    expect((await run(['speechd-module', '--remove'])).code).toBe(0);
    expect(existsSync(file)).toBe(false);
  });
});
