"""Pages of the site that are made of files elsewhere in the repository.

CONTRIBUTING.md and CHANGELOG.md lie at its root, where GitHub looks for them. The page of the
examples has what each script and notebook says, its picture and its code. A hook of MkDocs.
"""

import ast
from pathlib import Path

from following import code_of_notebook, words_of_notebook
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
AT_ROOT = ("CONTRIBUTING.md", "CHANGELOG.md")
PICTURES = "pictures/examples"
HEAD = """# Examples

Short scripts and two notebooks of the folder `examples/`. Each prints what it finds; most draw the
picture that is shown here into the folder in which they run: `python examples/walk.py`.
"""


def code_of(example: Path) -> tuple[str, str]:
    """What an example says of itself, and its code."""
    text = example.read_text()
    if example.suffix == ".ipynb":
        return words_of_notebook(text)[0].partition("\n\n")[2], code_of_notebook(text)
    return ast.get_docstring(ast.parse(text)) or "", text


def examples_page() -> str:
    """The page of the examples."""
    parts = [HEAD]
    for example in sorted([*ROOT.glob("examples/*.py"), *ROOT.glob("examples/*.ipynb")]):
        words, code = code_of(example)
        first, _, rest = words.partition("\n\n")
        parts += [f"## {example.name}", " ".join(first.split())]
        picture = ROOT / "docs" / PICTURES / f"{example.stem}.png"
        if picture.exists():
            parts.append(f"![{' '.join(first.split())}]({PICTURES}/{picture.name})")
        elif rest:
            parts.append(f"```text\n{rest}\n```")
        shown = "\n".join(f"    {line}".rstrip() for line in code.splitlines())
        parts.append(f'??? example "{example.name}"\n\n    ```python\n{shown}\n    ```')
    return "\n\n".join(parts) + "\n"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages; links of those at the root to docs/ are links between pages here."""
    for name in AT_ROOT:
        text = (ROOT / name).read_text().replace("](docs/", "](")
        files.append(File.generated(config, name.lower(), content=text))
    files.append(File.generated(config, "examples.md", content=examples_page()))
    return files
