#!/usr/bin/env python3
"""Writes orient/: one scene, stored in each of EXIF's eight orientations, as cameras do.

Pillow stores the pixels, exiftool writes the tag, and Pillow's own exif_transpose must show the scene again. Made with
Pillow 9.4 and exiftool 12.57 (Debian 12):

    python3 orient.py
"""
import os
import subprocess

from PIL import Image, ImageChops, ImageOps

T = Image.Transpose
# what is done to the scene, so that a viewer that undoes orientation N shows it
STORE = {1: None, 2: T.FLIP_LEFT_RIGHT, 3: T.ROTATE_180, 4: T.FLIP_TOP_BOTTOM, 5: T.TRANSPOSE, 6: T.ROTATE_90,
         7: T.TRANSVERSE, 8: T.ROTATE_270}


def scene():
    """41 x 32 pixels: a color in each quarter, and a white bar at the left of the top."""
    img = Image.new("RGB", (41, 32))
    for x in range(41):
        for y in range(32):
            c = ((200, 40, 40) if x < 20 else (40, 160, 40)) if y < 16 else ((40, 40, 200) if x < 20 else (200, 180, 40))
            img.putpixel((x, y), (250, 250, 250) if 4 <= x < 20 and y < 4 else c)
    return img


def write(name, number):
    stored = scene() if STORE[number] is None else scene().transpose(STORE[number])
    stored.save(name, **({"quality": 95, "subsampling": 0} if name.endswith("jpg") else {"lossless": True} if name.endswith("webp") else {}))
    subprocess.run(["exiftool", "-q", "-n", "-overwrite_original", f"-Orientation={number}", name], check=True)
    if not name.endswith("tif"):  # Pillow looks into TIFF's own tags elsewhere
        shown = ImageOps.exif_transpose(Image.open(name).convert("RGB") if name.endswith("webp") else Image.open(name))
        worst = max(m for _, m in ImageChops.difference(shown.convert("RGB"), scene()).getextrema())
        assert shown.size == (41, 32) and worst < 40, (name, shown.size, worst)


os.makedirs("orient", exist_ok=True)
scene().save("orient/scene.png")
for n in STORE:
    write(f"orient/{n}.jpg", n)
for ext in "png", "tif", "webp":
    write(f"orient/6.{ext}", 6)
    write(f"orient/7.{ext}", 7)
