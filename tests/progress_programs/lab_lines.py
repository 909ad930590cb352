"""The lines of the lab study's own program (see README.md)."""
import time

import truth

options = truth.arguments()
start_s = time.monotonic()
print("Device: cpu\nnet_G(x).shape: torch.Size([1, 3, 64, 64])", flush=True)
for epoch in range(1, options.epochs + 1):
    print(f"Epoch: {epoch}", flush=True)
    begin_s = time.monotonic()
    for batch in range(5):
        time.sleep(options.step_s)
        seconds = time.monotonic() - begin_s
        examples = 256.0 * (batch + 1)
        print(f"Processing batch: {epoch}-{batch}", flush=True)
        print(f"loss_D {0.7 / epoch:.3f}, loss_G {1.0 + 0.1 * batch:.3f}, {examples / seconds:.1f} examples/sec on cpu "
              f"({examples:.1f} examples in {seconds:.1f} seconds during this epoch)", flush=True)
    print("<Figure size 500x500 with 2 Axes>", flush=True)
    truth.epoch({"loss_d": float(f"{0.7 / epoch:.3f}"), "loss_g": 1.4})
total_s = time.monotonic() - start_s
print(f"loss_D 0.123, loss_G 1.200, {total_s / options.epochs:.1f} sec/epoch on cpu\nNum epochs: {options.epochs}\n"
      f"Total training time: {total_s:.1f} seconds", flush=True)
