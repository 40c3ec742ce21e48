#!/usr/bin/env python3
"""Writes convnext.json: a block of ConvNeXt with random weights, written from its formula, and what it computes.

    python3 convnext.py        # PyTorch 1.13.1 (Debian 12: python3-torch)

x and y are (images, rows, columns, channels); the others are parameters under the names of the source.
"""
import json
import pathlib

import torch
import torch.nn as nn
import torch.nn.functional as F

DIM = 3
torch.manual_seed(1)
parts = nn.ModuleDict({
    "dwconv": nn.Conv2d(DIM, DIM, 7, padding=3, groups=DIM), "norm": nn.LayerNorm(DIM, eps=1e-12),
    "pwconv1": nn.Linear(DIM, 4 * DIM), "pwconv2": nn.Linear(4 * DIM, DIM)}).double()
weights = {name: nn.init.uniform_(p, -1, 1).float().double() for name, p in parts.state_dict().items()}
parts.load_state_dict(weights)
gamma = torch.randn(DIM).float().double()
x = torch.randn(2, 5, 4, DIM).float().double()
h = parts["norm"](parts["dwconv"](x.permute(0, 3, 1, 2)).permute(0, 2, 3, 1))
y = x + gamma * parts["pwconv2"](F.gelu(parts["pwconv1"](h)))
flat = {name: [float("%.9g" % v) for v in t.flatten()] for name, t in (weights | {"gamma": gamma, "x": x, "y": y}).items()}
pathlib.Path(__file__).with_name("convnext.json").write_text(json.dumps(flat, indent=0).replace(",\n", ",") + "\n")
