"""PyTorch Lightning, with tqdm's bars or (argument: rich) with rich's."""
import os
import tempfile
import time

import lightning
import torch
from lightning.pytorch.callbacks import Callback, RichProgressBar, TQDMProgressBar
from torch.utils.data import DataLoader, TensorDataset

import truth

options = truth.arguments()


class Model(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def loss(self, batch):
        return (self.layer(batch[0]).squeeze(-1) - batch[0].sum(1)).square().mean()

    def training_step(self, batch, index):
        time.sleep(options.step_s)
        loss = self.loss(batch)
        self.log("train_loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch, index):
        time.sleep(options.step_s)
        self.log("val_loss", self.loss(batch), prog_bar=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.01)


class Account(Callback):
    def on_train_epoch_end(self, trainer, module):
        # As the bars print them: rich with three digits behind the point, tqdm with three digits.
        digits = ".3f" if options.variant == "rich" else ".3g"
        metrics = {name: float(f"{value:{digits}}") for name, value in trainer.progress_bar_metrics.items()
                   if name != "v_num"}
        truth.epoch({"val_loss": metrics["val_loss"]})


def numbers(count):
    return DataLoader(TensorDataset(torch.randn(count, 4)), batch_size=8)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    bar = RichProgressBar() if options.variant == "rich" else TQDMProgressBar()
    lightning.Trainer(max_epochs=options.epochs, accelerator="cpu", callbacks=[bar, Account()],
                      enable_checkpointing=False, log_every_n_steps=1).fit(Model(), numbers(80), numbers(24))
