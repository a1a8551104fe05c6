"""Parses each sentence of CORPUS with Link Grammar (Debian's package python3-link-grammar):
python3 label.py CORPUS OUT. Sentences without a full parse are left out.
"""
import sys

from linkgrammar import Dictionary, ParseOptions, Sentence

dictionary = Dictionary("en")
options = ParseOptions(verbosity=0, max_null_count=0, linkage_limit=30, max_parse_time=1)
corpus, out = sys.argv[1:]
with open(out, "w") as labelled:
    for line in open(corpus):
        linkage = next(iter(Sentence(line.strip(), dictionary, options).parse()), None)
        if linkage:
            labelled.write(" ".join(linkage.words()) + "\n")
