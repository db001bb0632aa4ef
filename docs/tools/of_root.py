"""Pages of the site that lie at the root of the repository, where GitHub looks for them.

A hook of MkDocs.
"""

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

PAGES = ("CONTRIBUTING.md", "CHANGELOG.md")
ROOT = Path(__file__).parents[2]


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages; their links to docs/ are links between pages here."""
    for name in PAGES:
        text = (ROOT / name).read_text().replace("](docs/", "](")
        files.append(File.generated(config, name.lower(), content=text))
    return files
