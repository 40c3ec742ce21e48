# Writes arrays.npz beside it: a 3 × 3 convolution with zero padding's nine taps, and random heads that depend on the image.
# NumPy 1.24, from the folder analyse/network/testdata: python3 arrays.py
import numpy as np

rng = np.random.default_rng(1)
T = 4 * 4
taps = np.zeros((9, T, T), "float32")  # each query's neighbor, the nearest at the border
for h in range(9):
    for r in range(4):
        for c in range(4):
            k = np.clip(r + h // 3 - 1, 0, 3) * 4 + np.clip(c + h % 3 - 1, 0, 3)
            taps[h, 4 * r + c, k] = 1
logits = 2 * rng.standard_normal((5, 2, 6, 6))  # images, heads, queries, keys
weights = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
np.savez_compressed(
    "arrays.npz",
    **{
        "layer1.attention": taps,
        "layer1.maps": rng.standard_normal((9, 3, 2)),
        "layer2.attention": np.asfortranarray(weights.astype("float16")),
        "layer2.maps": np.asfortranarray(rng.standard_normal((2, 3, 4)).astype("float32")),
        "layer2.grid": np.array([2, 3]),
    },
)
