"""Small vision transformers with the attributes of timm, torchvision and Hugging Face, written from their descriptions,
with large random weights; and what their attention layers are, computed from these weights directly, in float64.

python models.py NAME... prints the parts of E||L_X||^2 of each layer, and its attention on other tokens, as JSON.
"""
import json
import sys

import numpy as np
import torch
from torch import nn

D, H, SIDE = 16, 4, 4


class Scale(nn.Module):  # timm.layers.LayerScale
    def __init__(self):
        super().__init__()
        self.gamma = nn.Parameter(torch.exp(torch.randn(D)))

    def forward(self, x):
        return x * self.gamma


class Attention(nn.Module):  # timm.models.vision_transformer.Attention
    def __init__(self, norm=False):
        super().__init__()
        self.num_heads, self.scale = H, (D // H) ** -0.5
        self.qkv, self.proj = nn.Linear(D, 3 * D), nn.Linear(D, D)
        self.q_norm, self.k_norm = (nn.LayerNorm(D // H) if norm else nn.Identity() for _ in range(2))

    def scores(self, x):
        b, n, _ = x.shape
        q, k, v = self.qkv(x).reshape(b, n, 3, H, D // H).permute(2, 0, 3, 1, 4)
        return (self.q_norm(q) * self.scale) @ self.k_norm(k).transpose(2, 3), v

    def forward(self, x):
        s, v = self.scores(x)
        self.p = s.softmax(-1)
        return self.proj((self.p @ v).transpose(1, 2).reshape(x.shape))

    def maps(self):  # value, out
        return self.qkv.weight[2 * D:], self.proj.weight


class Gated(Attention):  # timm's gated attention: its result is no sum over heads
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(D, D)

    def forward(self, x):
        s, v = self.scores(x)
        return self.proj((s.softmax(-1) @ v).transpose(1, 2).reshape(x.shape) * self.gate(x).sigmoid())


class Window(Attention):  # Swin's relative positions
    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.randn(H, SIDE * SIDE, SIDE * SIDE))

    def scores(self, x):
        s, v = super().scores(x)
        return s + self.table, v


class GPSA(nn.Module):  # ConViT
    def __init__(self):
        super().__init__()
        self.num_heads, self.scale = H, (D // H) ** -0.5
        self.qk, self.v, self.proj = nn.Linear(D, 2 * D, bias=False), nn.Linear(D, D, bias=False), nn.Linear(D, D)
        self.pos_proj, self.gating_param = nn.Linear(3, H), nn.Parameter(torch.randn(H))
        r, c = torch.arange(SIDE ** 2).div(SIDE, rounding_mode="floor"), torch.arange(SIDE ** 2) % SIDE
        dr, dc = r[None] - r[:, None], c[None] - c[:, None]
        self.rel = torch.stack([dc, dr, dc ** 2 + dr ** 2], -1).float()[None]

    def get_attention(self, x):
        b, n, _ = x.shape
        q, k = self.qk(x).reshape(b, n, 2, H, D // H).permute(2, 0, 3, 1, 4)
        g = self.gating_param.view(1, -1, 1, 1).sigmoid()
        s, pos = q @ k.transpose(2, 3) * self.scale, self.pos_proj(self.rel).permute(0, 3, 1, 2)
        return (1 - g) * s.softmax(-1) + g * pos.softmax(-1)

    def forward(self, x):
        self.p = self.get_attention(x)
        v = self.v(x).reshape(*x.shape[:2], H, D // H).transpose(1, 2)
        return self.proj((self.p @ v).transpose(1, 2).reshape(x.shape))

    def maps(self):
        return self.v.weight, self.proj.weight


class MHA(nn.MultiheadAttention):  # as torchvision calls it
    def __init__(self):
        super().__init__(D, H, batch_first=True)

    def forward(self, x, *args, **kw):
        y, self.p = super().forward(x, x, x, average_attn_weights=False)
        return y, None

    def maps(self):
        return self.in_proj_weight[2 * D:], self.out_proj.weight


class Self(nn.Module):  # transformers' ViTSelfAttention
    def __init__(self):
        super().__init__()
        self.num_attention_heads = H
        self.query, self.key, self.value = nn.Linear(D, D), nn.Linear(D, D), nn.Linear(D, D)

    def forward(self, x):
        q, k, v = (f(x).reshape(*x.shape[:2], H, D // H).transpose(1, 2) for f in (self.query, self.key, self.value))
        self.p = (q @ k.transpose(2, 3) / (D // H) ** 0.5).softmax(-1)
        return (self.p @ v).transpose(1, 2).reshape(x.shape)


class Output(nn.Module):
    def __init__(self):
        super().__init__()
        self.dense = nn.Linear(D, D)


class HF(nn.Module):  # transformers' Dinov2Attention
    def __init__(self):
        super().__init__()
        self.attention, self.output = Self(), Output()

    def forward(self, x):
        y = self.output.dense(self.attention(x))
        self.p = self.attention.p
        return (y,)

    def maps(self):
        return self.attention.value.weight, self.output.dense.weight


class Block(nn.Module):
    def __init__(self, attn, scale=None, post=False):
        super().__init__()
        self.norm1, self.norm2, self.attn, self.post = nn.LayerNorm(D), nn.LayerNorm(D), attn, post
        self.scale, self.mlp = scale, nn.Sequential(nn.Linear(D, 2 * D), nn.GELU(), nn.Linear(2 * D, D))
        if scale == "ls1":
            self.ls1 = Scale()
        elif scale:
            setattr(self, scale, nn.Parameter(torch.exp(torch.randn(D))))

    def gain(self):
        return torch.ones(D) if not self.scale else self.ls1.gamma if self.scale == "ls1" else getattr(self, self.scale)

    def forward(self, x):
        y = self.attn(x if self.post else self.norm1(x))
        h = x + self.gain() * (y[0] if isinstance(y, tuple) else y)
        if self.post:
            h = self.norm1(h)
            return self.norm2(h + self.mlp(h))
        return h + self.mlp(self.norm2(h))


class ViT(nn.Module):
    def __init__(self, attn, prefix=0, wild=True, **o):
        super().__init__()
        self.patch, self.prefix = nn.Conv2d(3, D, 4, 4), nn.Parameter(torch.randn(1, prefix, D))
        self.pos = nn.Parameter(torch.randn(1, SIDE * SIDE, D))
        self.blocks, self.norm = nn.Sequential(*(Block(attn(), **o) for _ in range(2))), nn.LayerNorm(D)
        for name, p in self.named_parameters():
            if "norm" in name:
                nn.init.normal_(p, 1, 0.4)
            elif name.endswith("weight") and "attn" in name and wild:
                p.data *= 4

    def forward(self, x):
        x = self.patch(x).flatten(2).transpose(1, 2) + self.pos
        return self.norm(self.blocks(torch.cat([self.prefix.expand(len(x), -1, -1), x], 1)))


MODELS = {
    "vit": lambda **o: ViT(Attention, 3, scale="ls1", **o), "facebook": lambda: ViT(Attention, 1, scale="gamma_1"),
    "normed": lambda: ViT(lambda: Attention(True)), "torchvision": lambda: ViT(MHA, 1), "hf": lambda: ViT(HF, 1),
    "post": lambda: ViT(Attention, 1, post=True), "gpsa": lambda: ViT(GPSA),
    "gated": lambda: ViT(Gated), "window": lambda: ViT(Window), "unknown": lambda: ViT(Attention, 1, scale="zeta"),
}


def seeded(name):
    def make():
        torch.manual_seed(7)
        return MODELS[name]()
    return make


for name in MODELS:
    globals()[name] = seeded(name)


def untrained():  # another one each time
    return MODELS["vit"](wild=False)


def parts(model, images):
    """Of each layer, by the dense operators L_X[q, k] = sum_h P^h_qk W_h."""
    with torch.no_grad():
        model.eval()(images)
    for i, block in enumerate(model.blocks):
        p = block.attn.p.detach().numpy().astype(float)
        value, out = (w.detach().numpy().astype(float) for w in block.attn.maps())
        gain = block.gain().detach().numpy().astype(float)
        w = np.zeros((H, D, D))
        for h in range(H):
            at = slice(h * D // H, (h + 1) * D // H)
            w[h] = value[at].T @ out[:, at].T * gain
        norm = block.norm1 if not block.post else i and model.blocks[i - 1].norm2
        if norm:
            w *= norm.weight.detach().numpy().astype(float)[None, :, None]
            w -= w.mean(1, keepdims=True)
            w -= w.mean(2, keepdims=True)
        n, t = len(p), SIDE * SIDE
        others = p.shape[-1] - t
        yield w, p[:, :, others:, others:], p[:, :, others:, :others].sum(-1).mean()


def direct(model, images):
    r, c = np.divmod(np.arange(SIDE * SIDE), SIDE)
    dr, dc = r[None] - r[:, None], c[None] - c[:, None]
    for w, p, elsewhere in parts(model, images):
        operators = [np.einsum("hqk,hio->qkio", x, w) for x in p]
        mean, norm = sum(operators) / len(p), sum((x ** 2).sum() for x in operators) / len(p)
        rings = {}
        for x, y in ((r, c) for r in range(1 - SIDE, SIDE) for c in range(1 - SIDE, SIDE)):
            at = (dr == x) & (dc == y)
            size = min(max(abs(x), abs(y)), 4)
            rings[size] = rings.get(size, 0) + at.sum() * (mean[at].mean(0) ** 2).sum()
        of, whole = [rings.get(i, 0.0) for i in range(5)], (mean ** 2).sum()
        content = sum(((x - mean) ** 2).sum() for x in operators) / len(p)
        yield {"shares": [v / whole for v in of] + [1 - sum(of) / whole], "elsewhere": elsewhere,
               "content": content / norm, "unbiased": content / norm * len(p) / (len(p) - 1)}


if __name__ == "__main__":
    images = torch.randn(12, 3, 16, 16, generator=torch.Generator().manual_seed(0))
    print(json.dumps({name: list(direct(seeded(name)(), images)) for name in sys.argv[1:]}))
