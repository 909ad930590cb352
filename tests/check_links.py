#!/usr/bin/env python3
"""Finds dead links: every relative link of every document leads to a file, and its #fragment to a heading there; every source
that src/README.md names exists.

Links to other sites are not followed: a test needs no network. Exit status 1 if a link is dead.
"""
import pathlib
import re
import subprocess
import sys

TOUR = pathlib.Path("src/README.md")
SOURCE = re.compile(r"`((?:src|jobs|analysis|python)/[\w/.-]+\.\w+)`")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)|<img [^>]*src=\"([^\"]+)\"")


def without_code(text: str) -> str:
    text = re.sub(r"^```.*?^```", lambda block: "\n" * block[0].count("\n"), text, flags=re.S | re.M)
    return re.sub(r"`[^`\n]*`", "", text)


def anchor_of(heading: str) -> str:
    """As GitHub makes it: lower case, blanks to hyphens, other marks dropped."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors_in(document: pathlib.Path) -> set[str]:
    without_blocks = re.sub(r"^```.*?^```", "", document.read_text(), flags=re.S | re.M)
    return {anchor_of(heading) for heading in re.findall(r"^#+ (.*)$", without_blocks, flags=re.M)}


def dead_links(document: pathlib.Path) -> list[str]:
    found = []
    for number, line in enumerate(without_code(document.read_text()).splitlines(), 1):
        for match in LINK.finditer(line):
            target = match[1] or match[2]
            if re.match(r"[a-z]+:", target):
                continue
            path, _, fragment = target.partition("#")
            to = (document.parent / path) if path else document
            if not to.exists():
                found.append(f"{document}:{number}: {target}: no such file")
            elif fragment and to.suffix == ".md" and fragment not in anchors_in(to):
                found.append(f"{document}:{number}: {target}: no such heading in {to}")
    return found


def dead_sources(document: pathlib.Path) -> list[str]:
    return [f"{document}:{number}: {path}: no such file" for number, line in enumerate(document.read_text().splitlines(), 1)
            for path in SOURCE.findall(line) if not pathlib.Path(path).exists()]


def main() -> int:
    listed = subprocess.run(["git", "ls-files", "*.md"], capture_output=True, text=True, check=True).stdout.split()
    documents = [pathlib.Path(name) for name in listed]
    dead = [line for document in documents if document.exists() for line in dead_links(document)] + dead_sources(TOUR)
    print("\n".join(dead) if dead else f"the links of {len(documents)} documents lead somewhere")
    return 1 if dead else 0


if __name__ == "__main__":
    sys.exit(main())
