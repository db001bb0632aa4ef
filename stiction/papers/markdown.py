"""Markdown as HTML: headings, paragraphs, lists, tables and code, as the papers' READMEs use it."""

from __future__ import annotations

import re
from html import escape

HEADING = re.compile(r"(#{1,4})\s+(.*)")
ITEM = re.compile(r"[*-]\s+(.*)")
RULE = re.compile(r"\|?[\s:|-]+\|?")  # between the head and the rows of a table
CODE = re.compile(r"`([^`]+)`")
BOLD = re.compile(r"\*\*(.+?)\*\*")
ITALIC = re.compile(r"(?<![\w*])\*([^*]+)\*(?![\w*])")
LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")
SAFE = re.compile(r"(?:https?://|[\w./#-]+$)")  # no scripts
LOWER = 1  # a heading of a README is one level lower in the page


def html(text: str) -> str:
    """The body of a page."""
    return "\n".join(_block(block) for block in _blocks(text))


def _blocks(text: str) -> list[list[str]]:
    """Lines of blocks: separated by empty lines, code kept whole."""
    blocks: list[list[str]] = [[]]
    code = False
    for line in text.splitlines():
        if line.startswith("```"):
            code = not code
        alone = not code and (HEADING.fullmatch(line) or not line.strip())
        if alone and blocks[-1]:
            blocks.append([])
        if code or line.strip():
            blocks[-1].append(line.rstrip())
        if alone and blocks[-1]:
            blocks.append([])
    return [block for block in blocks if block]


def _block(lines: list[str]) -> str:
    heading = HEADING.fullmatch(lines[0])
    if heading:
        level = len(heading[1]) + LOWER
        return f"<h{level}>{inline(heading[2])}</h{level}>"
    if lines[0].startswith("```"):
        code = [line for line in lines if not line.startswith("```")]
        return f"<pre>{escape(chr(10).join(code))}</pre>"
    if len(lines) > 1 and "|" in lines[0] and RULE.fullmatch(lines[1]):
        return _table(lines)
    if ITEM.fullmatch(lines[0]):
        return _list(lines)
    return f"<p>{inline(' '.join(lines))}</p>"


def _table(lines: list[str]) -> str:
    def row(line: str, tag: str) -> str:
        cells = line.strip().strip("|").split("|")
        return "<tr>" + "".join(f"<{tag}>{inline(cell.strip())}</{tag}>" for cell in cells)

    body = "".join(row(line, "td") for line in lines[2:])
    return f"<table><thead>{row(lines[0], 'th')}</thead><tbody>{body}</tbody></table>"


def _list(lines: list[str]) -> str:
    items: list[str] = []
    for line in lines:
        found = ITEM.fullmatch(line)
        if found:
            items.append(found[1])
        else:
            items[-1] += f" {line.strip()}"
    return "<ul>" + "".join(f"<li>{inline(item)}" for item in items) + "</ul>"


def inline(text: str) -> str:
    """A piece of text with its code, emphasis and links."""
    codes: list[str] = []

    def keep(found: re.Match[str]) -> str:
        codes.append(f"<code>{escape(found[1])}</code>")
        return f"\0{len(codes) - 1}\0"

    def link(found: re.Match[str]) -> str:
        return f'<a href="{found[2]}">{found[1]}</a>' if SAFE.match(found[2]) else found[1]

    told = escape(CODE.sub(keep, text.replace("\0", "")))
    told = ITALIC.sub(r"<em>\1</em>", BOLD.sub(r"<strong>\1</strong>", LINK.sub(link, told)))
    return re.sub("\0(\\d+)\0", lambda found: codes[int(found[1])], told)
