#!/usr/bin/env python3
"""What the two attention layers of PaddleOCR's PP-OCRv4 text recognizer do, as arrays for `attnconv analyse --arrays`.

    python3 ppocr.py ch_PP-OCRv4_rec_infer.onnx ppocr_keys_v1.txt -o ppocr.npz [--images N]

The network reads rendered lines of text: the words of a text file, in the fonts of the machine. It is run in PyTorch,
node by node, from the ONNX file. Two things say that it is run right: how many lines it reads without a mistake, and
that each layer is the sum over heads of P_h x W_h. It needs torch, numpy and Pillow; no package for ONNX.
"""
import argparse
import glob
import os
import random
import struct
import sys

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image, ImageDraw, ImageFont

HEADS, WIDTH = 8, 320
# Names in the file: what the attention reads, its weights and result, what that is added to, and its parameters.
LAYERS = {
    "svtr1": dict(x="p2o.Add.235", p="softmax_9.tmp_0", y="p2o.Add.239", stream="transpose_43.tmp_0",
                  qkv="linear_77", out="linear_78", norm="layer_norm_43"),
    "svtr2": dict(x="p2o.Add.255", p="softmax_10.tmp_0", y="p2o.Add.259", stream="p2o.Add.251",
                  qkv="linear_81", out="linear_82", norm="layer_norm_45"),
}
FRESH = {f"linear_{i}" for i in range(77, 85)}, {f"layer_norm_{i}" for i in range(43, 48)}  # of the two blocks


def fields(b):
    """(number, value) of the fields of a message of protocol buffers; numbers as int, all else as bytes."""
    def varint(i):
        v = s = 0
        while True:
            v, s, i = v | (b[i] & 127) << s, s + 7, i + 1
            if b[i - 1] < 128:
                return v, i
    i = 0
    while i < len(b):
        key, i = varint(i)
        if key & 7 == 0:
            v, i = varint(i)
        else:
            n, i = (8, i) if key & 7 == 1 else (4, i) if key & 7 == 5 else varint(i)
            v, i = b[i:i + n], i + n
        yield key >> 3, v


def signed(v):
    return v - (1 << 64) if v >> 63 else v


def tensor(b):
    dims, kind, name, values = [], 1, "", b""
    for n, v in fields(b):
        if n == 1:
            dims.append(signed(v))
        elif n == 2:
            kind = v
        elif n == 8:
            name = bytes(v).decode()
        elif n == 9:
            values = bytes(v)
    return name, torch.tensor(np.frombuffer(values, {1: "<f4", 6: "<i4", 7: "<i8"}[kind]).reshape(dims).copy())


def attribute(b):
    name, value, many = "", None, []
    for n, v in fields(b):
        if n == 1:
            name = bytes(v).decode()
        elif n == 2:
            value = struct.unpack("<f", bytes(v))[0]
        elif n == 3:
            value = signed(v)
        elif n == 5:
            value = tensor(v)[1]
        elif n == 8:
            many.append(signed(v))
    return name, many or value


class Net:
    """A graph of ONNX, of the operations that PP-OCRv4 has."""

    def __init__(self, path):
        graph = next(v for n, v in fields(memoryview(open(path, "rb").read())) if n == 7)
        self.nodes, self.weights = [], {}
        for n, v in fields(graph):
            if n == 1:
                node = {1: [], 2: [], 4: [], 5: []}
                for m, w in fields(v):
                    node.setdefault(m, []).append(attribute(w) if m == 5 else bytes(w).decode())
                self.nodes.append((node[4][0], node[1], node[2][0], dict(node[5])))
            elif n == 5:
                name, self.weights[name] = tensor(v)
            elif n == 11:
                self.input = next(bytes(w).decode() for m, w in fields(v) if m == 1)
            elif n == 12:
                self.output = next(bytes(w).decode() for m, w in fields(v) if m == 1)
        self.weights.update({out: a["value"] for op, _, out, a in self.nodes if op == "Constant"})

    def run(self, x, keep):
        t = {**self.weights, self.input: x}
        for op, names, out, a in self.nodes:
            if op != "Constant":
                t[out] = self.compute(op, a, *(t[n] for n in names if n))
        return {k: t[k] for k in keep}

    def compute(self, op, a, x, *more):
        if op == "Concat":
            return torch.cat([x, *more], a["axis"])
        if op == "Conv":
            top, left, bottom, right = a["pads"]
            x = F.pad(x, (left, right, top, bottom))
            return F.conv2d(x, more[0], more[1] if len(more) > 1 else None, a["strides"], 0, a["dilations"], a["group"])
        if op == "BatchNormalization":
            return F.batch_norm(x, more[2], more[3], more[0], more[1], False, 0, a["epsilon"])
        if op == "Slice":
            first = a["starts"][0]
            return x.narrow(a["axes"][0], first, min(a["ends"][0], x.shape[a["axes"][0]]) - first)
        return {
            "Add": lambda y: x + y, "Sub": lambda y: x - y, "Mul": lambda y: x * y, "Div": lambda y: x / y,
            "Pow": lambda y: x ** y, "MatMul": lambda y: x @ y, "Sqrt": lambda: x.sqrt(), "Relu": lambda: F.relu(x),
            "Sigmoid": lambda: x.sigmoid(), "Softmax": lambda: x.softmax(a["axis"]),
            "HardSigmoid": lambda: (x * a.get("alpha", 0.2) + a.get("beta", 0.5)).clamp(0, 1),
            "Clip": lambda: x.clamp(a["min"], a["max"]), "Transpose": lambda: x.permute(a["perm"]),
            "Shape": lambda: torch.tensor(x.shape), "Squeeze": lambda: x.squeeze(a["axes"][0]),
            "Cast": lambda: x.long() if a["to"] in (6, 7) else x.float(),
            "Reshape": lambda y: x.reshape([int(v) if v else x.shape[i] for i, v in enumerate(y)]),
            "ReduceMean": lambda: x.mean(a["axes"], keepdim=a.get("keepdims", 1) == 1),
            "GlobalAveragePool": lambda: x.mean((2, 3), keepdim=True),
            "AveragePool": lambda: F.avg_pool2d(x, a["kernel_shape"], a["strides"]),
        }[op](*more)


def lines(n, path):
    """(N, 3, 48, 320) and its texts: four words of a text, in random fonts and colors."""
    rng = random.Random(0)
    words = {w for w in open(path, encoding="utf8").read().split() if w.isascii() and w.isalpha() and len(w) < 12}
    words = sorted(words)
    fonts = sorted(f for f in glob.glob("/usr/share/fonts/truetype/**/*.ttf", recursive=True)
                   if any(k in f for k in ("LiberationS", "DejaVuS")) and "Math" not in f)
    if not fonts:
        sys.exit("no fonts: on Debian, apt-get install fonts-dejavu fonts-liberation")
    images, texts = [], []
    for _ in range(n):
        text = " ".join(rng.sample(words, 4))[:26].strip()
        font = ImageFont.truetype(rng.choice(fonts), rng.randint(24, 34))
        paper, ink = ([rng.randint(a, b) for _ in range(3)] for a, b in ((170, 255), (0, 90)))
        picture = Image.new("RGB", (int(font.getlength(text)) + 12, 48), tuple(paper))
        ImageDraw.Draw(picture).text((6, rng.randint(2, 8)), text, font=font, fill=tuple(ink))
        a = np.asarray(picture.resize((WIDTH, 48)), np.float32)[:, :, ::-1] / 127.5 - 1  # BGR
        images.append(a.transpose(2, 0, 1))
        texts.append(text)
    return torch.tensor(np.stack(images)), texts


def layers(net, images):
    """The arrays of each layer, and what the network reads."""
    keep = {net.output} | {l[k] for l in LAYERS.values() for k in ("x", "p", "y", "stream")}
    with torch.no_grad():
        parts = [net.run(x, keep) for x in images.split(20)]
    got, arrays = {k: torch.cat([p[k] for p in parts]) for k in keep}, {}
    for name, l in LAYERS.items():
        (w, b), (out, bias) = ((net.weights[l[k] + ".w_0"], net.weights[l[k] + ".b_0"]) for k in ("qkv", "out"))
        d = len(out)
        maps = torch.einsum("ihd,hdo->hio", w[:, 2 * d:].unflatten(1, (HEADS, -1)), out.unflatten(0, (HEADS, -1)))
        y = torch.einsum("nhqk,nki,hio->nqo", got[l["p"]], got[l["x"]], maps) + b[2 * d:] @ out + bias
        wrong = float((y - got[l["y"]]).abs().max() / (y.max() - y.min()))
        if not wrong < 1e-4:
            sys.exit(f"{name}: the sum over heads differs from the layer's result by {wrong:.1e} of its range")
        arrays[name] = dict(attention=got[l["p"]], maps=maps, inputs=got[l["x"]], stream=got[l["stream"]],
                            gamma=net.weights[l["norm"] + ".w_0"], grid=torch.tensor([1, y.shape[1]]))
    return arrays, got[net.output]


def read(probabilities, keys):
    """CTC: repeated characters are one, and 0 is none."""
    best = probabilities.argmax(-1).tolist()
    return "".join(keys[c] for c, last in zip(best, [0] + best) if c and c != last)


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("onnx")
    a.add_argument("keys")
    a.add_argument("-o", "--output", default="ppocr.npz")
    a.add_argument("--images", type=int, default=200)
    a.add_argument("--text", default=os.path.join(os.path.dirname(__file__), "../../docs/theory.md"))
    o = a.parse_args()
    images, texts = lines(o.images, o.text)
    got, probabilities = layers(Net(o.onnx), images)
    keys = (["", *open(o.keys, encoding="utf8").read().split("\n")])[:probabilities.shape[-1] - 1] + [" "]
    right = sum(read(p, keys).replace(" ", "") == t.replace(" ", "") for p, t in zip(probabilities, texts))
    arrays = {f"{name}.{key}": v.numpy() for name, of in got.items() for key, v in of.items()}
    for n in range(1, 4):  # the two blocks before training, on the trained features
        torch.manual_seed(n)
        net = Net(o.onnx)
        for name, v in net.weights.items():
            module, _, kind = name.partition(".")
            if module in FRESH[0] | FRESH[1]:
                init = torch.zeros_like if kind == "b_0" else torch.ones_like
                if kind == "w_0" and module in FRESH[0]:
                    init = lambda v: torch.nn.init.trunc_normal_(torch.empty_like(v), std=0.02)
                net.weights[name] = init(v)
        for name, of in layers(net, images)[0].items():
            for key in ("attention", "maps", "inputs"):
                arrays[f"{name}.untrained{n if n > 1 else ''}_{key}"] = of[key].numpy()
    np.savez(o.output, **arrays)
    print(f"{right} of {len(texts)} lines read without a mistake")
    print(f"attnconv analyse --arrays {o.output}")


if __name__ == "__main__":
    main()
