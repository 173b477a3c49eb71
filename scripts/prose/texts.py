# SPDX-License-Identifier: Apache-2.0
"""Prose in the project's files: sentences of Markdown and of comments, each with its line."""
import re

CODE_SPAN = re.compile(r"`[^`]*`")
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'(`])")
C_LINE_COMMENT = re.compile(r"^\s*///?(?:/|<)?\s?(.*)$")
HASH_COMMENT = re.compile(r"^\s*#\s?(?!!|include|pragma|define|if|ifdef|ifndef|else|elif|endif|undef|error)(.*)$")
NOT_PROSE = re.compile(r"SPDX-License-Identifier|clang-format|NOLINT|yaml-language-server")
C_FILES = (".c", ".h", ".cpp", ".hpp", ".cu", ".go", ".rs")
HASH_FILES = (".py", ".sh", ".cmake", ".yaml", ".yml", ".txt", "")


def _plain(text):
    return CODE_SPAN.sub("X", LINK.sub(r"\1", text)).strip()


def _sentences(block):
    """Splits a block, a list of (line, text), into sentences: (line where it begins, text)."""
    if not block:
        return
    joined, starts = "", []
    for line, text in block:
        starts.append((len(joined), line))
        joined += text + " "
    at = 0
    for sentence in SENTENCE_END.split(joined.strip()):
        found = joined.find(sentence, at)
        at = found + len(sentence)
        line = [number for offset, number in starts if offset <= found][-1]
        if sentence.strip():
            yield line, sentence.strip()


def markdown(text):
    """Yields (line, sentence) of the prose of a page: no code, no tables' rules, links by their text."""
    block, fenced = [], False
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith("    ") and line.strip() and not line.startswith(("|---", "<!--", "---")):
            if line.startswith("|"):
                for cell in line.strip("|").split("|"):
                    yield from _sentences([(number, _plain(cell))])
                continue
            starts = re.match(r"^\s*(?:[-*]|\d+\.|#+)\s+(.*)$", line)
            if starts:
                yield from _sentences(block)
                block = [(number, _plain(starts.group(1)))]
            else:
                block.append((number, _plain(line)))
            if line.startswith("#"):
                yield from _sentences(block)
                block = []
            continue
        yield from _sentences(block)
        block = []
    yield from _sentences(block)


def comments(text, suffix):
    """Yields (line, sentence) of the comments that fill their lines, and of those behind code."""
    pattern = C_LINE_COMMENT if suffix in C_FILES else HASH_COMMENT
    block = []
    for number, line in enumerate(text.split("\n"), 1):
        found = pattern.match(line)
        if found and not NOT_PROSE.search(line) and found.group(1).strip():
            block.append((number, _plain(found.group(1))))
            continue
        yield from _sentences(block)
        block = []
        if suffix in C_FILES:
            behind = re.search(r"[;{},)]\s+//\s?(.*)$", line)
            if behind and not NOT_PROSE.search(line):
                yield from _sentences([(number, _plain(behind.group(1)))])
    yield from _sentences(block)
