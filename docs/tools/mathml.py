"""Formulas of the site: LaTeX becomes MathML when the site is built, so a page needs no script.

A hook of MkDocs. `pymdownx.arithmatex` marks what stands between dollars.
"""

import html
import re

from latex2mathml.converter import convert

MARKED = re.compile(r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>', re.DOTALL)


def formula(found: re.Match[str]) -> str:
    """The formula of a match, as MathML."""
    tag, bracket, latex = found.groups()
    display = "block" if bracket == "[" else "inline"
    shown = convert(html.unescape(latex).strip(), display=display)
    return f'<{tag} class="formula">{shown}</{tag}>'


def on_page_content(content: str, **_: object) -> str:
    """Replace the formulas of a page."""
    return MARKED.sub(formula, content)
