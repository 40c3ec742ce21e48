"""Writes the pickles beside it, as Python 3 and NumPy write a batch of CIFAR-10, by protocol: python3 pickles.py

NumPy itself is not needed: the classes here have the names and the reduce values of its own (numpy/_core/multiarray,
numpy/_core/numeric; before NumPy 2, numpy/core)."""

import pickle
import sys
import types


def numpy(core):
    """An array of bytes [[0, 1, 127], [128, 254, 255]] of the NumPy whose core has that name."""
    parts = ["numpy", core, core + ".multiarray", core + ".numeric"]
    for name in parts:
        sys.modules[name] = types.ModuleType(name)
        if "." in name:
            setattr(sys.modules[name.rpartition(".")[0]], name.rpartition(".")[2], sys.modules[name])

    def named(thing, module, name):
        thing.__module__, thing.__qualname__ = module, name
        setattr(sys.modules[module], name, thing)
        return thing

    reconstruct = named(lambda *args: None, core + ".multiarray", "_reconstruct")
    frombuffer = named(lambda *args: None, core + ".numeric", "_frombuffer")

    class dtype:
        def __reduce__(self):
            return dtype, ("u1", False, True), (3, "|", None, None, None, -1, -1, 0)

    class ndarray:
        def __reduce_ex__(self, protocol):
            shape, content = (2, 3), bytes([0, 1, 127, 128, 254, 255])
            if protocol >= 5:
                return frombuffer, (pickle.PickleBuffer(bytearray(content)), dtype(), shape, "C")
            return reconstruct, (ndarray, (0,), b"b"), (1, shape, dtype(), False, content)

    named(dtype, "numpy", "dtype")
    return named(ndarray, "numpy", "ndarray")()


for core in ["numpy.core", "numpy._core"]:
    for protocol in range(6):
        batch = {b"data": numpy(core), b"labels": [6, 300], "batch_label": "one of 5",
                 "others": [b"a.png", True, None, -1, 2**40]}
        with open(f"{core}-{protocol}.pickle", "wb") as f:
            pickle.dump(batch, f, protocol)
