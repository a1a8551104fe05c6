"""Write training text in another language than English, one utterance a line.

Prose comes from Debian's help packages of LibreOffice and the Universal Declaration of Human
Rights; words and names from CLDR; questions, numbers, dates, dialogue and very short lines from
`patterns/<language>.txt`, which are ours.  Lines of the held-out text never come out.

    python make_other_text.py es --help-pages lo-es --declaration spa.html --annotations annotations.json --names territories.json languages.json \\
        --held-out ../../../test/text/es-cases/*.txt --lines 14000 > text-es.txt

With `--held-out-lines 100` it writes that many of the held-out sentences instead.
"""
import argparse
import glob
import html
import json
import os
import random
import re

HERE = os.path.dirname(os.path.abspath(__file__))
# Letters that most of a line must be made of, and about how many tokens a character has.
LATIN = r'[A-Za-zÀ-ÖØ-öø-ÿœŒ]'
LANGUAGES = {'es': (LATIN, 1.0), 'fr': (LATIN, 0.95), 'it': (LATIN, 1.1), 'pt': (LATIN, 1.0), 'hi': (r'[\u0900-\u097f]', 1.2),
             'ja': (r'[\u3040-\u30ff\u4e00-\u9fff]', 2.4), 'zh': (r'[\u4e00-\u9fff]', 3.2)}
FULL_STOPS = {'hi': '।', 'ja': '。', 'zh': '。'}
ENDS = r'(?<=[.!?])\s+|(?<=[。！？।])\s*'
STRANGE = re.compile(r'[<>{}\\|_=*#@\[\]$~^]|https?:|\w/\w|\.\w{2,4}\b')
SHARES = (('passage', 0.24), ('sentence', 0.22), ('line', 0.26), ('word', 0.09), ('short', 0.11), ('phrase', 0.08))


def read_patterns(language):
    sections, at = {}, None
    for line in open(os.path.join(HERE, 'patterns', language + '.txt'), encoding='utf-8').read().splitlines():
        if line.startswith('== '):
            at = sections.setdefault(line[3:], [])
        else:
            at.append(line.split('|'))
    # of the lines, a row each: questions, exclamations, statements, numbers, dialogue
    return {name: rows if name == 'line' else [item for row in rows for item in row] for name, rows in sections.items()}


def held_out_lines(paths):
    """What is written in the case files of test/text, whole sentences first."""
    lines = []
    for path in sorted(paths, key=lambda path: 'prose' not in path):
        lines += [line.split(' => ')[0] for line in open(path, encoding='utf-8') if ' => ' in line and not line.startswith('#')]
    return lines


def text_of(markup):
    return re.sub(r'\s+', ' ', html.unescape(re.sub(r'<[^>]+>', '', markup))).strip()


def paragraphs_of(paths, letter):
    """-> lists of sentences that follow one another, one list a page."""
    pages, known = [], set()
    for path in paths:
        page = []
        for inner in re.findall(r'<p\b[^>]*>(.*?)</p>', open(path, encoding='utf-8', errors='ignore').read(), re.S):
            for sentence in re.split(ENDS, text_of(inner)):
                letters = len(re.findall(letter, sentence))
                if sentence in known or STRANGE.search(sentence) or letters < 4 or letters < 0.65 * len(sentence.replace(' ', '')):
                    continue
                if not re.search(r'[.!?。！？।:：]$', sentence) or not 8 <= len(sentence) <= 400:
                    continue
                known.add(sentence)
                page.append(sentence)
        if page:
            pages.append(page)
    return pages


def words_of(annotations, names, letter):
    """Names of things, countries and languages: one to three words."""
    words = set()
    for path in annotations:
        for entry in json.load(open(path, encoding='utf-8'))['annotations']['annotations'].values():
            words.update(entry.get('default', []) + entry.get('tts', []))
    for path in names:
        (main,) = json.load(open(path, encoding='utf-8'))['main'].values()
        for group in main['localeDisplayNames'].values():
            words.update(group.values() if isinstance(group, dict) else [])
    fine = lambda w: isinstance(w, str) and len(w) <= 30 and len(re.findall(letter, w)) >= 0.9 * len(w.replace(' ', '')) > 0
    return sorted(w for w in words if fine(w))


class Maker:
    def __init__(self, args):
        self.r, self.language = random.Random(args.seed), args.language
        self.letter, self.tokens = LANGUAGES[args.language]
        self.patterns = read_patterns(args.language)
        pages = sorted(path for folder in args.help_pages for path in glob.glob(folder + '/**/*.html', recursive=True))
        # the declaration is short: as often as the help's pages are many
        self.pages = paragraphs_of(pages, self.letter)
        declaration = paragraphs_of(args.declaration, self.letter)
        self.pages += declaration * max(1, len(self.pages) // (6 * max(1, len(declaration))))
        self.words = words_of(args.annotations, args.names, self.letter)
        self.stop, self.glue = FULL_STOPS.get(args.language, '.'), '' if args.language in ('ja', 'zh') else ' '

    def fill(self, pattern):
        r = self.r
        numbers = {'n': lambda: str(r.randrange(100)), 'big': lambda: str(r.choice([r.randrange(100, 10_000), r.randrange(10_000, 10_000_000)])),
                   'year': lambda: str(r.randrange(1700, 2040)), 'day': lambda: str(r.randrange(1, 29)), 'hour': lambda: str(r.randrange(24)),
                   'minute': lambda: f'{r.randrange(60):02d}', 'digits': lambda: ' '.join(str(r.randrange(10)) for _ in range(r.randrange(3, 10))),
                   'dec': lambda: f'{r.randrange(100)}{self.patterns["decimal"][0]}{r.randrange(1, 100)}'}
        made = re.sub(r'\{(\w+)\}', lambda m: numbers[m[1]]() if m[1] in numbers else r.choice(self.patterns[m[1]]), pattern)
        return re.sub(r'^([«"¿¡—\s]*)(\w)', lambda m: m[1] + m[2].upper(), made)

    def passage(self):
        r, page, most = self.r, self.r.choice(self.pages), self.r.randrange(150, 430) / self.tokens
        start = r.randrange(len(page))
        line = page[start][:int(480 / self.tokens)]
        for sentence in page[start + 1:]:
            if len(line) + len(sentence) > most:
                break
            line += self.glue + sentence
        return line

    def sentence(self):
        page = self.r.choice(self.pages)
        return self.r.choice(page)[:int(480 / self.tokens)]

    def line(self):
        return self.fill(self.r.choice(self.r.choice(self.patterns['line'])))

    def word(self):
        r = self.r
        words = r.sample(self.words, r.choice([1, 1, 1, 2, 3]))
        joined = {'ja': '、', 'zh': '、'}.get(self.language, ', ').join(words)
        end = r.choice([self.stop, self.stop, '', '?', '!'])
        return joined + end

    def short(self):
        return self.r.choice(self.patterns['short'])

    def phrase(self):
        return self.r.choice(self.patterns['phrase'])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('language', choices=LANGUAGES)
    parser.add_argument('--help-pages', nargs='*', default=[], help='folders of HTML')
    parser.add_argument('--declaration', nargs='*', default=[])
    parser.add_argument('--annotations', nargs='*', default=[])
    parser.add_argument('--names', nargs='*', default=[])
    parser.add_argument('--held-out', nargs='*', default=[])
    parser.add_argument('--held-out-lines', type=int)
    parser.add_argument('--lines', type=int, default=14000)
    parser.add_argument('--seed', type=int, default=1)
    args = parser.parse_args()
    held = held_out_lines(args.held_out)
    if args.held_out_lines:
        print('\n'.join(held[:args.held_out_lines]))
        return
    maker, seen, many = Maker(args), set(held), 0
    kinds, weights = zip(*SHARES)
    for _ in range(40 * args.lines):
        kind = maker.r.choices(kinds, weights)[0]
        line = getattr(maker, kind)()
        if line in seen and kind in ('passage', 'sentence', 'line'):      # short ones may come again, in another voice
            continue
        seen.add(line)
        print(line)
        many += 1
        if many == args.lines:
            break


if __name__ == '__main__':
    main()
