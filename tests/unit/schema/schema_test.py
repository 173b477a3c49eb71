#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""schema_test.py ROOT: every shipped profile and every file of the model is as its schema says, names that schema in a
line for editors, and a schema refuses what the compiler and nvmlgen refuse.

Exit code: 0 all is well, 1 something is not, 77 the packages are missing (scripts/packages; with CI=true that fails).
"""
import json
import os
import pathlib
import re
import sys

try:
    import jsonschema
    import yaml
except ImportError as error:
    print(f"schema_test: {error}; scripts/setup test installs what is missing")
    sys.exit(1 if os.environ.get("CI") == "true" else 77)

SCHEMAS = pathlib.PurePosixPath("docs/schema/generated")
BY_HAND = pathlib.PurePosixPath("docs/schema")
FILES = {"profile": ["profiles/gpus/*.yaml", "profiles/machines/*.yaml"], "state": ["model/state/*.yaml"],
         "meaning": ["model/meaning/*.yaml"], "ids": ["model/meaning/ids/*.yaml"], "scenario": ["profiles/scenarios/*.yaml"]}


def schema_of(name):
    return (BY_HAND if name == "scenario" else SCHEMAS) / f"{name}.json"


class Core(yaml.SafeLoader):
    """Scalars as YAML 1.2 reads them, which editors do: `yes` is a text."""


Core.yaml_implicit_resolvers = {}
for tag, expression, first in [("null", r"^(~|null|Null|NULL|)$", ["~", "n", "N", ""]),
                               ("bool", r"^(true|True|TRUE|false|False|FALSE)$", list("tTfF")),
                               ("int", r"^[-+]?[0-9]+$|^0x[0-9a-fA-F]+$|^0o[0-7]+$", list("-+0123456789")),
                               ("float", r"^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$", list("-+.0123456789"))]:
    Core.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(expression), first)


def load(text):
    return yaml.load(text, Core)


# What must be refused: the schema, and a file of which one key or value is wrong.
GOOD = {
    "profile": ["profile: p\ninherits: hopper\nsource: s\nsources: {s: {kind: assumed, why: a test}}\n"
                "power: {limit_mw: 700_000, draw_mw: {value: 0x10, source: s}}\nmemory: {total_bytes: 80 GiB}\n"
                "modes: {mig: null, persistence: enabled}\nthermal: {gpu_c: {answer: GPU_IS_LOST}}\n",
                "machine: m\nsystem: {driver_version: 535.161.08}\ngpus: [{profile: a, count: 2, power: {draw_mw: 1}}]\n"],
    "state": ["topic: t\nof: gpu\nfields: {a_mw: {type: u32, kind: live, unit: mW, doc: d, range: [0, 5]}}\n"],
    "meaning": ["topic: t\nfunctions: {nvmlA: {read: a.b}, nvmlB: {call: why}}\n"],
    "ids": ["fields: {NVML_FI_A: {read: a.b, times: 1000}}\n"],
    "scenario": ["about: a\nsource: [o/r#1, a title]\nmachine: {profile: t4, gpus: 2, driver: 550, seed: 7}\nsteps:\n"
                 "  - {at: 1h30m, do: [set thermal.gpu_c=1], expect: [{gpu: 3, 'nvlink.links[3].active': inactive,"
                 " power.draw_mw: {answer: GPU_IS_LOST}, thermal.gpu_c: {at_least: 3, by: -1}}, {event: xid 79, times: 0}],"
                 " within: 1s, show: now}\n  - {after: 5s, do: event xid 3, fails: {code: 2, says: no}}\n"],
}
BAD = {
    "profile": ["profile: p\npowr: {}\n", "profile: p\npower: {limit: 5}\n", "profile: p\npower: {limit_mw: much}\n",
                "profile: p\nmodes: {persistence: enabld}\n", "profile: p\nthermal: {gpu_c: {answer: GPU_IS_LST}}\n",
                "profile: p\npower: {draw_mw: {value: 1, sauce: s}}\n", "profile: p\nsources: {s: {kind: capture}}\n",
                "profile: p\nsources: {s: {kind: rumour, why: w}}\n", "profile: p\ngpus: []\n", "inherits: hopper\n",
                "profile: p\nmemory: {total_bytes: 80 GB}\n", "profile: p\npower: {draw_mw: 4294967296}\n",
                "machine: m\ngpus: [{count: 2}]\n", "machine: m\npower: {draw_mw: 1}\n",
                "machine: m\ngpus: [{profile: a, system: {}}]\n"],
    "state": ["topic: t\nfields: {a: {type: u31, kind: live, doc: d}}\n", "topic: t\nfields: {a: {type: u32, doc: d}}\n",
              "topic: t\nfields: {a: {type: u32, kind: live, doc: d, units: mW}}\n", "topic: t\nfeilds: {}\nfields: {}\n",
              "topic: t\nfields: {a: {type: u32, kind: alive, doc: d}}\n"],
    "meaning": ["topic: t\nfunctions: {nvmlA: {}}\n", "topic: t\nfunctions: {nvmlA: {raed: a.b}}\n",
                "topic: t\nfunctions: {cudaA: {read: a.b}}\n", "topic: t\nfunctions: {nvmlA: {read: a.b, highst: 3}}\n"],
    "ids": ["fields: {NVML_FI_A: {reed: a.b}}\n"],
    "scenario": ["about: a\nsource: s\nsteps: []\n", "about: a\nsteps: [{about: b}]\n",
                 "about: a\nsource: s\nsteps: [{at: 1s, after: 1s}]\n", "about: a\nsource: s\nsteps: [{at: 10}]\n",
                 "about: a\nsource: s\nsteps: [{atn: 1s}]\n", "about: a\nsource: s\nsteps: [{fails: no}]\n",
                 "about: a\nsource: s\nsteps: [{expect: {thermal.gpu_c: {least: 1}}}]\n",
                 "about: a\nsource: s\nsteps: [{expect: {event: xid, tims: 1}}]\n",
                 "about: a\nsource: s\nmachine: {clock: frozen}\nsteps: [{about: b}]\n"],
}


def flaws_of(validator, text):
    best = jsonschema.exceptions.best_match(validator.iter_errors(load(text)))
    return [] if best is None else [f"{'/'.join(map(str, best.absolute_path))}: {best.message[:200]}"]


def check_file(path, root, name, validator):
    text = path.read_text()
    line = f"# yaml-language-server: $schema={os.path.relpath(root / schema_of(name), path.parent)}"
    flaws = flaws_of(validator, text)
    if line not in text.splitlines()[:3]:
        flaws.append(f"the line for editors is missing: {line}")
    return [f"{path.relative_to(root)}: {flaw}" for flaw in flaws]


def main(root):
    wrong = []
    files = 0
    for name, patterns in FILES.items():
        schema = json.loads((root / schema_of(name)).read_text())
        jsonschema.Draft7Validator.check_schema(schema)
        validator = jsonschema.Draft7Validator(schema)
        for path in sorted(path for pattern in patterns for path in root.glob(pattern)):
            files += 1
            wrong += check_file(path, root, name, validator)
        wrong += [f"{name}: refused, and should not be: {text!r}: {flaws_of(validator, text)}" for text in GOOD[name]
                  if flaws_of(validator, text)]
        wrong += [f"{name}: taken, and should be refused: {text!r}" for text in BAD[name] if not flaws_of(validator, text)]
    print("\n".join(wrong + [f"{files} files, {len(wrong)} of them or of the examples are wrong"]))
    return 1 if wrong or files < 100 else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
