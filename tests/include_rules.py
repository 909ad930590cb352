#!/usr/bin/env python3
"""Which folder may include which, and which file alone may include a library's headers.

usage: tests/include_rules.py [TREE]     prints every line that breaks a rule; exit status 1 if there is one
       tests/include_rules.py --floors   prints the picture of src/README.md
       tests/include_rules.py --rooms    prints the rooms with their arrows, and counts them

The folders have one list, in the CMake files: DEPENDS of epochcast_library() and epochcast_program() names the folders
that a folder may include besides itself; inside of it, a folder of STAGES may include those before it ('a|b': neither
includes the other). TREE is another tree to check by the rules of this one.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOP = ("src", "jobs", "analysis")

# what is included | the only files that may; the last two: no other room of jobs starts Slurm's commands
LIBRARIES = r"""
<(torch|ATen|c10)/ | src/training/torch/
<(hdf5|H5[A-Z]).* | src/record/h5_calls\.hpp
<yaml-cpp/ | src/base/config/yaml\.cpp
<boost/program_options | src/base/cli/command_line\.cpp
<boost/(asio|beast|system) | src/serving/http/
<boost/math/ | src/forecast/statistics/regression\.cpp
<boost/crc | src/measure/progress/sources/record_frames\.cpp
<nvml | src/measure/telemetry/nvml
<zlib\.h | src/base/core/gzip\.cpp
<sodium | src/base/core/digest\.cpp
<sqlite3\.h | src/serving/stream/sqlite\.cpp
<zmq | src/serving/stream/zeromq\.cpp
<hiredis | src/serving/redis/connection\.cpp
<(n?curses|term)\.h | src/output/terminal/screen\.cpp
<pcre2 | src/base/core/regular_expression\.cpp
<utf8proc | src/base/text/unicode\.cpp
<png\.h|<jpeglib\.h|<jerror\.h | src/training/image/
"tests/ | tests/
"src/slurm/job_info\.hpp | src/|jobs/scheduler/
"src/base/process/command\.hpp | src/|jobs/scheduler/|jobs/(commands/(cluster|logs)|script/script|submit/(check|check_need|notify))\.cpp
"""


def read_folders():
    """Of every folder with an epochcast_library() or epochcast_program(): (the folders in DEPENDS, the stages)."""
    folders = {}
    for file in sorted(file for top in TOP for file in (ROOT / top).rglob("CMakeLists.txt")):
        call = re.search(r"^epochcast_(?:library|program)\(([^)]*)\)", file.read_text(), re.M)
        if call:
            words, at = {}, []
            for word in call[1].split():
                if re.fullmatch("[A-Z]+", word):
                    at = words.setdefault(word, [])
                else:
                    at.append(word)
            folders[str(file.parent.relative_to(ROOT))] = (
                [depend if depend in TOP else "src/" + depend for depend in words.get("DEPENDS", [])],
                [stage.split("|") for stage in words.get("STAGES", [])])
    return folders


def room_of(folder):
    return "/".join(folder.split("/")[:2]) if folder.startswith("src/") else folder


def read_rooms(folders):
    """Room -> the rooms that it includes."""
    rooms = {room_of(folder): set() for folder in folders}
    for folder, (depends, _) in folders.items():
        rooms[room_of(folder)] |= {room_of(depend) for depend in depends} - {room_of(folder)}
    return rooms


def levels_of(arrows):
    """Name -> how many stand below it, one on another."""
    levels, left = {}, dict(arrows)
    while left:
        free = [name for name, below in left.items() if all(to in levels for to in below)]
        if not free:
            sys.exit(f"these include each other: {' '.join(sorted(left))}")
        for name in free:
            levels[name] = 1 + max((levels[to] for to in left.pop(name)), default=-1)
    return levels


def stages_text(stages):
    return "  ".join("|".join(stage) for stage in stages)


def inner_stages(room, folders):
    """The folders of a room in the order in which they include each other."""
    inner = {folder: [to for to in depends if room_of(to) == room and to != folder]
             for folder, (depends, _) in folders.items() if room_of(folder) == room and folder != room}
    inner = {folder: [to for to in below if to != room] for folder, below in inner.items()}
    levels = levels_of(inner)
    return [[folder.removeprefix(room + "/") for folder in sorted(inner) if levels[folder] == level]
            for level in range(max(levels.values(), default=-1) + 1)]


def floors_text(folders):
    """The rooms by floors, the highest first; each with its folders."""
    levels = levels_of(read_rooms(folders))
    lines = []
    for level in range(max(levels.values()), -1, -1):
        for nth, room in enumerate(sorted(room for room in levels if levels[room] == level)):
            stages = folders[room][1] if room in folders and folders[room][1] else inner_stages(room, folders)
            number = str(level + 1) if nth == 0 else ""
            lines.append(f"{number:<3}{room.removeprefix('src/'):<10}{stages_text(stages)}".rstrip())
            lines += [f"{'':<13}{folder.split('/')[-1]}: {stages_text(inner)}" for folder, (_, inner) in sorted(folders.items())
                      if inner and folder.startswith(room + "/")]
    return "\n".join(lines)


def rooms_text(folders):
    rooms = read_rooms(folders)
    levels = levels_of(rooms)
    lines = [f"{levels[room] + 1} {room}: {' '.join(sorted(rooms[room], key=lambda to: (levels[to], to)))}"
             for room in sorted(rooms, key=lambda room: (levels[room], room))]
    arrows = sum(len(below) for below in rooms.values())
    return "\n".join(lines + [f"{len(rooms)} rooms, {1 + max(levels.values())} floors, {arrows} arrows between rooms"])


def includes_of(tree, tops):
    """(file, number, line, what is included with its quotes) of every #include."""
    for top in tops:
        for path in sorted((tree / top).rglob("*")):
            if path.suffix not in (".cpp", ".hpp") or not path.is_file():
                continue
            for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
                if found := re.match(r' *# *include *(["<][^">]*[">]?)', line):
                    yield str(path.relative_to(tree)), number, line, found[1]


def folder_of(path, folders):
    """The innermost of the folders that holds the file; None for a header that stands alone."""
    parents = (str(parent) for parent in pathlib.PurePath(path).parents)
    return next((parent for parent in parents if parent in folders), None)


def stage_breach(own, path, to, stages):
    """The rule that an include inside one folder breaks, if it does."""
    before = []
    for stage in stages:
        if own and path.startswith(tuple(f"{own}/{name}/" for name in stage)):
            name = path.removeprefix(own + "/").split("/")[0]
            allowed = tuple(f"{own}/{other}/" for other in [*before, name])
            if not to.startswith(allowed):
                return f"{own}/{name} may include in {own}: {' '.join(before) or 'nothing'} and itself"
        before += stage
    return None


def breach(path, what, folders):
    """The rule that the include breaks, or None."""
    to = what.strip('"<>')
    if path.startswith("tests/") or what.startswith("<") or not to.startswith(tuple(top + "/" for top in TOP)):
        return None
    own = folder_of(path, folders)
    depends, stages = folders.get(own, ([], []))
    target = folder_of(to, folders)
    if target != own and target not in depends:
        return f"{own} may include: {' '.join(depends) or 'nothing'} and itself"
    return stage_breach(own, path, to, stages) if target == own else None


def library_breach(path, what):
    for rule in LIBRARIES.strip().splitlines():
        pattern, files = rule.rsplit(" | ", 1)
        if not path.startswith("tests/") and re.match(pattern, what) and not re.match(files, path):
            return f"only {files} may"
    return None


def root_breach(what):
    if what.startswith('"') and not what.startswith(tuple(f'"{top}/' for top in (*TOP, "tests", "epochcast"))):
        return "includes are written from the root of the repository"
    return None


def check(tree, folders):
    broken = 0
    unused = {(folder, to) for folder, (depends, _) in folders.items() for to in depends if tree == ROOT}
    for path, number, line, what in includes_of(tree, (*TOP, "tests")):
        unused.discard((folder_of(path, folders), folder_of(what.strip('"'), folders)))
        if rule := breach(path, what, folders) or library_breach(path, what) or root_breach(what):
            print(f"{path}:{number}:{line}    ({rule})")
            broken = 1
    for folder, to in sorted(unused):
        print(f"{folder}/CMakeLists.txt: DEPENDS names {to.removeprefix('src/')}, of which no file is included")
        broken = 1
    readme = tree / "src/README.md"
    if readme.exists() and f"```\n{floors_text(folders)}\n```" not in readme.read_text():
        print("src/README.md: its picture is not that of the CMake files; tests/include_rules.py --floors prints it")
        broken = 1
    if not broken:
        print("every include keeps the rules")
    return broken


def main(arguments):
    folders = read_folders()
    if arguments[:1] in (["--floors"], ["--rooms"]):
        print(floors_text(folders) if arguments[0] == "--floors" else rooms_text(folders))
        return 0
    levels_of({folder: depends for folder, (depends, _) in folders.items()})
    return check(pathlib.Path(arguments[0]).resolve() if arguments else ROOT, folders)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
