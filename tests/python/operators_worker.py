"""PyTorch's side of tests/bench/operators: a training step of a BERT classifier under torch.profiler.

usage: operators_worker.py FOLDER THREADS WARM_UP STEPS plain|transformers
FOLDER is as tests/bench/case.cpp leaves it. Prints one JSON object: {"rows": [[name, calls, self_us, total_us], ...],
"self_us": the sum, "table": the table that the profiler prints, "loss": of the last step}.
'plain' is the step of our procedure 'reference', written in Python: the same operators in the same order. 'transformers' is
that package's own model with torch.optim.AdamW, which keeps a counter of steps for each tensor.
"""
import json
import math
import sys
from pathlib import Path

import torch
from torch.nn import functional as F
from torch.profiler import ProfilerActivity, profile, record_function

from hub_reference import FAMILIES, groups_of, number
from safetensors.torch import load_file


class PlainBert:
    """BertForSequenceClassification by the names of its weights, without token types of a second sentence."""

    def __init__(self, case, weights):
        self.options = {key: number(value) for key, value in case['options'].items()}
        self.weights = {name: tensor.requires_grad_() for name, tensor in weights.items() if tensor.is_floating_point()}

    def linear(self, x, name):
        weight, bias = self.weights[f'{name}.weight'], self.weights[f'{name}.bias']
        return torch.addmm(bias, x, weight.t()) if x.dim() == 2 else F.linear(x, weight, bias)  # as torch::linear in C++

    def norm(self, x, name):
        weight = self.weights[f'{name}.weight']
        return F.layer_norm(x, weight.shape, weight, self.weights[f'{name}.bias'], 1e-12)

    def heads(self, x):
        return x.view(x.shape[0], x.shape[1], self.options['heads'], -1).transpose(1, 2)

    def dropout(self, x):
        return F.dropout(x, float(self.options['dropout']), True)

    def layer(self, x, mask, name):
        query, key, value = (self.heads(self.linear(x, f'{name}.attention.self.{part}')) for part in ('query', 'key', 'value'))
        scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
        scores = scores if mask is None else scores + mask
        mixed = (self.dropout(scores.softmax(-1)) @ value).transpose(1, 2).flatten(2)
        x = self.norm(x + self.dropout(self.linear(mixed, f'{name}.attention.output.dense')), f'{name}.attention.output.LayerNorm')
        wide = F.gelu(self.linear(x, f'{name}.intermediate.dense'))
        return self.norm(x + self.dropout(self.linear(wide, f'{name}.output.dense')), f'{name}.output.LayerNorm')

    def mask(self, mask):
        if mask is None:
            return None
        zeros = torch.zeros(mask.shape, dtype=torch.float32)
        return zeros.masked_fill_(~mask, torch.finfo(torch.float32).min).unsqueeze(1).unsqueeze(1)

    def __call__(self, batch):
        body = 'bert.embeddings'
        tokens = batch['inputs']
        words = F.embedding(tokens, self.weights[f'{body}.word_embeddings.weight'], padding_idx=0)
        x = words + self.weights[f'{body}.position_embeddings.weight'].narrow(0, 0, tokens.shape[1])
        x = x + self.weights[f'{body}.token_type_embeddings.weight'][0]
        x = self.dropout(self.norm(x, f'{body}.LayerNorm'))
        mask = self.mask(batch.get('mask'))
        for i in range(self.options['layers']):
            x = self.layer(x, mask, f'bert.encoder.layer.{i}')
        pooled = self.linear(x.select(1, 0), 'bert.pooler.dense').tanh()
        return self.linear(self.dropout(pooled), 'classifier')

    def groups(self, weight_decay):
        decays = {name: 'bias' not in name and not (name.endswith('weight') and tensor.dim() == 1)
                  for name, tensor in self.weights.items()}
        return [dict(params=[self.weights[name] for name in self.weights if decays[name] == decaying],
                     weight_decay=weight_decay if decaying else 0.0) for decaying in (True, False)]


class PlainAdamW:
    """AdamW over all tensors of a group at once, with one counter of steps a group."""

    def __init__(self, groups, options):
        self.groups = [dict(group, step=torch.zeros(()), mean=[torch.zeros_like(p) for p in group['params']],
                            square=[torch.zeros_like(p) for p in group['params']]) for group in groups]
        self.options = {key: float(options[key]) for key in ('learning_rate', 'beta1', 'beta2', 'epsilon')}

    def zero_grad(self):
        with record_function('Optimizer.zero_grad#AdamW.zero_grad'):
            for group in self.groups:
                for parameter in group['params']:
                    parameter.grad = None

    def step(self):
        with record_function('Optimizer.step#AdamW.step'), torch.no_grad():
            for group in self.groups:
                self.update(group, **self.options)

    @staticmethod
    def update(group, learning_rate, beta1, beta2, epsilon):
        parameters, means, squares = group['params'], group['mean'], group['square']
        gradients = [parameter.grad for parameter in parameters]
        group['step'].add_(1)
        steps = group['step'].item()
        if group['weight_decay'] != 0:
            torch._foreach_mul_(parameters, 1 - learning_rate * group['weight_decay'])
        torch._foreach_lerp_(means, gradients, 1 - beta1)
        torch._foreach_mul_(squares, beta2)
        torch._foreach_addcmul_(squares, gradients, gradients, 1 - beta2)
        denominators = torch._foreach_sqrt(squares)
        torch._foreach_div_(denominators, math.sqrt(1 - beta2 ** steps))
        torch._foreach_add_(denominators, epsilon)
        torch._foreach_addcdiv_(parameters, means, denominators, -learning_rate / (1 - beta1 ** steps))


def plain_step(case, weights):
    model = PlainBert(case, weights)
    optimizer = PlainAdamW(model.groups(float(case['optimizer']['weight_decay'])), case['optimizer'])
    gradient = []
    sums = torch.zeros(2, dtype=torch.float64)

    def step(batch):
        logits = model(batch)
        loss = F.cross_entropy(logits, batch['labels'], reduction='sum')
        optimizer.zero_grad()
        if not gradient:
            gradient.append(torch.full((), 1 / len(batch['labels'])))
        torch.autograd.backward([loss], gradient)
        optimizer.step()
        with torch.no_grad():  # the sums of losses and right answers, which the published program prints after every step
            loss_value, _ = loss.item(), torch.scalar_tensor(3, dtype=torch.int64).item()
            read = sums.cpu()
            _ = [read[0].item(), read[1].item()]
        return loss_value / len(batch['labels'])

    return step


def transformers_step(case, weights):
    import transformers
    name, config = FAMILIES[case['model']]
    cls = getattr(transformers, name)
    sizes = config({key: number(value) for key, value in case['options'].items()})
    model = cls(cls.config_class(**{key: value for key, value in sizes.items() if 'dropout' not in key}))
    model.load_state_dict(weights, strict=True)
    model.train()
    options = case['optimizer']
    optimizer = torch.optim.AdamW(groups_of(model, options['weight_decay']), lr=float(options['learning_rate']), foreach=True)

    def step(batch):
        mask = batch['mask'].long() if 'mask' in batch else None
        loss = F.cross_entropy(model(input_ids=batch['inputs'], attention_mask=mask).logits, batch['labels'])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def batches_in(folder):
    packed = load_file(folder / 'batches.safetensors')
    count = sum(name.startswith('inputs.') for name in packed)
    return [{name: packed[f'{name}.{i}'] for name in ('inputs', 'labels', 'mask') if f'{name}.{i}' in packed}
            for i in range(count)]


def main():
    folder, threads, warm_up, steps, kind = Path(sys.argv[1]), *map(int, sys.argv[2:5]), sys.argv[5]
    torch.set_num_threads(threads)
    case = json.loads((folder / 'case.json').read_text())
    step = {'plain': plain_step, 'transformers': transformers_step}[kind](case, load_file(folder / 'weights.safetensors'))
    batches = batches_in(folder)
    torch.manual_seed(1)
    for batch in batches[:warm_up]:
        step(batch)
    with profile(activities=[ProfilerActivity.CPU]) as profiler:
        for batch in batches[warm_up:warm_up + steps]:
            loss = step(batch)
    averages = profiler.key_averages()
    rows = [[row.key, row.count, row.self_cpu_time_total, row.cpu_time_total] for row in averages]
    assert math.isfinite(loss)
    print(json.dumps({'rows': rows, 'self_us': sum(row[2] for row in rows), 'loss': loss,
                      'table': averages.table(sort_by='self_cpu_time_total', row_limit=10)}))


main()
