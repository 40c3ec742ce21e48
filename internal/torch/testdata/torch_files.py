#!/usr/bin/env python3
"""Writes small networks as PyTorch's own files, under the names of the paper's code, and what they compute.

    python3 torch_files.py        # PyTorch 1.13.1 (Debian 12: python3-torch)

quadratic.checkpoint    as the paper's code keeps it, with the zip format that torch.save has had since 1.6
quadratic.legacy        the same in the format before that
tuple.pth               a plain state dict in half precision; a tensor that is a transposed view, and one that is a part
qr.pt                   q·r alone: a query, with a bias, meets half a vector of each table
vector.pt               q·k + w·r: a vector a head meets whole vectors of the tables; only q·k is scaled
trainer.pt              quadratic's weights and their averages, next to all that training programs keep in a checkpoint
trainer.legacy          the same in the old format
trainer.json            the paths of all that is in it: tensors, and objects that are as large as can be without one
logits.json             what the networks say about two images, in float64: [image][class]; also what ResNet20 says, whose
                        weights the test makes by the formula of resnet20

The networks are written from the formulas, not from the paper's code.
"""
import argparse
import functools
import json
import math
import pathlib
import sys
import types
from collections import Counter, OrderedDict, defaultdict

import numpy as np
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


class Unit(nn.Module):
    def __init__(self, into, out, stride, projected):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(into, out, 3, stride, 1, bias=False), nn.BatchNorm2d(out)
        self.conv2, self.bn2 = nn.Conv2d(out, out, 3, 1, 1, bias=False), nn.BatchNorm2d(out)
        self.more = out - into
        if self.more and projected:
            self.downsample = nn.Sequential(nn.Conv2d(into, out, 1, stride, bias=False), nn.BatchNorm2d(out))

    def forward(self, x):
        y = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
        if hasattr(self, "downsample"):
            x = self.downsample(x)
        elif self.more:
            x = F.pad(x[:, :, ::2, ::2], (0, 0, 0, 0, self.more // 2, self.more // 2))
        return F.relu(x + y)


class ResNet20(nn.Module):
    """That of He et al. 2016 for CIFAR-10: with option B of shortcuts if projected, else with option A."""

    def __init__(self, projected):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(3, 16, 3, 1, 1, bias=False), nn.BatchNorm2d(16)
        for i in range(3):
            blocks = [Unit(8 << max(i, 1) if j == 0 and i else 16 << i, 16 << i, 2 if i and not j else 1, projected)
                      for j in range(3)]
            self.add_module(f"layer{i + 1}", nn.Sequential(*blocks))
        self.fc = nn.Linear(64, 10)

    def forward(self, x):
        x = self.layer3(self.layer2(self.layer1(F.relu(self.bn1(self.conv1(x))))))
        return self.fc(x.mean((2, 3)))


def resnet20(projected):
    """Weights that are exact in float32: element i of the kth tensor by name is u = ((7919·i + 104729·k) mod 257 - 128)/128,
    made smaller for maps, or near 1 for what a norm multiplies and divides by."""
    net = ResNet20(projected)
    state = {k: v for k, v in net.state_dict().items() if "num_batches" not in k}
    for k, name in enumerate(sorted(state)):
        v = state[name]
        u = ((torch.arange(v.numel()) * 7919 + k * 104729) % 257 - 128) / 128
        if v.dim() > 1:
            u = u / 2 ** (int(math.log2(v[0].numel())) // 2)
        elif name.endswith("running_var"):
            u = 1 + u.abs() / 2
        else:
            u = u / 4 + (1 if name.endswith("weight") else 0)
        v.copy_(u.view(v.shape))
    return net.eval()


def paths(v, at=""):
    """The tensors in v, and the largest objects in it without a tensor, by their paths."""
    items = v.items() if isinstance(v, dict) else enumerate(v) if isinstance(v, (list, tuple)) else ()
    if isinstance(v, torch.Tensor):
        return {at: "tensor"}
    found = {p: what for k, item in items for p, what in paths(item, f"{at}.{k}".lstrip(".")).items()}
    return found if "tensor" in found.values() else {at: "object"}


def trainer(state):
    """A checkpoint with an object of every kind that training programs put next to the weights."""
    parameter = nn.Parameter(torch.zeros(2))
    solver = torch.optim.SGD([parameter], 0.1, momentum=0.9)
    parameter.grad = torch.ones(2)
    solver.step()
    settings = type("AttributeDict", (dict,), {"__module__": "parsing"})  # of a library that a reader may lack
    sys.modules["parsing"] = types.ModuleType("parsing")
    sys.modules["parsing"].AttributeDict = settings
    whole = nn.Sequential(nn.Linear(1, 1))
    return {
        "state_dict": OrderedDict((f"module.{k}", torch.zeros_like(v)) for k, v in state.items()),
        "ema": {"module": OrderedDict((f"module.{k}", v) for k, v in state.items()), "decay": 0.999},
        "optimizer": solver.state_dict(), "optimizers": [solver.state_dict()],
        "scheduler": torch.optim.lr_scheduler.MultiStepLR(solver, [30, 60]).state_dict(),
        "args": argparse.Namespace(lr=0.1), "hyper_parameters": settings(lr=0.1, layers=2),
        "counter": Counter([1, 2, 2]), "history": defaultdict(list, {"loss": [1.0, 0.5]}), "dtype": torch.float32,
        "path": pathlib.PurePosixPath("/data"), "frozen": {1, 2}, "never": frozenset([3]), "big": 1 << 70,
        "huge": 1 << 3000, "bytes": bytearray(b"xy"), "text": b"xy", "complex": 1 + 2j, "curve": np.arange(3.0),
        "best": np.float64(93.15), "rng": np.random.RandomState(0).get_state(), "torch_rng": torch.get_rng_state()[:8],
        "activation": functools.partial(F.leaky_relu, negative_slope=0.1), "loss": nn.CrossEntropyLoss(),
        "whole": whole, "size": torch.Size([1]), "device": torch.device("cpu"), "epoch": 7, "none": None,
        "by_pair": {(0, 1): 2, None: 3, 0.5: 4}, "confusion": torch.ones(2, 2, dtype=torch.int64),
        "metrics": {"top1": {"value": torch.tensor(0.5), "name": "top1"}}, "kept": parameter, 3: "a number as key",
    }


logits = {}
with torch.no_grad():
    logits["resnet20 zeros"] = resnet20(False).double()(images()).tolist()
    logits["resnet20 conv"] = resnet20(True).double()(images()).tolist()
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
            with torch.enable_grad():
                kept = trainer(state)
            torch.save(kept, "trainer.pt")
            torch.save(kept, "trainer.legacy", _use_new_zipfile_serialization=False)
            json.dump(paths(kept), open("trainer.json", "w"), indent=1)
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
