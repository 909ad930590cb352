"""Token ids as the package `tokenizers` gives them: the settings of BERT's uncased models and of RoBERTa.

usage: tokenizers_reference.py NAME OUT MAX_LENGTH FILE... < TEXTS
NAME is wordpiece (FILE: vocab.txt) or byte_bpe (FILEs: vocab.json merges.txt). TEXTS: for every text the number of its
bytes (4 bytes, little-endian) and the bytes; OUT: for every text the number of its ids and the ids, likewise.
"""
import struct
import sys

from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers, processors


def wordpiece(vocabulary):
    tokenizer = Tokenizer(models.WordPiece.from_file(vocabulary, unk_token='[UNK]', max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer(clean_text=True, handle_chinese_chars=True, strip_accents=None,
                                                      lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.add_special_tokens(['[UNK]', '[SEP]', '[PAD]', '[CLS]', '[MASK]'])
    frame = [(token, tokenizer.token_to_id(token)) for token in ('[SEP]', '[CLS]')]
    tokenizer.post_processor = processors.BertProcessing(*frame)
    return tokenizer


def byte_bpe(vocabulary, merges):
    tokenizer = Tokenizer(models.BPE.from_file(vocabulary, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.add_special_tokens(['<s>', '<pad>', '</s>', '<unk>', AddedToken('<mask>', lstrip=True, normalized=False)])
    frame = [(token, tokenizer.token_to_id(token)) for token in ('</s>', '<s>')]
    tokenizer.post_processor = processors.RobertaProcessing(*frame, add_prefix_space=False)
    return tokenizer


def texts_in(stream):
    while size := stream.read(4):
        yield stream.read(struct.unpack('<I', size)[0]).decode('utf-8', errors='replace')


def main():
    name, out, max_length, *files = sys.argv[1:]
    tokenizer = {'wordpiece': wordpiece, 'byte_bpe': byte_bpe}[name](*files)
    tokenizer.enable_truncation(int(max_length))
    with open(out, 'wb') as file:
        for encoding in tokenizer.encode_batch(list(texts_in(sys.stdin.buffer))):
            file.write(struct.pack(f'<{len(encoding.ids) + 1}I', len(encoding.ids), *encoding.ids))


if __name__ == '__main__':
    main()
