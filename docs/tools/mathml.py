"""Formulas of the site: LaTeX becomes MathML when the site is built, so a page needs no script.

A hook of MkDocs. `pymdownx.arithmatex` marks what stands between dollars.
"""

import html
import re

from latex2mathml.converter import convert

MARKED = re.compile(r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>', re.DOTALL)
# browsers ignore these variants; Unicode has bold letters, which begin at
BOLD = re.compile(r'<(m[in]) mathvariant="(bold|bold-italic)">(.*?)</\1>')
BOLD_LETTERS = {
    "bold": {"A": 0x1D400, "a": 0x1D41A, "0": 0x1D7CE, "α": 0x1D6C2},
    "bold-italic": {"A": 0x1D468, "a": 0x1D482, "α": 0x1D736},
}


def bold(found: re.Match[str]) -> str:
    """A letter or digit in bold."""
    tag, variant, escaped = found.groups()
    character = html.unescape(escaped)
    first = "0" if character.isdigit() else "α" if character > "z" else "a"
    first = "A" if "A" <= character <= "Z" else first
    code = BOLD_LETTERS[variant][first] + ord(character) - ord(first)
    return f"<{tag}>{chr(code)}</{tag}>"


def formula(found: re.Match[str]) -> str:
    """The formula of a match, as MathML."""
    tag, bracket, latex = found.groups()
    display = "block" if bracket == "[" else "inline"
    shown = convert(html.unescape(latex).strip(), display=display)
    return f'<{tag} class="formula">{BOLD.sub(bold, shown)}</{tag}>'


def on_page_content(content: str, **_: object) -> str:
    """Replace the formulas of a page."""
    return MARKED.sub(formula, content)
