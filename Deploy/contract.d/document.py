"""openapi.yaml as text: paths, operations, and the blocks of an operation.

The document keeps one key per line, so that its lines can be moved without a parser. Everything that is not produced
stays as it was written.
"""

import re

from operation import Operation

BEGIN = "  # Produced by Deploy/contract from the operations with `x-tenants: true`. Do not edit."
END = "  # End of what is produced for tenants."
# Error codes of requests that match no operation.
BEFORE_ANY_OPERATION = {"METHOD_NOT_ALLOWED"}


class Document:
    def __init__(self, text):
        head, rest = text.split("\npaths:\n", 1)
        paths, components = rest.split("\ncomponents:\n", 1)
        before, after = self._cut(paths)
        self.head, self.components = head, components
        self.parts = [split_paths(before), split_paths(after)]

    @staticmethod
    def _cut(paths):
        """The paths before, and those after, what is produced for tenants."""
        before, begin, rest = paths.partition(BEGIN)
        if not begin:
            raise SystemExit(f"openapi.yaml: the line {BEGIN.strip()!r} is missing")
        _, _, after = rest.partition(END)
        return before, after

    def completed(self):
        """The text with everything that is produced."""
        tenants = {}
        for part in self.parts:
            for path, operations in part.items():
                for method, operation in operations.items():
                    operation.complete(path)
                    if operation.is_for_tenants:
                        below = path.replace("/projects/{project}", "/projects/{project}/tenants/{tenant}", 1)
                        tenants.setdefault(below, {})[method] = operation.in_tenant(below)
        codes = sorted(BEFORE_ANY_OPERATION.union(*(operation.codes for operation in self._operations(tenants))))
        before, after = (write_paths(part) for part in self.parts)
        produced = f"{BEGIN}\n\n{write_paths(tenants)}{END}\n\n"
        components = re.sub(
            r"(\n    ErrorCode:\n(?:      .*\n)*?      enum:\n)(?:        - \w+\n)+",
            lambda match: match[1] + "".join(f"        - {code}\n" for code in codes), self.components)
        return f"{self.head}\npaths:\n\n{before}{produced}{after.rstrip()}\n\ncomponents:\n{components}"

    def _operations(self, tenants):
        for part in [*self.parts, tenants]:
            for operations in part.values():
                yield from operations.values()


def split_paths(text):
    """A dictionary of path to a dictionary of method to operation."""
    paths, path, lines = {}, None, None
    for line in text.splitlines():
        if match := re.fullmatch(r"  (/\S*):", line):
            path = paths[match[1]] = {}
        elif match := re.fullmatch(r"    (get|post|put|patch|delete):", line):
            lines = path[match[1]] = []
        elif lines is not None:
            lines.append(line)
    return {name: {method: Operation(body) for method, body in methods.items()} for name, methods in paths.items()}


def write_paths(paths):
    text = ""
    for path, operations in paths.items():
        text += f"  {path}:\n"
        for method, operation in operations.items():
            text += f"    {method}:\n{operation}\n"
        text += "\n"
    return text
