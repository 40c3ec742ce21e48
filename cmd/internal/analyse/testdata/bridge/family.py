"""The networks of analyse/vision/testdata as functions: family:timm_vit. python family.py FILE writes the noise that
bridge.py takes, as float32."""
import sys

import families
import torch


def network(name):
    def make():
        _, kind, options, _ = families.NETWORKS[name]
        module = kind(**options)
        module.load_state_dict(torch.load(name + ".pth"))
        return module
    return make


for name in families.NETWORKS:
    globals()[name] = network(name)

if __name__ == "__main__":
    images = torch.randn(8, 3, 16, 16, generator=torch.Generator().manual_seed(0))
    images.numpy().tofile(sys.argv[1])
