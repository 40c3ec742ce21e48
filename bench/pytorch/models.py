"""The paper's networks in PyTorch, written from the formulas, each in the forms that run fastest on a CPU.

An attention module maps tokens x [batch, tokens, dim] to the same shape, ending with the linear maps `value` and `dense`:

  direct      P X with the probabilities P [heads, tokens, tokens]: the form of the paper, with dropout on single
              (query, key) pairs. Probabilities that do not depend on the image are computed once per batch.
  factorized  quadratic only: the softmax over a rectangle of f(row) + g(column) is the product of two softmaxes, so
              P = A (x) B is never built, and `value` and `dense` are folded into one map. Exact except for dropout on
              pairs, which does not factorize.
"""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def cast(*tensors):
    """Autocast does not reach the backward pass of the functions below: what they multiply is cast before."""
    kind = tensors[0].device.type
    on = torch.is_autocast_enabled() if kind == "cuda" else torch.is_autocast_cpu_enabled()
    return [t.bfloat16() for t in tensors] if on else tensors


class SharedAttend(torch.autograd.Function):
    """Y[b] = P X[b], with P [m, n] shared by the batch and X [batch, n, dim].

    The gradient of P is accumulated without an array [batch, m, n]: image by image, on a GPU in one product.
    """

    @staticmethod
    def forward(ctx, p, x):
        ctx.save_for_backward(p, x)
        return torch.bmm(p.expand(len(x), -1, -1), x)

    @staticmethod
    def backward(ctx, dy):
        p, x = ctx.saved_tensors
        dx = torch.bmm(p.t().expand(len(x), -1, -1), dy)
        if x.is_cuda:
            return torch.einsum("bmd,bnd->mn", dy, x), dx
        dp = torch.zeros_like(p)
        for b in range(len(x)):
            dp.addmm_(dy[b], x[b].t())
        return dp, dx


class FactorizedAttend(torch.autograd.Function):
    """Z = sum over h of (A_h (x) B_h) X W_h, one head after another, without an array of all heads' values.

    A, B [heads, side, side] (query, key); W [heads, dim, out]; X [side, side, batch, dim], columns before rows, so that
    mixing tokens is a matrix product. Only the inputs are saved for the backward pass.
    """

    @staticmethod
    def mixed(a, b, x):
        side = len(x)
        t = (b @ x.view(side, -1)).view(side, side, -1)  # columns
        return t, torch.bmm(a.expand(side, side, side), t)  # rows

    @staticmethod
    def forward(ctx, A, B, W, x):
        ctx.save_for_backward(A, B, W, x)
        side, _, batch, dim = x.shape
        z = x.new_zeros(side * side * batch, W.shape[2])
        for h in range(len(W)):
            z.addmm_(FactorizedAttend.mixed(A[h], B[h], x)[1].view(-1, dim), W[h])
        return z.view(side, side, batch, -1)

    @staticmethod
    def backward(ctx, dz):
        A, B, W, x = ctx.saved_tensors
        side, _, batch, dim = x.shape
        dA, dB, dW = torch.empty_like(A), torch.empty_like(B), torch.empty_like(W)
        dx = x.new_zeros(side, side * batch * dim)
        dz = dz.reshape(side * side * batch, -1)
        for h in range(len(W)):
            t, y = FactorizedAttend.mixed(A[h], B[h], x)
            dW[h] = y.view(-1, dim).t() @ dz
            dy = (dz @ W[h].t()).view(side, side, batch * dim)
            dA[h] = torch.bmm(dy, t.transpose(1, 2)).sum(0)
            dt = torch.bmm(A[h].t().expand(side, side, side), dy).view(side, -1)
            dB[h] = dt @ x.view(side, -1).t()
            dx.addmm_(B[h].t(), dt)
        return dA, dB, dW, dx.view_as(x)


class Attention(nn.Module):
    """The linear maps that follow the heads in every form."""

    def __init__(self, o):
        super().__init__()
        self.side, self.heads = 32 // o.pool, o.heads
        self.value, self.dense = nn.Linear(o.dim * o.heads, o.dim), nn.Linear(o.dim, o.dim)
        self.drop = nn.Dropout(o.attention_dropout)
        at = torch.arange(self.side)
        self.register_buffer("delta", at[None] - at[:, None])  # [query, key] along one axis


class PositionOnly(Attention):
    """Scores that do not depend on the image: P [tokens·heads, tokens], with one dropout mask per batch."""

    def forward(self, x):
        batch, tokens, dim = x.shape
        p = self.drop(torch.softmax(self.scores(), -1))  # [tokens, heads, tokens]
        y = SharedAttend.apply(*cast(p.view(tokens * self.heads, tokens), x))
        return self.dense(self.value(y.view(batch, tokens, self.heads * dim)))


class Quadratic(PositionOnly):
    """score = -a²/2 · |key - query - center|² (eq. 9 of the paper), as a product with [δ, δ²]."""

    def __init__(self, o):
        super().__init__(o)
        self.centers = nn.Parameter(torch.randn(o.heads, 2) * 2.0)
        self.spreads = nn.Parameter(1 + 0.01 * torch.randn(o.heads))
        n, s, d = self.side**2, self.side, self.delta.float()
        rows = d[:, None, :, None].expand(s, s, s, s).reshape(n, n)
        cols = d[None, :, None, :].expand(s, s, s, s).reshape(n, n)
        self.register_buffer("features", torch.stack([rows, cols, rows**2 + cols**2], -1))

    def scores(self):
        a = self.spreads**2
        u = torch.stack([a * self.centers[:, 0], a * self.centers[:, 1], -0.5 * a], -1)
        return torch.einsum("qkf,hf->qhk", self.features, u)


class QuadraticFactorized(Quadratic):
    """x is [side, side, batch, dim]: see FactorizedAttend."""

    def forward(self, x):
        if self.training and self.drop.p > 0:
            raise SystemExit("--form factorized is exact without dropout on pairs only: --attention-dropout 0")
        a = -0.5 * self.spreads.square().view(-1, 1, 1)
        A, B = (torch.softmax(a * (self.delta - self.centers[:, i].view(-1, 1, 1)) ** 2, -1) for i in (0, 1))
        dim = x.shape[-1]
        W = self.value.weight.view(dim, -1, dim).permute(1, 2, 0) @ self.dense.weight.t()
        return FactorizedAttend.apply(*cast(A, B, W, x)) + self.dense(self.value.bias)


class Learned(PositionOnly):
    """A learned vector for each offset along rows and along columns; the scores of a head are linear maps of them."""

    def __init__(self, o):
        super().__init__(o)
        offsets = 2 * self.side - 1
        self.row, self.col = (nn.Parameter(torch.randn(offsets, o.dim)) for _ in range(2))
        self.head_row, self.head_col = (nn.Linear(o.dim, o.heads, bias=False) for _ in range(2))

    def scores(self):
        s, index = self.side, self.delta + self.side - 1
        rows = self.head_row(self.row)[index].view(s, 1, s, 1, -1)
        cols = self.head_col(self.col)[index].view(1, s, 1, s, -1)
        return (rows + cols).permute(0, 1, 4, 2, 3).reshape(s * s, self.heads, s * s)


class Content(Attention):
    """score = q·(k + r) / sqrt(dim), r the concatenation of two learned tables of half the width."""

    def __init__(self, o):
        super().__init__(o)
        offsets, half = 2 * self.side - 1, o.dim // 2
        self.row, self.col = (nn.Parameter(torch.randn(offsets, half)) for _ in range(2))
        self.query, self.key = (nn.Linear(o.dim, o.dim * o.heads) for _ in range(2))

    def forward(self, x):
        batch, n, dim = x.shape
        s, h, half, index = self.side, self.heads, dim // 2, self.delta + self.side - 1
        q, k = self.query(x).view(batch, s, s, h, dim), self.key(x).view(batch, n, h, dim)
        rows = torch.einsum("bijhd,ikd->bhijk", q[..., :half], self.row[index])
        cols = torch.einsum("bijhd,jld->bhijl", q[..., half:], self.col[index])
        position = (rows.unsqueeze(-1) + cols.unsqueeze(-2)).reshape(batch * h, n, n)
        q, k = q.view(batch, n, h, dim).permute(0, 2, 1, 3), k.permute(0, 2, 3, 1)
        scale = 1 / math.sqrt(dim)
        q, k = q.reshape(batch * h, n, dim), k.reshape(batch * h, dim, n)
        scores = torch.baddbmm(position, q, k, beta=scale, alpha=scale)
        p = self.drop(torch.softmax(scores, -1)).view(batch, h * n, n)
        y = torch.bmm(p, x).view(batch, h, n, dim).permute(0, 2, 1, 3).reshape(batch, n, h * dim)
        return self.dense(self.value(y))


class Layer(nn.Module):
    def __init__(self, o, attention):
        super().__init__()
        self.attention, self.norm1 = attention(o), nn.LayerNorm(o.dim, eps=1e-12)
        self.up, self.down = nn.Linear(o.dim, o.ffn), nn.Linear(o.ffn, o.dim)
        self.norm2 = nn.LayerNorm(o.dim, eps=1e-12)
        self.drop = nn.Dropout(o.dropout)

    def forward(self, x):
        x = self.norm1((self.drop(self.attention(x)) + x).float())  # a norm of PyTorch 1.13 takes one type only
        return self.norm2((self.drop(self.down(F.gelu(self.up(x)))) + x).float())


class SelfAttentionNet(nn.Module):
    def __init__(self, o, attention):
        super().__init__()
        self.pool, self.side, self.factorized = o.pool, 32 // o.pool, attention is QuadraticFactorized
        self.upscale = nn.Linear(3 * o.pool**2, o.dim)
        self.layers = nn.Sequential(*(Layer(o, attention) for _ in range(o.layers)))
        self.classify = nn.Linear(o.dim, 10)

    def forward(self, image):  # [batch, 3, 32, 32], squares of pool × pool pixels become tokens
        batch, p, s = len(image), self.pool, self.side
        x = image.view(batch, 3, s, p, s, p)
        if self.factorized:
            x = x.permute(4, 2, 0, 3, 5, 1).reshape(s, s, batch, -1)  # [cols, rows, batch, channels]
            return self.classify(self.layers(self.upscale(x)).mean((0, 1)))
        x = x.permute(0, 2, 4, 3, 5, 1).reshape(batch, s * s, -1)
        return self.classify(self.layers(self.upscale(x)).mean(1))


class ContentOnly(nn.Module):
    """softmax(Q_h K_h' / sqrt(dim/heads)) V_h, with the three maps as one product."""

    def __init__(self, o):
        super().__init__()
        self.heads, self.maps, self.dense = o.heads, nn.Linear(o.dim, 3 * o.dim), nn.Linear(o.dim, o.dim)

    def forward(self, x):
        batch, n, dim = x.shape
        width = dim // self.heads
        q, k, v = self.maps(x).view(batch, n, 3, self.heads, width).permute(2, 0, 3, 1, 4).reshape(3, -1, n, width)
        p = torch.softmax(torch.bmm(q * width**-0.5, k.transpose(1, 2)), -1)
        y = torch.bmm(p, v).view(batch, self.heads, n, width).transpose(1, 2).reshape(batch, n, dim)
        return self.dense(y)


class PreNormLayer(Layer):
    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class ViT(nn.Module):
    """zoo/vit-ti-2 and zoo/small-vit: learned positions, pre-norm, the mean of the tokens."""

    def __init__(self, o):
        super().__init__()
        self.embed = nn.Conv2d(3, o.dim, o.pool, o.pool)
        self.positions = nn.Parameter(0.02 * torch.randn((32 // o.pool) ** 2, o.dim))
        self.layers = nn.Sequential(*(PreNormLayer(o, ContentOnly) for _ in range(o.layers)))
        self.norm, self.classify = nn.LayerNorm(o.dim), nn.Linear(o.dim, 10)

    def forward(self, image):
        x = self.embed(image).flatten(2).transpose(1, 2) + self.positions
        return self.classify(self.norm(self.layers(x)).mean(1))


class Mixed(nn.Module):
    """x + norm(gelu(depth-wise convolution)), then norm(gelu(1 × 1 convolution))."""

    def __init__(self, dim, size):
        super().__init__()
        self.deep, self.b1 = nn.Conv2d(dim, dim, size, groups=dim, padding="same"), nn.BatchNorm2d(dim)
        self.point, self.b2 = nn.Conv2d(dim, dim, 1), nn.BatchNorm2d(dim)

    def forward(self, x):
        x = x + self.b1(F.gelu(self.deep(x)))
        return self.b2(F.gelu(self.point(x)))


def convmixer(o):
    """zoo/convmixer-256-8 and zoo/small-convmixer."""
    return nn.Sequential(nn.Conv2d(3, o.dim, o.pool, o.pool), nn.GELU(), nn.BatchNorm2d(o.dim),
                         *(Mixed(o.dim, o.size) for _ in range(o.layers)),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(o.dim, 10))


class NeXt(nn.Module):
    """A block of ConvNeXt, as its authors have it: y = x + γ·(W₂·gelu(W₁·LN(depthwise(x)) + b₁) + b₂)."""

    def __init__(self, dim):
        super().__init__()
        self.deep, self.norm = nn.Conv2d(dim, dim, 7, groups=dim, padding=3), nn.LayerNorm(dim)
        self.up, self.down = nn.Linear(dim, 4 * dim), nn.Linear(4 * dim, dim)
        self.gamma = nn.Parameter(torch.full((dim,), 1e-6))

    def forward(self, x):
        h = self.norm(self.deep(x).permute(0, 2, 3, 1))
        return x + (self.gamma * self.down(F.gelu(self.up(h)))).permute(0, 3, 1, 2)


def convnext(o):
    """zoo/small-convnext, except that its last norm is behind the mean, as its authors have it."""
    return nn.Sequential(nn.Conv2d(3, o.dim, o.pool, o.pool), *(NeXt(o.dim) for _ in range(o.layers)),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.LayerNorm(o.dim), nn.Linear(o.dim, 10))


class Block(nn.Module):
    def __init__(self, before, after, stride):
        super().__init__()
        self.c1, self.b1 = nn.Conv2d(before, after, 3, stride, 1, bias=False), nn.BatchNorm2d(after)
        self.c2, self.b2 = nn.Conv2d(after, after, 3, 1, 1, bias=False), nn.BatchNorm2d(after)
        self.short = None
        if stride != 1 or before != after:
            self.short = nn.Sequential(nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after))

    def forward(self, x):
        y = self.b2(self.c2(F.relu(self.b1(self.c1(x)), inplace=True)))
        y += x if self.short is None else self.short(x)
        return F.relu(y, inplace=True)


def resnet18(width):
    """ResNet18 for small images: a 3 × 3 stem, not followed by pooling."""
    parts, before = [nn.Conv2d(3, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(inplace=True)], width
    for after, stride in ((width, 1), (2 * width, 2), (4 * width, 2), (8 * width, 2)):
        parts += [Block(before, after, stride), Block(after, after, 1)]
        before = after
    return nn.Sequential(*parts, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(before, 10))


ATTENTION = {
    ("quadratic", "direct"): Quadratic,
    ("quadratic", "factorized"): QuadraticFactorized,
    ("learned", "direct"): Learned,
    ("content", "direct"): Content,
}


def build(o):
    """Returns the network of the options o."""
    if o.model == "resnet18":
        return resnet18(o.width)
    if o.model == "convmixer":
        return convmixer(o)
    if o.model == "convnext":
        return convnext(o)
    if o.model == "vit":
        return ViT(o)
    kind = ATTENTION.get((o.model, o.form))
    if kind is None:
        raise SystemExit(f"--form {o.form}: not for {o.model}")
    return SelfAttentionNet(o, kind)
