#!/usr/bin/env python3
"""Writes small networks as PyTorch's own files, under the names of the paper's code, and what they compute.

    python3 torch_files.py        # PyTorch 1.13.1 (Debian 12: python3-torch)

quadratic.checkpoint    as the paper's code keeps it, with the zip format that torch.save has had since 1.6
quadratic.legacy        the same in the format before that
tuple.pth               a plain state dict in half precision; a tensor that is a transposed view, and one that is a part
qr.pt                   q·r alone: a query, with a bias, meets half a vector of each table
vector.pt               q·k + w·r: a vector a head meets whole vectors of the tables; only q·k is scaled
logits.json             what the networks say about two images, in float64: [image][class]

The networks are written from the formulas, not from the paper's code.
"""
import json
import math
from collections import OrderedDict

import torch
import torch.nn as nn
import torch.nn.functional as F

DIM, HEADS, FFN, LAYERS, POOL, CLASSES = 8, 4, 6, 2, 8, 3
SIDE = 32 // POOL


class Heads(nn.Module):
    """What all encodings share: y = value(the heads' averages of x)."""

    def __init__(self):
        super().__init__()
        self.value = nn.Linear(HEADS * DIM, DIM)
        at = torch.arange(SIDE)
        self.delta = at[None] - at[:, None]  # [query, key] along one axis

    def forward(self, x):  # [batch, rows, cols, dim]
        b = len(x)
        scores = self.scores(x).expand(b, -1, -1, -1, -1, -1)  # [batch, head, query row, query col, key row, key col]
        p = torch.softmax(scores.reshape(b, HEADS, SIDE * SIDE, -1), -1).view(b, HEADS, SIDE, SIDE, SIDE, SIDE)
        return self.value(torch.einsum("bhijkl,bkld->bijhd", p, x).reshape(b, SIDE, SIDE, -1))


class Quadratic(Heads):
    def __init__(self):
        super().__init__()
        self.attention_centers = nn.Parameter(torch.randn(HEADS, 2) * 2)
        self.attention_spreads = nn.Parameter(1 + torch.randn(HEADS))

    def scores(self, x):
        row, col = self.delta[:, None, :, None], self.delta[None, :, None, :]
        c = self.attention_centers[:, :, None, None, None, None]
        a = self.attention_spreads[:, None, None, None, None] ** 2
        return (-a / 2 * ((row - c[:, 0]) ** 2 + (col - c[:, 1]) ** 2))[None]


class Tables(Heads):
    """max_position_embeddings is SIDE."""

    def __init__(self, size):
        super().__init__()
        self.row_embeddings, self.col_embeddings = (nn.Embedding(2 * SIDE - 1, size) for _ in range(2))
        self.query = nn.Linear(DIM, HEADS * DIM)
        self.index = self.delta + SIDE - 1

    def of(self, linear, x):
        return linear(x).view(len(x), SIDE, SIDE, HEADS, DIM)


class QueryShift(Tables):
    def __init__(self):
        super().__init__(DIM // 2)

    def scores(self, x):
        q, half = self.of(self.query, x), DIM // 2
        rows = torch.einsum("bijhd,ikd->bhijk", q[..., :half], self.row_embeddings(self.index))
        cols = torch.einsum("bijhd,jld->bhijl", q[..., half:], self.col_embeddings(self.index))
        return (rows[..., :, None] + cols[..., None, :]) / math.sqrt(DIM)


class Vector(Tables):
    def __init__(self):
        super().__init__(DIM)
        self.key = nn.Linear(DIM, HEADS * DIM)
        self.head_keys_row, self.head_keys_col = (nn.Linear(DIM, HEADS, bias=False) for _ in range(2))

    def scores(self, x):
        content = torch.einsum("bijhd,bklhd->bhijkl", self.of(self.query, x), self.of(self.key, x)) / math.sqrt(DIM)
        along_cols = self.head_keys_row(self.row_embeddings(self.index)).permute(2, 0, 1)  # the paper's code calls it row
        along_rows = self.head_keys_col(self.col_embeddings(self.index)).permute(2, 0, 1)
        return content + along_cols[None, :, None, :, None, :] + along_rows[None, :, :, None, :, None]


class Group(nn.Module):
    """Submodules under the names that they are to have."""

    def __init__(group, /, **parts):  # one of the names is self
        super().__init__()
        for name, part in parts.items():
            group.add_module(name, part)


def norm():
    n = nn.LayerNorm(DIM, eps=1e-12)
    nn.init.normal_(n.weight, 1, 0.3)
    nn.init.normal_(n.bias)
    return n


class Network(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.features_upscale = nn.Linear(3 * POOL * POOL, DIM)
        self.encoder = Group(layer=nn.ModuleList(
            Group(attention=Group(self=attention(), output=Group(dense=nn.Linear(DIM, DIM), LayerNorm=norm())),
                  intermediate=Group(dense=nn.Linear(DIM, FFN)),
                  output=Group(dense=nn.Linear(FFN, DIM), LayerNorm=norm())) for _ in range(LAYERS)))
        self.classifier = nn.Linear(DIM, CLASSES)
        self.register_buffer("attention_mask", torch.ones(SIDE, SIDE))

    def forward(self, images):  # [batch, 3, 32, 32]; channels of a token: row, column, color
        b = len(images)
        x = images.view(b, 3, SIDE, POOL, SIDE, POOL).permute(0, 2, 4, 3, 5, 1).reshape(b, SIDE, SIDE, -1)
        x = self.features_upscale(x)
        for layer in self.encoder.layer:
            out = layer.attention.output
            x = out.LayerNorm(out.dense(layer.attention.get_submodule("self")(x)) + x)
            x = layer.output.LayerNorm(layer.output.dense(F.gelu(layer.intermediate.dense(x))) + x)
        return self.classifier(x.mean((1, 2)))


def images():
    """Two images whose values are exact in float32."""
    n = torch.arange(2 * 3 * 32 * 32, dtype=torch.float64)
    return ((n * 7919 % 257 - 128) / 64).view(2, 3, 32, 32)


logits = {}
with torch.no_grad():
    for seed, (name, attention) in enumerate({"quadratic": Quadratic, "qr": QueryShift, "vector": Vector}.items()):
        torch.manual_seed(seed)
        net = Network(attention)
        state = net.state_dict()
        if name == "quadratic":
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
            whole = OrderedDict(epoch=7, test_accuracy=0.9375, model_state_dict=state,
                                optimizer_state_dict=optimizer.state_dict())
            torch.save(whole, "quadratic.checkpoint")
            torch.save(whole, "quadratic.legacy", _use_new_zipfile_serialization=False)
            half = {f"module.{k}": v.half() for k, v in state.items()}
            half["module.classifier.weight"] = state["classifier.weight"].t().contiguous().t()  # columns first
            both = torch.cat([state["classifier.bias"], state["features_upscale.bias"]])
            half["module.classifier.bias"], half["module.features_upscale.bias"] = both[:CLASSES], both[CLASSES:]
            torch.save(half, "tuple.pth")
            rounded = Network(attention)
            rounded.load_state_dict({k.removeprefix("module."): v.float() for k, v in half.items()})
            logits["tuple.pth"] = rounded.double()(images()).tolist()
        else:
            torch.save(state, name + ".pt")
        logits[name] = net.double()(images()).tolist()
json.dump(logits, open("logits.json", "w"), indent=1)
