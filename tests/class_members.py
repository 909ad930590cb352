#!/usr/bin/env python3
"""No class has more than 12 mutable members or 4 bools, but for a list of exceptions that shrinks.

usage: tests/class_members.py           prints every class above; exit status 1 if there is one
       tests/class_members.py --table   members, bools and place of every class that keeps state, the largest first

A class keeps state between calls if it has a member function that is neither const nor static (constructors, destructors and
assignments aside), or a member whose name ends in an underscore; other structs only carry data, and are not counted.
Mutable are data members that are not const, static or references. Where one is of a nested struct that only carries data (also
behind std::optional, std::unique_ptr or std::shared_ptr), the members of that struct count in its place.
Not counted: members of base classes, and of structs from outside the class (a member of such a type is one).
"""
import collections
import itertools
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOST_MEMBERS, MOST_BOOLS = 12, 4

# file | class | the most members and bools
EXCEPTIONS = """
analysis/table_parts/ledger_tally.hpp | LedgerTally | 15 0
analysis/tables/cost.cpp | CostSum | 14 0
src/forecast/run/observed_run.hpp | ObservedRun | 26 2
src/measure/events/epochcast/events.hpp | Training | 15 4
src/measure/telemetry/counter_reader.hpp | CounterReader | 22 1
src/runner/attempt.cpp | CommandRun | 14 1
src/runner/limit.hpp | Limit | 13 4
src/runner/recorder.hpp | CommandRecorder | 15 2
src/serving/load/generator.hpp | Generator | 19 1
src/training/image/loader.hpp | ImageLoader | 13 0
src/training/torch/families/transformer_layer.hpp | TransformerLayerImpl | 13 0
src/training/torch/run/inference.cpp | Inference | 22 2
src/training/torch/run/workload.cpp | Training | 20 2
"""

TOKEN = re.compile(r"""R"([^(\s]*)\(.*?\)\1" | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])+' | //[^\n]* | /\*.*?\*/
    | ^[ \t]*\#(?:\\\n|[^\n])* | [A-Za-z_]\w* | \d[\w.']* | :: | -> | \S""", re.X | re.S | re.M)
CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}
CLASS = ("class", "struct", "union")
BOOL = re.compile(r"(?:std::)?(?:bool|atomic_bool|(?:atomic|optional)<bool>)")
VALUE = re.compile(r"[=:]$|\{")  # begins after the name of a member
TO_FUNCTION = re.compile(r"\((?:[\w:]+::)?\*")  # a pointer


def parameters_at(items):
    """The place of a function's parameters in its declaration; None: it declares something else."""
    end = items.index("=") if "=" in items and "operator" not in items else len(items)
    at = next((at for at, item in enumerate(items[:end]) if item.startswith("(")), None)
    return None if at is None or TO_FUNCTION.match(items[at]) else at


class Class:
    def __init__(self, path, line):
        self.path, self.line, self.keeps_state, self.members = path, line, False, []  # members: their types

    def add(self, items):
        """A declaration without its ';' or body; what stands in brackets is one item."""
        items = [item for item in items if not item.startswith("[")]
        items = items[2:] if items[:1] == ["template"] else items
        if items[:1] == ["enum"]:
            items = ["enum", *items[next((at + 1 for at, item in enumerate(items) if item.startswith("{")), len(items)):]]
        if not items or items[0] in ("using", "typedef", "friend", "static_assert") or "static" in items:
            return
        if at := parameters_at(items):
            of_life = items[at - 1] == self.path.split("::")[-1] or items[at - 2:at] == ["operator", "="]
            after = itertools.takewhile(lambda item: item != "->", items[at:])
            self.keeps_state |= not (of_life or "const" in after)
        elif len(items) > 1 + (items[0] in CLASS):  # else a nested class, or "public"
            self.add_data(items)

    def add_data(self, items):
        kind = []
        for name in (list(name) for is_comma, name in itertools.groupby(items, lambda item: item == ",") if not is_comma):
            whole = kind + list(itertools.takewhile(lambda item: not VALUE.match(item), name))
            kind = kind or whole[:-1]
            self.keeps_state |= whole[-1].endswith("_")
            own = whole[len(whole) - whole[::-1].index("*"):] if "*" in whole else whole
            if "&" not in whole and "const" not in own:
                self.members.append("".join(item for item in whole[:-1] if item != "mutable"))


class File:
    def __init__(self, text):
        found = [match for match in TOKEN.finditer(text) if not re.match(r"//|/\*|[ \t]*#", match[0])]
        self.tokens = [match[0] for match in found]
        self.line = lambda at: 1 + text.count("\n", 0, found[at].start())
        self.classes = []
        self.scan(0, len(self.tokens))

    def scan(self, at, end):
        while at < end:
            body = self.class_body(at)
            at = self.read_class(at, body, []) if body else at + 1

    def close(self, at):
        """The place behind the bracket that closes that at `at`."""
        opening, closing = self.tokens[at], CLOSING[self.tokens[at]]
        depths = itertools.accumulate((token == opening) - (token == closing) for token in self.tokens[at:])
        return next((to for to, depth in enumerate(depths, at + 1) if depth == 0), len(self.tokens))

    def class_body(self, at):
        """The place of the '{' of the class that begins at `at`; None: none does."""
        if self.tokens[at] not in CLASS or self.tokens[at - 1:at] == ["enum"]:
            return None
        head = re.match(r"(?:\w+ (?::: \w+ )*)?(?:final )?(?:[:<] [^;()]*?)?\{", " ".join(self.tokens[at + 1:at + 60]))
        return at + 1 + head[0].count(" ") if head else None

    def read_class(self, at, body, outer):
        name = "".join(itertools.takewhile(lambda token: token not in (":", "<", "final"), self.tokens[at + 1:body]))
        path = [*outer, name or "(unnamed)"]
        new = Class("::".join(path), self.line(at))
        self.classes.append(new)
        at, items = body + 1, []
        while at < len(self.tokens) and self.tokens[at] != "}":
            token, begin, at = self.tokens[at], at, at + 1
            if inner := self.class_body(begin):
                at = self.read_class(begin, inner, path)
                items = [self.tokens[begin + 1] if inner > begin + 1 else "(unnamed)"]
            elif token == ";" or (token == ":" and len(items) == 1):  # or "public:"
                new.add(items)
                items = []
            elif token in "([{" or (token == "<" and "=" not in items and items[-1:] != ["operator"]):
                at = self.close(begin)
                self.scan(begin + 1, at)
                items.append("".join(self.tokens[begin:at]))
                # the body of a function, not the '{' of a constructor's ": a_{1}"
                if token == "{" and parameters_at(items) and not (":" in items and re.match(r"\w|<", items[-2])):
                    new.add(items[:-1])
                    items = []
            else:
                items.append(token)
        return at + 1


def count(one, nested):
    """Members and bools of a class, with those of its nested structs that only carry data."""
    members = bools = 0
    for kind in one.members:
        held = re.sub(r"^std::(?:optional|unique_ptr|shared_ptr)<(.*)>$", r"\1", kind)
        scopes = itertools.accumulate(one.path.split("::"), "{}::{}".format)
        inner = [nested[path] for path in (f"{scope}::{held}" for scope in scopes) if path in nested][-1:]
        is_data = inner and not inner[0].keeps_state and inner[0] is not one
        more = count(inner[0], nested) if is_data else (1, BOOL.fullmatch(kind) is not None)
        members, bools = members + more[0], bools + more[1]
    return members, bools


def counts(tree):
    """(members, bools, file, line, class) of every class that keeps state."""
    files = sorted(file for top in ("src", "jobs", "analysis") for file in (tree / top).rglob("*.[ch]pp"))
    classes = [(file, one) for file in files for one in File(file.read_text(errors="replace")).classes]
    nested = collections.defaultdict(dict)  # of a folder: a class may be in another file than its nested ones
    for file, one in classes:
        nested[file.parent][one.path] = one
    return [(*count(one, nested[file.parent]), str(file.relative_to(tree)), one.line, one.path)
            for file, one in classes if one.keeps_state]


def complaints(tree, exceptions):
    rows = [row.split(" | ") for row in exceptions.strip().splitlines()]
    listed = {(file, name): [int(most) for most in limits.split()] for file, name, limits in rows}
    for members, bools, file, line, name in counts(tree):
        is_listed = (file, name) in listed
        most, most_bools = listed.pop((file, name), (MOST_MEMBERS, MOST_BOOLS))
        has = f"{file}:{line}: {name} has {members} mutable members and {bools} bools"
        if members > most or bools > most_bools:
            yield f"{has}, more than {most} or {most_bools}"
        elif is_listed and members <= MOST_MEMBERS and bools <= MOST_BOOLS:
            yield f"{has}: its exception may go"
    yield from (f"{file}: {name} is an exception, but no class that keeps state" for file, name in listed)


def main(arguments):
    if arguments == ["--table"]:
        for members, bools, file, line, name in sorted(counts(ROOT), key=lambda row: (-row[0], -row[1], row)):
            print(f"{members:3} {bools:2}  {name}  {file}:{line}")
        return 0
    found = list(complaints(ROOT, EXCEPTIONS))
    print("\n".join(found) or "no class is above its limits")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
