#!/usr/bin/env python3
"""Writes small vision transformers as PyTorch files, under the names of each family's source, and what they compute.

    python3 families.py write FOLDER     # NAME.pth, NAME.npz, networks.json, counts.json; PyTorch 1.13.1 (Debian 12)
    python3 families.py shapes CONFIG    # key and shape of an official configuration: the names are in counts.json

The modules are written anew from the sources that README.md names; no code is theirs. All weights are random, so that a
forgotten term shows. Tokens enter the first norm with a variance near 1e-4, so that a wrong eps shows, too.

NAME.npz has images (N, 3, H, W), logits (what the module returns), and for each layer i, layer{i}.attention
(N, heads, T, T), the softmax over all T tokens, tokens that are not on the grid first; layer{i}.x (N, T, D), what the
attention reads; layer{i}.y (N, grid, D), what its branch adds to the stream at the tokens of the grid. Layers of
windows have layer{i}.windows (windows, w²), the tokens of each; the attention between tokens of two windows is zero.
"""
import copy
import json
import pathlib
import re
import sys

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

LAYERS = []  # the arrays of each layer of a forward pass


def keep(p, x, y, prefix, **more):
    LAYERS.append({"attention": p, "x": x, "y": y[:, prefix:]} | more)
    return y


def norm(eps):
    return lambda d: nn.LayerNorm(d, eps=eps)


def token(*shape):
    return nn.Parameter(torch.zeros(*shape))


def split(x, heads):  # (N, T, D) → (N, heads, T, D/heads)
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def softmax(q, k):
    return torch.softmax(q @ k.mT * q.shape[-1] ** -0.5, -1)


def mix(p, v):  # the heads' averages, side by side: (N, T, D)
    return (p @ v).transpose(1, 2).flatten(2)


def patches(conv, x):  # (N, T, D), row by row
    return conv(x).flatten(2).transpose(1, 2)


def expand(t, x):
    return t.expand(len(x), -1, -1)


class Attention(nn.Module):
    """Rows of qkv are q of all heads, k of all heads, v of all heads."""

    def __init__(self, d, heads, bias=True, qk_norm=None):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(d, 3 * d, bias)
        self.proj = nn.Linear(d, d)
        if qk_norm:
            self.q_norm, self.k_norm = qk_norm(d // heads), qk_norm(d // heads)

    def forward(self, x):
        q, k, v = (split(t, self.heads) for t in self.qkv(x).chunk(3, -1))
        if hasattr(self, "q_norm"):
            q, k = self.q_norm(q), self.k_norm(k)
        p = softmax(q, k)
        return p, self.proj(mix(p, v))


class Mlp(nn.Module):
    """act(x W₁) W₂; a gated one has SiLU(first half of x W₁) · second half. names are those of W₁ and W₂."""

    def __init__(self, d, hidden, gated=False, names=("fc1", "fc2"), act=F.gelu):
        super().__init__()
        self.gated, self.names, self.act = gated, names, act
        self.add_module(names[0], nn.Linear(d, hidden * (1 + gated)))
        self.add_module(names[1], nn.Linear(hidden, d))

    def forward(self, x):
        x = self.get_submodule(self.names[0])(x)
        if self.gated:
            gate, x = x.chunk(2, -1)
            x = F.silu(gate) * x
        else:
            x = self.act(x)
        return self.get_submodule(self.names[1])(x)


class Scale(nn.Module):
    def __init__(self, d, name="gamma"):
        super().__init__()
        self.name = name
        self.register_parameter(name, token(d))

    def forward(self, x):
        return x * self.get_parameter(self.name)


class Block(nn.Module):
    """timm's block. scale "ls" is ls1.gamma; "gamma_" is DeiT-3's gamma_1, a parameter of the block itself."""

    def __init__(self, d, heads, hidden, norm, bias=True, qk_norm=False, scale="", **mlp):
        super().__init__()
        self.scale = scale
        self.norm1, self.norm2 = norm(d), norm(d)
        self.attn = Attention(d, heads, bias, norm if qk_norm else None)
        self.mlp = Mlp(d, hidden, **mlp)
        if scale == "ls":
            self.ls1, self.ls2 = Scale(d), Scale(d)
        elif scale:
            self.gamma_1, self.gamma_2 = token(d), token(d)

    def branch(self, i, y):
        if self.scale == "ls":
            return (self.ls1, self.ls2)[i](y)
        return y * (self.gamma_1, self.gamma_2)[i] if self.scale else y

    def forward(self, x, prefix):
        n = self.norm1(x)
        p, y = self.attn(n)
        x = x + keep(p, n, self.branch(0, y), prefix)
        return x + self.branch(1, self.mlp(self.norm2(x)))


class Patches(nn.Module):
    def __init__(self, d, patch, bias=True):
        super().__init__()
        self.proj = nn.Conv2d(3, d, patch, patch, bias=bias)


class Timm(nn.Module):
    """timm's VisionTransformer and VisionTransformerDistilled. embed: the tokens in front have positions, too."""

    def __init__(self, d=18, heads=3, layers=2, patch=4, image=16, classes=5, hidden=32, eps=1e-6, cls=True, reg=0,
                 dist=False, embed=True, pre_norm=False, pool="token", fc_norm=False, **block):
        super().__init__()
        self.pool, self.embed = pool, embed
        self.patch_embed = Patches(d, patch, bias=not pre_norm)
        self.front = [n for n, there in (("cls_token", cls), ("reg_token", reg), ("dist_token", dist)) if there]
        for name in self.front:
            self.register_parameter(name, token(1, reg if name == "reg_token" else 1, d))
        self.prefix = cls + reg + dist
        self.pos_embed = token(1, (image // patch) ** 2 + self.prefix * embed, d)
        if pre_norm:
            self.norm_pre = norm(eps)(d)
        self.blocks = nn.ModuleList(Block(d, heads, hidden, norm(eps), **block) for _ in range(layers))
        self.add_module("fc_norm" if fc_norm else "norm", norm(eps)(d))
        if classes:
            self.head = nn.Linear(d, classes)
            if dist:
                self.head_dist = nn.Linear(d, classes)

    def forward(self, x):
        x = patches(self.patch_embed.proj, x)
        if not self.embed:
            x = x + self.pos_embed
        x = torch.cat([expand(self.get_parameter(n), x) for n in self.front] + [x], 1)
        if self.embed:
            x = x + self.pos_embed
        if hasattr(self, "norm_pre"):
            x = self.norm_pre(x)
        for block in self.blocks:
            x = block(x, self.prefix)
        if hasattr(self, "norm"):
            x = self.norm(x)
        if hasattr(self, "head_dist"):
            return (self.head(x[:, 0]) + self.head_dist(x[:, 1])) / 2
        x = x[:, 0] if self.pool == "token" else x[:, self.prefix:].mean(1)
        if hasattr(self, "fc_norm"):
            x = self.fc_norm(x)
        return self.head(x) if hasattr(self, "head") else x


class DINOv2(nn.Module):
    """Facebook's: registers join behind the class token after the positions; no head. chunks: blocks.c.i."""

    def __init__(self, d=16, heads=2, layers=1, patch=4, image=16, hidden=24, reg=0, gated=False, chunks=0):
        super().__init__()
        self.patch_embed = Patches(d, patch)
        self.cls_token, self.mask_token = token(1, 1, d), token(1, d)
        self.pos_embed = token(1, (image // patch) ** 2 + 1, d)
        if reg:
            self.register_tokens = token(1, reg, d)
        self.prefix = 1 + reg
        names = ("w12", "w3") if gated else ("fc1", "fc2")
        blocks = [Block(d, heads, hidden, norm(1e-6), scale="ls", gated=gated, names=names) for _ in range(layers)]
        if chunks:  # a chunk has its blocks behind as many empty places as there are blocks in front of it
            n = layers // chunks
            blocks = [nn.ModuleList([nn.Identity()] * i + blocks[i:i + n]) for i in range(0, layers, n)]
        self.blocks = nn.ModuleList(blocks)
        self.norm = norm(1e-6)(d)

    def forward(self, x):
        x = patches(self.patch_embed.proj, x)
        x = torch.cat([expand(self.cls_token, x), x], 1) + self.pos_embed
        if self.prefix > 1:
            x = torch.cat([x[:, :1], expand(self.register_tokens, x), x[:, 1:]], 1)
        for block in self.modules():
            if isinstance(block, Block):
                x = block(x, self.prefix)
        return self.norm(x)[:, 0]


class TorchvisionBlock(nn.Module):
    def __init__(self, d, heads, hidden):
        super().__init__()
        self.ln_1, self.ln_2 = norm(1e-6)(d), norm(1e-6)(d)
        self.self_attention = nn.MultiheadAttention(d, heads, batch_first=True)
        self.mlp = nn.Sequential(nn.Linear(d, hidden), nn.GELU(), nn.Identity(), nn.Linear(hidden, d))

    def forward(self, x):
        n = self.ln_1(x)
        y, p = self.self_attention(n, n, n, average_attn_weights=False)
        x = x + keep(p, n, y, 1)
        return x + self.mlp(self.ln_2(x))


class Torchvision(nn.Module):
    def __init__(self, d=18, heads=3, layers=2, patch=4, image=16, classes=5, hidden=32, representation=0):
        super().__init__()
        self.conv_proj = nn.Conv2d(3, d, patch, patch)
        self.class_token = token(1, 1, d)
        self.encoder = nn.Module()
        self.encoder.pos_embedding = token(1, (image // patch) ** 2 + 1, d)
        self.encoder.layers = nn.Sequential()
        for i in range(layers):
            self.encoder.layers.add_module(f"encoder_layer_{i}", TorchvisionBlock(d, heads, hidden))
        self.encoder.ln = norm(1e-6)(d)
        self.heads = nn.Sequential()
        if representation:
            self.heads.add_module("pre_logits", nn.Linear(d, representation))
            self.heads.add_module("act", nn.Tanh())
        self.heads.add_module("head", nn.Linear(representation or d, classes))

    def forward(self, x):
        x = patches(self.conv_proj, x)
        x = torch.cat([expand(self.class_token, x), x], 1) + self.encoder.pos_embedding
        return self.heads(self.encoder.ln(self.encoder.layers(x))[:, 0])


class Dense(nn.Module):
    def __init__(self, d, out):
        super().__init__()
        self.dense = nn.Linear(d, out)

    def forward(self, x):
        return self.dense(x)


class FaceAttention(nn.Module):
    """Hugging Face's: attention.{query,key,value} and output.dense; inner is "attention" (ViT, DINOv2) or "self"."""

    def __init__(self, d, heads, bias=True, inner="attention"):
        super().__init__()
        self.heads, self.inner = heads, inner
        self.add_module(inner, nn.ModuleDict({n: nn.Linear(d, d, bias) for n in ("query", "key", "value")}))
        self.output = Dense(d, d)

    def forward(self, x):
        maps = self.get_submodule(self.inner)
        q, k, v = (split(maps[n](x), self.heads) for n in ("query", "key", "value"))
        p = softmax(q, k)
        return p, self.output(mix(p, v))


class FaceBlock(nn.Module):
    """The block of ViT: two norms, intermediate.dense and output.dense; no LayerScale."""

    def __init__(self, d, heads, hidden, eps, bias, act=F.gelu):
        super().__init__()
        self.act = act
        self.layernorm_before, self.layernorm_after = norm(eps)(d), norm(eps)(d)
        self.attention = FaceAttention(d, heads, bias)
        self.intermediate, self.output = Dense(d, hidden), Dense(hidden, d)

    def forward(self, x, prefix):
        n = self.layernorm_before(x)
        p, y = self.attention(n)
        x = x + keep(p, n, y, prefix)
        return x + self.output(self.act(self.intermediate(self.layernorm_after(x))))


class FaceDINOv2Block(nn.Module):
    def __init__(self, d, heads, hidden, eps, bias, gated=False):
        super().__init__()
        self.norm1, self.norm2 = norm(eps)(d), norm(eps)(d)
        self.attention = FaceAttention(d, heads, bias)
        self.layer_scale1, self.layer_scale2 = Scale(d, "lambda1"), Scale(d, "lambda1")
        self.mlp = Mlp(d, hidden, gated, ("weights_in", "weights_out") if gated else ("fc1", "fc2"))

    def forward(self, x, prefix):
        n = self.norm1(x)
        p, y = self.attention(n)
        x = x + keep(p, n, self.layer_scale1(y), prefix)
        return x + self.layer_scale2(self.mlp(self.norm2(x)))


class FaceBase(nn.Module):
    """What Hugging Face's ViT and DINOv2 share; it returns all tokens behind the last norm."""

    def __init__(self, block, d, heads, layers, patch, image, hidden, eps, bias, reg=0, mask=False, **options):
        super().__init__()
        self.prefix = 1 + reg
        self.embeddings = nn.Module()
        self.embeddings.cls_token = token(1, 1, d)
        if mask:
            self.embeddings.mask_token = token(1, d)
        if reg:
            self.embeddings.register_tokens = token(1, reg, d)
        self.embeddings.patch_embeddings = nn.ModuleDict({"projection": nn.Conv2d(3, d, patch, patch)})
        self.embeddings.position_embeddings = token(1, (image // patch) ** 2 + 1, d)
        self.encoder = nn.Module()
        self.encoder.layer = nn.ModuleList(block(d, heads, hidden, eps, bias, **options) for _ in range(layers))
        self.layernorm = norm(eps)(d)

    def forward(self, x):
        e = self.embeddings
        x = patches(e.patch_embeddings.projection, x)
        x = torch.cat([expand(e.cls_token, x), x], 1) + e.position_embeddings
        if self.prefix > 1:
            x = torch.cat([x[:, :1], expand(e.register_tokens, x), x[:, 1:]], 1)
        for block in self.encoder.layer:
            x = block(x, self.prefix)
        return self.layernorm(x)


class FaceViT(FaceBase):
    """ViTModel: the class token behind a pooler, a dense map and tanh."""

    def __init__(self, d=16, heads=2, layers=1, patch=4, image=16, hidden=24, eps=1e-12, bias=True):
        super().__init__(FaceBlock, d, heads, layers, patch, image, hidden, eps, bias)
        self.pooler = Dense(d, d)

    def forward(self, x):
        return torch.tanh(self.pooler(super().forward(x)[:, 0]))


class FaceViTClassifier(nn.Module):
    """ViTForImageClassification: no pooler, the classifier reads the class token."""

    def __init__(self, d=18, heads=3, layers=2, patch=4, image=16, classes=5, hidden=32, eps=1e-12, bias=True, **opt):
        super().__init__()
        self.vit = FaceBase(FaceBlock, d, heads, layers, patch, image, hidden, eps, bias, **opt)
        self.classifier = nn.Linear(d, classes)

    def forward(self, x):
        return self.classifier(self.vit(x)[:, 0])


class FaceDINOv2Classifier(nn.Module):
    """Dinov2ForImageClassification, with or without registers: it reads the class token and the patches' mean."""

    def __init__(self, d=18, heads=3, layers=2, patch=4, image=16, classes=5, hidden=32, eps=1e-6, bias=True, reg=0,
                 gated=False):
        super().__init__()
        self.name = "dinov2_with_registers" if reg else "dinov2"
        base = FaceBase(FaceDINOv2Block, d, heads, layers, patch, image, hidden, eps, bias, reg, True, gated=gated)
        self.add_module(self.name, base)
        self.classifier = nn.Linear(2 * d, classes)

    def forward(self, x):
        base = self.get_submodule(self.name)
        x = base(x)
        return self.classifier(torch.cat([x[:, 0], x[:, base.prefix:].mean(1)], -1))


class GPSA(nn.Module):
    """ConViT's: (1 − σ(g)) · softmax(q·k/√d) + σ(g) · softmax(position), divided by its sum. The position of (query,
    key) is a linear map of (columns, rows, squared distance) from the query to the key."""

    def __init__(self, d, heads):
        super().__init__()
        self.heads = heads
        self.qk, self.v = nn.Linear(d, 2 * d, False), nn.Linear(d, d, False)
        self.proj, self.pos_proj = nn.Linear(d, d), nn.Linear(3, heads)
        self.gating_param = token(heads)

    def forward(self, x):
        side = torch.arange(int(x.shape[1] ** 0.5))
        at = torch.cartesian_prod(side, side)  # (row, column) of each token
        delta = (at[None] - at[:, None]).to(x)  # [query, key], key − query
        features = torch.cat([delta.flip(-1), (delta ** 2).sum(-1, keepdim=True)], -1)
        q, k = (split(t, self.heads) for t in self.qk(x).chunk(2, -1))
        g = torch.sigmoid(self.gating_param)[:, None, None]
        p = (1 - g) * softmax(q, k) + g * torch.softmax(self.pos_proj(features).permute(2, 0, 1), -1)
        p = p / p.sum(-1, keepdim=True)
        return p, self.proj(mix(p, split(self.v(x), self.heads)))


class ConViT(Timm):
    """The class token has no position; it joins in front of the first block of plain attention, block local."""

    def __init__(self, d=16, heads=4, layers=3, local=2, hidden=24, **options):
        super().__init__(d, heads, layers, hidden=hidden, embed=False, bias=False, **options)
        self.local = local
        for block in self.blocks[:local]:
            block.attn = GPSA(d, heads)

    def forward(self, x):
        x = patches(self.patch_embed.proj, x) + self.pos_embed
        for i, block in enumerate(self.blocks):
            if i == self.local:
                x = torch.cat([expand(self.cls_token, x), x], 1)
            x = block(x, int(i >= self.local))
        return self.head(self.norm(x)[:, 0])


class CompactBlock(nn.Module):
    """a = x + attention(pre_norm(x)); b = norm1(a); b + mlp(b)."""

    def __init__(self, d, heads, hidden):
        super().__init__()
        self.pre_norm, self.norm1 = norm(1e-5)(d), norm(1e-5)(d)
        self.self_attn = Attention(d, heads, bias=False)
        self.linear1, self.linear2 = nn.Linear(d, hidden), nn.Linear(hidden, d)

    def forward(self, x, prefix):
        n = self.pre_norm(x)
        p, y = self.self_attn(n)
        x = self.norm1(x + keep(p, n, y, prefix))
        return x + self.linear2(F.gelu(self.linear1(x)))


class Compact(nn.Module):
    """CCT: convolutions without a bias, each with ReLU and a maximum over 3 × 3 at stride 2; weights of a softmax over
    the tokens for the mean. CVT and ViT-Lite (cls): patches with a bias; ViT-Lite has a class token."""

    def __init__(self, d=16, heads=2, layers=1, image=16, classes=5, hidden=24, stem=0, kernel=4, planes=8, cls=False):
        super().__init__()
        widths = [3] + [planes] * (stem - 1) + [d]
        self.tokenizer = nn.Module()
        if stem:
            stride, pad = max(1, kernel // 2 - 1), max(1, kernel // 2)
            convs = [nn.Conv2d(a, b, kernel, stride, pad, bias=False) for a, b in zip(widths, widths[1:])]
            behind = (nn.ReLU(), nn.MaxPool2d(3, 2, 1))
        else:
            convs, behind = [nn.Conv2d(3, d, kernel, kernel)], ()
        self.tokenizer.conv_layers = nn.Sequential(*(nn.Sequential(c, *behind) for c in convs))
        for c in convs:
            image = (image + 2 * c.padding[0] - kernel) // c.stride[0] + 1
            image = (image + 1) // 2 if stem else image
        self.cls = cls
        self.classifier = classifier = nn.Module()
        if cls:
            classifier.class_emb = token(1, 1, d)
        else:
            classifier.attention_pool = nn.Linear(d, 1)
        classifier.positional_emb = token(1, image ** 2 + cls, d)
        classifier.blocks = nn.ModuleList(CompactBlock(d, heads, hidden) for _ in range(layers))
        classifier.norm, classifier.fc = norm(1e-5)(d), nn.Linear(d, classes)

    def forward(self, x):
        x, c = patches(self.tokenizer.conv_layers, x), self.classifier
        if self.cls:
            x = torch.cat([expand(c.class_emb, x), x], 1)
        x = x + c.positional_emb
        for block in c.blocks:
            x = block(x, int(self.cls))
        x = c.norm(x)
        x = x[:, 0] if self.cls else (torch.softmax(c.attention_pool(x), 1).mT @ x)[:, 0]
        return c.fc(x)


class WindowAttention(Attention):
    def __init__(self, d, heads, w, buffers):
        super().__init__(d, heads)
        self.relative_position_bias_table = token((2 * w - 1) ** 2, heads)
        axis = torch.arange(w)
        at = torch.cartesian_prod(axis, axis)
        delta = at[:, None] - at[None] + w - 1  # [query, key]: the shift from the key to the query, from 0 on
        self.register_buffer("relative_position_index", delta[..., 0] * (2 * w - 1) + delta[..., 1], buffers)

    def forward(self, x, mask):  # (N·windows, w², D)
        q, k, v = (split(t, self.heads) for t in self.qkv(x).chunk(3, -1))
        scores = q @ k.mT * q.shape[-1] ** -0.5
        scores = scores + self.relative_position_bias_table[self.relative_position_index].permute(2, 0, 1)
        if mask is not None:
            scores = scores + mask.to(x).repeat(len(x) // len(mask), 1, 1)[:, None]
        p = torch.softmax(scores, -1)
        return p, self.proj(mix(p, v))


class WindowBlock(nn.Module):
    """Swin's block: windows of w × w tokens; odd blocks roll the image by w/2, unless it is one window."""

    def __init__(self, d, heads, side, w, odd, hidden, buffers):
        super().__init__()
        self.side, self.w, self.shift = side, min(w, side), w // 2 if odd and side > w else 0
        self.norm1, self.norm2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.attn = WindowAttention(d, heads, self.w, buffers)
        self.mlp = Mlp(d, hidden)
        mask = None
        if self.shift:  # of the rolled image: parts that are not neighbors in the image do not see each other
            part = torch.zeros(side)
            part[-w:] = 1
            part[-self.shift:] = 2
            part = self.windows((3 * part[:, None] + part)[None, :, :, None])[:, :, 0]
            mask = torch.where(part[:, :, None] == part[:, None], 0.0, -100.0)
        self.register_buffer("attn_mask", mask, buffers)

    def windows(self, x):  # (N, side, side, D) → (N·windows, w², D)
        n = self.side // self.w
        return x.unflatten(2, (n, self.w)).unflatten(1, (n, self.w)).transpose(2, 3).flatten(3, 4).flatten(0, 2)

    def image(self, x):  # the inverse
        n = self.side // self.w
        return x.unflatten(0, (-1, n, n)).unflatten(3, (self.w, self.w)).transpose(2, 3).flatten(3, 4).flatten(1, 2)

    def forward(self, x):  # (N, side, side, D)
        n = self.norm1(x)
        p, y = self.attn(self.windows(n.roll((-self.shift, -self.shift), (1, 2))), self.attn_mask)
        y = self.image(y).roll((self.shift, self.shift), (1, 2))
        at = torch.arange(self.side ** 2).view(1, self.side, self.side, 1).roll((-self.shift, -self.shift), (1, 2))
        at = self.windows(at)[:, :, 0]  # the tokens of each window
        p = p.unflatten(0, (-1, len(at)))
        whole = p.new_zeros(len(p), self.attn.heads, self.side ** 2, self.side ** 2)
        for i, w in enumerate(at):
            whole[:, :, w[:, None], w] = p[:, i]
        keep(whole, n.flatten(1, 2), y.flatten(1, 2), 0, windows=at)
        x = x + y
        return x + self.mlp(self.norm2(x))


class Merging(nn.Module):
    """2 × 2 tokens side by side, in the order (0, 0), (1, 0), (0, 1), (1, 1) of (row, column)."""

    def __init__(self, d):
        super().__init__()
        self.norm, self.reduction = nn.LayerNorm(4 * d), nn.Linear(4 * d, 2 * d, False)

    def forward(self, x):
        parts = [x[:, row::2, column::2] for column in (0, 1) for row in (0, 1)]
        return self.reduction(self.norm(torch.cat(parts, -1)))


class Swin(nn.Module):
    """timm's names; microsoft: a stage has its merging at its end, and buffers are in the file."""

    def __init__(self, d=8, heads=(2, 4), depths=(2, 2), patch=4, image=32, w=4, classes=5, ratio=2, microsoft=False):
        super().__init__()
        self.microsoft = microsoft
        self.patch_embed = Patches(d, patch)
        self.patch_embed.norm = nn.LayerNorm(d)
        side, stages = image // patch, []
        for i, (h, depth) in enumerate(zip(heads, depths)):
            stages.append(nn.Module())
            stages[i].blocks = nn.ModuleList(
                WindowBlock(d << i, h, side >> i, w, j % 2, ratio * d << i, microsoft) for j in range(depth))
            if i:
                stages[i - microsoft].downsample = Merging(d << i - 1)
        self.layers = nn.ModuleList(stages)
        d <<= len(heads) - 1
        self.norm = nn.LayerNorm(d)
        self.head = nn.Linear(d, classes) if microsoft else nn.ModuleDict({"fc": nn.Linear(d, classes)})

    def forward(self, x):
        x = self.patch_embed.norm(self.patch_embed.proj(x).permute(0, 2, 3, 1))
        for stage in self.layers:
            if hasattr(stage, "downsample") and not self.microsoft:
                x = stage.downsample(x)
            for block in stage.blocks:
                x = block(x)
            if hasattr(stage, "downsample") and self.microsoft:
                x = stage.downsample(x)
        x = self.norm(x).mean((1, 2))
        return self.head(x) if self.microsoft else self.head["fc"](x)


# What is written


def seed(module, number):
    """Random weights. What the first norm reads is small: the patches, the positions and the tokens in front."""
    g = torch.Generator().manual_seed(number)
    with torch.no_grad():
        for name, p in module.named_parameters():
            z = torch.randn(p.shape, generator=g)
            parts = name.split(".")
            if any(w in name for w in ("token", "pos_embed", "position_emb", "positional_emb", "class_emb")):
                z *= 0.01
            elif p.ndim == 4:  # convolutions of patches
                z *= 0.01 / p[0].numel() ** 0.5
            elif any(w in name for w in ("patch_embed.proj", "conv_proj", "projection", "conv_layers")):
                z *= 0.01
            elif p.ndim == 2 and "table" not in name and parts[-1] != "mask_token":
                z *= 1.4 / p.shape[1] ** 0.5
            elif parts[-1] == "weight" or "gamma" in parts[-1] or parts[-1] == "lambda1":  # of norms and LayerScale
                z = 0.8 + 0.3 * z
            elif parts[-1].endswith("bias"):
                z *= 0.3
            p.copy_(z)
    return module


def compute(module, images):
    """The result and the layers of a forward pass in float64, stored in float32."""
    LAYERS.clear()
    with torch.no_grad():
        result = module.double()(images.double())
    module.float()
    arrays = {"logits": result}
    for i, layer in enumerate(LAYERS):
        arrays |= {f"layer{i}.{name}": v for name, v in layer.items()}
    return {k: v.float().numpy() for k, v in arrays.items()}


def pictures(side, n):  # multiples of 1/16, which compress well
    return (16 * torch.randn(n, 3, side, side, generator=torch.Generator().manual_seed(61))).round() / 16


def timm_config(architecture, width=16, pool="token", side=16, mean=0.5, std=0.5, **rest):
    return {"architecture": architecture, "num_classes": 5, "num_features": width, "global_pool": pool, **rest,
            "pretrained_cfg": {"input_size": [3, side, side], "mean": 3 * [mean], "std": 3 * [std], "crop_pct": 0.9,
                               "interpolation": "bicubic", "first_conv": "patch_embed.proj", "classifier": "head"}}


def face_config(kind, architecture, d, heads, layers, hidden, eps, **rest):
    return {"architectures": [architecture], "model_type": kind, "hidden_size": d, "num_attention_heads": heads,
            "num_hidden_layers": layers, "intermediate_size": hidden, "hidden_act": "gelu", "layer_norm_eps": eps,
            "image_size": 16, "patch_size": 4, "num_channels": 3, "qkv_bias": True, **rest}


SMALL = dict(d=16, heads=2, layers=1, hidden=24)
FACE = {"do_normalize": True, "do_rescale": True, "do_resize": True, "image_mean": 3 * [0.5], "image_std": 3 * [0.5],
        "rescale_factor": 1 / 255, "resample": 2, "size": {"height": 16, "width": 16}}


# name: family, module, its options, files that lie next to the weights
NETWORKS = {
    "timm_vit": ("timm", Timm, dict(), {"config.json": timm_config("vit_tiny_patch16_224", 18, model_args={
        "patch_size": 4, "embed_dim": 18, "depth": 2, "num_heads": 3, "img_size": 16, "mlp_ratio": 1.8})}),
    "timm_small": ("timm", Timm, SMALL, {}),
    "timm_reg4": ("timm", Timm, SMALL | dict(reg=4, embed=False, scale="ls", classes=0), {}),
    "timm_reg_embed": ("timm", Timm, SMALL | dict(reg=3), {}),
    "timm_gap": ("timm", Timm, SMALL | dict(cls=False, pool="avg", bias=False, scale="ls"),
                 {"config.json": timm_config("vit_medium_patch16_gap_256", pool="avg")}),
    "timm_fc_norm": ("timm", Timm, SMALL | dict(pool="avg", fc_norm=True, qk_norm=True),
                     {"config.json": timm_config("vit_base_patch16_224", pool="avg")}),
    "timm_swiglu": ("timm", Timm, SMALL | dict(scale="ls", gated=True, classes=0), {}),
    "timm_clip": ("timm", Timm, SMALL | dict(pre_norm=True, eps=1e-5),
                  {"config.json": timm_config("vit_base_patch16_clip_224.openai")}),
    "deit_distilled": ("timm", Timm, dict(dist=True), {}),
    "deit3": ("timm", Timm, SMALL | dict(embed=False, scale="gamma_"), {}),
    "dinov2": ("dinov2", DINOv2, dict(), {}),
    "dinov2_reg4": ("dinov2", DINOv2, dict(reg=4, gated=True), {}),
    "dinov2_chunks": ("dinov2", DINOv2, dict(layers=2, chunks=2, reg=1), {}),
    "torchvision": ("torchvision", Torchvision, dict(), {}),
    "torchvision_pre_logits": ("torchvision", Torchvision, SMALL | dict(representation=7), {}),
    "hf_vit": ("hf", FaceViTClassifier, dict(), {
        "config.json": face_config("vit", "ViTForImageClassification", 18, 3, 2, 32, 1e-12),
        "preprocessor_config.json": FACE}),
    "hf_vit_model": ("hf", FaceViT, dict(bias=False), {
        "config.json": face_config("vit", "ViTModel", 16, 2, 1, 24, 1e-12, qkv_bias=False)}),
    "hf_dinov2": ("hf", FaceDINOv2Classifier, dict(), {
        "config.json": face_config("dinov2", "Dinov2ForImageClassification", 18, 3, 2, 32, 1e-6, mlp_ratio=1.8)}),
    "hf_dinov2_reg4": ("hf", FaceDINOv2Classifier, SMALL | dict(reg=4, gated=True), {
        "config.json": face_config("dinov2_with_registers", "Dinov2WithRegistersForImageClassification", 16, 2, 1, 24,
                                   1e-6, mlp_ratio=2.25, num_register_tokens=4, use_swiglu_ffn=True)}),
    "convit": ("convit", ConViT, dict(), {}),
    "cct": ("compact", Compact, dict(layers=2, stem=2, kernel=3), {}),
    "cct_7": ("compact", Compact, dict(stem=1, kernel=7), {}),
    "cvt": ("compact", Compact, dict(), {}),
    "vit_lite": ("compact", Compact, dict(cls=True), {}),
    "swin": ("swin", Swin, dict(), {"config.json": timm_config("swin_tiny_patch4_window7_224", 16, "avg", 32)}),
}


def set_act(module, act):
    for m in module.modules():
        if hasattr(m, "act"):
            m.act = act


def set_eps(module, eps):
    for m in module.modules():
        if isinstance(m, nn.LayerNorm):
            m.eps = eps


def set_heads(module, heads):
    for m in module.modules():
        if isinstance(m, Attention):
            m.heads = heads


# name: network whose weights it has, what the module is changed to, the files that say so
READINGS = {
    "timm_vit_heads6": ("timm_vit", lambda m: set_heads(m, 6), {}),
    "timm_vit_eps1e-05": ("timm_vit", lambda m: set_eps(m, 1e-5), {}),
    "timm_clip_quickgelu": ("timm_clip", lambda m: set_act(m, lambda x: x * torch.sigmoid(1.702 * x)),
                            {"config.json": timm_config("vit_base_patch16_clip_quickgelu_224.openai")}),
    "hf_vit_eps1e-05": ("hf_vit", lambda m: set_eps(m, 1e-5), {
        "config.json": face_config("vit", "ViTForImageClassification", 18, 3, 2, 32, 1e-5)}),
    "hf_vit_tanh": ("hf_vit", lambda m: set_act(m, lambda x: F.gelu(x, approximate="tanh")), {
        "config.json": face_config("vit", "ViTForImageClassification", 18, 3, 2, 32, 1e-12,
                                   hidden_act="gelu_pytorch_tanh")}),
}


def face_swin(state):
    """timm's Swin under Hugging Face's names; its files have the index, too."""
    index = {k.replace("bias_table", "index"): WindowAttention(1, 1, 4, True).relative_position_index
             for k in state if "bias_table" in k}
    out = {}
    for key, v in (state | index).items():
        for old, new in (("patch_embed.proj", "swin.embeddings.patch_embeddings.projection"),
                         ("patch_embed.norm", "swin.embeddings.norm"), ("head.fc", "classifier"),
                         ("layers.1.downsample", "layers.0.downsample"), ("layers.", "swin.encoder.layers."),
                         ("norm1", "layernorm_before"), ("norm2", "layernorm_after"), ("mlp.fc1", "intermediate.dense"),
                         ("mlp.fc2", "output.dense"), ("attn.proj", "attention.output.dense"),
                         ("attn.", "attention.self.")):
            key = key.replace(old, new)
        key = "swin.layernorm" + key[4:] if key.startswith("norm.") else key
        if "qkv" in key:
            out |= {key.replace("qkv", n): t.clone() for n, t in zip(("query", "key", "value"), v.chunk(3))}
        else:
            out[key] = v
    return out


def microsoft_swin(state):
    """timm's Swin under Microsoft's names, with its buffers."""
    module = Swin(microsoft=True)
    named = {k.replace("layers.1.downsample", "layers.0.downsample").replace("head.fc", "head"): v
             for k, v in state.items()}
    assert not module.load_state_dict(named, strict=False).unexpected_keys
    return module.state_dict()


def prefixed(prefix):
    return lambda state: {prefix + k: v for k, v in state.items()}


def other(state):  # weights that must not be taken
    return {k: v + 1 if v.is_floating_point() else v for k, v in state.items()}


# name: network, the file of its weights as other programs save it, files next to it
FILES = {
    "module": ("timm_small", prefixed("module."), {}),
    "orig_mod": ("timm_small", prefixed("_orig_mod."), {}),
    "timm_model": ("timm_small", prefixed("timm_model."), {}),  # Hugging Face's wrapper of timm's models
    "trunk": ("timm_small", lambda s: prefixed("visual.trunk.")(s) | {  # OpenCLIP: the text's half is there, too
        "logit_scale": torch.tensor(4.6), "text.positional_embedding": torch.ones(3, 4),
        "text.transformer.resblocks.0.attn.in_proj_weight": torch.ones(12, 4)}, {}),
    "teacher": ("dinov2", lambda s: {  # a checkpoint of DINOv2's training
        "student": prefixed("backbone.")(other(s)), "iteration": 7,
        "teacher": prefixed("backbone.")(s) | {"dino_head.last_layer.weight": torch.ones(3, 2)}}, {}),
    "model": ("deit3", lambda s: {"model": s, "optimizer": {"state": {0: {"exp_avg": torch.ones(3)}}}, "epoch": 3}, {}),
    "ema": ("timm_small", lambda s: {"arch": "vit_tiny_patch16_224", "epoch": 3, "state_dict": other(s),
                                     "state_dict_ema": s}, {}),
    "swin_microsoft": ("swin", microsoft_swin, {}),
    "hf_swin": ("swin", face_swin, {"config.json": {
        "architectures": ["SwinForImageClassification"], "model_type": "swin", "image_size": 32, "patch_size": 4,
        "embed_dim": 8, "depths": [2, 2], "num_heads": [2, 4], "window_size": 4, "mlp_ratio": 2.0,
        "hidden_act": "gelu", "layer_norm_eps": 1e-5, "qkv_bias": True, "use_absolute_embeddings": False}}),
}


def write(folder):
    table = {}
    for number, (name, (family, build, options, files)) in enumerate(NETWORKS.items()):
        module = seed(build(**options), number)
        images = pictures(32 if family == "swin" else 16, 1 if options.get("layers") == 1 else 2)
        arrays = {"images": images.numpy()} | compute(module, images)
        state = copy.deepcopy(module.state_dict())
        torch.save(state, folder / f"{name}.pth")
        layers = [(layer["attention"].shape, layer["y"].shape) for layer in LAYERS]
        entry = {"family": family, "weights": f"{name}.pth", "expect": f"{name}.npz", "logits": "logits",
                 "heads": [p[1] for p, _ in layers], "grid": [int(y[1] ** 0.5) for _, y in layers],
                 "prefix": [p[2] - y[1] for p, y in layers],
                 "parameters": sum(p.numel() for p in module.parameters()), "files": files}
        table[name] = entry
        for reading, (_, change, files) in ((k, v) for k, v in READINGS.items() if v[0] == name):
            change(module)
            arrays["logits." + reading] = compute(module, images)["logits"]
            heads = [h for m in module.modules() if (h := getattr(m, "heads", 0)) and type(h) is int]
            table[reading] = entry | {"logits": "logits." + reading, "heads": heads or entry["heads"], "files": files}
            module = seed(build(**options), number)
        if name == "timm_small":
            half = {k: v.half() for k, v in state.items()}
            torch.save(half, folder / "half.pth")
            module.load_state_dict(half)
            arrays["logits.half"] = compute(module, images)["logits"]
            table["half"] = entry | {"weights": "half.pth", "logits": "logits.half"}
        for variant, (_, save, files) in ((k, v) for k, v in FILES.items() if v[0] == name):
            torch.save(save(state), folder / f"{variant}.pth")
            table[variant] = entry | {"weights": f"{variant}.pth", "files": files}
        np.savez_compressed(folder / f"{name}.npz", **arrays)
    (folder / "networks.json").write_text(json.dumps(table, indent=1) + "\n")


def sizes(d, heads, depth, patch=16, image=224, classes=1000, ratio=4):
    return dict(d=d, heads=heads, layers=depth, patch=patch, image=image, classes=classes, hidden=int(ratio * d))


DINO = sizes(384, 6, 12, 14, 518, 0) | dict(scale="ls")

# official configurations
CONFIGS = {
    "vit_tiny_patch16_224": (Timm, sizes(192, 3, 12)),
    "vit_base_patch16_224": (Timm, sizes(768, 12, 12)),
    "vit_base_patch16_clip_224": (Timm, sizes(768, 12, 12) | dict(pre_norm=True, eps=1e-5)),
    "vit_medium_patch16_gap_256": (Timm, sizes(512, 8, 12, image=256) | dict(cls=False, bias=False, scale="ls")),
    "deit_tiny_distilled_patch16_224": (Timm, sizes(192, 3, 12) | dict(dist=True)),
    "deit_base_distilled_patch16_224": (Timm, sizes(768, 12, 12) | dict(dist=True)),
    "deit3_small_patch16_224": (Timm, sizes(384, 6, 12) | dict(embed=False, scale="ls")),
    "vit_small_patch14_dinov2": (Timm, DINO),
    "vit_small_patch14_reg4_dinov2": (Timm, DINO | dict(reg=4, embed=False)),
    "dinov2_vits14_reg": (DINOv2, dict(d=384, heads=6, layers=12, patch=14, image=518, hidden=1536, reg=4)),
    "torchvision.vit_b_16": (Torchvision, sizes(768, 12, 12)),
    "google/vit-base-patch16-224": (FaceViTClassifier, sizes(768, 12, 12)),
    "facebook/dinov2-small-imagenet1k-1-layer": (FaceDINOv2Classifier, sizes(384, 6, 12, 14, 518)),
    "convit_tiny": (ConViT, sizes(192, 4, 12) | dict(local=10)),
    "convit_small": (ConViT, sizes(432, 9, 12) | dict(local=10)),
    "convit_base": (ConViT, sizes(768, 16, 12) | dict(local=10)),
    "cct_2_3x2_32": (Compact, dict(d=128, heads=2, layers=2, image=32, classes=10, hidden=128, stem=2, kernel=3,
                                   planes=64)),
    "cct_7_3x1_32": (Compact, dict(d=256, heads=4, layers=7, image=32, classes=10, hidden=512, stem=1, kernel=3)),
    "cct_14_7x2_224": (Compact, dict(d=384, heads=6, layers=14, image=224, classes=1000, hidden=1152, stem=2, kernel=7,
                                     planes=64)),
    "vit_2_4_32": (Compact, dict(d=128, heads=2, layers=2, image=32, classes=10, hidden=128, cls=True)),
    "swin_tiny_patch4_window7_224": (Swin, dict(d=96, heads=(3, 6, 12, 24), depths=(2, 2, 6, 2), image=224, w=7,
                                                classes=1000, ratio=4)),
    "swin_base_patch4_window7_224": (Swin, dict(d=128, heads=(4, 8, 16, 32), depths=(2, 2, 18, 2), image=224, w=7,
                                                classes=1000, ratio=4)),
}


def shapes(name):
    """Key and shape of each tensor of an official configuration."""
    build, options = CONFIGS[name]
    return {key: list(v.shape) for key, v in build(**options).state_dict().items()}


def count(name):
    """Its parameters, and its shapes in short: keys of blocks have * in place of numbers from first to last."""
    groups = {}
    for key, shape in shapes(name).items():
        number = re.search(r"(?:blocks|layer|encoder_layer)[._](\d+)\.", key)
        star = key[:number.start(1)] + "*" + key[number.end(1):] if number else key
        groups.setdefault((star, tuple(shape)), []).append(int(number[1]) if number else 0)
    keys = [{"key": key, "shape": shape} | ({"first": min(n), "last": max(n)} if "*" in key else {})
            for (key, shape), n in groups.items()]
    numbers = sum(np.prod(k["shape"], dtype=int) * (k.get("last", 0) - k.get("first", 0) + 1) for k in keys)
    return {"parameters": int(numbers), "heads": CONFIGS[name][1]["heads"], "keys": keys}


def counts(folder):
    lines = (f" {json.dumps(name)}: {json.dumps(count(name))}" for name in CONFIGS)
    (folder / "counts.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["write", folder]:
            write(pathlib.Path(folder))
            counts(pathlib.Path(folder))
        case ["shapes", name]:
            for key, shape in shapes(name).items():
                print(key, *shape)
        case _:
            sys.exit(__doc__)
