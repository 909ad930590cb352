"""Training programs of others for tests/bench/memory: perceptron or encoder, with BATCH and LENGTH from the environment."""
import os
import sys

import torch

torch.set_num_threads(1)
torch.manual_seed(int(os.environ.get("SEED", "1")))
batch, length, steps = (int(os.environ[name]) for name in ("BATCH", "LENGTH", "STEPS"))
if sys.argv[1] == "perceptron":
    model = torch.nn.Sequential(torch.nn.Linear(784, 2048), torch.nn.ReLU(), torch.nn.Linear(2048, 2048), torch.nn.ReLU(),
                                torch.nn.Linear(2048, 10))
    sample = lambda: torch.randn(batch, 784)
else:
    layer = torch.nn.TransformerEncoderLayer(256, 4, 1024, batch_first=True)
    model = torch.nn.Sequential(torch.nn.TransformerEncoder(layer, 4), torch.nn.Linear(256, 10))
    sample = lambda: torch.randn(batch, length, 256)
optimizer = torch.optim.Adam(model.parameters())
for epoch in range(2):
    total = 0.0
    for _ in range(steps // 2):
        loss = model(sample()).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"Epoch {epoch + 1}/2 | loss: {total:.4f}", flush=True)
