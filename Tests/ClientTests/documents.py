"""Sections, blocks of code and links in the documents of the repository."""

import re
import textwrap
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
GUIDES = ROOT / "Deploy/guides"


@dataclass(frozen=True)
class CodeBlock:
    # The heading above the block, of any level.
    heading: str
    # 0 for the first block below its heading.
    index: int
    language: str
    text: str


def section(document, heading):
    """The text below a heading of the second level."""
    return document.read_text().split(f"\n## {heading}\n")[1].split("\n## ")[0]


def code_blocks(document):
    """The blocks of code of a document, in their order."""
    found, counts, heading = [], Counter(), ""
    # A heading, or a block. Blocks are matched whole, so that a comment in a block is no heading.
    pattern = r"^#+ (?P<heading>[^\n]+)$|^(?P<indent> *)```(?P<language>\w*)\n(?P<text>.*?)^(?P=indent)```$"
    for match in re.finditer(pattern, document.read_text(), re.MULTILINE | re.DOTALL):
        if match["heading"]:
            heading = match["heading"]
            continue
        found.append(CodeBlock(heading, counts[heading], match["language"], textwrap.dedent(match["text"])))
        counts[heading] += 1
    return found


def code_block(document, heading, index=0):
    """The text of the block of code with this index below a heading."""
    [text] = [block.text for block in code_blocks(document) if (block.heading, block.index) == (heading, index)]
    return text


def linked_files(document):
    """The files of the repository to which a document links, whether or not they exist."""
    return [document.parent / target for target in re.findall(r"\]\((?!https?:)([^)#]+)", document.read_text())]


def replaced(text, old, new):
    """`text` with `new` in the place of `old`, which it must contain."""
    assert old in text, f"not in the text: {old}"
    return text.replace(old, new)
