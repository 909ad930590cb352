"""PyTorch's and transformers' side of tests/bench/classifiers.

usage: classifiers_worker.py train|infer eager|compile THREADS FOLDER...
Every folder is as tests/bench/case.cpp leaves it, all of one model; the first has the weights. They are the kinds of
steps. Dropout, attention and optimizer are transformers' defaults: attention by scaled_dot_product_attention, AdamW
fused and in the groups of Trainer, which clips nothing here as ours does not.
"""
import json
import sys
from pathlib import Path

import torch
import transformers
from safetensors.torch import load_file

from hub_reference import FAMILIES, groups_of, number
from turns_worker import serve_kinds


def make_model(case):
    name, config = FAMILIES[case['model']]
    cls = getattr(transformers, name)
    sizes = config({key: number(value) for key, value in case['options'].items()})
    return cls(cls.config_class(**{key: value for key, value in sizes.items() if 'dropout' not in key}))


def batches_in(folder):
    packed = load_file(folder / 'batches.safetensors')
    count = sum(name.startswith('inputs.') for name in packed)
    batches = [{name: packed[f'{name}.{i}'] for name in ('inputs', 'labels', 'mask') if f'{name}.{i}' in packed}
               for i in range(count)]
    for batch in batches:
        if 'mask' in batch:
            batch['mask'] = batch['mask'].long()  # as tokenizers give it
    return batches


def logits_of(model, batch):
    if batch['inputs'].dtype != torch.int64:
        return model(pixel_values=batch['inputs']).logits
    return model(input_ids=batch['inputs'], attention_mask=batch.get('mask')).logits


def training_step(model, batches, options):
    optimizer = torch.optim.AdamW(groups_of(model, options['weight_decay']), lr=float(options['learning_rate']), fused=True)
    sums = {'loss': 0.0}

    def step(index):
        batch = batches[index % len(batches)]
        loss = torch.nn.functional.cross_entropy(logits_of(model, batch), batch['labels'])
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        sums['loss'] += loss.item()

    return step


def inference_step(model, batches):
    def step(index):
        with torch.inference_mode():
            return logits_of(model, batches[index % len(batches)]).argmax(-1).tolist()

    return step


def main():
    task, variant, threads, *folders = sys.argv[1:]
    torch.set_num_threads(int(threads))
    folders = [Path(folder) for folder in folders]
    case = json.loads((folders[0] / 'case.json').read_text())
    model = make_model(case)
    model.load_state_dict(load_file(folders[0] / 'weights.safetensors'), strict=True)
    model.train(task == 'train')
    run = torch.compile(model, dynamic=False) if variant == 'compile' else model
    if task == 'train':
        steps = [training_step(run, batches_in(folder), case['optimizer']) for folder in folders]
    else:
        steps = [inference_step(run, batches_in(folder)) for folder in folders]
    serve_kinds(steps, warm_up=2)


main()
