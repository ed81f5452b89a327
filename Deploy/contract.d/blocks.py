"""A YAML mapping: its keys, which all have the same indentation, and the lines below each key."""

import re


class Blocks(dict):
    def __init__(self, lines, indentation):
        super().__init__()
        self.indentation = indentation
        # The text after the colon on the line of each key.
        self.after_colon = {}
        key = None
        for line in lines:
            match = re.fullmatch(rf" {{{indentation}}}('?[\w-]+'?):(.*)", line)
            if match:
                key = match[1].strip("'")
                self[key] = []
                self.after_colon[key] = match[2]
            else:
                self[key].append(line)

    def __str__(self):
        lines = []
        for key, content in self.items():
            name = f"'{key}'" if key.isdigit() else key
            lines += [f"{' ' * self.indentation}{name}:{self.after_colon.get(key, '')}", *content]
        return "\n".join(lines).rstrip()

    def copy(self):
        copy = Blocks([], indentation=self.indentation)
        copy.update({key: list(lines) for key, lines in self.items()})
        copy.after_colon = dict(self.after_colon)
        return copy

    def ordered(self, keys):
        """A copy that begins with `keys`, in their order."""
        copy = self.copy()
        lines = dict(copy)
        copy.clear()
        copy.update({key: lines[key] for key in [*keys, *lines] if key in lines})
        return copy

    def lines(self, key):
        return self.get(key, [])

    def text(self, key):
        """The value of a key as YAML: the text on its own line, and the lines below it."""
        return "\n".join([self.after_colon.get(key, ""), *self.lines(key)])

    def value(self, key):
        """The value of a key that has no lines below it."""
        return self.after_colon[key].strip()

    def set_value(self, key, value):
        self.after_colon[key] = f" {value}"

    def words(self, key):
        """The members of a list of words, as a set."""
        return {line.strip().removeprefix("- ") for line in self.lines(key) if line.strip()}

    def set_words(self, key, words):
        self[key] = [f"{' ' * (self.indentation + 2)}- {word}" for word in words]

    def members(self, key):
        """The members of a list, each as its lines."""
        parts = []
        for line in self.lines(key):
            if line.startswith(" " * (self.indentation + 2) + "- "):
                parts.append([])
            parts[-1].append(line)
        return parts
