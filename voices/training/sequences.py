"""Phoneme sequences on disk: what is to be spoken, in which voice, how fast.

One .npz file: `ids` (all tokens end to end, without pads), `off` (where each sequence begins),
`rows` (distinct style vectors, float16), `row` (which of them a sequence takes), `speed`.
"""
import numpy as np


class Sequences:
    def __init__(self, path):
        data = np.load(path)
        self.ids, self.off, self.row, self.speed = data['ids'], data['off'], data['row'], data['speed']
        self.rows = data['rows'].astype(np.float32)
        self.names = data['names'] if 'names' in data.files else None

    def __len__(self):
        return len(self.row)

    def tokens(self, index):
        """Token ids with the pad before and after that the model expects."""
        ids = self.ids[self.off[index]:self.off[index + 1]].astype(np.int64)
        return np.concatenate([[0], ids, [0]])

    def style(self, index):
        return self.rows[self.row[index]]


def save(path, tokens, styles, speeds, names=None):
    """`tokens`: list of id lists; `styles`: list of float vectors [256], repeated ones stored once.
    """
    known, rows, row = {}, [], []
    for style in styles:
        half = style.astype(np.float16)
        key = half.tobytes()
        if key not in known:
            known[key] = len(rows)
            rows.append(half)
        row.append(known[key])
    extra = {} if names is None else {'names': np.array(names)}
    np.savez_compressed(path, ids=np.concatenate([np.asarray(t, np.uint8) for t in tokens]),
                        off=np.cumsum([0] + [len(t) for t in tokens]).astype(np.int64),
                        row=np.array(row, np.int32), rows=np.stack(rows), speed=np.array(speeds, np.float32), **extra)
