"""A loop in PyTorch that prints a line an epoch."""
import time

import torch

import truth

options = truth.arguments()
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), 0.01)
for epoch in range(options.epochs):
    total = 0.0
    for _ in range(10):
        x = torch.randn(8, 4)
        loss = (model(x).squeeze(1) - x.sum(1)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
        time.sleep(options.step_s)
    with torch.no_grad():
        x = torch.randn(64, 4)
        val_loss = (model(x).squeeze(1) - x.sum(1)).square().mean().item()
    print(f"Epoch {epoch + 1}/{options.epochs} | loss: {total / 10:.4f} | val_loss: {val_loss:.4f}", flush=True)
    truth.epoch({"loss": round(total / 10, 4), "val_loss": round(val_loss, 4)})
