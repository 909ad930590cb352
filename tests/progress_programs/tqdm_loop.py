"""A loop in PyTorch with a tqdm bar an epoch, a bar of the validation, and a printed line."""
import time

import torch
from tqdm import tqdm

import truth

options = truth.arguments()
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), 0.01)
for epoch in range(options.epochs):
    bar = tqdm(range(10), desc=f"Epoch {epoch + 1}/{options.epochs}", mininterval=0)
    for _ in bar:
        x = torch.randn(8, 4)
        loss = (model(x).squeeze(1) - x.sum(1)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        time.sleep(options.step_s)
        bar.set_postfix(loss=f"{loss.item():.4f}")
    total = 0.0
    for _ in tqdm(range(4), desc="Validation", leave=False, mininterval=0):
        with torch.no_grad():
            x = torch.randn(16, 4)
            total += (model(x).squeeze(1) - x.sum(1)).square().mean().item()
        time.sleep(options.step_s)
    tqdm.write(f"Epoch {epoch + 1}: val_loss {total / 4:.4f}")
    truth.epoch({"loss": float(f"{loss.item():.4f}"), "val_loss": round(total / 4, 4)})
