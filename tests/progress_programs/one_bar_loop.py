"""One tqdm bar over all steps of the run, as the training scripts of diffusers draw it (see README.md)."""
import logging
import math
import time

import torch
from accelerate import Accelerator
from accelerate.logging import get_logger
from tqdm.auto import tqdm

import truth

options = truth.arguments()
logger = get_logger(__name__, log_level="INFO")
logging.basicConfig(format="%(asctime)s - %(levelname)s - %(name)s - %(message)s", datefmt="%m/%d/%Y %H:%M:%S",
                    level=logging.INFO)
accelerator = Accelerator(cpu=True)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), 0.01)
scheduler = torch.optim.lr_scheduler.ConstantLR(optimizer, 1)
loader = torch.utils.data.DataLoader(torch.randn(80, 4), batch_size=8)
model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)
steps = options.epochs * math.ceil(len(loader) / accelerator.gradient_accumulation_steps)
logger.info("***** Running training *****")
logger.info(f"  Num examples = {80}")
logger.info(f"  Num Epochs = {options.epochs}")
logger.info(f"  Instantaneous batch size per device = {8}")
logger.info(f"  Total train batch size (w. parallel, distributed & accumulation) = {8}")
logger.info(f"  Gradient Accumulation steps = {accelerator.gradient_accumulation_steps}")
logger.info(f"  Total optimization steps = {steps}")
bar = tqdm(range(0, steps), initial=0, desc="Steps", disable=not accelerator.is_local_main_process)
for epoch in range(options.epochs):
    for x in loader:
        with accelerator.accumulate(model):
            loss = (model(x).squeeze(1) - x.sum(1)).square().mean()
            accelerator.backward(loss)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
        time.sleep(options.step_s)
        if accelerator.sync_gradients:
            bar.update(1)
        bar.set_postfix(step_loss=loss.detach().item(), lr=scheduler.get_last_lr()[0])
truth.run_steps(steps)
accelerator.end_training()
