"""Ignite's engines with their own log, the evaluation in each epoch, and the prints of its examples."""
import logging
import time

import torch
from ignite.engine import Engine, Events, create_supervised_evaluator
from ignite.metrics import Loss
from ignite.utils import setup_logger

import truth

options = truth.arguments()
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), 0.01)


def step(engine, x):
    loss = (model(x).squeeze(1) - x.sum(1)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    time.sleep(options.step_s)
    return loss.item()


trainer = Engine(step)
evaluator = create_supervised_evaluator(model, {"mse": Loss(lambda out, y: (out - y).square().mean())})
evaluator.add_event_handler(Events.ITERATION_COMPLETED, lambda: time.sleep(options.step_s))
for engine, name in (trainer, "Trainer"), (evaluator, "Evaluator"):
    engine.logger = setup_logger(name, level=logging.INFO)


@trainer.on(Events.ITERATION_COMPLETED(every=4))
def print_loss(engine):
    length = engine.state.epoch_length
    print(f"Epoch[{engine.state.epoch}] Iteration[{(engine.state.iteration - 1) % length + 1}/{length}] "
          f"Loss: {engine.state.output:.4f}", flush=True)


@trainer.on(Events.EPOCH_COMPLETED)
def evaluate(engine):
    x = torch.randn(32, 4)
    evaluator.run([(x[i:i + 8], x[i:i + 8].sum(1, keepdim=True)) for i in range(0, 32, 8)])
    truth.epoch({})


trainer.run([torch.randn(8, 4) for _ in range(12)], max_epochs=options.epochs)
