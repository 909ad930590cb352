"""mmengine's Runner with the log of its hooks; (argument: resumed) stopped after its second epoch, and resumed."""
import os
import tempfile
import time

import torch
from mmengine.evaluator import BaseMetric, Evaluator
from mmengine.hooks import Hook
from mmengine.model import BaseModel
from mmengine.runner import Runner
from torch.utils.data import Dataset

import truth

os.environ["TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD"] = "1"  # mmengine 0.10 reads its checkpoints so
options = truth.arguments()


class Numbers(Dataset):
    def __init__(self, count):
        self.x = torch.randn(count, 4)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        return {"x": self.x[index]}


class Model(BaseModel):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def forward(self, x, mode):
        time.sleep(options.step_s)
        x = torch.stack(x)
        loss = (self.layer(x).squeeze(1) - x.sum(1)).square().mean()
        return {"loss": loss} if mode == "loss" else [loss.item()]


class Error(BaseMetric):
    def process(self, data_batch, data_samples):
        self.results.extend(data_samples)

    def compute_metrics(self, results):
        return {"mse": sum(results) / len(results)}


class Account(Hook):
    priority = "LOWEST"

    def before_train_epoch(self, runner):
        truth.begin()

    def after_val_epoch(self, runner, metrics):
        truth.epoch({name: float(f"{value:.4f}") for name, value in metrics.items()})


class Stop(Hook):
    priority = "LOWEST"

    def before_train_epoch(self, runner):
        if runner.epoch == 2:
            raise KeyboardInterrupt


def train(folder, resume, hooks):
    Runner(Model(), folder, train_dataloader={"dataset": Numbers(96), "batch_size": 8, "num_workers": 0, "sampler": {
               "type": "DefaultSampler", "shuffle": True}},
           val_dataloader={"dataset": Numbers(32), "batch_size": 8, "num_workers": 0, "sampler": {
               "type": "DefaultSampler", "shuffle": False}},
           train_cfg={"by_epoch": True, "max_epochs": options.epochs, "val_interval": 1}, val_cfg={},
           val_evaluator=Evaluator(Error()), optim_wrapper={"optimizer": {"type": "SGD", "lr": 0.01}},
           default_hooks={"logger": {"type": "LoggerHook", "interval": 5}}, custom_hooks=hooks, resume=resume,
           experiment_name="second" if resume else "first").train()


with tempfile.TemporaryDirectory() as folder:
    if options.variant == "resumed":
        try:
            train(folder, False, [Account(), Stop()])
        except KeyboardInterrupt:
            time.sleep(15)
    train(folder, options.variant == "resumed", [Account()])
