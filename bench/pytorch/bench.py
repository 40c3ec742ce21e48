#!/usr/bin/env python3
"""Times one configuration of PyTorch: a training step, or the logits of a batch. Prints one line of JSON.

The caller chooses BLAS, allocator and the number of threads by environment variables: see point.sh.

With --workers N the batch is split over N processes of --threads threads each, which average their gradients in shared
memory. On small networks that is faster than one process with as many threads.

With --device cuda the step runs on a GPU, --compile compiles the network with torch.compile, and --precision is that of
matrix products and convolutions, as in attnconv. Every step ends with its loss on the host.
"""

import argparse
import json
import os
import resource
import statistics
import time

import torch
import torch.multiprocessing as mp
import torch.nn as nn
import torch.nn.functional as F

import models


def options():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--model", choices=["quadratic", "learned", "content", "resnet18", "vit", "convmixer", "convnext"],
                   default="quadratic")
    p.add_argument("--form", choices=["direct", "factorized"], default="direct", help="see models.py")
    p.add_argument("--mode", choices=["train", "infer"], default="train")
    for name, otherwise, unit in (
        ("batch", 32, "images per step, summed over workers"),
        ("threads", torch.get_num_threads(), "per worker"),
        ("workers", 1, "processes"),
        ("layers", 6, "blocks"),
        ("heads", 9, "per layer"),
        ("dim", 400, "channels between layers"),
        ("ffn", 512, "channels inside the feed-forward part"),
        ("pool", 2, "side of the square of pixels that becomes one token"),
        ("size", 5, "side of convmixer's depth-wise filters"),
        ("width", 64, "channels of resnet18's first layer"),
        ("steps", 5, "to time"),
        ("warmup", 2, "steps before them"),
    ):
        p.add_argument("--" + name, type=int, default=otherwise, help=f"{unit} (default {otherwise})")
    p.add_argument("--dropout", type=float, default=0.1)
    p.add_argument("--attention-dropout", type=float, default=0.1, help="on single (query, key) pairs")
    p.add_argument("--optimizer", choices=["sgd", "adamw"], default="sgd")
    p.add_argument("--clip", type=float, default=0, help="largest norm of the gradient; 0: no clipping")
    p.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    p.add_argument("--precision", choices=["float32", "tf32", "bfloat16"], default="float32", help="of products; tf32: cuda")
    p.add_argument("--channels-last", action="store_true", help="the layout of images and weights of convolutions")
    p.add_argument("--compile", action="store_true", help="torch.compile, which PyTorch has from 2.0 on")
    o = p.parse_args()
    if o.device == "cpu" and o.precision == "tf32":
        p.error("--precision: the CPU has float32 and bfloat16")
    if o.device == "cuda" and o.workers > 1:
        p.error("--workers: of the CPU only")
    if o.batch % o.workers or (o.mode == "infer" and o.workers > 1):
        p.error("--workers: training only, and a divisor of --batch")
    return o


class Team:
    """Data parallelism: each worker writes its gradients to shared memory and reads the mean."""

    def __init__(self, n, size):
        self.n, self.barrier, self.slots = n, mp.Barrier(n, timeout=600), torch.zeros(n, size).share_memory_()

    def mean(self, rank, tensors):
        if self.n == 1:
            return tensors
        flat = torch.cat([t.reshape(-1) for t in tensors])
        self.slots[rank] = flat
        self.barrier.wait()
        mean = self.slots.mean(0)
        self.barrier.wait()
        return [m.view_as(t) for m, t in zip(mean.split([t.numel() for t in tensors]), tensors)]


def optimizer(net, o):
    """No weight decay for centers and spreads. The learning rate is small, so that weights stay finite on random data."""
    positions = [p for name, p in net.named_parameters() if "centers" in name or "spreads" in name]
    rest = [p for p in net.parameters() if not any(p is q for q in positions)]
    groups = [dict(params=rest, weight_decay=1e-4)] + [dict(params=positions, weight_decay=0.0)] * bool(positions)
    if o.optimizer == "adamw":
        return torch.optim.AdamW(groups, lr=1e-4, betas=(0.9, 0.98))
    return torch.optim.SGD(groups, lr=1e-4, momentum=0.9)


def stepper(net, o, team, rank):
    """Returns the function that takes one step."""
    batch = o.batch // o.workers
    layout = torch.channels_last if o.channels_last else torch.contiguous_format
    x = torch.randn(batch, 3, 32, 32).to(o.device, memory_format=layout)
    labels = torch.randint(0, 10, (batch,)).to(o.device)
    half = torch.autocast(o.device, torch.bfloat16, enabled=o.precision == "bfloat16")
    run = torch.compile(net) if o.compile else net
    if o.mode == "infer":
        net.eval()

        @torch.no_grad()
        def infer():
            with half:
                return float(run(x).sum())

        return infer
    net.train()
    opt, params = optimizer(net, o), list(net.parameters())

    def train():
        opt.zero_grad(set_to_none=True)
        with half:
            loss = F.cross_entropy(run(x), labels)
        loss.backward()
        for p, g in zip(params, team.mean(rank, [p.grad for p in params])):
            p.grad = g
        if o.clip:
            nn.utils.clip_grad_norm_(params, o.clip)
        opt.step()
        return float(loss)

    return train


def busy():
    """Seconds that the processors of the machine have been busy since boot, summed."""
    with open("/proc/stat") as f:
        user, nice, system, idle, wait, *more = (int(v) for v in f.readline().split()[1:9])
    return (user + nice + system + sum(more)) / os.sysconf("SC_CLK_TCK")


def measure(rank, o, team):
    torch.set_num_threads(o.threads)
    torch.manual_seed(1)  # all workers begin with the same weights
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = o.precision == "tf32"
    net = models.build(o).to(o.device)
    if o.channels_last:
        net = net.to(memory_format=torch.channels_last)
    step = stepper(net, o, team, rank)
    for _ in range(o.warmup):
        step()
    times, work, own, begin = [], busy(), time.process_time(), time.perf_counter()
    for _ in range(o.steps):
        start = time.perf_counter()
        value = step()
        times.append(time.perf_counter() - start)
    wall, own, work = time.perf_counter() - begin, time.process_time() - own, busy() - work
    if rank > 0:
        return
    median, alike = statistics.median(times), o.workers  # every worker takes the same memory and time
    print(json.dumps(dict(
        **vars(o),
        params=sum(p.numel() for p in net.parameters()),
        img_s=o.batch / median,
        img_s_best=o.batch / min(times),
        step_s=median,
        peak_rss=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 * alike,
        other_cores=max(0, work - own * alike) / wall,  # cores that other processes kept busy
        value=value,
        torch=torch.__version__,
    )))


def main():
    o = options()
    torch.set_flush_denormal(True)  # probabilities of distant keys; some processors are 100 times slower on denormals
    if o.workers > 1:
        torch.set_num_threads(1)  # before the first operation: OpenMP's threads do not survive a fork
    team = Team(o.workers, sum(p.numel() for p in models.build(o).parameters()))
    fork = mp.get_context("fork")
    others = [fork.Process(target=measure, args=(rank, o, team), daemon=True) for rank in range(1, o.workers)]
    for p in others:
        p.start()
    measure(0, o, team)
    for p in others:
        p.join()


if __name__ == "__main__":
    main()
