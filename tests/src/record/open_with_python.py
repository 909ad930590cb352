"""Opens a record with h5py and pandas alone and compares all of it with the JSON lines beside it.

usage: open_with_python.py RECORD.h5
"""
import json
import sys

import h5py
import pandas


def plain(value):
    """A value of HDF5 as JSON has it; text of a fixed size arrives as bytes."""
    return value.decode() if isinstance(value, bytes) else value.item() if hasattr(value, "item") else value


path = sys.argv[1]
lines = [json.loads(line) for line in open(path[: -len(".h5")] + ".jsonl", encoding="utf-8")]
compared = 0
with h5py.File(path) as record:
    header = [line for line in lines if line["table"] == "header"][-1]
    for name, value in header.items():
        if name not in ("table", "crc32"):
            assert plain(plain(record.attrs[name])) == value, name
    for name in record:
        expected = [line for line in lines if line["table"] == name]
        if name == "modules":
            assert plain(record[name][()]) == expected[-1]["text"]
            continue
        table = record[name]
        frame = pandas.DataFrame(table[:])
        units = json.loads(plain(table.attrs["units"]))
        meanings = json.loads(plain(table.attrs["meanings"]))
        assert plain(table.attrs["meaning"]), name
        assert list(frame.columns) == list(units) == list(meanings), name
        assert len(frame) == len(expected) > 0, name
        for (_, row), line in zip(frame.iterrows(), expected):
            for column in frame.columns:
                assert plain(row[column]) == line[column], (name, column, row[column], line[column])
                compared += 1
print(f"compared {compared} values")
