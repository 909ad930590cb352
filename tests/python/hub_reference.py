"""The published classifiers in transformers, with weights that the C++ test exported and with weights of their own.

usage: hub_reference.py FOLDER...
Every folder holds case.json (model, its options, optimizer options, steps), ours.safetensors and batch.safetensors. Left
there: theirs.safetensors (logits of our weights; losses of AdamW steps from them; logits of the weights in hub/) and hub/,
as save_pretrained lays it out.
"""
import json
import pathlib
import sys

import torch
import transformers
from safetensors.torch import load_file, save_file
from transformers.trainer_pt_utils import get_parameter_names

NOT_DECAYING = [r'bias', r'layernorm', r'rmsnorm', r'(?:^|\.)norm(?:$|\.)', r'_norm(?:$|\.)']  # Trainer's


def bert_config(o):
    return dict(vocab_size=o['vocabulary'], hidden_size=o['hidden'], num_hidden_layers=o['layers'],
                num_attention_heads=o['heads'], intermediate_size=o['intermediate'], num_labels=o['labels'],
                max_position_embeddings=o['positions'], hidden_dropout_prob=0, attention_probs_dropout_prob=0)


def roberta_config(o):
    return bert_config(o) | dict(type_vocab_size=1, layer_norm_eps=1e-5, pad_token_id=1)


def distilbert_config(o):
    return dict(vocab_size=o['vocabulary'], dim=o['hidden'], n_layers=o['layers'], n_heads=o['heads'],
                hidden_dim=o['intermediate'], max_position_embeddings=o['positions'], num_labels=o['labels'],
                dropout=0, attention_dropout=0, seq_classif_dropout=0)


def vit_config(o):
    return dict(hidden_size=o['hidden'], num_hidden_layers=o['layers'], num_attention_heads=o['heads'],
                intermediate_size=4 * o['hidden'], image_size=o['size'], num_labels=o['labels'])


def convnext_config(o):
    return dict(depths=[int(d) for d in o['depths'].split(',')], hidden_sizes=[o['width'] << i for i in range(4)],
                image_size=o['size'], num_labels=o['labels'])


FAMILIES = {
    'bert': ('BertForSequenceClassification', bert_config),
    'tinybert': ('BertForSequenceClassification', bert_config),
    'minilm': ('BertForSequenceClassification', bert_config),
    'roberta': ('RobertaForSequenceClassification', roberta_config),
    'distilbert': ('DistilBertForSequenceClassification', distilbert_config),
    'vit_base': ('ViTForImageClassification', vit_config),
    'deit_tiny': ('ViTForImageClassification', vit_config),
    'deit_small': ('ViTForImageClassification', vit_config),
    'deit_base': ('ViTForImageClassification', vit_config),
    'deit_tiny_distilled': ('DeiTForImageClassificationWithTeacher', vit_config),
    'deit_base_distilled': ('DeiTForImageClassificationWithTeacher', vit_config),
    'convnext_tiny': ('ConvNextForImageClassification', convnext_config),
    'convnext_small': ('ConvNextForImageClassification', convnext_config),
    'convnextv2_nano': ('ConvNextV2ForImageClassification', convnext_config),
    'convnextv2_tiny': ('ConvNextV2ForImageClassification', convnext_config),
}


def number(text):
    return int(text) if text.isdigit() else text


def make_model(case):
    name, config = FAMILIES[case['model']]
    options = {key: number(value) for key, value in case['options'].items()}
    cls = getattr(transformers, name)
    return cls(cls.config_class(**config(options), attn_implementation='eager'))


def logits_of(model, batch):
    if batch['inputs'].dtype == torch.int64:
        return model(input_ids=batch['inputs'], attention_mask=batch['mask'].long()).logits
    return model(pixel_values=batch['inputs']).logits


def groups_of(model, weight_decay):
    """The parameters of `model` in the groups of Trainer, for AdamW."""
    decaying = get_parameter_names(model, [torch.nn.LayerNorm], NOT_DECAYING)
    return [dict(params=[p for n, p in model.named_parameters() if (n in decaying) == decays],
                 weight_decay=float(weight_decay) if decays else 0.0) for decays in (True, False)]


def losses_of(model, batch, case):
    options = case['optimizer']
    optimizer = torch.optim.AdamW(groups_of(model, options['weight_decay']), lr=float(options['learning_rate']),
                                  betas=(float(options['beta1']), float(options['beta2'])),
                                  eps=float(options['epsilon']))
    losses = []
    for _ in range(case['steps']):
        loss = torch.nn.functional.cross_entropy(logits_of(model, batch), batch['labels'])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return torch.tensor(losses)


def redraw(model):
    """Every parameter away from its initial value, the zeros and ones of norms and biases too."""
    torch.manual_seed(5)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter), alpha=0.05)


def answer(folder):
    case = json.loads((folder / 'case.json').read_text())
    batch = load_file(folder / 'batch.safetensors')
    model = make_model(case)
    model.load_state_dict(load_file(folder / 'ours.safetensors'), strict=True)
    model.eval()
    with torch.no_grad():
        logits = logits_of(model, batch)
    losses = losses_of(model.train(), batch, case)
    redraw(model.eval())
    model.save_pretrained(folder / 'hub')
    with torch.no_grad():
        hub_logits = logits_of(model, batch)
    save_file({'logits': logits, 'losses': losses, 'hub_logits': hub_logits}, folder / 'theirs.safetensors')


if __name__ == '__main__':
    torch.set_num_threads(1)
    for path in sys.argv[1:]:
        answer(pathlib.Path(path))
