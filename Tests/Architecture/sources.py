"""Reads Swift sources as text: files, the types they declare, and the types they name."""

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Violation:
    """A broken rule, with the place of it."""

    path: str
    line: int
    rule: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.rule}"


@dataclass(frozen=True)
class Source:
    """One Swift file. `path` is relative to the checkout."""

    path: str
    text: str

    @property
    def parts(self):
        return self.path.split("/")

    @cached_property
    def code(self):
        """The text with comments and string literals blanked out; lines keep their numbers."""
        return _blanked(self.text, strings=True)

    @cached_property
    def uncommented(self):
        """The text with comments blanked out."""
        return _blanked(self.text, strings=False)

    def matches(self, pattern, text=None):
        """The line and the match of each place where `pattern` occurs, by default in `code`."""
        text = self.code if text is None else text
        for match in re.finditer(pattern, text, re.MULTILINE):
            yield text.count("\n", 0, match.start()) + 1, match

    @cached_property
    def declared_types(self):
        """The names of the types that the file declares, on any level."""
        return {match[1] for match in re.finditer(rf"^\s*{_MODIFIERS}{_KINDS} (\w+)", self.code, re.MULTILINE)}

    @cached_property
    def top_level_types(self):
        return {match[1] for match in re.finditer(rf"^{_MODIFIERS}{_KINDS} (\w+)", self.code, re.MULTILINE)}

    @cached_property
    def imports(self):
        """The line and the name of each imported module."""
        return [(line, match[1]) for line, match in self.matches(r"^(?:\w+ )?import (?:\w+ )?(\w+)")]

    def named_types(self):
        """The line and the name of each type that the code names; names of members are left out."""
        for line, match in self.matches(r"(?<![.\w])[A-Z]\w*"):
            yield line, match[0]


_MODIFIERS = r"(?:(?:public|package|internal|fileprivate|private|final|indirect) )*"
_KINDS = r"(?:struct|class|enum|protocol|actor|typealias)"


def _blanked(text, strings):
    literal = r'#*"""[\s\S]*?"""#*|#"[^\n]*?"#|"(?:[^"\\\n]|\\.)*"'
    comment = r"//[^\n]*|/\*[\s\S]*?\*/"

    def blank(match):
        if match[0].startswith("/") or strings:
            return re.sub(r"[^\n]", " ", match[0])
        return match[0]

    return re.sub(f"{literal}|{comment}", blank, text)


def swift_sources(*folders):
    return [
        Source(str(path.relative_to(ROOT)), path.read_text())
        for folder in folders
        for path in sorted((ROOT / folder).rglob("*.swift"))
        if ".build" not in path.parts
    ]


def room(source):
    """The room of a file in a service, such as `Domain`; empty for the files beside the rooms."""
    parts = source.parts
    return parts[2] if parts[0] == "Services" and len(parts) > 3 else ""
