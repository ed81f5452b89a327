"""Sections, blocks of code and links in the documents of the repository."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
GUIDES = ROOT / "Deploy/guides"


def section(document, heading):
    """The text below a heading of the second level."""
    return document.read_text().split(f"\n## {heading}\n")[1].split("\n## ")[0]


def code_blocks(text, language):
    """The blocks of code in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def first_code_block(document, language, heading):
    """The first block of code in a language below a heading of the second level."""
    return code_blocks(section(document, heading), language)[0]


def linked_files(document):
    """The files of the repository to which a document links, whether or not they exist."""
    return [document.parent / target for target in re.findall(r"\]\((?!https?:)([^)#]+)", document.read_text())]
