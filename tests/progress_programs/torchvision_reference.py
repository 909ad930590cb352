"""The lines of torchvision's classification reference (see README.md)."""
import datetime
import time

import truth

options = truth.arguments()


def log_every(count, frequency, header, meters):
    start_s = time.time()
    for i in range(count):
        step_s = time.time()
        time.sleep(options.step_s)
        took_s = time.time() - step_s
        if i % frequency == 0:
            eta = str(datetime.timedelta(seconds=int(took_s * (count - i))))
            print("  ".join([header, f"[{i:{len(str(count))}d}/{count}]", f"eta: {eta}", meters(i), f"time: {took_s:.4f}",
                             f"data: {took_s / 10:.4f}"]), flush=True)
    print(f"{header} Total time: {datetime.timedelta(seconds=int(time.time() - start_s))}", flush=True)


for epoch in range(options.epochs):
    loss = 1 / (epoch + 1)
    log_every(12, 5, f"Epoch: [{epoch}]",
              lambda i: f"lr: 0.1  img/s: 64.0  loss: {loss:.4f} ({loss:.4f})  acc1: 0.0000 (0.0000)")
    log_every(4, 2, "Test: ", lambda i: f"loss: {loss:.4f} ({loss:.4f})")
    print(f"Test:  Acc@1 {50 + epoch:.3f} Acc@5 {90 + epoch:.3f}", flush=True)
    truth.epoch({"Acc@1": 50 + epoch, "Acc@5": 90 + epoch})
