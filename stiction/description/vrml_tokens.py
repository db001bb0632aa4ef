"""Tokens of a VRML97 text."""

from __future__ import annotations

import re
from array import array
from math import isfinite
from typing import NamedTuple, NoReturn

from stiction.description.vrml_nodes import Text

_SPACE = r"(?:[\s,]++|\#[^\n]*+)*+"  # commas are white space, comments end with the line
_ENDED = r"(?=[\s,\[\]{}\#\"]|\Z)"
_NUMBER = rf"[+-]?(?:0[xX][0-9a-fA-F]++|(?:\d++\.?+\d*+|\.\d++)(?:[eE][+-]?\d++)?){_ENDED}"
TOKEN = re.compile(
    rf"""{_SPACE}(?:
    (?P<mark>[\[\]{{}}])
    | (?P<number>{_NUMBER})
    | (?P<string>"(?:[^"\\]|\\.)*+")
    | (?P<word>[^\x00-\x20\x22\x23\x27\x2b-\x2e0-9\x5b-\x5d\x7b\x7d\x7f]
               [^\x00-\x20\x22\x23\x27\x2c\x5b-\x5d\x7b\x7d\x7f]*+)
    | (?P<end>\Z)
    | (?P<other>.[^\s,\[\]{{}}\#"]{{0,40}}+))""",
    re.VERBOSE | re.DOTALL,
)
RUN = re.compile(  # many numbers at once: they make up most of a large file
    r"[\s,]*+(?:[-+0-9.][-+0-9.eE]*+(?:[\s,]++|(?=[\]}]))){1,10000}+"
)
PLAIN = re.compile(r"[+-]?(?:\d++\.?+\d*+|\.\d++)(?:[eE][+-]?\d++)?")


class Token(NamedTuple):
    """A word, number, string or bracket, and its position; a string without its quotes."""

    kind: str  # mark, number, string, word or end
    word: str
    position: int

    @property
    def shown(self) -> str:
        """The token in a message."""
        if self.kind == "end":
            return "the end of the file"
        return repr(self.word if len(self.word) <= 40 else self.word[:40] + "...")


class Tokens:
    """The tokens of a text, read once from the front."""

    def __init__(self, text: Text) -> None:
        """Start at the beginning."""
        self.text, self.position = text, 0

    def next(self) -> Token:
        """The next token; at the end of the text always one of kind "end"."""
        found = TOKEN.match(self.text.text, self.position)
        if found is None or found.lastgroup is None:
            self.text.refuse(self.position, "is not VRML97")
        kind, self.position = found.lastgroup, found.end()
        token = Token(kind, found[kind], found.start(kind))
        if kind == "other":
            self._refuse_other(token)
        if kind == "string":
            return token._replace(word=re.sub(r"\\(.)", r"\1", token.word[1:-1], flags=re.DOTALL))
        return token

    def _refuse_other(self, token: Token) -> NoReturn:
        if token.word.startswith('"'):
            self.text.refuse(token.position, 'a string is not closed; end it with "')
        if token.word[0] in "+-.0123456789":
            self.text.refuse(
                token.position, f"{token.shown} is not a number; write one, such as 1.5e-3"
            )
        self.text.refuse(token.position, f"{token.shown} is not VRML97; remove it")

    def back(self, token: Token) -> None:
        """Push back the last token, which must not be a string."""
        self.position = token.position

    def word(self, what: str, after: str) -> Token:
        """The next token, which must be a word."""
        token = self.next()
        if token.kind != "word":
            self.text.refuse(token.position, f"{after} is followed by {token.shown}; write {what}")
        return token

    def mark(self, mark: str, after: str) -> None:
        """Consume a bracket or brace."""
        token = self.next()
        if (token.kind, token.word) != ("mark", mark):
            complaint = f"{after} is followed by {token.shown}; write '{mark}'"
            self.text.refuse(token.position, complaint)

    def numbers(self, first: Token, values: array) -> None:
        """Append the number in `first` and those that follow it."""
        values.append(self._number(first))
        while True:
            run = RUN.match(self.text.text, self.position)
            if run is not None:
                self._extend(values, run[0].replace(",", " ").split(), run.start())
                self.position = run.end()
                continue
            token = self.next()
            if token.kind == "number":
                values.append(self._number(token))
                continue
            self.position = token.position if token.kind != "end" else self.position
            return

    def _extend(self, values: array, words: list[str], position: int) -> None:
        """Append words made of digits, signs, dots and e, which float reads as VRML97 does."""
        try:
            read = array("d", map(float, words))
        except ValueError:
            self._refuse_number(words, position)
        if not all(map(isfinite, read)):
            self._refuse_number(words, position)
        values.extend(read)

    def _refuse_number(self, words: list[str], position: int) -> NoReturn:
        for word in words:
            at = self.text.text.find(word, position)
            position = at + len(word)
            if not PLAIN.fullmatch(word):
                self.text.refuse(at, f"{word[:40]!r} is not a number; write one, such as 1.5e-3")
            if not isfinite(float(word)):
                self.text.refuse(at, f"{word[:40]!r} is not finite; write a finite number")
        self.text.refuse(position, "a number here cannot be read; write one, such as 1.5e-3")

    def _number(self, token: Token) -> float:
        if "x" in token.word or "X" in token.word:
            if len(token.word) > 20:
                self.text.refuse(token.position, f"{token.shown} is too large; write a colour")
            return float(int(token.word, 16))
        value = array("d")
        self._extend(value, [token.word], token.position)
        return value[0]

    def skip_braces(self, after: str) -> None:
        """Skip everything from a brace to its closing brace."""
        opened = self.position
        self.mark("{", after)
        depth = 1
        while depth:
            token = self.next()
            if token.kind == "end":
                self.text.refuse(opened, f"{after} is not closed; the file ends before its '}}'")
            if token.kind == "mark" and token.word in "{}":
                depth += 1 if token.word == "{" else -1
