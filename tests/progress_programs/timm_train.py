"""The lines of timm's train.py, by timm's own meters and logger (see README.md)."""
import logging
import time

import torch
from timm.utils import AverageMeter, setup_default_logging

import truth

options = truth.arguments()
setup_default_logging()
log = logging.getLogger("train")
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), 0.01)
log.info(f"Scheduled epochs: {options.epochs}. LR stepped per epoch.")
updates = 10
for epoch in range(options.epochs):
    losses, times, data = AverageMeter(), AverageMeter(), AverageMeter()
    start_s = time.time()
    for update in range(updates):
        x = torch.randn(8, 4)
        data.update(time.time() - start_s)
        loss = (model(x).squeeze(1) - x.sum(1)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.update(loss.item(), len(x))
        time.sleep(options.step_s)
        times.update(time.time() - start_s)
        start_s = time.time()
        if update % 4 == 0 or update == updates - 1:
            log.info(f"Train: {epoch} [{update:>4d}/{updates} ({100. * (update + 1) / updates:>3.0f}%)]  "
                     f"Loss: {losses.val:#.3g} ({losses.avg:#.3g})  "
                     f"Time: {times.val:.3f}s, {len(x) / times.val:>7.2f}/s  "
                     f"({times.avg:.3f}s, {len(x) / times.avg:>7.2f}/s)  LR: {0.01:.3e}  "
                     f"Data: {data.val:.3f} ({data.avg:.3f})")
    losses, times = AverageMeter(), AverageMeter()
    for batch in range(3):
        with torch.no_grad():
            x = torch.randn(8, 4)
            losses.update((model(x).squeeze(1) - x.sum(1)).square().mean().item(), len(x))
        time.sleep(options.step_s)
        times.update(options.step_s)
        log.info(f"Test: [{batch:>4d}/{2}]  Time: {times.val:.3f} ({times.avg:.3f})  "
                 f"Loss: {losses.val:>7.3f} ({losses.avg:>6.3f})  "
                 f"Acc@1: {50:>7.3f} ({50:>7.3f})  Acc@5: {90:>7.3f} ({90:>7.3f})")
    truth.epoch({"eval_loss": float(f"{losses.avg:.3f}"), "eval_acc@1": 50, "eval_acc@5": 90})
log.info(f"*** Best metric: {50.0} (epoch {0})")
