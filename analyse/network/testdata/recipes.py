# Runs the recipes of docs/analyse.md on small modules and compares what they write with the modules' own outputs.
# python3 recipes.py RECIPE FILE: RECIPE is mha, vit or swin, FILE has its code. It writes layers.npz into the current
# folder. The modules have the attributes of torch.nn and of timm, and are written from their descriptions.
import sys

import numpy as np
import torch
from torch import nn

torch.manual_seed(1)
recipe, code = sys.argv[1], open(sys.argv[2]).read()


class Attention(nn.Module):  # timm.models.vision_transformer.Attention
    def __init__(self, dim, num_heads):
        super().__init__()
        self.num_heads, self.scale = num_heads, (dim // num_heads) ** -0.5
        self.qkv, self.proj = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)

    def scores(self, x):
        b, n, c = x.shape
        qkv = self.qkv(x).reshape(b, n, 3, self.num_heads, c // self.num_heads)
        q, k, v = (qkv[:, :, i].transpose(1, 2) for i in range(3))
        return torch.matmul(q * self.scale, k.transpose(2, 3)), v

    def forward(self, x, mask=None):
        scores, v = self.scores(x)
        if mask is not None:
            windows = len(mask)
            scores = scores.view(-1, windows, *scores.shape[1:]) + mask[None, :, None]
            scores = scores.flatten(0, 1)
        self.weights = torch.softmax(scores, 3)
        self.result = self.proj(torch.matmul(self.weights, v).transpose(1, 2).reshape(x.shape))
        return self.result


class WindowAttention(Attention):  # timm.models.swin_transformer.WindowAttention
    def __init__(self, dim, num_heads, window):
        super().__init__(dim, num_heads)
        self.relative_position_bias_table = nn.Parameter(torch.randn((2 * window - 1) ** 2, num_heads))
        at = torch.stack(torch.meshgrid(torch.arange(window), torch.arange(window), indexing="ij")).flatten(1)
        shift = at[:, :, None] - at[:, None] + window - 1
        self.register_buffer("relative_position_index", shift[0] * (2 * window - 1) + shift[1])

    def scores(self, x):
        scores, v = super().scores(x)
        n = x.shape[1]
        bias = torch.stack([self.relative_position_bias_table[self.relative_position_index[q]] for q in range(n)])
        return scores + bias.permute(2, 0, 1)[None], v


class Block(nn.Module):
    def __init__(self, dim, attn):
        super().__init__()
        self.norm1, self.attn, self.attn_mask = nn.LayerNorm(dim), attn, None
        nn.init.normal_(self.norm1.weight, 1, 0.3)
        nn.init.normal_(self.norm1.bias)

    def forward(self, x):
        return x + self.attn(self.norm1(x))


class WindowBlock(Block):  # tokens of an 8 × 8 grid in four windows of 4 × 4, shifted by two if they have a mask
    def windows(self, x):
        b, _, c = x.shape
        x = x.view(b, 8, 8, c)
        if self.attn_mask is not None:
            x = torch.roll(x, (-2, -2), (1, 2))
        return x.view(b, 2, 4, 2, 4, c).transpose(2, 3).reshape(b * 4, 16, c)

    def forward(self, x):
        y = self.attn(self.windows(self.norm1(x)), mask=self.attn_mask)
        y = y.view(-1, 2, 2, 4, 4, x.shape[2]).transpose(2, 3).reshape(-1, 8, 8, x.shape[2])
        if self.attn_mask is not None:
            y = torch.roll(y, (2, 2), (1, 2))
        return x + y.flatten(1, 2)


class Network(nn.Module):
    def __init__(self, blocks):
        super().__init__()
        self.blocks = nn.Sequential(*blocks)
        self.layers = [self]  # the stages of Swin, here one

    def forward(self, x):
        return self.blocks(x)


def equal(what, a, b):
    difference = (a - b).abs().max().item()
    assert difference < 1e-5, f"{what}: {difference:g} apart"
    print(what, "equal to", difference)


def product(attention, x, maps):  # of single heads
    return torch.einsum("bhqk,bki,hio->bhqo", attention, x, maps)


def constant(attn):  # what the biases add to each output
    return attn.proj.bias + attn.proj.weight @ attn.qkv.bias[-attn.proj.in_features :]


globals_ = {"np": np, "torch": torch}
if recipe == "mha":
    mha, x = nn.MultiheadAttention(8, 2, batch_first=True), torch.randn(40, 16, 8)
    nn.init.normal_(mha.in_proj_bias)
    exec(code, {**globals_, "mha": mha, "x": x})
    a = {k: torch.from_numpy(v) for k, v in np.load("layers.npz").items()}
    bias = mha.out_proj.bias + mha.out_proj.weight @ mha.in_proj_bias[-8:]
    equal("output", product(a["attention"], a["inputs"], a["maps"]).sum(1) + bias, mha(x, x, x)[0])
elif recipe == "vit":
    vit, images = Network([Block(8, Attention(8, 2)) for _ in range(2)]), torch.randn(40, 17, 8)
    exec(code, {**globals_, "vit": vit, "images": images})
    a = {k: torch.from_numpy(v) for k, v in np.load("layers.npz").items()}
    x = images
    for i, block in enumerate(vit.blocks):
        attention, maps, inputs = (a[f"block{i + 1}.{what}"] for what in ["attention", "maps", "inputs"])
        read = block.norm1(x)
        x = block(x)
        token = block.attn.weights[:, :, 1:, :1]  # what the class token has of each query's attention
        rest = (1 - token) * product(attention, inputs, maps)
        of_token = product(token, read[:, :1], maps)
        equal(f"block {i + 1}", (rest + of_token).sum(1) + constant(block.attn), block.attn.result[:, 1:])
        equal(f"gamma {i + 1}", a[f"block{i + 1}.gamma"], block.norm1.weight)
else:
    swin, images = Network([WindowBlock(8, WindowAttention(8, 2, 4)) for _ in range(2)]), torch.randn(12, 64, 8)
    mask = torch.zeros(4, 16, 16)
    for w in range(1, 4):  # the windows at the right, below, and both, have two parts each way
        part = torch.tensor([(r // 2) * (w // 2) * 2 + (c // 2) * (w % 2) for r in range(4) for c in range(4)])
        mask[w] = torch.where(part[:, None] == part[None], 0.0, -100.0)
    swin.blocks[1].attn_mask = mask
    exec(code, {**globals_, "swin": swin, "images": images})
    a = {k: torch.from_numpy(v) for k, v in np.load("layers.npz").items()}
    x = images
    for i, block in enumerate(swin.blocks):
        attention, maps, inputs = (a[f"block{i + 1}.{what}"] for what in ["attention", "maps", "inputs"])
        x = block(x)
        y = block.attn.result
        y = y if i == 0 else y.view(12, 4, 16, 8)[:, 0]  # the first window alone has no mask
        assert len(attention) == len(y), f"block {i + 1}: {len(attention)} windows"
        equal(f"block {i + 1}", product(attention, inputs, maps).sum(1) + constant(block.attn), y)
        equal(f"gamma {i + 1}", a[f"block{i + 1}.gamma"], block.norm1.weight)
