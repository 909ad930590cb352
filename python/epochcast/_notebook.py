"""Records, tables, forecasts and pictures for Python. The program epochcast-analyze reads the records; tables come as pandas
frames, which is the only package that this needs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import warnings
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas

PROGRAM = "epochcast-analyze"


class Error(Exception):
    """What the program refused, in its own words: what it found and what it expected."""


def _program() -> str:
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    beside = [sysconfig.get_path("scripts"), os.path.join(here, "bin")]  # a virtual environment; `pip install --target`
    found = shutil.which(PROGRAM, path=os.pathsep.join(beside)) or shutil.which(PROGRAM)
    if found is None:
        raise Error(
            "found no {} in {} or on PATH; install the wheel with the programs, or add the programs to PATH".format(
                PROGRAM, " or ".join(beside)))
    return found


def _pandas() -> Any:
    try:
        import pandas
    except ImportError:
        raise Error("found no pandas, which epochcast uses for tables; to get it: pip install pandas") from None
    return pandas


def _words(options: "dict[str, Any]") -> "list[str]":
    """`by="batch", filter=["batch=64"], wide=True` as the program's options; those that are None or False are not given."""
    words = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is True:
                words.append(option)
            elif one is not None and one is not False:
                words += [option, str(one)]
    return words


def _run(*words: str) -> str:
    done = subprocess.run([_program(), *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
    notes = done.stderr.strip()
    if done.returncode != 0 and (done.returncode != 1 or not done.stdout):
        raise Error(notes.replace(PROGRAM + ": error: ", "") or "{} ended with status {}".format(PROGRAM, done.returncode))
    if notes:
        print(notes, file=sys.stderr)  # a damaged file; the rest is in the result
    return done.stdout


def _paths(records: "tuple[Any, ...]") -> "list[str]":
    return [os.fspath(path) for path in records]


class Records(SimpleNamespace):
    """The tables of records as pandas frames, all with a column `record`: `runs`, `epochs`, and each table of the record's
    schema that has rows: `iterations`, `metrics`, `telemetry`, ... Units are in the names of columns (`wall_s`)."""

    runs: pandas.DataFrame
    epochs: pandas.DataFrame

    def __repr__(self) -> str:
        tables = ", ".join("{}: {} rows".format(name, len(frame)) for name, frame in vars(self).items())
        return "Records({})".format(tables)


def read(*records: Any, filter: Any = None) -> Records:
    """Reads all tables of records.

    records: files and folders. filter: "NAME=VALUE", or several; only those records.
    Raises Error for a path that does not exist and where no record is found.
    """
    pandas = _pandas()
    with tempfile.TemporaryDirectory(prefix="epochcast.") as folder:
        _run("export", "tables", *_paths(records), "-o", folder, *_words({"filter": filter}))
        tables = {}
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            tables[os.path.splitext(name)[0]] = pandas.read_csv(path, low_memory=False, float_precision="round_trip")
    return Records(**tables)


def _frame(text: str, part: "str | None") -> pandas.DataFrame:
    tables = json.loads(text)["tables"]
    for chosen in tables:
        if part is None or chosen["name"] == part:
            columns = [column["key"] for column in chosen["columns"]]
            frame = _pandas().DataFrame(chosen["rows"], columns=columns)
            frame.attrs["title"] = chosen["title"]
            frame.attrs["notes"] = chosen["notes"]
            return frame
    raise Error("found no table {!r}, expected {}".format(part, ", ".join(one["name"] for one in tables)))


def table(name: str, *records: Any, part: "str | None" = None, **options: Any) -> pandas.DataFrame:
    """A table of `epochcast-analyze table`, with its CSV names as columns.

    part: the further table of that name; without it the first. options: those of the program, `by="batch"`,
    `filter=["batch=64", "allocation=t4"]`, `sort="total_s"`. The frame's `attrs` have the title and the notes.
    """
    return _frame(_run("table", name, *_paths(records), "--format", "json", *_words(options)), part)


def predict(*records: Any, part: "str | None" = None, **options: Any) -> pandas.DataFrame:
    """The forecast of `epochcast-analyze predict`: a row a record, with 80 % and 95 % intervals.

    options: those of the program, `epochs=90`, `on="a100_sxm4_40gb"`, `gpus=4`. part: a further table, as `part="parts"`.
    Warns of a record whose forecast is refused, with the reason.
    """
    frame = _frame(_run("predict", *_paths(records), "--format", "json", *_words(options)), part)
    for note in frame.attrs["notes"]:
        if ": refused: " in note:
            warnings.warn(note, stacklevel=2)
    return frame


class Picture:
    """A picture in SVG, which notebooks show. `save` writes it to a file."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def __repr__(self) -> str:
        return "Picture({} characters of SVG)".format(len(self.svg))

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: Any) -> None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)


def plot(name: str, *records: Any, **options: Any) -> Picture:
    """A picture of `epochcast-analyze plot`. options: those of the program, `by="batch"`, `width=700`."""
    return Picture(_run("plot", name, *_paths(records), *_words(options)))
