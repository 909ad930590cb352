"""A bar of epochs, and in it a bar of steps without a description."""
import time

import torch
from tqdm import trange

import truth

options = truth.arguments()
weight = torch.zeros(1)
for epoch in trange(options.epochs, desc="Epochs"):
    with trange(10, leave=False, mininterval=0) as bar:
        for step in bar:
            weight += 1
            time.sleep(options.step_s)
            bar.set_postfix(weight=f"{weight.item():.0f}")
    truth.epoch({"weight": weight.item()})
