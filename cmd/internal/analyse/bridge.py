#!/usr/bin/env python3
"""What the attention layers of a PyTorch vision model do, as arrays for `attnconv analyse --arrays`.

    python bridge.py timm:vit_tiny_patch16_224 PICTURES -o layers.npz
    python bridge.py facebook/dinov2-small PICTURES -o layers.npz      a name of Hugging Face
    python bridge.py my.module:model PICTURES -o layers.npz            a function of yours that returns the model

It needs torch and numpy, and Pillow for pictures; without a folder, images are noise. Every layer is computed again as
the sum over heads of P_h x W_h. If that is not what the model returned, nothing is written.
"""
import argparse
import glob
import importlib
import os
import sys
import zipfile

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

SCALES = "ls1.gamma", "gamma_1", "layer_scale1.lambda1", "lambda_1"  # LayerScale, as a block calls it
WRONG = 1e-4  # of the range of a layer's result


def heads_of(m):
    names = "num_heads", "num_attention_heads", "n_heads", "heads"
    return next((n for n in (getattr(m, name, None) for name in names) if isinstance(n, int)), 0)


def parts(m):
    """(heads, function of x to attention (images, heads, T, T), value map, its bias, output map) of an attention module
    that is known; else None."""
    def dot(heads, scale, qk, qnorm=None, knorm=None):
        def attention(x):
            q, k = (z.unflatten(-1, (heads, -1)).transpose(1, 2) for z in qk(x))
            q, k = qnorm(q) if qnorm else q, knorm(k) if knorm else k
            return (q @ k.transpose(-2, -1) * (scale or q.shape[-1] ** -0.5)).softmax(-1)
        return attention

    if isinstance(m, nn.MultiheadAttention) and m.in_proj_weight is not None:
        w, b = m.in_proj_weight, m.in_proj_bias
        value = w[-m.embed_dim:], None if b is None else b[-m.embed_dim:]
        return m.num_heads, dot(m.num_heads, None, lambda x: F.linear(x, w, b).chunk(3, -1)[:2]), *value, m.out_proj
    heads = heads_of(m)
    if all(isinstance(getattr(m, a, None), nn.Linear) for a in ("qkv", "proj")) and heads:  # timm, DINO, CCT
        w, b = m.qkv.weight, m.qkv.bias
        value = w[len(w) // 3 * 2:], None if b is None else b[len(b) // 3 * 2:]
        norms = getattr(m, "q_norm", None), getattr(m, "k_norm", None)
        scale = getattr(m, "scale", None)
        return heads, dot(heads, scale, lambda x: m.qkv(x).chunk(3, -1)[:2], *norms), *value, m.proj
    if all(hasattr(m, a) for a in ("qk", "v", "pos_proj", "get_attention")):  # ConViT's GPSA
        return heads, m.get_attention, m.v.weight, m.v.bias, m.proj
    inner, out = getattr(m, "attention", None), getattr(getattr(m, "output", None), "dense", None)
    if out is not None and all(hasattr(inner, a) for a in ("query", "key", "value")):  # Hugging Face
        heads, v = heads_of(inner) or heads, inner.value
        return heads, dot(heads, None, lambda x: (inner.query(x), inner.key(x))), v.weight, v.bias, out
    return None


def named(module, path):
    """The value at a path such as ls1.gamma; None if there is none."""
    for name in path.split("."):
        module = getattr(module, name, None)
    return module


def differs(a, b, of):
    return float((a - b).abs().max() / (of.max() - of.min()))


class Recorder:
    """Writes the arrays of each attention layer of a model while it runs, with what in front of their names."""

    def __init__(self, model, write, o, what=""):
        self.model, self.write, self.o, self.what = model, write, o, what
        self.norm, self.waiting, self.grid, self.seen, self.worst = None, None, None, {}, 0.0
        layers = [name for name, m in model.named_modules() if name and parts(m)]
        self.blocks = {name: model.get_submodule(name.rpartition(".")[0]) for name in layers}

    def unknown(self):
        """Modules that are called attention, and are neither known nor around or inside of one that is."""
        called = "attn", "attention", "self_attn", "self_attention"
        near = lambda a, b: (a + ".").startswith(b + ".") or (b + ".").startswith(a + ".")
        return [name for name, _ in self.model.named_modules()
                if name.rpartition(".")[2].lower() in called and not any(near(name, known) for known in self.blocks)]

    def run(self, images):
        if hasattr(torch.backends, "mha"):  # else layers of nn.TransformerEncoder are computed around their modules
            torch.backends.mha.set_fastpath_enabled(False)
        hooks = []
        for name, m in self.model.named_modules():
            if name in self.blocks:
                hooks.append(m.register_forward_hook(lambda m, x, y, n=name: self.attend(n, m, x, y)))
            elif isinstance(m, nn.LayerNorm) and not any(name.startswith(a + ".") for a in self.blocks):
                hooks.append(m.register_forward_pre_hook(lambda m, x: self.reach(x[0])))
                hooks.append(m.register_forward_hook(self.normed))
            elif isinstance(m, (nn.Conv2d, nn.MaxPool2d)):
                hooks.append(m.register_forward_hook(self.convolved))
        with torch.no_grad():
            self.model.eval()(images)
        self.reach(None)
        for h in hooks:
            h.remove()
        if not self.seen:
            sys.exit("no attention layer was found: bridge.py knows modules with qkv and proj, "
                     "torch.nn.MultiheadAttention, Hugging Face's query, key and value, and GPSA")
        return self

    def normed(self, m, x, y):
        self.norm = m, x[0], y

    def convolved(self, m, x, y):
        self.grid = y.shape[-2:]

    def tokens(self, n):
        """Rows, columns and others of n tokens: as the patches, or the largest square."""
        side = int((n - (self.o.prefix or 0)) ** 0.5)
        for rows, cols in [self.o.grid] if self.o.grid else filter(None, [self.grid, (side, side)]):
            if 0 <= n - rows * cols <= 16 and self.o.prefix in (None, n - rows * cols):
                return rows, cols, n - rows * cols
        sys.exit(f"{n} tokens: want --grid ROWS COLUMNS, and --prefix N for those in front that are not on the grid")

    def attend(self, name, m, args, y):
        heads, attention, value, bias, out = parts(m)
        if not args or not torch.is_tensor(args[0]) or args[0].dim() != 3:
            sys.exit(f"{name}: want tokens as the first positional argument, (images, tokens, channels)")
        if len(args) > 2 and isinstance(m, nn.MultiheadAttention) and args[1] is not args[0]:
            sys.exit(f"{name}: attention between two sets of tokens is not known here")
        self.reach(None)
        x = args[0]
        y = next((z for z in y if torch.is_tensor(z) and z.dim() == 3), x) if isinstance(y, tuple) else y
        if isinstance(m, nn.MultiheadAttention) and not m.batch_first:
            x, y = x.transpose(0, 1), y.transpose(0, 1)
        p = attention(x)
        v = F.linear(x, value, bias).unflatten(-1, (heads, -1)).transpose(1, 2)
        again = F.linear((p @ v).transpose(1, 2).flatten(2), out.weight, out.bias)
        wrong = differs(again, y, y) if again.shape == y.shape else np.inf
        if not wrong < WRONG:
            sys.exit(f"{name}: the sum over heads of P x W differs from the layer's result by {wrong:.1e} of its "
                     "range: windows, relative positions, gates and norms inside of attention are not known here")
        self.worst = max(self.worst, wrong)
        rows, cols, prefix = self.tokens(p.shape[-1])  # the prefix is in front: class token and registers
        maps = torch.einsum("hdi,ohd->hio", value.unflatten(0, (heads, -1)), out.weight.unflatten(1, (heads, -1)))
        scale = next((s for s in (named(self.blocks[name], path) for path in SCALES) if s is not None), None)
        arrays = {"attention": p[:, :, prefix:, prefix:], "maps": maps if scale is None else maps * scale}
        if prefix:
            arrays["elsewhere"] = p[:, :, prefix:, :prefix].sum(-1)
        if not self.what:
            arrays["grid"], arrays["inputs"] = np.array([rows, cols]), x[:, prefix:]
        self.seen[name] = heads, rows, cols, prefix
        stream = None
        if self.norm and (self.norm[2] is args[0]):
            stream = self.norm[1] if self.norm[1].shape == x.shape else self.norm[1].transpose(0, 1)
            if not self.what:
                w = self.norm[0].weight
                arrays["gamma"] = torch.ones(x.shape[-1]) if w is None else w
        self.waiting = name, arrays, x, stream, y if scale is None else y * scale, prefix

    def reach(self, z):
        """z is what the next norm reads: the layer's result has been added to the tokens in front of its norm or, with
        norms behind the sum, to those that it reads. Else something in between is not known, such as a LayerScale."""
        if self.waiting is None:
            return
        (name, arrays, x, stream, y, prefix), self.waiting = self.waiting, None
        z = z.transpose(0, 1) if z is not None and z.shape != x.shape and z.dim() == 3 else z
        if z is not None and z.shape == x.shape:
            near = 1e-6 * float(z.abs().max() / (y.max() - y.min()))  # rounding of a sum with a small result
            sums = [s for s in (stream, x) if s is not None and differs(z - s, y, y) < WRONG + near]
            if not sums:
                sys.exit(f"{name}: what its block adds to the tokens is not its result, times {' or '.join(SCALES)}")
            stream = sums[0]
        if stream is not None and not self.what:
            arrays["stream"] = stream[:, prefix:]
        for key, a in arrays.items():
            self.write(f"{name}.{self.what}{key}", a)


def pictures(o, config):
    """(N, 3, rows, columns): center crops of pictures, or noise."""
    rows, cols = o.size or config["size"]
    if not o.folder:
        return torch.randn(o.images, 3, rows, cols, generator=torch.Generator().manual_seed(0))
    try:
        from PIL import Image
    except ImportError:
        sys.exit("pictures need Pillow: pip install pillow   or leave the folder out, for noise")
    ends = ".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff"
    files = sorted(f for f in glob.glob(os.path.join(o.folder, "**"), recursive=True) if f.lower().endswith(ends))
    if len(files) < 2:
        sys.exit(f"{o.folder}: {len(files)} pictures: want two or more")
    files = [files[i * len(files) // o.images] for i in range(o.images)] if len(files) > o.images else files
    mean, std, all = np.array(o.mean or config["mean"]), np.array(o.std or config["std"]), []
    for f in files:
        picture = Image.open(f).convert("RGB")
        by = max(rows / picture.height, cols / picture.width) / config["crop"]
        wide, high = max(cols, round(picture.width * by)), max(rows, round(picture.height * by))
        picture = picture.resize((wide, high), Image.BICUBIC)
        top, left = (picture.height - rows) // 2, (picture.width - cols) // 2
        x = np.asarray(picture.crop((left, top, left + cols, top + rows))) / 255
        all.append(torch.tensor(((x - mean) / std).transpose(2, 0, 1), dtype=torch.float32))
    return torch.stack(all)


def load(source):
    """(the model, a function that returns an untrained one or None, how its pictures are made)"""
    config = {"size": (224, 224), "mean": (0.485, 0.456, 0.406), "std": (0.229, 0.224, 0.225), "crop": 0.9}
    if source.startswith("timm:"):
        import timm
        if hasattr(timm.layers, "set_fused_attn"):
            timm.layers.set_fused_attn(False)
        model = timm.create_model(source[5:], pretrained=True)
        d = timm.data.resolve_data_config({}, model=model)
        config = {"size": d["input_size"][1:], "mean": d["mean"], "std": d["std"], "crop": d["crop_pct"]}
        return model, lambda: timm.create_model(source[5:], pretrained=False), config
    if ":" in source:
        module, _, function = source.partition(":")
        sys.path.insert(0, os.getcwd())
        return getattr(importlib.import_module(module), function)(), None, config
    from transformers import AutoImageProcessor, AutoModel
    model, p = AutoModel.from_pretrained(source), AutoImageProcessor.from_pretrained(source)
    side = (p.crop_size if getattr(p, "do_center_crop", False) else p.size)
    size = (side["height"], side["width"]) if "height" in side else [side["shortest_edge"]] * 2
    config = {"size": size, "mean": p.image_mean, "std": p.image_std, "crop": 1.0}
    return model, lambda: AutoModel.from_config(model.config), config


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("source", help="timm:NAME, a name of Hugging Face, or module:function")
    a.add_argument("folder", nargs="?", help="pictures; without it, images are noise")
    a.add_argument("-o", "--output", default="layers.npz", help="the file to write (default layers.npz)")
    a.add_argument("--images", type=int, default=20, help="how many (default 20)")
    a.add_argument("--size", type=int, nargs=2, metavar=("ROWS", "COLUMNS"), help="of an image, in pixels")
    a.add_argument("--mean", type=float, nargs=3, help="of red, green and blue, in 0..1")
    a.add_argument("--std", type=float, nargs=3, help="likewise")
    a.add_argument("--grid", type=int, nargs=2, metavar=("ROWS", "COLUMNS"), help="of the tokens")
    a.add_argument("--prefix", type=int, metavar="N", help="tokens in front that are not on the grid")
    a.add_argument("--untrained", metavar="MODULE:FUNCTION", help="returns a model of other random weights each time")
    a.add_argument("--seeds", type=int, default=2, metavar="N", help="untrained models to compare with (default 2)")
    o = a.parse_args()
    if o.images < 2:
        sys.exit("--images: want two or more")
    model, fresh, config = load(o.source)
    if o.untrained:
        fresh = lambda: load(o.untrained)[0]
    o.seeds = o.seeds if fresh else 0
    images, part = pictures(o, config), o.output + ".part"
    try:
        with zipfile.ZipFile(part, "w") as z:
            def write(name, array):
                with z.open(name + ".npy", "w", force_zip64=True) as f:
                    array = np.asarray(array.detach() if isinstance(array, torch.Tensor) else array)
                    np.lib.format.write_array(f, np.ascontiguousarray(array))

            r = Recorder(model, write, o).run(images)
            for n in range(o.seeds):
                torch.manual_seed(n + 1)
                Recorder(fresh(), write, o, f"untrained{n + 1 if n else ''}_").run(images)
        os.replace(part, o.output)
    finally:
        if os.path.exists(part):
            os.remove(part)
    shapes = sorted({f"{h} heads on {rows} × {cols} tokens and {p} others" for h, rows, cols, p in r.seen.values()})
    print(f"{len(r.seen)} layers of attention: {'; '.join(shapes)}")
    print(f"{len(images)} {'pictures' if o.folder else 'images of noise'}, {o.seeds} untrained models")
    print(f"each layer computed again: the largest difference is {r.worst:.0e} of its range")
    if r.unknown():
        print(f"left out, because they are not known: {', '.join(r.unknown())}")
    print(f"attnconv analyse --arrays {o.output}")


if __name__ == "__main__":
    main()
