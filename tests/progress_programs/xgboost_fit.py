"""XGBoost's train() with a line a round, or (argument: a number) a line each so many rounds."""
import time

import numpy
import xgboost

import truth

options = truth.arguments()
period = int(options.variant or 1)


class Account(xgboost.callback.TrainingCallback):
    def before_iteration(self, model, epoch, evals_log):
        time.sleep(10 * options.step_s)
        return False

    def after_iteration(self, model, epoch, evals_log):
        printed = epoch % period == 0 or epoch == options.epochs - 1
        truth.epoch({f"{data}-{name}": float(f"{values[-1]:.5f}") for data, metrics in evals_log.items()
                     for name, values in metrics.items()} if printed else {})
        return False


x = numpy.random.randn(256, 4)
data = xgboost.DMatrix(x, x.sum(1))
xgboost.train({"nthread": 1, "eval_metric": ["rmse", "mae"]}, data, options.epochs,
              evals=[(data, "train"), (xgboost.DMatrix(x[:64] + 0.1, x[:64].sum(1)), "eval")],
              verbose_eval=period, callbacks=[Account()])
