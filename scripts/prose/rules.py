# SPDX-License-Identifier: Apache-2.0
"""The rules of plain English that a pattern can find, each with sentences that it must and must not match.

`scripts/style` applies them to documents and comments. A rule's number is that of the style guide; `words` are terms
for which the field has another word.
"""
import re
from dataclasses import dataclass, field

DOCUMENT = "document"  # Markdown
COMMENT = "comment"    # C, C++, Python, shell, CMake, YAML


@dataclass
class Rule:
    name: str
    pattern: re.Pattern
    hint: str
    bad: list
    good: list
    kinds: tuple = (DOCUMENT, COMMENT)
    exempt: list = field(default_factory=list)  # paths, as prefixes


def _rule(name, pattern, hint, bad, good, **more):
    return Rule(name, re.compile(pattern), hint, bad, good, **more)


def _word(name, pattern, hint, bad, good):
    return _rule(f"word-{name}", rf"\b(?:{pattern})\b", hint, bad, good)


RULES = [
    _rule("1-opening", r"^(?:What|Of|Who|Whoever|Where|Whether|That)\b(?![^?]*\?$)",
          "start with a noun or a verb, name the actor",
          ["What a board does not have, no fault gives it.", "Of a MIG device: name, UUID", "Whether it is there"],
          ["A fault affects only what the board has.", "Returns the UUID of a MIG device.", "What does it do?"]),
    _rule("3-tell", r"\b[Tt](?:ell|ells|old|elling)\b",
          "NVML returns, nvidia-smi prints, a file contains, a profile specifies",
          ["Readings that a board tells", "it is told twice"], ["values that the board reports", "a toll", "storytelling"]),
    _rule("5-where", r"\b[Ww]here (?:it|there|they|no|nobody|somebody|one|a|an|the|this|that|something|nothing|none) ",
          "condition first, with `if` or `when`; `where` only for places",
          ["is refused where something else is in it"], ["the folder where files are stored", "if it contains anything else"]),
    _rule("6-that-of", r"\b(?:that|those) of\b", "use the noun: `the user's own`, not `that of the user`",
          ["that of the user who runs it"], ["default: the user's own"]),
    _rule("11-is-no", r"(?<![Tt]here )\b(?:is|are|was|were) no (?!longer\b|more\b|less\b|later\b|earlier\b)[a-z]",
          "put the negative into the verb: `is not a profile`, `is unknown`",
          ["it is no profile"], ["there is no profile", "it is not a profile", "it is no longer there"]),
    _word("alone", r"alone", "`only`", ["by root alone"], ["only by root", "a standalone program"]),
    _word("anew", r"anew", "`again`, `re-`", ["started anew"], ["restarted"]),
    _word("beside", r"beside", "`next to`, `and`", ["stored beside the state"], ["besides, it is stored"]),
    _word("but-for", r"but for", "`except`", ["all but for two"], ["all except two"]),
    _word("meanwhile", r"meanwhile", "name the time", ["set meanwhile"], ["set during the fault"]),
    _rule("13-stage", r"\b(?:lies|lie|lain|stands|stand|stood|lends|lend|lent|in the way of)\b(?! (?:alone|for|in)\b)",
          "state it: is stored, is, requires, uses, returns, adds",
          ["A pin lies next to the state.", "the rule stands above", "is in the way of a reset"],
          ["Pins are stored next to the state.", "it stands for a number", "understand"]),
    _rule("14-so-many", r"\b(?:so many|so-manieth|so often|so much longer)\b", "numbers are N",
          ["each so-manieth call fails", "until so many have"], ["fails every Nth call"]),
    _rule("18-limits", r"What is (?:not promised|assumed)", "`Limits`, `Assumptions`", ["## What is not promised"], ["## Limits"],
          kinds=(DOCUMENT,)),
    _rule("21-tests", r"^Tests?: |[Ee]very row of this page is", "tests are not prose of a user's page",
          ["Tests: `tests/drivers/suite/suite_test.cpp`"], ["Run the tests with `make test`."], kinds=(DOCUMENT,),
          exempt=["docs/decisions/", "CONTRIBUTING.md", "README.md:component"]),
    _rule("22-history", r"\b(?:the house|as the plan wants|departure from the plan|departs from the plan)\b",
          "no house, plan or history in pages", ["a departure from the plan"], ["the store has four parts"],
          kinds=(DOCUMENT,)),
    _word("nobody", r"nobody|somebody|[Ww]hoever|[Ss]omebody else", "name the process, the user, `another process`",
          ["somebody else advances the clock"], ["another process advances the clock"]),
    _word("befall", r"befall|befalls|befell|befallen", "`fault`, `affect`", ["what befell a GPU"], ["a fault of a GPU"]),
    _word("beneath", r"beneath", "`saved`, `below`", ["what lies beneath"], ["the saved value"]),
    _word("room", r"rooms?(?= (?:of|that|may|is|in|has)\b)", "`component`; for buffers `space`, `size`",
          ["a room may use"], ["a component may use", "room for ten items"]),
    _word("kin", r"kin|relatives", "`variants`, `the _v2 versions`", ["a function and its kin"], ["a function and its variants"]),
    _word("verdict", r"verdicts?", "`entry`, `implementation kind`", ["its verdict is `call`"], ["its entry is `call`"]),
    _word("oracle", r"oracles?", "`reference implementation`", ["the oracle of a test"], ["the reference of a test"]),
    _word("foreign", r"foreign", "`third-party`", ["foreign programs"], ["third-party programs"]),
    _word("ours", r"of ours|theirs", "name the owner: `nvmlab's`", ["a folder of ours"], ["nvmlab's folder"]),
    _word("refuse", r"refuses|refused|refusal", "`rejects`, `returns NOT_SUPPORTED`", ["the machine refuses it"], ["nvmlab rejects it"]),
    _word("capture-leaf", r"leaf|leaves", "`value`", ["a leaf of the capture"], ["a value of the capture"]),
    _word("parted", r"parted", "`divergent`, `split`, `partitioned`", ["lanes that are parted"], ["divergent lanes"]),
    _word("crew", r"crews?", "`thread pool`", ["a crew of threads"], ["a thread pool"]),
    _rule("british", r"\b(?:\w*[a-z]ise[ds]?(?<!wise)(?<!rise)(?<!raise)(?<!raised)(?<!raises)(?<!otherwise)(?<!exercise)(?<!precise)"
          r"(?<!promise)(?<!promises)(?<!promised)(?<!noise)(?<!noises)(?<!rises)(?<!likewise)(?<!arise)(?<!arises)(?<!comprise)"
          r"(?<!comprises)(?<!advise)(?<!advised)(?<!revise)(?<!revised)(?<!surprise)(?<!surprises)(?<!surprised)(?<!concise)"
          r"(?<!expertise)(?<!enterprise)(?<!premise)(?<!premises)(?<!disguise)(?<!disguised)(?<!supervise)(?<!supervised)"
          r"(?<!devise)(?<!devised)(?<!bitwise)(?<!lanewise)(?<!elementwise)(?<!exercised)(?<!exercises)(?<!praise)"
          r"|behaviours?|colours?|catalogues?|licences?|neighbours?|favours?|honours?|centres?|judgements?|optimis\w+)\b",
          "American spelling",
          ["the behaviour", "it is initialised", "a licence"], ["the behavior", "it is initialized", "otherwise", "a promise", "precise"]),
]
LONGEST_SENTENCE = 35
