"""Write training text, one utterance a line, as varied as speech is.

Prose alone teaches a generator long declarative sentences.  Here a share each goes to whole
passages (up to the model's limit), single sentences, dialogue, questions, exclamations, lists,
numbers read out, and very short answers.  Prose comes from folders of public-domain .txt files; the
rest is made from the patterns below.  Lines of the held-out text never come out.

    python make_text.py --prose moby-dick/data --prose sotu/data --held-out ../held-out.txt --lines 16000 > text.txt
"""
import argparse
import glob
import os
import random
import re

NAMES = ('Anna Ben Clara David Emma Felix Grace Hannah Isaac Julia Kevin Laura Marcus Nina Oliver Priya Quentin Rosa Sam '
         'Theresa Ursula Victor Wendy Xavier Yusuf Zoe Amir Bridget Chen Dmitri Elena Fatima').split()
PLACES = ('London, Boston, the station, the harbour, the old mill, Chicago, the library, Edinburgh, the corner shop, '
          'New Orleans, the airport, Vienna, the hospital, the garden, Melbourne, the third floor, Cape Town, the market').split(', ')
THINGS = ('apples, a pair of scissors, fresh bread, two umbrellas, the blue folder, a bag of rice, batteries, an extension cord, '
          'coffee, yesterday\'s paper, a birthday card, string, olive oil, a thermometer, eggs, soap, chalk, a jar of honey, '
          'the spare key, wool socks, vinegar, a toothbrush, three candles, oranges, a map, sugar, thyme, yoghurt').split(', ')
ADJECTIVES = ('strange quiet enormous thin yellow careful ridiculous gentle sharp expensive frozen cheerful awkward rough '
              'beautiful suspicious ordinary brilliant noisy wooden invisible generous').split()
NOUNS = ('bridge letter engine choir river theory mouse village question violin budget shadow experiment journey kitchen '
         'telescope judge chocolate window thunder pharaoh vision measure jungle zebra church orchestra badge').split()
VERBS = ('find forget carry paint measure repair borrow imagine describe avoid finish watch explain choose polish '
         'deliver recognise swallow judge stretch').split()
TIMES = 'today, tomorrow morning, last night, on Thursday, in a minute, every single day, at noon, next week, before dawn'.split(', ')
SHORT = ('Hi. Hello. Hello there. No Yes No. Yes. Okay. Sure. Why? What? Who? Where? When? How? Really? Stop! Wait! Help! Oh. Ah! '
         'Hmm. Well... Thanks. Please. Sorry. Goodbye. Bye! Never. Always. Maybe. Perhaps. Exactly! Nonsense! Congratulations! '
         'Ready? Go! Done. Next. Left. Right. Up. Down. One Two Three Seven 7 3 10 12 100 A B C X Z OK OK? OK. OK! Okay? Hm. Hm Hmm? '
         'Mm. Mm-hm. Uh-huh. Uh. Um. Er... Yes! Yes? No! No? Yeah. Yep. Nope. Nah. Fine. Good. Great! Cool. True. False. Right? Now. '
         'Then? Here. There. This. That. Him. Her. Me? You! Us. They. It. I Him? And? But... So. So? Or? If. As. At. 0 1 2 4 5 6 8 9 11 20 '
         '42 99 1,000 2024 D E F G H I J K L M N O P Q R S T U V W Y Ha! Huh? Hey! Ouch! Shh. Psst. Boo! Ahem. Aha! Ugh. Yay!').split(' ')
PHRASES = ('Of course.|Not at all.|Thank you very much!|I see.|Come in!|Sit down, please.|Good morning.|Good night!|Never mind.|'
           'What a pity!|How odd.|Excuse me?|I beg your pardon?|That depends.|As you wish.|Look out!|Let me think.|You are welcome.|'
           'Happy birthday!|See you soon.|Take care!|Who is it?|It is me.|Not yet.|Any questions?|Up to you.|Oh dear...|'
           'Are you sure?|Quite so.|My goodness!|Happy New Year!|Quick, quick!|Absolutely not!|Chapter one.|The end.').split('|')
ONES = ('zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen '
        'eighteen nineteen').split()
TENS = 'zero ten twenty thirty forty fifty sixty seventy eighty ninety'.split()
MONTHS = 'January February March April May June July August September October November December'.split()
ORDINALS = ('first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth '
            'fifteenth').split() + ['twentieth', 'twenty-first', 'thirtieth', 'thirty-first']


def words_of(n):
    """A number in words, up to the millions."""
    for size, name in ((1_000_000, 'million'), (1000, 'thousand'), (100, 'hundred')):
        if n >= size:
            rest = n % size
            return f'{words_of(n // size)} {name}' + (f' {"and " if rest < 100 and size == 100 else ""}{words_of(rest)}' if rest else '')
    if n < 20:
        return ONES[n]
    return TENS[n // 10] + (f'-{ONES[n % 10]}' if n % 10 else '')


def number_line(r):
    n = words_of(r.choice([r.randrange(100), r.randrange(10_000), r.randrange(10_000_000)]))
    digits = ' '.join(ONES[r.randrange(10)] for _ in range(r.randrange(3, 11)))
    year = f'{r.choice(["eighteen", "nineteen", "twenty"])} {words_of(r.randrange(11, 100))}'
    return r.choice([
        f'{n.capitalize()}.', f'The answer is {n}.', f'Please call {digits}.', f'That makes {n} dollars and {words_of(r.randrange(2, 99))} cents.',
        f'On {r.choice(MONTHS)} {r.choice(ORDINALS)}, {year}, {r.choice(NAMES)} arrived.', f'{digits}',
        f'It is {words_of(r.randrange(1, 13))} {words_of(r.randrange(10, 60))} {r.choice(["in the morning", "p m", "exactly"])}.',
        f'About {words_of(r.randrange(1, 100))} percent of {words_of(r.randrange(100, 9000))} people agreed.',
        f'Room {words_of(r.randrange(1, 999))}, {r.choice(ORDINALS)} floor.', f'Is it {n}, or {words_of(r.randrange(200))}?',
        f'{words_of(r.randrange(20))} point {ONES[r.randrange(10)]} {ONES[r.randrange(10)]} kilometres, {words_of(r.randrange(2, 60))} minutes.',
        f'Count with me: {", ".join(words_of(k) for k in range(r.randrange(1, 80), r.randrange(81, 90)))[:160].rsplit(",", 1)[0]}.',
        f'Version {ONES[r.randrange(10)]} point {ONES[r.randrange(10)]} came out in {year}.', f'Flight {r.choice(NAMES)[0]} {r.choice(NAMES)[0]} {digits}, gate {r.choice("ABCDEFG")} {words_of(r.randrange(1, 60))}.',
    ])


def list_line(r):
    items = r.sample(THINGS, r.randrange(3, 9))
    joined = f'{", ".join(items[:-1])}{r.choice([",", ""])} and {items[-1]}'
    return r.choice([
        f'We need {joined}.', f'{joined[0].upper()}{joined[1:]}.', f'{r.choice(NAMES)} brought {joined}!', f'Do you have {joined}?',
        f'First, {r.choice(VERBS)} the {r.choice(NOUNS)}; second, {r.choice(VERBS)} the {r.choice(NOUNS)}; third, {r.choice(VERBS)} {r.choice(NAMES)}.',
        f'Here is the list: {"; ".join(items)}.', f'{", ".join(r.sample(NAMES, r.randrange(3, 8)))}: please wait outside.',
    ])


def question_line(r):
    a, n, v, who, where, when = (r.choice(k) for k in (ADJECTIVES, NOUNS, VERBS, NAMES, PLACES, TIMES))
    return r.choice([
        f'Did you {v} the {a} {n} {when}?', f'Where is {who}?', f'Why would anyone {v} a {n}?', f'Who told {who} about the {n}?',
        f'{who}, could you {v} it {when}?', f'Is that your {n}, or is it {who}\'s?', f'How far is it to {where}?', f'What if the {n} was never {a}?',
        f'You want me to {v} {where}... {when}?', f'When did {who} leave {where}?', f'Which {n} do you like: the {a} one, or the {r.choice(ADJECTIVES)} one?',
        f'Isn\'t it {a}?', f'The {n}? What about it?', f'Have you ever seen a {n} as {a} as this?', f'Can I {v} this?',
    ])


def exclamation_line(r):
    a, n, v, who, where, when = (r.choice(k) for k in (ADJECTIVES, NOUNS, VERBS, NAMES, PLACES, TIMES))
    return r.choice([
        f'What a {a} {n}!', f'How {a}!', f'{who}! Don\'t {v} the {n}!', f'I can\'t believe {who} is in {where}!', f'No, no, no! Not the {n}!',
        f'Hurry up, {who}, the {n} is leaving {when}!', f'Oh, {who}... that was {a}!', f'Never {v} a {n} {when}!', f'We did it, {who}! We did it!',
        f'Ha! You call that a {n}?', f'Wow, {a}! Absolutely {a}!', f'Watch out for the {n}!',
    ])


def word_line(r):
    """One or two words, as buttons, labels and answers have them."""
    a, n, v, who, where = (r.choice(k) for k in (ADJECTIVES, NOUNS, VERBS, NAMES, PLACES))
    line = r.choice([n, n, a, v, who, where, f'{a} {n}', f'the {n}', f'{v} it', f'{who} {v}s', f'{n} {r.randrange(100)}', f'no {n}', f'yes, {who}', f'not {a}'])
    return (line.capitalize() if r.random() < 0.7 else line) + r.choice(['', '.', '.', '?', '!'])


def dialogue_line(r):
    first, second = r.sample(NAMES, 2)
    parts = [r.choice([question_line, exclamation_line])(r), r.choice(PHRASES), r.choice([list_line, number_line, question_line])(r)]
    return r.choice([
        f'"{parts[0]}" asked {first}. "{parts[1]}" said {second}.', f'"{parts[1]}" {first} said. "{parts[2]}"', f'{first}: {parts[0]} {second}: {parts[1]}',
        f'"{parts[2]}" {second} whispered — and then, after a while: "{parts[1]}"', f'{parts[1]} {parts[0]} {parts[1]}',
        f'"Well," said {first}, "{parts[0]}"', f'{parts[0]} {r.choice(PHRASES)} {parts[2]}',
    ])


def statement_line(r):
    a, b, n, m, v, who, where, when = (r.choice(k) for k in (ADJECTIVES, ADJECTIVES, NOUNS, NOUNS, VERBS, NAMES, PLACES, TIMES))
    return r.choice([
        f'The {a} {n} near {where} is {b}.', f'{who} will {v} the {n} {when}.', f'I think {who} has a {a} {n}, but nobody asked.',
        f'If you {v} the {n}, the {m} gets {b}.', f'{who} (the {a} one) lives near {where}.', f'There was a {n}; there was a {m}; there was nothing else.',
        f'Turn left at {where}, then {v} the {a} {n}.', f'Your {n} is ready, {who}.', f'It was {a}, {b}, and rather {r.choice(ADJECTIVES)}...',
    ])


def read_prose(folders):
    """Paragraphs of plain sentences: headings, stage directions and markup left out."""
    paragraphs = []
    for folder in folders:
        for path in sorted(glob.glob(os.path.join(folder, '*.txt'))):
            text = open(path, encoding='utf-8', errors='ignore').read()
            text = re.sub(r'\([^)]{0,40}\)|\[[^\]]{0,60}\]', ' ', text).replace('’', "'").replace('“', '"').replace('”', '"').replace('--', ' — ')
            for paragraph in re.split(r'\n\s*\n', text):
                paragraph = re.sub(r'\s+', ' ', paragraph).strip()
                sentences = [s for s in re.split(r'(?<=[.!?])\s+(?=["A-Z])', paragraph)
                             if len(s) > 1 and not s.isupper() and not re.search(r'[_*#<>|{}=\d]', s)]
                # some files are one paragraph: in pieces, every part of every source is as likely
                for start in range(0, len(sentences), 12):
                    paragraphs.append(sentences[start:start + 12])
    return paragraphs


def prose_line(r, paragraphs, longest):
    """Neighbouring sentences up to about `longest` characters (a token is about a character)."""
    paragraph = r.choice(paragraphs)
    start = r.randrange(len(paragraph))
    line = paragraph[start]
    for sentence in paragraph[start + 1:]:
        if len(line) + len(sentence) + 1 > longest:
            break
        line += ' ' + sentence
    return line if len(line) <= longest else line[:longest].rsplit(' ', 1)[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--prose', action='append', default=[], help='folder of .txt files; may repeat')
    parser.add_argument('--held-out', help='text whose lines must not come out')
    parser.add_argument('--lines', type=int, default=16000)
    parser.add_argument('--seed', type=int, default=1)
    args = parser.parse_args()
    r = random.Random(args.seed)
    paragraphs = read_prose(args.prose)
    seen = set(open(args.held_out, encoding='utf-8').read().split('\n')) if args.held_out else set()
    makers = [(0.22, lambda: prose_line(r, paragraphs, r.randrange(200, 430))), (0.19, lambda: prose_line(r, paragraphs, r.randrange(20, 200))),
              (0.09, lambda: dialogue_line(r)), (0.10, lambda: question_line(r)), (0.07, lambda: exclamation_line(r)), (0.06, lambda: list_line(r)),
              (0.10, lambda: number_line(r)), (0.07, lambda: statement_line(r)), (0.03, lambda: r.choice(PHRASES)), (0.05, lambda: r.choice(SHORT)),
              (0.05, lambda: word_line(r))]
    while args.lines:
        line = r.choices([m for _, m in makers], [w for w, _ in makers])[0]()
        if line in seen and len(line) > 25:          # short ones may come again, in another voice
            continue
        seen.add(line)
        print(line)
        args.lines -= 1


if __name__ == '__main__':
    main()
