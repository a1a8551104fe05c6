/** `tts explain`: how a text will be read, step by step, and how to change a word. */
import { Command } from 'commander';
import type { Config } from '../../config.js';
import { TtsError } from '../../protocol/errors.js';
import type { Segment } from '../../protocol/job.js';
import { readingOf } from '../../protocol/languages.js';
import type { ChangedLine } from '../../text/explain.js';
import type { LanguageFiles } from '../../text/front-end.js';
import type { Reader, Reading } from '../../text/types.js';
import { addSettings, settingsOf } from '../context.js';
import { untilInterrupted } from '../interrupt.js';
import { noSuchVoice, withVoiceId } from '../names.js';
import { ownCatalogue } from '../own-voices.js';
import { createPullReporter } from '../pull-progress.js';
import { fitted } from '../terminal.js';
import { readText } from '../text-source.js';
import { chooseVoice } from '../voice-choice.js';

interface ExplainOptions {
  readonly file?: readonly string[];
  readonly ssml?: boolean;
  readonly language?: string;
  readonly json?: boolean;
  readonly diff?: string;
}

interface Explained {
  readonly segment: Segment;
  readonly reading: Reading;
}

const EXAMPLES = `
Examples:
  tts explain "Dr. Smith paid \\$5 on 3/4."
  tts explain --ssml '<sub alias="kubernetes">k8s</sub> is up'
  tts explain -v my_british_voice "at 5:15 on 3/4/2025"
  tts explain -f story.txt --json | jq '.[].phonemes'
  tts explain --diff lexicon.txt -f story.txt

A word sounds wrong? Write how it should sound into a file, one word a line,
  nginx = engine x
  Siobhan = /ʃəˈvɔːn/
and name the file with --lexicon FILE or TTS_LEXICON.`;

export function command(): Command {
  const explain = new Command('explain')
    .description('Shows how a text will be read: segments, words as spoken, phonemes, tokens.')
    .argument('[TEXT...]', 'the text; without it, -f or a pipe')
    .option('-f, --file <FILE...>', 'read the text from these files; - is stdin')
    .option('--ssml', 'the text carries SSML')
    .option('--language <CODE>', 'read as the default voice of this language does: es, fr, en-GB, es-419 …')
    .option('--diff <LEXICON>', 'show what this lexicon changes in the text, line by line, before and after')
    .option('--json', 'print everything as JSON');
  return addSettings(explain, ['voice', 'lexicon', 'voicesDir', 'modelDir', 'offline'], { voice: '-v' })
    .addHelpText('after', EXAMPLES)
    .action((words: string[], options: ExplainOptions, self: Command) =>
      untilInterrupted((signal) => run(words, options, self, signal)),
    );
}

async function run(words: string[], options: ExplainOptions, self: Command, signal: AbortSignal): Promise<void> {
  const named = options.file ?? [];
  if (words.length === 0 && named.length === 0 && process.stdin.isTTY) {
    throw new TtsError('usage', 'Nothing to explain. Give the text (tts explain "Dr. Smith"), a file (-f) or a pipe.');
  }
  const text = await readText({ words, files: named }, signal);
  const settings = await withVoiceId(settingsOf(self));
  const { config } = settings;
  const [{ createReader }, { segmentText }, { loadLexicon }, { surveyText }, { voicesOf }] = await Promise.all([
    import('../../text/reader.js'),
    import('../../text/segment/segment.js'),
    import('../../text/lexicon.js'),
    import('../../text/survey.js'),
    import('../../models/catalogue.js'),
  ]);
  const lexicon = config.lexicon === '' ? undefined : await loadLexicon(config.lexicon);
  // A voice has an accent, and is read with the words and sounds of it.
  const catalogue = await ownCatalogue(config);
  const voice = await chooseVoice(settings, options.language);
  const entry = catalogue.all.find((each) => each.voice.id === voice);
  if (entry === undefined)
    throw noSuchVoice(
      voice,
      catalogue.all.map((each) => each.voice.id),
    );
  const language = readingOf(entry.language, options.language);
  const files = filesFrom(config);
  const reader = await createReader({ language, files, ...(lexicon && { lexicon }) });
  if (options.diff !== undefined) {
    const corrected = await createReader({ language, files, lexicon: await loadLexicon(options.diff) });
    const { explainText, changedLines } = await import('../../text/explain.js');
    const read = (by: Reader) => explainText(text, by, { language, ssml: options.ssml ?? false });
    const changed = changedLines(text, await read(reader), await read(corrected));
    process.stdout.write(options.json ? `${JSON.stringify(changed, null, 2)}\n` : changesForPeople(changed, text));
    return;
  }
  const countTokens = (part: string) => reader.countTokens(part);
  const voices = voicesOf(catalogue.all, { language: options.language });
  const segments = segmentText(text, { countTokens, language, ssml: options.ssml ?? false, voices });
  for (const segment of segments) await reader.prepare(segment);
  const explained = segments.map((segment) => ({ segment, reading: reader.read(segment) }));
  const ignored = options.ssml ? surveyText(text, { ssml: true }).ignoredMarkup : [];
  process.stdout.write(
    options.json ? `${JSON.stringify(explained.map(asJson), null, 2)}\n` : forPeople(explained, ignored),
  );
}

/** The dictionary of a language, fetched where it is not there yet. */
const filesFrom =
  ({ modelDir, offline }: Config): LanguageFiles =>
  async (language) => {
    const { ensureLanguage } = await import('../../models/language-packs.js');
    const reporter = createPullReporter();
    return ensureLanguage(language, { modelDir, offline, onProgress: reporter.show }).finally(reporter.end);
  };

const asJson = ({ segment, reading }: Explained) => ({
  text: segment.text,
  offset: segment.offset,
  pause: segment.pause,
  ...(segment.voice !== undefined && { voice: segment.voice }),
  spans: segment.spans,
  normalized: reading.normalized,
  phonemes: reading.phonemes,
  parts: reading.parts,
  skipped: reading.skipped,
});

/** Of the values behind their names. */
const INDENT = 14;

function forPeople(explained: readonly Explained[], ignored: readonly string[]): string {
  const lines: string[] = [];
  const skipped = new Map<string, number>();
  for (const [index, { segment, reading }] of explained.entries()) {
    const tokens = reading.parts.flatMap((part) => (part.kind === 'speech' ? part.tokens : []));
    const rest = segment.pause === 'none' ? 'no pause after it' : `${segment.pause} pause after it`;
    const by = segment.voice === undefined ? '' : `, said by ${segment.voice}`;
    lines.push(`Segment ${index + 1} of ${explained.length}, from character ${segment.offset}, ${rest}${by}`);
    lines.push(`  text        ${shown(segment.text)}`);
    lines.push(`  normalised  ${shown(reading.normalized)}`);
    lines.push(`  words       ${wordsOf(segment, reading)}`);
    lines.push(`  phonemes    ${phonemesOf(reading)}`);
    lines.push(`  tokens      ${tokens.length}: ${tokens.map(({ id }) => id).join(' ')}`);
    lines.push('');
    for (const [kind, chars] of Object.entries(reading.skipped)) skipped.set(kind, (skipped.get(kind) ?? 0) + chars);
  }
  if (skipped.size > 0) {
    const list = [...skipped].map(([kind, chars]) => `${kind} ${chars}`).join(', ');
    lines.push(`Not spoken (characters): ${list}`);
  }
  if (ignored.length > 0) lines.push(`Without effect: ${ignored.join(', ')}`);
  lines.push(
    'A word sounds wrong? Put a line such as "nginx = engine x" or "Siobhan = /ʃəˈvɔːn/" into a file and name it with ' +
      '--lexicon FILE (or TTS_LEXICON); in SSML use <sub alias="…"> or <phoneme ph="…">.',
  );
  return lines.map((line) => `${fitted(line, line.startsWith(' ') ? INDENT : 0)}\n`).join('');
}

/** Each line that is read in another way, and each change as it was and as it is. */
function changesForPeople(changed: readonly ChangedLine[], text: string): string {
  const lines: string[] = [];
  for (const { line, text: written, changes } of changed) {
    lines.push(`Line ${line}  ${shown(written)}`);
    for (const { written: form, before, after } of changes) {
      lines.push(`  - ${shown(form)} → ${before.said} /${before.phonemes}/`);
      lines.push(`  + ${shown(form)} → ${after.said} /${after.phonemes}/`);
    }
    lines.push('');
  }
  const all = text.split('\n').filter((line) => line.trim() !== '').length;
  lines.push(
    changed.length === 0 ? 'The lexicon changes nothing in this text.' : `${changed.length} of ${all} lines change.`,
  );
  return lines.map((line) => `${fitted(line, line.startsWith(' ') ? 4 : 0)}\n`).join('');
}

/** One line, whatever the text holds. */
const shown = (text: string) =>
  text
    .replace(/\n/g, '⏎')
    .replace(/\t/g, '⇥')
    .replace(/[\p{Cc}\p{Cf}]/gu, '·')
    .replace(/[\u2028\u2029]/g, '⏎')
    .trimEnd();

/** The stretches of the text and what each is said as. */
function wordsOf(segment: Segment, reading: Reading): string {
  const points = [...segment.text];
  const words: { start: number; end: number; said: string }[] = [];
  for (const part of reading.parts) {
    if (part.kind === 'silence') {
      words.push({ start: part.start, end: part.end, said: `${part.ms} ms of silence` });
      continue;
    }
    for (const { start, end, symbol } of part.tokens) {
      const last = words.at(-1);
      if (last && last.start === start && last.end === end) last.said += symbol;
      else words.push({ start, end, said: symbol });
    }
  }
  return words
    .filter(({ said }) => /[\p{L}\d]/u.test(said))
    .map(({ start, end, said }) => `${shown(points.slice(start, end).join(''))} → ${said.trim()}`)
    .join(' | ');
}

const phonemesOf = (reading: Reading) =>
  reading.parts
    .map((part) => (part.kind === 'silence' ? `[${part.ms} ms]` : part.tokens.map(({ symbol }) => symbol).join('')))
    .join(' ');
