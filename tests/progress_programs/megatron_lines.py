"""The lines of Megatron-LM, or (argument: nemo) of NeMo (see README.md)."""
import time
from datetime import datetime

import truth

options = truth.arguments()
per_epoch = 20
iterations = per_epoch * options.epochs
print("> finished creating GPT datasets ...", flush=True)
for iteration in range(iterations):
    time.sleep(options.step_s)
    done = iteration + 1
    if options.variant == "nemo":
        epoch, step = divmod(iteration, per_epoch)
        print(f"Training epoch {epoch}, iteration {step}/{per_epoch - 1} | lr: 1.2e-06 | global_batch_size: 8 | "
              f"global_step: {iteration} | reduced_train_loss: {10 / done:.4g} | train_step_timing in s: {options.step_s:.4f}"
              f" | consumed_samples: {8 * done}", flush=True)
        if step == per_epoch - 1:
            truth.epoch({})
    elif done % 5 == 0:
        print(f" [{datetime.now().strftime('%Y-%m-%d %H:%M:%S')}] iteration {done:8d}/{iterations:8d} |"
              f" consumed samples: {8 * done:12d} | elapsed time per iteration (ms): {1000 * options.step_s:.1f} |"
              f" learning rate: {1.5e-4:.6E} | global batch size: {8:5d} | lm loss: {10 / done:.6E} | loss scale: 1.0 |"
              f" grad norm: 1.234 | number of skipped iterations:   0 | number of nan iterations:   0 |", flush=True)
        if done % 20 == 0:
            time.sleep(options.step_s)
            print("-" * 60, flush=True)
            print(f" validation loss at iteration {done} | lm loss value: {11 / done:.6E} | lm loss PPL: 1.000000E+00 | ",
                  flush=True)
            print("-" * 60, flush=True)
if options.variant != "nemo":
    truth.epoch({})
