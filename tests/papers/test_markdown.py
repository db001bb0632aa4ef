"""The Markdown of the papers' READMEs."""

import pytest

from stiction.papers.markdown import html

pytestmark = pytest.mark.interpreted


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# One\ntwo\nthree", "<h2>One</h2>\n<p>two three</p>"),
        ("a *b* **c** `d*e*`", "<p>a <em>b</em> <strong>c</strong> <code>d*e*</code></p>"),
        ("* one\n  more\n* two", "<ul><li>one more<li>two</ul>"),
        (
            "| a | b |\n|---|---:|\n| 1 | `x` |",
            "<table><thead><tr><th>a</th><th>b</th></thead>"
            "<tbody><tr><td>1</td><td><code>x</code></td></tbody></table>",
        ),
        ("```\nx < y\n\nz\n```", "<pre>x &lt; y\n\nz</pre>"),
        ("[docs](docs/a.md)", '<p><a href="docs/a.md">docs</a></p>'),
        ("[x](javascript:alert)", "<p>x</p>"),
        ("1 < 2 <script>", "<p>1 &lt; 2 &lt;script&gt;</p>"),
    ],
)
def test_markdown_becomes_html(text, expected):
    assert html(text) == expected
