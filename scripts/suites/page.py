# SPDX-License-Identifier: Apache-2.0
"""Holds results of suites against the tables of reasons (tests/clients/suites), and tells of them on a page."""
import collections
import fnmatch

from suites.kinds import rows_of

FOREIGN = "code of real GPUs"  # in the reason of a failure for want of a cubin or a library of cubins

FEW = 5  # tests with a reason that is not told for itself

def head(digest):
    return ["<!-- Written by scripts/client-suites; edit that, not this. -->", "# Test suites of CUDA clients", "",
            "Unmodified, on a simulated node with driver 580 and two H100, if nothing else is said. What a failure lacks is named",
            "test by test in `tests/clients/suites/`; `scripts/client-suites` runs them all and writes this page.", "",
            f"All results are those of one build (digest of its programs and libraries: `{digest}`).", ""]


def judge(results, rows, whole):
    """The failures by reason, and what is wrong; of results that are not the whole, no row is told to be superfluous."""
    by_reason, wrong, used = collections.defaultdict(list), [], set()
    for each in results:
        if each.state in ("crashed", "hung"):
            wrong.append(f"{each.test} {each.state}: {each.why}")
        row = next((row for row in rows if explains(row, each)), None)
        if each.state == "failed" and row is None:
            wrong.append(f"{each.test} failed, and no reason is known: {' '.join(each.why.split())[:300]}")
        elif each.state == "failed":
            used.add(tuple(row))
            by_reason[row[1]].append(each.test)
    if whole:
        wrong += [f"{row[0]} is listed as failing, and no such test failed" for row in rows if tuple(row) not in used]
    return by_reason, wrong


def explains(row, result):
    """A row names tests, the reason, and where it is one of many for them, what the failure says."""
    return matches(result.test, row[0]) and (len(row) < 3 or row[2] in result.why)


def matches(test, pattern):
    """A * stands for any text, and nothing else for anything but itself: names of tests have brackets."""
    return fnmatch.fnmatchcase(test, pattern.replace("[", "[[]"))


def counted(results):
    return collections.Counter(each.state for each in results)


def table(head, rows):
    return [f"| {' | '.join(head)} |", "|---" * len(head) + "|", *(f"| {' | '.join(map(str, row))} |" for row in rows), ""] if rows else []


def most_first(counts):
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def in_a_cell(text):
    return " ".join(text.split()).replace("|", "\\|")


def page_of(suite, results, by_reason, part):
    """`part` says what was run, if that is not all."""
    count = counted(results)
    foreign = sum(len(tests) for reason, tests in by_reason.items() if FOREIGN in reason)
    could = max(1, count["passed"] + count["failed"] - foreign)
    skips = collections.Counter(in_a_cell(each.why.removeprefix("Skipped: ")) for each in results if each.state == "skipped")
    rare = [why for why, tests in skips.items() if tests < FEW and len(skips) > 2 * FEW]
    if rare:
        skips[f"{len(rare)} other reasons"] = sum(skips.pop(why) for why in rare)
    again = sum(each.tries > 1 for each in results)
    return [f"## {suite.name} {suite.version}", "", f"{suite.note} {part}, in the time that there was." if part else suite.note, "",
            f"{len(results)} tests: {count['passed']} passed, {count['failed']} failed, {count['skipped']} skipped by the suite itself. "
            f"{100 * count['passed'] / could:.1f} % of those that ran and need no {FOREIGN} passed; none crashed, none hung."
            f"{f' {again} of them ran out of time, with other work beside them, and were run a second time.' if again else ''}", "",
            *table(["failed, since", "tests"], most_first({reason: len(tests) for reason, tests in by_reason.items()})),
            *table(["skipped, as the suite says", "tests"], most_first(skips)),
            *table(["not run", "why"], [(f"`{in_a_cell(test)}`", why) for test, why in rows_of(suite.name, "left_out")])]
