"""Hugging Face's Trainer with an evaluation an epoch."""
import tempfile
import time

import torch
from transformers import Trainer, TrainerCallback, TrainingArguments

import truth

options = truth.arguments()


class Numbers(torch.utils.data.Dataset):
    def __len__(self):
        return 80

    def __getitem__(self, index):
        x = torch.randn(4)
        return {"x": x, "labels": x.sum()}


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def forward(self, x, labels=None):
        time.sleep(options.step_s)
        out = self.layer(x).squeeze(-1)
        return {"loss": (out - labels).square().mean(), "logits": out}


class Account(TrainerCallback):
    def on_evaluate(self, args, state, control, metrics, **kwargs):
        truth.epoch({"eval_loss": metrics["eval_loss"]})


with tempfile.TemporaryDirectory() as folder:
    settings = TrainingArguments(output_dir=folder, num_train_epochs=options.epochs, per_device_train_batch_size=8,
                                 per_device_eval_batch_size=40, logging_steps=5, eval_strategy="epoch",
                                 save_strategy="no", report_to=[], use_cpu=True)
    Trainer(model=Model(), args=settings, train_dataset=Numbers(), eval_dataset=Numbers(), callbacks=[Account()]).train()
