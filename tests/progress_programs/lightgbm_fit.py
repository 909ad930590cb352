"""LightGBM's train() with a line a round, or (argument: a number) a line each so many rounds."""
import time

import lightgbm
import numpy

import truth

options = truth.arguments()
period = int(options.variant or 1)


def account(state):
    time.sleep(10 * options.step_s)
    printed = (state.iteration + 1) % period == 0
    truth.epoch({f"{data} {name}": float(f"{value:g}") for data, name, value, _ in state.evaluation_result_list}
                if printed else {})


account.order = 0  # before the line of the round
x = numpy.random.randn(256, 4)
data = lightgbm.Dataset(x, x.sum(1))
lightgbm.train({"num_threads": 1, "metric": ["l2", "l1"], "objective": "regression"}, data, options.epochs,
               valid_sets=[data, lightgbm.Dataset(x[:64] + 0.1, x[:64].sum(1), reference=data)],
               callbacks=[account, lightgbm.log_evaluation(period)])
