"""VRML97 files as plain nodes.

The body of a PROTO is skipped; its fields and their defaults are kept. The type of a field follows
from its value: numbers, strings, TRUE and FALSE, or nodes. Nothing here recurses, so that excessive
nesting is an error like any other.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as default
from typing import NoReturn

from stiction.description.plain import with_article
from stiction.description.vrml_nodes import FIELD_TYPES, VRML97, Field, Node, Proto, Text
from stiction.description.vrml_tokens import Token, Tokens
from stiction.errors import ModelFileError

LARGEST_FILE = 64_000_000  # [bytes]
DEEPEST_NESTING = 200  # nodes inside nodes
MOST_NODES = 300_000  # read in about two seconds
HEADER = "#VRML V2.0 utf8"


@dataclass
class Scene:
    """The top-level nodes of a file, and the Inline nodes anywhere in it."""

    nodes: list[Node]
    inlines: list[Node] = default(default_factory=list)
    count: int = 0  # of nodes


def parse(text: str, source: str, extensions: Mapping[str, frozenset[str]] | None = None) -> Scene:
    """The nodes of a VRML97 text; `extensions`: nodes that need no PROTO, with their fields."""
    if len(text) > LARGEST_FILE:
        message = f"has {len(text)} characters; a model file may have at most {LARGEST_FILE}"
        raise ModelFileError(f"{source}: {message}")
    if not text.startswith(HEADER):
        first = text[:40].split("\n")[0]
        message = f"begins with {first!r}; a VRML97 file begins with '{HEADER}'"
        raise ModelFileError(f"{source}, line 1: {message}")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _Parser(Text(source, text), {**VRML97, **(extensions or {})}).scene()


@dataclass(slots=True)
class _Frame:
    """An open construct: a node, a list of values, a PROTO's interface."""

    kind: str  # "file", "list", "node" or "interface"
    node: Node  # the node itself, or the node that the list's field belongs to
    name: str = ""  # of that field


class _Parser:
    """One pass over one text, with a stack of open constructs."""

    def __init__(self, text: Text, known: Mapping[str, frozenset[str]]) -> None:
        self.text, self.known = text, known
        self.tokens = Tokens(text)
        self.named: dict[str, Node] = {}
        self.protos: dict[str, Proto] = {}
        self.depth = 0
        top = Node("file", "", text, 0)
        top.fields["nodes"] = Field(0, [])
        self.stack = [_Frame("file", top, "nodes")]
        self.found = Scene(top.fields["nodes"].values)  # type: ignore[arg-type]

    def scene(self) -> Scene:
        steps = {"node": self._in_node, "interface": self._in_interface}
        while self.stack:
            steps.get(self.stack[-1].kind, self._in_list)(self.stack[-1])
        return self.found

    def _in_list(self, frame: _Frame) -> None:
        """Read one value of a list, or a statement of the file."""
        token = self.tokens.next()
        if frame.kind == "file":
            if token.kind == "end":
                self.stack.pop()
            elif token.kind != "word":
                self._refuse(token, f"{token.shown} is outside any node; start a node")
            elif token.word in ("PROTO", "EXTERNPROTO", "ROUTE"):
                self._statement(token)
            else:
                self._value(frame, token)
        elif token.kind == "end":
            self._refuse_end(frame, "]")
        elif (token.kind, token.word) == ("mark", "]"):
            self.stack.pop()
        else:
            self._value(frame, token)

    def _in_node(self, frame: _Frame) -> None:
        """Read one field of a node, or its end."""
        token = self.tokens.next()
        node = frame.node
        if (token.kind, token.word) == ("mark", "}"):
            self.stack.pop()
            self.depth -= 1
            return
        if token.kind == "end":
            self._refuse_end(frame, "}")
        if token.kind != "word":
            self._refuse(token, f"{node.title} has {token.shown} where a field name is expected")
        if token.word in ("PROTO", "EXTERNPROTO", "ROUTE"):
            self._statement(token)
            return
        self._check_field(node, token)
        self._begin_field(node, token)

    def _check_field(self, node: Node, token: Token) -> None:
        proto = node.proto
        fields = set(self.known.get(node.type, ())) | set(proto.fields if proto else ())
        if token.word not in fields and not (proto and token.word in proto.events):
            complaint = f"{node.title} has no field {token.shown}"
            remedy = f"{with_article(node.type)} has {', '.join(sorted(fields)) or 'none'}"
            self._refuse(token, f"{complaint}; {remedy}")
        if token.word in node.fields:
            self._refuse(token, f"{node.title} has the field {token.shown} twice; give it once")

    def _begin_field(self, node: Node, name: Token) -> None:
        """Read the value of a field, or open its list or node."""
        node.fields[name.word] = Field(name.position, [])
        frame = _Frame("list", node, name.word)
        token = self.tokens.next()
        if (token.kind, token.word) == ("mark", "["):
            self.stack.append(frame)
        else:
            self._value(frame, token)

    def _value(self, frame: _Frame, token: Token) -> None:
        """Append one value, or the numbers from here on, to the field of a frame."""
        field = frame.node.fields[frame.name]
        if token.kind == "number":
            self._check_kind(frame, token, "numbers")
            if not field.values:
                field.values = array("d")
            self.tokens.numbers(token, field.values)  # type: ignore[arg-type]
        elif token.kind == "string":
            self._check_kind(frame, token, "strings")
            field.values.append(token.word)
        elif token.kind == "word" and token.word in ("TRUE", "FALSE"):
            self._check_kind(frame, token, "TRUE or FALSE")
            field.values.append(token.word == "TRUE")
        elif token.kind == "word" and token.word == "NULL":
            pass
        elif token.kind == "word":
            self._check_kind(frame, token, "nodes")
            field.values.append(self._node(frame, token))
        else:
            found = f"has {frame.name} followed by {token.shown}"
            self._refuse(token, f"{frame.node.title} {found}; give numbers, strings or nodes")

    def _check_kind(self, frame: _Frame, token: Token, kind: str) -> None:
        before = frame.node.fields[frame.name].kind
        if before not in ("nothing", kind):
            complaint = f"{frame.node.title} has {before} and {kind} in {frame.name}"
            self._refuse(token, f"{complaint}; give one or the other")

    def _node(self, frame: _Frame, token: Token) -> Node:
        """The node of a USE, or a new node, filled by the following steps."""
        if token.word == "USE":
            return self._used()
        name = ""
        if token.word == "DEF":
            name = self.tokens.word("a name", "DEF").word
            token = self.tokens.word("a node", f"DEF {name}")
        if token.word not in self.known and token.word not in self.protos:
            after = self.tokens.next()
            self._refuse_word(frame, token, node=(after.kind, after.word) == ("mark", "{"))
        node = Node(token.word, name, self.text, token.position, self.protos.get(token.word))
        self._count(node)
        if name:
            self.named[name] = node
        if node.type == "Script" and node.proto is None:  # declares fields of its own
            self.tokens.skip_braces(node.title)
            return node
        self.tokens.mark("{", node.title)
        self.stack.append(_Frame("node", node))
        self.depth += 1
        if self.depth > DEEPEST_NESTING:
            found = f"{node.title} is nested deeper than {DEEPEST_NESTING} nodes"
            self._refuse(token, f"{found}; reduce the nesting")
        return node

    def _count(self, node: Node) -> None:
        self.found.count += 1
        if self.found.count > MOST_NODES:
            node.refuse(f"is one of more than {MOST_NODES} nodes; make the file smaller")
        if node.type == "Inline" and node.proto is None:
            self.found.inlines.append(node)

    def _used(self) -> Node:
        token = self.tokens.word("a name", "USE")
        node = self.named.get(token.word)
        if node is None:
            complaint = f"USE {token.word}: no DEF before it has this name; DEF it first"
            self._refuse(token, complaint)
        if any(frame.node is node for frame in self.stack):
            complaint = f"USE {token.word} is inside DEF {token.word}, which would recurse forever"
            self._refuse(token, f"{complaint}; remove it")
        return node

    def _refuse_word(self, frame: _Frame, token: Token, node: bool) -> NoReturn:
        if node:
            complaint = f"unknown node {token.shown}; declare its PROTO or remove it"
        elif frame.kind == "file":
            complaint = f"{token.shown} is outside any node; start a node"
        else:
            found = f"{frame.node.title} has {frame.name} {token.shown}"
            complaint = f"{found}; give finite numbers, strings, TRUE, FALSE, NULL or a node"
        self._refuse(token, complaint)

    def _statement(self, token: Token) -> None:
        if token.word == "ROUTE":
            for word in ("a name", "TO", "a name"):
                self.tokens.word(word, "ROUTE")
            return
        name = self.tokens.word("a name", token.word).word
        if token.word == "EXTERNPROTO":
            complaint = f"EXTERNPROTO '{name}' is in another file; write it out as a PROTO"
            self._refuse(token, complaint)
        self.tokens.mark("[", f"PROTO {name}")
        proto = Proto(name)
        frame = _Frame("interface", Node("PROTO", name, self.text, token.position, proto))
        self.stack.append(frame)

    def _in_interface(self, frame: _Frame) -> None:
        """Read one field or event of a PROTO, or the end of its interface and its body."""
        node, token = frame.node, self.tokens.next()
        assert node.proto is not None
        if (token.kind, token.word) == ("mark", "]"):
            node.proto.fields = node.fields
            self.stack.pop()
            self.tokens.skip_braces(node.title)
            self.protos[node.name] = node.proto
            return
        if token.kind == "end":
            self._refuse_end(frame, "]")
        kinds = ("field", "exposedField", "eventIn", "eventOut")
        if token.kind != "word" or token.word not in kinds:
            found = f"{node.title} has {token.shown} in its interface"
            self._refuse(token, f"{found}; expected {', '.join(kinds)}")
        kind = self.tokens.word("a type", token.word)
        if kind.word not in FIELD_TYPES:
            complaint = f"{node.title} has a field of type {kind.shown}"
            self._refuse(kind, f"{complaint}; known are {', '.join(sorted(FIELD_TYPES))}")
        name = self.tokens.word("a name", kind.word)
        if name.word in node.fields or name.word in node.proto.events:
            self._refuse(name, f"{node.title} declares {name.shown} twice; declare it once")
        if token.word in ("eventIn", "eventOut"):
            node.proto.events.add(name.word)
        else:
            self._begin_field(node, name)

    def _refuse_end(self, frame: _Frame, mark: str) -> NoReturn:
        node = frame.node
        what = f"the {frame.name} of {node.title}" if frame.kind == "list" else node.title
        at = node.fields[frame.name].position if frame.kind == "list" else node.position
        self.text.refuse(at, f"{what} is not closed; the file ends before its '{mark}'")

    def _refuse(self, token: Token, complaint: str) -> NoReturn:
        self.text.refuse(token.position, complaint)
