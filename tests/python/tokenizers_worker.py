"""The side of the package `tokenizers` in tests/bench/tokenizers.

usage: tokenizers_worker.py NAME FILES TABLE TEXT
FILES are separated by ':', TEXT is a column of the TABLE. Says how many tokens a pass has, then for every line N on
stdin does N passes and prints their seconds.
"""
import csv
import sys
import time

from tokenizers_reference import byte_bpe, wordpiece


def main():
    name, files, table, text = sys.argv[1:]
    tokenizer = {'wordpiece': wordpiece, 'byte_bpe': byte_bpe}[name](*files.split(':'))
    tokenizer.enable_truncation(512)
    with open(table, newline='', encoding='utf-8') as file:
        style = {'delimiter': '\t', 'quoting': csv.QUOTE_NONE} if table.endswith('.tsv') else {}
        texts = [row[text] for row in csv.DictReader(file, **style)]

    def tokens_of_pass():
        # Without offsets into the text, which nothing here asks for: the package's fastest way.
        return sum(map(len, tokenizer.encode_batch_fast(texts)))

    print(tokens_of_pass(), flush=True)
    for line in sys.stdin:
        start = time.monotonic()
        for _ in range(int(line)):
            tokens_of_pass()
        print(time.monotonic() - start, flush=True)


main()
