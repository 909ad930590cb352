"""Keras' fit() on torch, with its bar or (2 in the argument) a line an epoch; (alone in it) without validation."""
import os
import time

os.environ["KERAS_BACKEND"] = "torch"
import keras  # noqa: E402
import numpy  # noqa: E402

import truth  # noqa: E402

options = truth.arguments()


class Account(keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        time.sleep(options.step_s)

    def on_epoch_end(self, epoch, logs):
        truth.epoch({name: float(f"{value:.4f}") for name, value in logs.items()})


x = numpy.random.randn(96, 4).astype("float32")
model = keras.Sequential([keras.layers.Dense(8, activation="relu"), keras.layers.Dense(1)])
model.compile("sgd", "mse", metrics=["mae"])
model.fit(x, x.sum(1, keepdims=True), epochs=options.epochs, batch_size=8,
          validation_split=0 if "alone" in options.variant else 0.25, verbose=2 if "2" in options.variant else 1,
          callbacks=[Account()])
