"""The services that tests/bench/serving compares with: FastAPI, as the study has it, around transformers or ONNX Runtime.

usage: serving_peers.py make FOLDER VOCABULARY              a model of random weights, for all services
       serving_peers.py NAME FOLDER PORT THREADS            serves it; NAME: see SERVICES

The frame is the same for all: one process of uvicorn (uvloop, httptools), the study's request and answer, models run in
FastAPI's thread pool. The study keeps its cache in Redis; this one is a dictionary in the process, which is faster.
"""
import sys
import time
from pathlib import Path

TEXT_LIMIT = 512  # tokens
CACHE_S = 60


def make(folder, vocabulary):
    import torch
    import transformers
    torch.manual_seed(1)
    config = transformers.DistilBertConfig(id2label={0: 'NEGATIVE', 1: 'POSITIVE'}, label2id={'NEGATIVE': 0, 'POSITIVE': 1},
                                           attn_implementation='eager')
    model = transformers.DistilBertForSequenceClassification(config).eval()
    with torch.no_grad():
        model.classifier.weight *= 50  # random weights give all texts nearly the same answer
    model.save_pretrained(folder)
    tokenizer = transformers.DistilBertTokenizerFast(vocab_file=vocabulary, model_max_length=TEXT_LIMIT)
    tokenizer.save_pretrained(folder)
    (Path(folder) / 'vocab.txt').write_bytes(Path(vocabulary).read_bytes())
    example = tokenizer(['a text', 'another, longer text'], padding=True, return_tensors='pt')
    axes = {0: 'texts', 1: 'tokens'}
    torch.onnx.export(model, (example['input_ids'], example['attention_mask']), f'{folder}/model.onnx', dynamo=False,
                      input_names=['input_ids', 'attention_mask'], output_names=['logits'], opset_version=17,
                      dynamic_axes={'input_ids': axes, 'attention_mask': axes, 'logits': {0: 'texts'}})


def by_transformers(folder, threads, batched):
    """The study's: pipeline() of transformers, which runs the texts of a request one by one unless told otherwise."""
    import torch
    import transformers
    torch.set_num_threads(threads)
    pipeline = transformers.pipeline('text-classification', model=folder, tokenizer=folder, device=-1, top_k=None)
    labels = list(pipeline.model.config.id2label.values())

    def answer(texts):
        rows = pipeline(texts, truncation=True, batch_size=len(texts) if batched else 1)
        return [sorted(row, key=lambda pair: labels.index(pair['label'])) for row in rows]
    return answer


def by_onnxruntime(folder, threads):
    """All texts of a request in one batch, padded to its longest."""
    import json

    import numpy
    import onnxruntime
    from tokenizers import Tokenizer
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    session = onnxruntime.InferenceSession(f'{folder}/model.onnx', options, providers=['CPUExecutionProvider'])
    tokenizer = Tokenizer.from_file(f'{folder}/tokenizer.json')
    tokenizer.enable_padding()
    tokenizer.enable_truncation(TEXT_LIMIT)
    labels = list(json.loads((Path(folder) / 'config.json').read_text())['id2label'].values())

    def answer(texts):
        encoded = tokenizer.encode_batch(texts)
        feeds = {'input_ids': numpy.array([text.ids for text in encoded]),
                 'attention_mask': numpy.array([text.attention_mask for text in encoded])}
        logits = session.run(None, feeds)[0]
        powers = numpy.exp(logits - logits.max(axis=1, keepdims=True))
        scores = powers / powers.sum(axis=1, keepdims=True)
        return [[{'label': label, 'score': float(score)} for label, score in zip(labels, row)] for row in scores]
    return answer


SERVICES = {'transformers': lambda folder, threads: by_transformers(folder, threads, batched=False),
            'transformers_batched': lambda folder, threads: by_transformers(folder, threads, batched=True),
            'onnxruntime': by_onnxruntime}


def serve(name, folder, port, threads):
    import uvicorn
    from fastapi import FastAPI, Response
    from pydantic import BaseModel, ConfigDict
    from starlette.concurrency import run_in_threadpool

    class SentimentRequest(BaseModel):
        model_config = ConfigDict(extra='forbid')
        text: list[str]

    class Sentiment(BaseModel):
        label: str
        score: float

    class SentimentResponse(BaseModel):
        predictions: list[list[Sentiment]]

    answer = SERVICES[name](folder, threads)
    answer(['A service warms up before it says that it is ready.'])
    app = FastAPI()
    kept = {}  # texts: time of expiry, answer

    @app.get('/health')
    async def health():
        return {'status': 'healthy'}

    @app.post('/predict', response_model=SentimentResponse)
    async def predict(request: SentimentRequest, response: Response):
        key = tuple(request.text)
        now = time.monotonic()
        found = kept.get(key)
        if found and found[0] > now:
            response.headers['X-MLAPI-Cache'] = 'HIT'
            return found[1]
        result = {'predictions': await run_in_threadpool(answer, request.text)}
        for old in list(kept) if len(kept) > 10000 else []:
            del kept[old]
        kept[key] = (now + CACHE_S, result)
        response.headers['X-MLAPI-Cache'] = 'MISS'
        return result

    uvicorn.run(app, host='127.0.0.1', port=port, log_level='error', access_log=False)


if sys.argv[1] == 'make':
    make(*sys.argv[2:])
else:
    serve(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
