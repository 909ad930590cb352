"""What transformers' own image processors make of PNG files.

usage: preprocessing_reference.py OUT PNG...
Writes, for every model in order and of it every file, 3 x 224 x 224 float32. The settings are those of the published
preprocessor_config.json files.
"""
import sys

import numpy
from PIL import Image
from transformers.models.convnext.image_processing_convnext import ConvNextImageProcessor
from transformers.models.deit.image_processing_deit import DeiTImageProcessor
from transformers.models.vit.image_processing_vit import ViTImageProcessor

HALF = dict(image_mean=[0.5] * 3, image_std=[0.5] * 3)
IMAGENET = dict(image_mean=[0.485, 0.456, 0.406], image_std=[0.229, 0.224, 0.225], resample=Image.BICUBIC)

PROCESSORS = [
    ViTImageProcessor(size={"height": 224, "width": 224}, resample=Image.BILINEAR, **HALF),
    DeiTImageProcessor(size={"height": 256, "width": 256}, crop_size={"height": 224, "width": 224}, **IMAGENET),
    DeiTImageProcessor(size={"height": 224, "width": 224}, crop_size={"height": 224, "width": 224}, **IMAGENET),
    ConvNextImageProcessor(size={"shortest_edge": 224}, crop_pct=0.875, **IMAGENET),
]

with open(sys.argv[1], "wb") as out:
    for processor in PROCESSORS:
        for path in sys.argv[2:]:
            values = processor(Image.open(path).convert("RGB"), return_tensors="np")["pixel_values"][0]
            out.write(numpy.ascontiguousarray(values, dtype=numpy.float32).tobytes())
