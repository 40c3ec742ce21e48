#!/usr/bin/env python3
"""Times one depth-wise convolution of PyTorch: its forward pass, and a step, which is forward and all gradients.

Prints one line of JSON: milliseconds, of the fastest repetition and the median, in the layout that is faster.
"""

import argparse
import json
import statistics
import time

import torch


def options():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, otherwise in (("batch", 32), ("side", 16), ("channels", 256), ("size", 5), ("threads", 1), ("repeat", 20)):
        p.add_argument("--" + name, type=int, default=otherwise)
    return p.parse_args()


def timed(repeat, f):
    times = []
    for _ in range(repeat + 2):
        start = time.perf_counter()
        f()
        times.append(1e3 * (time.perf_counter() - start))
    return dict(min=min(times[2:]), median=statistics.median(times[2:]))


def measure(o, layout):
    conv = torch.nn.Conv2d(o.channels, o.channels, o.size, padding=o.size // 2, groups=o.channels)
    conv = conv.to(memory_format=layout)
    shape = o.batch, o.channels, o.side, o.side
    x, dy = (torch.randn(shape).contiguous(memory_format=layout) for _ in range(2))
    x.requires_grad_(True)

    def forward():
        with torch.no_grad():
            conv(x)

    def step():
        x.grad = None
        conv.zero_grad(set_to_none=True)
        conv(x).backward(dy)

    return dict(forward=timed(o.repeat, forward), step=timed(o.repeat, step))


def main():
    o = options()
    torch.set_num_threads(o.threads)
    torch.manual_seed(1)
    layouts = [measure(o, layout) for layout in (torch.contiguous_format, torch.channels_last)]
    faster = {what: min((r[what] for r in layouts), key=lambda r: r["median"]) for what in ("forward", "step")}
    print(json.dumps(dict(**vars(o), **faster, contiguous=layouts[0], torch=torch.__version__)))


if __name__ == "__main__":
    main()
