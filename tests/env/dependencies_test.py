#!/usr/bin/env python3
"""The packages that cmake/Dependencies.cmake names are those that env/debian-packages.txt installs."""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
installed = (ROOT / 'env/debian-packages.txt').read_text()
text = (ROOT / 'cmake/Dependencies.cmake').read_text()
calls = re.findall(r'^ *epochcast_dependency\((\w\S*) (.*?)\)', text, re.M | re.S)
assert len(calls) >= 10, 'the calls in cmake/Dependencies.cmake are not recognised'
failed = False
for package, words in calls:
    for name in re.search(r'DEBIAN\s+("[^"]*"|\S+)', words)[1].strip('"').split(';'):
        if not re.search(r'(^|\s)' + re.escape(name) + r'(\s|$)', installed):
            print(f'{package}: env/debian-packages.txt does not name {name}, as cmake/Dependencies.cmake does')
            failed = True
sys.exit(failed)
