#!/usr/bin/env python3
"""The packages that cmake/Dependencies.cmake names are those that the lists in env/ install."""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LISTS = {'DEBIAN': 'env/debian-packages.txt', 'CONDA': 'env/environment.yml', 'SPACK': 'env/spack.yaml'}
text = (ROOT / 'cmake/Dependencies.cmake').read_text()
calls = re.findall(r'^ *epochcast_dependency\((\w\S*) (.*?)\)', text, re.M | re.S)
assert len(calls) >= 10, 'the calls in cmake/Dependencies.cmake are not recognised'
failed = False
for package, words in calls:
    for system, path in LISTS.items():
        names = re.search(system + r'\s+("[^"]*"|\S+)', words)[1].strip('"').split(';')
        for name in names:
            if not re.search(r'(^|\s)' + re.escape(name) + r'(\s|$)', (ROOT / path).read_text()):
                print(f'{package}: {path} does not name {name}, as cmake/Dependencies.cmake does')
                failed = True
sys.exit(failed)
