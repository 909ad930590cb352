"""fastai's Learner with its table and bar."""
import time

import torch
from fastai.callback.core import Callback
from fastai.callback.progress import ProgressCallback  # noqa: F401  (adds itself)
from fastai.data.core import DataLoaders
from fastai.data.load import DataLoader
from fastai.learner import Learner
from fastai.metrics import mse
from fastai.optimizer import SGD

import truth

options = truth.arguments()


class Account(Callback):
    order = 99

    def after_batch(self):
        time.sleep(options.step_s)

    def after_epoch(self):
        names = self.recorder.metric_names[1:-1]
        truth.epoch({name: float(f"{value:.6f}") for name, value in zip(names, self.recorder.log[1:-1])})


x = torch.randn(64, 4)
numbers = list(zip(x, x.sum(1, keepdim=True)))
loaders = DataLoaders(DataLoader(numbers, bs=8), DataLoader(numbers, bs=16))
learner = Learner(loaders, torch.nn.Linear(4, 1), loss_func=torch.nn.functional.mse_loss, metrics=mse, opt_func=SGD,
                  cbs=[Account()])
if not any(isinstance(callback, ProgressCallback) for callback in learner.cbs):
    learner.add_cb(ProgressCallback())
learner.fit(options.epochs, lr=0.01)
