"""nnU-Net's trainer, with its own loop, steps and log, on a small network and random pictures."""
import os
import tempfile
import time

folder = tempfile.TemporaryDirectory()
for name in "raw", "preprocessed", "results":
    os.environ[f"nnUNet_{name}"] = folder.name
import torch  # noqa: E402
from nnunetv2.training.nnUNetTrainer.nnUNetTrainer import nnUNetTrainer  # noqa: E402

import truth  # noqa: E402

options = truth.arguments()


def batches():
    while True:
        time.sleep(options.step_s)
        yield {"data": torch.randn(2, 1, 8, 8), "target": [torch.randint(0, 2, (2, 1, 8, 8)).float()]}


class Trainer(nnUNetTrainer):
    def on_train_start(self):
        self.network = torch.nn.ModuleList([torch.nn.Conv2d(1, 2, 3, padding=1)])
        self.network.forward = lambda x: [self.network[0](x)]
        self.optimizer, self.lr_scheduler = self.configure_optimizers()
        self.loss = lambda output, target: torch.nn.functional.cross_entropy(output[0], target[0][:, 0].long())
        self.dataloader_train = self.dataloader_val = batches()
        self.num_epochs, self.num_iterations_per_epoch, self.num_val_iterations_per_epoch = options.epochs, 10, 4
        self.was_initialized = True

    def on_epoch_start(self):
        super().on_epoch_start()
        truth.begin()

    def on_epoch_end(self):  # what follows is its picture and its checkpoint
        truth.epoch({name: round(float(self.logger.get_value(kind, step=-1)), 4)
                     for name, kind in (("train_loss", "train_losses"), ("val_loss", "val_losses"))})
        super().on_epoch_end()

    def on_train_end(self):
        self.print_to_log_file("Training done.")


plans = {"dataset_name": "Dataset001_Pictures", "plans_name": "nnUNetPlans", "continue_training": False, "configurations": {
    "2d": {"data_identifier": "nnUNetPlans_2d", "patch_size": [8, 8], "batch_size": 2, "architecture": {}}}}
Trainer(plans, "2d", 0, {"labels": {"background": 0, "square": 1}, "channel_names": {"0": "picture"}},
        torch.device("cpu")).run_training()
