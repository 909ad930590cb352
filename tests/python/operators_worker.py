"""PyTorch's side of tests/bench/operators: a training step of a BERT classifier under torch.profiler.

usage: operators_worker.py FOLDER THREADS WARM_UP STEPS plain|transformers
FOLDER is as tests/bench/case.cpp leaves it. Prints one JSON object: {"rows": [[name, calls, self_us, total_us], ...],
"self_us": the sum, "table": the table that the profiler prints, "loss": of the last step}.
'plain' calls the operators that the published code calls, one by one, as our procedure 'reference' does; 'transformers' is
that package's own model. Both take AdamW with its default implementation for several tensors.
"""
import json
import math
import sys
from pathlib import Path

import torch
from torch.nn import functional as F
from torch.profiler import ProfilerActivity, profile

from hub_reference import FAMILIES, groups_of, number
from safetensors.torch import load_file


class PlainBert:
    """BertForSequenceClassification by the names of its weights, without token types of a second sentence."""

    def __init__(self, case, weights):
        self.options = {key: number(value) for key, value in case['options'].items()}
        self.weights = {name: tensor.requires_grad_() for name, tensor in weights.items() if tensor.is_floating_point()}

    def linear(self, x, name):
        return F.linear(x, self.weights[f'{name}.weight'], self.weights[f'{name}.bias'])

    def norm(self, x, name):
        weight = self.weights[f'{name}.weight']
        return F.layer_norm(x, weight.shape, weight, self.weights[f'{name}.bias'], 1e-12)

    def heads(self, x):
        return x.view(x.shape[0], x.shape[1], self.options['heads'], -1).transpose(1, 2)

    def dropout(self, x):
        return F.dropout(x, float(self.options['dropout']), True)

    def layer(self, x, mask, name):
        query, key, value = (self.heads(self.linear(x, f'{name}.attention.self.{part}')) for part in ('query', 'key', 'value'))
        mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=mask, dropout_p=float(self.options['dropout']))
        mixed = mixed.transpose(1, 2).flatten(2)
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


def transformers_model(case, weights):
    import transformers
    name, config = FAMILIES[case['model']]
    cls = getattr(transformers, name)
    sizes = config({key: number(value) for key, value in case['options'].items()})
    model = cls(cls.config_class(**{key: value for key, value in sizes.items() if 'dropout' not in key}))
    model.load_state_dict(weights, strict=True)
    return model.train()


def make_step(case, weights, kind):
    options = case['optimizer']
    if kind == 'plain':
        model = PlainBert(case, weights)
        groups = model.groups(float(options['weight_decay']))
        logits_of = model
    else:
        model = transformers_model(case, weights)
        groups = groups_of(model, options['weight_decay'])

        def logits_of(batch):
            return model(input_ids=batch['inputs'], attention_mask=batch['mask'].long() if 'mask' in batch else None).logits
    optimizer = torch.optim.AdamW(groups, lr=float(options['learning_rate']), foreach=True)

    def step(batch):
        loss = F.cross_entropy(logits_of(batch), batch['labels'], reduction='sum')
        optimizer.zero_grad()
        loss.backward(torch.tensor(1 / len(batch['labels'])))
        optimizer.step()
        return loss.detach() / len(batch['labels'])

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
    step = make_step(case, load_file(folder / 'weights.safetensors'), kind)
    batches = batches_in(folder)
    torch.manual_seed(1)
    for batch in batches[:warm_up]:
        step(batch)
    with profile(activities=[ProfilerActivity.CPU]) as profiler:
        for batch in batches[warm_up:warm_up + steps]:
            loss = step(batch)
    averages = profiler.key_averages()
    rows = [[row.key, row.count, row.self_cpu_time_total, row.cpu_time_total] for row in averages]
    assert math.isfinite(loss.item())
    print(json.dumps({'rows': rows, 'self_us': sum(row[2] for row in rows), 'loss': loss.item(),
                      'table': averages.table(sort_by='self_cpu_time_total', row_limit=10)}))


main()
