"""The fine-tuning recipe in PyTorch and transformers: accumulation, clipping, schedule, autocast and loss scale.

usage: recipe_reference.py FOLDER...
Every folder holds case.json (model, its options, the parameters of the run, batches, updates), ours.safetensors and
batches.safetensors. Left there: theirs.safetensors (the loss of every batch, the weights behind the last) and
theirs.json (the learning rate of every update, the loss scale at the end).
"""
import json
import pathlib
import sys

import torch
import transformers
from safetensors.torch import load_file, save_file

import classifier_reference
import hub_reference

TYPES = {'fp32': torch.float32, 'bf16': torch.bfloat16, 'fp16': torch.float16}


def make_model(case):
    if case['model'] in hub_reference.FAMILIES:
        return hub_reference.make_model(case), hub_reference.logits_of
    return classifier_reference.make_net(case['model'], case['options']), lambda model, batch: model(batch['inputs'])


def make_optimizer(model, options):
    groups = hub_reference.groups_of(model, options['optimizer.weight_decay'])
    return torch.optim.AdamW(groups, lr=float(options['optimizer.learning_rate']))


def train(model, logits_of, batches, case):
    run = case['run']
    every, clip, precision = int(run['accumulate']), float(run['clip_norm']), TYPES[run['precision']]
    optimizer = make_optimizer(model, run)
    schedule = transformers.get_linear_schedule_with_warmup(optimizer, int(run['warmup_updates']), case['updates'])
    scaler = torch.amp.GradScaler('cpu', enabled=precision == torch.float16)
    losses, rates = [], []
    for i, batch in enumerate(batches):
        with torch.autocast('cpu', dtype=precision, enabled=precision != torch.float32):
            loss = torch.nn.functional.cross_entropy(logits_of(model, batch), batch['labels'])
        scaler.scale(loss / min(every, len(batches) - i // every * every)).backward()
        losses.append(loss.item())
        if (i + 1) % every == 0 or i + 1 == len(batches):
            scaler.unscale_(optimizer)
            if clip > 0:
                torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
            rates.append(schedule.get_last_lr()[0])
            scale = scaler.get_scale()
            scaler.step(optimizer)
            scaler.update()
            if scaler.get_scale() >= scale:
                schedule.step()
            optimizer.zero_grad()
    return torch.tensor(losses), rates, scaler.get_scale()


def answer(folder):
    case = json.loads((folder / 'case.json').read_text())
    packed = load_file(folder / 'batches.safetensors')
    batches = [{name: packed[f'{name}.{i}'] for name in ('inputs', 'labels', 'mask') if f'{name}.{i}' in packed}
               for i in range(case['batches'])]
    model, logits_of = make_model(case)
    model.load_state_dict(load_file(folder / 'ours.safetensors'), strict=True)
    losses, rates, scale = train(model.train(), logits_of, batches, case)
    weights = {f'weight.{name}': p.detach() for name, p in model.named_parameters()}
    save_file({'losses': losses} | weights, folder / 'theirs.safetensors')
    (folder / 'theirs.json').write_text(json.dumps({'rates': rates, 'scale': scale}))


if __name__ == '__main__':
    torch.set_num_threads(1)
    for path in sys.argv[1:]:
        answer(pathlib.Path(path))
