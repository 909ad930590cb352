"""Builds the wheels, for pip (PEP 517) and for the build of the programs. A few Python files need no build tool, and so
pip downloads none, writes nothing into this folder, and works without network.

`pip install ./python` gives the package alone. `wheel_backend.py ARCHIVE DIRECTORY` writes the wheel that users install:
the package and the programs of the archive (cmake/Package.cmake), which bring their own loader and libraries, and so use
nothing of the system but its kernel: that is what the tag manylinux_2_17 says.
"""

import base64
import hashlib
import io
import os
import re
import sys
import tarfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS_TAG = "py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64"

# pip's `epochcast[train]`: the LibTorch of the archive's trainers (env/torch-*.txt); older Pythons have no torch 2.11.
EXTRAS = """Provides-Extra: train
Requires-Dist: torch==2.11.*; extra == "train" and python_version >= "3.10"
Requires-Dist: torch==2.7.*; extra == "train" and python_version < "3.10"
Provides-Extra: notebook
Requires-Dist: pandas; extra == "notebook"
"""

SCRIPT = """#!/bin/sh
file=$(command -p readlink -f "$0")  # uv and pipx link to this file from another folder
exec "${{file%/*}}/../libexec/epochcast/launcher" {name} "$@"
"""


def _project():
    with open(os.path.join(HERE, "pyproject.toml"), encoding="utf-8") as file:
        return dict(re.findall(r'^([a-z-]+) = "(.*)"$', file.read(), re.MULTILINE))


def _files(folder):
    for name in sorted(os.listdir(os.path.join(HERE, folder))):
        if name.endswith((".py", ".typed")):
            yield folder + "/" + name


def _read(path):
    with open(os.path.join(HERE, path), "rb") as file:
        return file.read()


def _metadata(project):
    return (
        "Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nSummary: {description}\n"
        "Requires-Python: {requires-python}\n"
    ).format(**project) + EXTRAS


def _write_wheel(directory, tag, more=()):
    """Writes the package and `more`, triples of path, content and whether it is executable; returns the file's name."""
    project = _project()
    stem = "{name}-{version}".format(**project)
    info = stem + ".dist-info"
    pure = str(tag == "py3-none-any").lower()
    python, _, platforms = tag.rpartition("-")
    tags = "".join("Tag: {}-{}\n".format(python, platform) for platform in platforms.split("."))
    contents = [(path, _read(path), False) for path in _files("epochcast")]
    contents += more
    contents.append((info + "/METADATA", _metadata(project).encode(), False))
    contents.append((info + "/WHEEL", "Wheel-Version: 1.0\nGenerator: epochcast\nRoot-Is-Purelib: {}\n{}".format(pure, tags).encode(), False))
    record = ""
    for path, content, _ in contents:
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += "{},sha256={},{}\n".format(path, digest, len(content))
    contents.append((info + "/RECORD", (record + info + "/RECORD,,\n").encode(), False))
    name = "{}-{}.whl".format(stem, tag)
    with zipfile.ZipFile(os.path.join(directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content, executable in contents:
            entry = zipfile.ZipInfo(path)
            entry.external_attr = (0o100755 if executable else 0o100644) << 16
            wheel.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return _write_wheel(wheel_directory, "py3-none-any")


def build_programs_wheel(archive, wheel_directory):
    """The wheel of the package and of the programs in `archive`, the file that the target 'package' builds."""
    data = "{name}-{version}.data/".format(**_project())
    more = []
    with tarfile.open(archive) as files:
        for entry in files:
            path = entry.name.partition("/")[2]
            if entry.issym() and path.startswith("bin/"):
                name = path[len("bin/"):]
                more.append((data + "scripts/" + name, SCRIPT.format(name=name).encode(), True))
            elif entry.isfile() and not path.startswith("share/epochcast/python/"):
                more.append((data + "data/" + path, files.extractfile(entry).read(), bool(entry.mode & 0o100)))
            elif not entry.isdir() and not entry.isfile():
                raise ValueError("{}: {} is a link, which a wheel cannot have".format(archive, entry.name))
    return _write_wheel(wheel_directory, PROGRAMS_TAG, more)


def build_sdist(sdist_directory, config_settings=None):
    project = _project()
    stem = "{name}-{version}".format(**project)
    with tarfile.open(os.path.join(sdist_directory, stem + ".tar.gz"), "w:gz", format=tarfile.PAX_FORMAT) as archive:
        contents = {path: _read(path) for path in ["pyproject.toml", "wheel_backend.py", *_files("epochcast")]}
        contents["PKG-INFO"] = _metadata(project).encode()
        for path, content in contents.items():
            entry = tarfile.TarInfo(stem + "/" + path)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return stem + ".tar.gz"


if __name__ == "__main__":
    print(build_programs_wheel(*sys.argv[1:]))
