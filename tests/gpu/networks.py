"""The networks of tests/gpu/campaign in plain PyTorch, with the parameter names that both sides use.

A machine with a GPU has torch in its Python, and perhaps nothing else: so no transformers, no safetensors.
"""
import json
import struct
import sys
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'python'))
import classifier_reference  # noqa: E402
import dcgan_reference  # noqa: E402,F401

TYPES = {'F64': torch.float64, 'F32': torch.float32, 'I64': torch.int64, 'BOOL': torch.bool, 'U8': torch.uint8}


def load_safetensors(path):
    data = Path(path).read_bytes()
    start = 8 + struct.unpack('<Q', data[:8])[0]
    tensors = {}
    for name, entry in json.loads(data[8:start]).items():
        if name != '__metadata__':
            first, last = entry['data_offsets']
            flat = torch.frombuffer(bytearray(data[start + first:start + last]), dtype=TYPES[entry['dtype']])
            tensors[name] = flat.reshape(entry['shape']).clone()
    return tensors


def attention(query, key, value, heads, mask=None):
    batch, length, hidden = query.shape
    split = [x.view(batch, length, heads, hidden // heads).transpose(1, 2) for x in (query, key, value)]
    return F.scaled_dot_product_attention(*split, attn_mask=mask).transpose(1, 2).reshape(batch, length, hidden)


class Attention(nn.Module):
    def __init__(self, hidden, heads, names):
        super().__init__()
        self.heads, self.names = heads, names
        for name in names:
            setattr(self, name, nn.Linear(hidden, hidden))

    def forward(self, x, mask=None):
        return attention(*(getattr(self, name)(x) for name in self.names[:3]), self.heads, mask)


class Holder(nn.Module):
    """A module that only names others: Holder(dense=nn.Linear(2, 2))"""

    def __init__(self, **modules):
        super().__init__()
        for name, module in modules.items():
            setattr(self, name, module)


class DistilBertLayer(nn.Module):
    def __init__(self, hidden, heads, intermediate):
        super().__init__()
        self.attention = Attention(hidden, heads, ('q_lin', 'k_lin', 'v_lin', 'out_lin'))
        self.sa_layer_norm = nn.LayerNorm(hidden, eps=1e-12)
        self.ffn = Holder(lin1=nn.Linear(hidden, intermediate), lin2=nn.Linear(intermediate, hidden))
        self.output_layer_norm = nn.LayerNorm(hidden, eps=1e-12)

    def forward(self, x, mask):
        x = self.sa_layer_norm(self.attention.out_lin(self.attention(x, mask)) + x)
        return self.output_layer_norm(self.ffn.lin2(F.gelu(self.ffn.lin1(x))) + x)


class DistilBert(nn.Module):
    """Without dropout: the parity checks set it to 0."""

    def __init__(self, layers, hidden, heads, intermediate, vocabulary, positions, labels, **_):
        super().__init__()
        self.distilbert = Holder(
            embeddings=Holder(word_embeddings=nn.Embedding(vocabulary, hidden),
                              position_embeddings=nn.Embedding(positions, hidden), LayerNorm=nn.LayerNorm(hidden, eps=1e-12)),
            transformer=Holder(layer=nn.ModuleList(DistilBertLayer(hidden, heads, intermediate) for _ in range(layers))))
        self.pre_classifier = nn.Linear(hidden, hidden)
        self.classifier = nn.Linear(hidden, labels)

    def forward(self, tokens, mask=None):
        embeddings = self.distilbert.embeddings
        places = torch.arange(tokens.shape[1], device=tokens.device)
        x = embeddings.LayerNorm(embeddings.word_embeddings(tokens) + embeddings.position_embeddings(places))
        mask = None if mask is None else mask[:, None, None, :]
        for layer in self.distilbert.transformer.layer:
            x = layer(x, mask)
        return self.classifier(F.relu(self.pre_classifier(x[:, 0])))


class VitLayer(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        self.attention = Holder(attention=Attention(hidden, heads, ('query', 'key', 'value')),
                                output=Holder(dense=nn.Linear(hidden, hidden)))
        self.intermediate = Holder(dense=nn.Linear(hidden, 4 * hidden))
        self.output = Holder(dense=nn.Linear(4 * hidden, hidden))
        self.layernorm_before = nn.LayerNorm(hidden, eps=1e-12)
        self.layernorm_after = nn.LayerNorm(hidden, eps=1e-12)

    def forward(self, x):
        x = self.attention.output.dense(self.attention.attention(self.layernorm_before(x))) + x
        return self.output.dense(F.gelu(self.intermediate.dense(self.layernorm_after(x)))) + x


class Vit(nn.Module):
    def __init__(self, layers, hidden, heads, size, labels, **_):
        super().__init__()
        patch = 16
        embeddings = Holder(patch_embeddings=Holder(projection=nn.Conv2d(3, hidden, patch, stride=patch)))
        embeddings.cls_token = nn.Parameter(torch.zeros(1, 1, hidden))
        embeddings.position_embeddings = nn.Parameter(torch.zeros(1, (size // patch) ** 2 + 1, hidden))
        self.vit = Holder(embeddings=embeddings, encoder=Holder(layer=nn.ModuleList(VitLayer(hidden, heads) for _ in range(layers))),
                          layernorm=nn.LayerNorm(hidden, eps=1e-12))
        self.classifier = nn.Linear(hidden, labels)

    def forward(self, images, mask=None):
        embeddings = self.vit.embeddings
        x = embeddings.patch_embeddings.projection(images).flatten(2).transpose(1, 2)
        x = torch.cat([embeddings.cls_token.expand(len(x), -1, -1), x], 1) + embeddings.position_embeddings
        for layer in self.vit.encoder.layer:
            x = layer(x)
        return self.classifier(self.vit.layernorm(x)[:, 0])


def number(text):
    return float(text) if '.' in text else int(text)


def make_classifier(case):
    """The network of case.json (tests/bench/case.cpp)."""
    name, options = case['model'], case['options']
    if name in ('mlp', 'wide_resnet'):
        return classifier_reference.make_net(name, options)
    return {'distilbert': DistilBert, 'deit_tiny': Vit}[name](**{key: number(value) for key, value in options.items()})
