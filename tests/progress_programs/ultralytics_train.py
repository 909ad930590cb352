"""Ultralytics' training of YOLOv8 on a few drawn pictures."""
import os
import tempfile
import time
from pathlib import Path

import numpy
from PIL import Image

import truth

options = truth.arguments()
folder = tempfile.TemporaryDirectory()
os.environ["YOLO_CONFIG_DIR"] = folder.name
os.environ["YOLO_AUTOINSTALL"] = "false"
os.chdir(folder.name)
from ultralytics import YOLO, settings  # noqa: E402

settings.update({"sync": False})
for part, count in ("train", 16), ("val", 4):
    for kind in "images", "labels":
        Path(kind, part).mkdir(parents=True)
    for i in range(count):
        picture = numpy.full((32, 32, 3), 40, numpy.uint8)
        picture[8:24, 8:24] = 200
        Image.fromarray(picture).save(f"images/{part}/{i}.png")
        Path(f"labels/{part}/{i}.txt").write_text("0 0.5 0.5 0.5 0.5\n")
Path("data.yaml").write_text(f"path: {folder.name}\ntrain: images/train\nval: images/val\nnames: [square]\n")
model = YOLO("yolov8n.yaml")
model.add_callback("on_train_batch_end", lambda trainer: time.sleep(options.step_s))


def end_of_epoch(validator):
    if len(truth.EPOCHS) < options.epochs:  # else the last validation, of the best weights
        truth.epoch({})


model.add_callback("on_train_epoch_start", lambda trainer: truth.begin())
model.add_callback("on_val_end", end_of_epoch)
model.train(data="data.yaml", epochs=options.epochs, imgsz=32, batch=4, workers=0, device="cpu", plots=False,
            save=False, amp=False)
