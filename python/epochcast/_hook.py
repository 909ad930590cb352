"""Attaches to the frameworks that a program imports, without a change to it; sitecustomize.py loads it (`epochcast-run --hook`).

It writes the events of the callbacks in this package. Of loops that the program writes itself, _passes.py. What fails here is
one note in the record; the program sees no exception and no output of it.
"""

import importlib.util
import os
import sys

_path = None


def start(path):
    """Watches the imports of this process; events go to the file `path`, which is made so that the runner sees it was loaded."""
    global _path
    _path = path
    os.close(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666))
    sys.meta_path.insert(0, _Finder())


def note(text):
    """One line in the record; of equal texts one."""
    try:
        writer = _events().WRITER
        if text not in writer.notes:
            writer.notes.add(text)
            writer.write("note", text=text)
    except Exception:
        pass


def guarded(function):
    """What `function` raises is a note."""

    def call(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except Exception as error:
            note("{}: {}: {}".format(function.__qualname__, type(error).__name__, error))

    return call


def _events():
    """The writer of this process; made with the first framework, since it takes some milliseconds."""
    from . import _writer

    if not hasattr(_writer.WRITER, "notes"):
        _writer.WRITER.__init__(_path)
        _writer.WRITER.notes = set()
        _writer.warn = lambda kind, message: note(message)
    return _writer


def _after(owner, name, then):
    """`owner.name`, a function, also calls then(its first argument, its result)."""
    before, then = getattr(owner, name), guarded(then)

    def call(first, *args, **kwargs):
        result = before(first, *args, **kwargs)
        then(first, result)
        return result

    setattr(owner, name, _named(call, before))


def _named(call, before):
    call.__name__, call.__qualname__, call.__doc__ = before.__name__, before.__qualname__, before.__doc__
    call.__module__, call.__wrapped__ = before.__module__, before  # inspect.signature follows it
    return call


def _has(callbacks, kind):
    return any(type(callback).__name__ == kind for callback in callbacks)


def _optimizer(module):
    import torch

    from ._passes import PASSES

    step = guarded(PASSES.stepped)

    def stepped(optimizer, args, kwargs):
        is_compiling = getattr(getattr(torch, "compiler", None), "is_compiling", None)
        if is_compiling is None or not is_compiling():  # torch.compile of a step must see nothing that it cannot compile
            step(optimizer)

    module.register_optimizer_step_post_hook(stepped)


def _loader(module):
    from ._passes import watch

    watch(module._BaseDataLoaderIter)


def _fastai(module):
    """Its optimizers are its own."""
    from ._passes import PASSES

    _after(module.Optimizer, "step", lambda optimizer, _: PASSES.stepped(optimizer))


def _lightning(module):
    def add(trainer, _):
        from .lightning import EpochcastCallback

        if not _has(trainer.callbacks, "EpochcastCallback"):
            trainer.callbacks.append(EpochcastCallback(stop=False))

    _after(module.Trainer, "__init__", add)


def _huggingface(module):
    def add(trainer, _):
        from .huggingface import EpochcastCallback

        if not _has(trainer.callback_handler.callbacks, "EpochcastCallback"):
            trainer.add_callback(EpochcastCallback(stop=False))

    _after(module.Trainer, "__init__", add)


def _keras(module):
    before = module.CallbackList.__init__

    def __init__(self, callbacks=None, *args, **kwargs):
        before(self, callbacks, *args, **kwargs)
        if kwargs.get("epochs"):  # fit(), not evaluate()
            guarded(add)(self)

    def add(callbacks):
        from .keras import EpochcastCallback

        if not _has(callbacks.callbacks, "EpochcastCallback"):
            own = EpochcastCallback(stop=False)
            own.set_params(callbacks.params)
            own.set_model(callbacks.callbacks[0].model if callbacks.callbacks else None)
            if getattr(callbacks, "_async_train", False):  # steps come from a thread, in any order: only epochs are told
                own.on_train_batch_end = lambda batch, logs=None: None
            callbacks.callbacks.append(own)

    module.CallbackList.__init__ = _named(__init__, before)


def _xgboost(module):
    from ._rounds import xgboost_callbacks

    own = []  # one for all trainings

    def add(container, _):
        own.extend(xgboost_callbacks(module.TrainingCallback)) if not own else None
        container.callbacks = [own[0], *container.callbacks, own[1]]

    _after(module.CallbackContainer, "__init__", add)


def _lightgbm(module):
    from . import _rounds

    _rounds.wrap_lightgbm(module, _named)


def _catboost(module):
    from . import _rounds

    _rounds.wrap_catboost(module.CatBoost, _named)


def _stable_baselines3(module):
    from ._rounds import watch_rollouts

    watch_rollouts(module.OnPolicyAlgorithm, _named)


def _trials(name):
    """What the function `name` of a module does is no part of a training: it looks for a learning rate or a batch size."""

    def attach(module):
        from ._passes import PASSES

        *owner, last = name.split(".")
        for part in owner:
            module = getattr(module, part)
        before = getattr(module, last)

        def call(*args, **kwargs):
            PASSES.trials += 1
            note("--hook: {} is no part of the training".format(last.strip("_")))
            try:
                return before(*args, **kwargs)
            finally:
                PASSES.trials -= 1

        setattr(module, last, _named(call, before))

    return attach


_TARGETS = {
    "torch.optim.optimizer": _optimizer,
    "torch.utils.data.dataloader": _loader,
    "lightning.pytorch.trainer.trainer": _lightning,
    "pytorch_lightning.trainer.trainer": _lightning,
    "lightning.pytorch.tuner.lr_finder": _trials("_lr_find"),
    "pytorch_lightning.tuner.lr_finder": _trials("_lr_find"),
    "lightning.pytorch.tuner.batch_size_scaling": _trials("_scale_batch_size"),
    "pytorch_lightning.tuner.batch_size_scaling": _trials("_scale_batch_size"),
    "fastai.optimizer": _fastai,
    "fastai.callback.schedule": _trials("Learner.lr_find"),
    "torch_lr_finder.lr_finder": _trials("LRFinder.range_test"),
    "transformers.trainer": _huggingface,
    "keras.src.callbacks.callback_list": _keras,
    "xgboost.callback": _xgboost,
    "lightgbm.engine": _lightgbm,
    "catboost.core": _catboost,
    "stable_baselines3.common.on_policy_algorithm": _stable_baselines3,
}


class _Finder:
    """Lets a module be imported as always, then attaches to it."""

    def find_spec(self, name, path=None, target=None):
        attach = _TARGETS.pop(name, None)
        if attach is None:
            return None
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module):
                execute(module)
                guarded(_attach)(attach, module)

            spec.loader.exec_module = exec_module
        return spec


def _attach(attach, module):
    _events()
    attach(module)
