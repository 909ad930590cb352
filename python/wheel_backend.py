"""Builds the wheel of this folder, for pip (PEP 517). A few pure Python files need no build tool, and so pip downloads
none, writes nothing into this folder, and works without network."""

import base64
import hashlib
import io
import os
import re
import tarfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))


def _project():
    with open(os.path.join(HERE, "pyproject.toml"), encoding="utf-8") as file:
        return dict(re.findall(r'^([a-z-]+) = "(.*)"$', file.read(), re.MULTILINE))


def _files(folder):
    for name in sorted(os.listdir(os.path.join(HERE, folder))):
        if name.endswith(".py"):
            yield folder + "/" + name


def _read(path):
    with open(os.path.join(HERE, path), "rb") as file:
        return file.read()


def _metadata(project):
    return (
        "Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nSummary: {description}\n"
        "Requires-Python: {requires-python}\n"
    ).format(**project)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    project = _project()
    info = "{name}-{version}.dist-info".format(**project)
    contents = {path: _read(path) for path in _files("epochcast")}
    contents[info + "/METADATA"] = _metadata(project).encode()
    contents[info + "/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: epochcast\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    record = ""
    for path, content in contents.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += "{},sha256={},{}\n".format(path, digest, len(content))
    contents[info + "/RECORD"] = (record + info + "/RECORD,,\n").encode()
    name = "{name}-{version}-py3-none-any.whl".format(**project)
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in contents.items():
            wheel.writestr(zipfile.ZipInfo(path), content)
    return name


def build_sdist(sdist_directory, config_settings=None):
    project = _project()
    stem = "{name}-{version}".format(**project)
    with tarfile.open(os.path.join(sdist_directory, stem + ".tar.gz"), "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for path in ["pyproject.toml", "wheel_backend.py", *_files("epochcast")]:
            content = _read(path)
            entry = tarfile.TarInfo(stem + "/" + path)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
        content = _metadata(project).encode()
        entry = tarfile.TarInfo(stem + "/PKG-INFO")
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))
    return stem + ".tar.gz"
