"""Trainings by rounds: of XGBoost, LightGBM and CatBoost a round is an epoch; of Stable-Baselines3 an iteration (rollout and training)."""

from ._hook import guarded
from ._loop import TRAINING
from ._writer import WRITER


def xgboost_callbacks(base):
    """Before and after those of the program: what they do is part of the round. One that ends the training keeps the others from
    being asked."""

    class First(base):
        is_done = False  # the round that runs

        def before_training(self, model):
            guarded(TRAINING.begin)()
            return model

        def before_iteration(self, model, epoch, evals_log):
            self.is_done = False
            guarded(TRAINING.begin_epoch)(epoch)
            return False

        def after_iteration(self, model, epoch, evals_log):
            self.is_done = True
            return False

    class Last(base):
        def after_iteration(self, model, epoch, evals_log):
            guarded(self._end)(evals_log)
            return False

        def after_training(self, model):
            if TRAINING.epoch is not None:
                guarded(TRAINING.end_epoch if first.is_done else drop_epoch)()
            guarded(TRAINING.end)()
            return model

        @staticmethod
        def _end(evals_log):
            for data, metrics in evals_log.items():
                for name, values in metrics.items():
                    last = values[-1]
                    WRITER.keep({data + "-" + name: last[0] if isinstance(last, tuple) else last})  # cv: mean and deviation
            TRAINING.end_epoch()

    first = First()
    return first, Last()


def wrap_lightgbm(module, named):
    train = module.train

    def begin(env):
        TRAINING.begin(epochs=env.end_iteration)
        TRAINING.begin_epoch(env.iteration, env.end_iteration)

    def end(env):
        WRITER.keep({"{} {}".format(result[0], result[1]): result[2] for result in env.evaluation_result_list or []})
        TRAINING.end_epoch(env.end_iteration)

    first, last = guarded(begin), guarded(end)
    first.before_iteration, first.order = True, -1_000_000
    last.order = 25  # before that of early stopping, which raises

    def call(params, train_set, num_boost_round=100, *args, **kwargs):
        if len(args) < 8:  # `callbacks` is not given by its place
            kwargs["callbacks"] = list(kwargs.get("callbacks") or []) + [first, last]
        try:
            return train(params, train_set, num_boost_round, *args, **kwargs)
        finally:
            if TRAINING.begun:
                guarded(TRAINING.end)()

    module.train = named(call, train)


def drop_epoch():
    TRAINING.epoch = None
    WRITER.write("epoch_drop")


def wrap_catboost(owner, named):
    train = owner._train

    class Rounds:
        def after_iteration(self, info):
            guarded(self._end)(info)
            return True

        @staticmethod
        def _end(info):
            for data, metrics in (info.metrics or {}).items():
                WRITER.keep({"{} {}".format(data, name): values[-1] for name, values in metrics.items()})
            TRAINING.end_epoch()
            TRAINING.begin_epoch(TRAINING.next_epoch)

    def call(self, train_pool, test_pool, params, *args, **kwargs):
        if str(params.get("task_type", "CPU")).upper() != "CPU":  # there it takes no callbacks
            return train(self, train_pool, test_pool, params, *args, **kwargs)
        wrapper = params.get("callbacks")
        if wrapper is None:
            import catboost.core

            wrapper = catboost.core._TrainCallbacksWrapper([])
        wrapper._callbacks = list(wrapper._callbacks) + [Rounds()]
        guarded(TRAINING.begin)(epochs=params.get("iterations"))
        guarded(TRAINING.begin_epoch)(0)
        try:
            return train(self, train_pool, test_pool, dict(params, callbacks=wrapper), *args, **kwargs)
        finally:
            guarded(drop_epoch)()  # begun after the last round
            guarded(TRAINING.end)()

    owner._train = named(call, train)


def watch_rollouts(owner, named):
    collect, learn = owner.collect_rollouts, owner.learn

    def next_epoch():
        if TRAINING.epoch is not None:
            TRAINING.end_epoch()
        TRAINING.begin_epoch(TRAINING.next_epoch)

    def collect_rollouts(self, *args, **kwargs):
        guarded(next_epoch)()
        goes_on = collect(self, *args, **kwargs)
        if not goes_on:  # a callback ended it in the middle
            guarded(drop_epoch)()
        return goes_on

    def whole_learn(self, *args, **kwargs):
        guarded(TRAINING.begin)()
        try:
            result = learn(self, *args, **kwargs)
            if TRAINING.epoch is not None:
                guarded(TRAINING.end_epoch)()
            return result
        finally:
            guarded(TRAINING.end)()

    owner.collect_rollouts, owner.learn = named(collect_rollouts, collect), named(whole_learn, learn)
