"""Sentences for the tagger, a line each: python3 corpus.py HEADS OUT TEXT...

HEADS names the words written alike. TEXT are plain text files; the examples of WordNet (Debian's
package wordnet-base) and the sayings of fortunes (Debian's package fortunes) are taken where they
are installed. Sentences with such a word are kept, and one in eight of the others.
"""
import glob
import random
import re
import sys

random.seed(7)


def sentences(text):
    for sentence in re.split(r'(?<=[.!?]) (?=["\']?[A-Z])', re.sub(r"\s+", " ", text)):
        sentence = sentence.strip().strip("\"'")
        if 4 <= len(sentence.split()) <= 28 and re.match(r"[A-Za-z]", sentence):
            if not re.search(r"[{}\[\]_=<>/\\|*#@0-9]", sentence):
                yield sentence


def examples():
    for file in glob.glob("/usr/share/wordnet/data.*"):
        for line in open(file, errors="ignore"):
            for quoted in re.findall(r'"([^"]+)"', line.partition("|")[2]):
                text = quoted.strip()
                if 3 <= len(text.split()) <= 25 and not re.search(r"[0-9()\[\]]", text):
                    yield text[0].upper() + text[1:] + ("" if text[-1] in ".!?" else ".")


def sayings():
    for file in glob.glob("/usr/share/games/fortunes/*"):
        if not file.endswith((".dat", ".u8")):
            for saying in open(file, errors="ignore").read().split("\n%\n"):
                yield from sentences(re.sub(r"\n\s*-- .*", "", saying))


heads_file, out, *texts = sys.argv[1:]
heads = set(open(heads_file).read().split())
heads |= {head + ending for head in heads for ending in ("s", "ed")}
found = [line for file in texts for line in sentences(open(file, errors="ignore").read())]
found += [*sayings(), *examples()]
kept = [
    line
    for line in dict.fromkeys(found)
    if heads & set(re.findall(r"[a-z']+", line.lower())) or random.random() < 0.125
]
random.shuffle(kept)
open(out, "w").write("\n".join(kept) + "\n")
print(len(kept), "sentences")
