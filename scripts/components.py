# SPDX-License-Identifier: Apache-2.0
"""Reads tests/unit/architecture/components.tsv and the includes of the sources, for scripts/house and scripts/namesakes.

The table's head explains its columns. tests/unit/architecture/components.hpp reads the same table for the tests.
"""
import collections
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "tests/unit/architecture/components.tsv"
EXCEPTIONS = ROOT / "tests/unit/architecture/exceptions.tsv"
INCLUDE_ROOTS = ("", "simulator/", "tools/", "binding/", "simulator/testing/")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)

Component = collections.namedtuple("Component", "name paths uses freestanding separate_files")


def rows_of(file, cells):
    lines = [line for line in file.read_text().splitlines() if line and not line.startswith("#")]
    return [(line.split("\t") + [""] * cells)[:cells] for line in lines[1:]]


def paths_of(name, cell):
    """Expands "a/{b,c}" to "a/b" and "a/c"."""
    paths = []
    for word in cell.split() or [name]:
        start, _, names = word.partition("{")
        paths += [start + each for each in names.rstrip("}").split(",")]
    return paths


def components():
    return [Component(name, paths_of(name, paths), uses.split(), "freestanding" in flags, "separate files" in flags)
            for name, paths, uses, flags in rows_of(TABLE, 4)]


def exceptions():
    return {(source, included): reason for source, included, reason in rows_of(EXCEPTIONS, 3)}


def component_of(path, table):
    """The one with the longest path that contains the file."""
    best, longest = None, 0
    for row in table:
        for each in row.paths:
            if path.startswith(each) and path[len(each):len(each) + 1] in ("", "/", ".") and len(each) > longest:
                best, longest = row, len(each)
    return best


def covers(name, row, other):
    """A folder's name stands for all components in it; within that folder the name is that of one component."""
    folder = name + "/"
    inside = row.name == name or row.name.startswith(folder)
    return name in ("*", other.name) or (not inside and other.name.startswith(folder))


def may_use(row, other):
    return row.name == other.name or any(covers(name, row, other) for name in row.uses)


def top_of(name):
    """The part of the tree that people name: "simulator/engine" for "simulator/engine/store", "tests/bench" for itself."""
    parts = name.split("/")
    return "/".join(parts[:2]) if parts[0] in ("simulator", "tools", "tests") else parts[0]


def folders():
    """The folders of the product and of the benchmarks."""
    return sorted({top_of(row.name) for row in components()} - {"tests", "examples"})


def files_of(patterns):
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "--", *patterns], cwd=ROOT, check=True,
                            capture_output=True, text=True).stdout.splitlines()
    return [name for name in listed if (ROOT / name).is_file()]


def sources():
    return {name: (ROOT / name).read_text(errors="replace") for name in files_of(["*.c", "*.h", "*.cpp", "*.hpp"])}


def includes(texts):
    """Pairs of files: who includes whom."""
    for name, text in texts.items():
        for match in INCLUDE.finditer(text):
            beside = str(pathlib.PurePosixPath(name).parent / match.group(2))
            found = next((path for path in [beside, *(root + match.group(2) for root in INCLUDE_ROOTS)] if path in texts), None)
            if found is not None:
                yield name, found


def circles(arrows):
    """Sets of components that reach each other."""
    reached = {}

    def visit(start):
        seen, open_ = set(), [start]
        while open_:
            for to in arrows.get(open_.pop(), ()):
                if to not in seen:
                    seen.add(to)
                    open_.append(to)
        return seen

    for name in arrows:
        reached[name] = visit(name)
    found = {frozenset(other for other in reached[name] if name in reached.get(other, ())) for name in arrows
             if name in reached[name]}
    return sorted(sorted(each) for each in found)
