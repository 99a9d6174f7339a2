# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""The site, by Sphinx with MyST: `./dev docs`. Python's interface is asked of the package, over the library of the build."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

project = "Limequat"
copyright = "2026 The Limequat authors"
release = re.search(r'^version = "(.*)"$', (ROOT / "python/pyproject.toml").read_text(encoding="utf-8"), re.M)[1]
version = release
extensions = ["myst_parser", "sphinx.ext.autodoc"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build", "man", "mainpage.md"]  # the last one begins the pages of Doxygen
myst_heading_anchors = 4
suppress_warnings = ["myst.header"]
autodoc_member_order = "bysource"
autodoc_typehints = "none"
html_title = f"Limequat {release}"
html_show_sourcelink = False
html_static_path = ["style"]
html_css_files = ["site.css"]
html_extra_path = []
try:
    import sphinx_rtd_theme  # noqa: F401

    html_theme = "sphinx_rtd_theme"
except ImportError:
    html_theme = "alabaster"

_ARGUMENT = re.compile(r"^(\w+(?:, \w+)*) {2,}(\S.*)$")  # a name, or several, and what it means


def as_definitions(lines):
    """Docstrings have names, spaces and what they mean, in columns: a list of definitions for a page."""
    made, inside = [], False
    for line in (line.replace("|", r"\|") for line in lines):
        found = _ARGUMENT.match(line)
        if found:
            made += ["", f"``{found[1].replace(', ', '``, ``')}``", f"    {found[2]}"]
            inside = True
        elif inside and line.startswith(" ") and line.strip():
            made.append(f"    {line.strip()}")
        else:
            if inside:
                made.append("")
            inside = False
            made.append(line)
    return made


# The pages below an index, in its order where it matters. Pages are read without Sphinx, too: they hold no trees.
_TREES = {"index": ["guide/index", "formats/index", "api/index", "reference/index", "benchmarks/index", "design/index",
                    "how-it-is-tested"],
          "guide/index": ["five-minutes", "getting-started", "cluster", "wrong-plaquette", "killed-job", "which-format", "python", "*"]}


def completed(app, name, source):
    """Adds the tree of pages below an index; what lies outside of docs/ keeps its name and loses its link."""
    text = re.sub(r"\[([^\]]+)\]\((?:\.\./){2}[^)]*\)", r"\1", source[0])
    if name.split("/")[-1] == "index":
        tree = "\n".join(_TREES.get(name, ["*"]))
        title, below = text.split("\n", 1)
        text = f"{title}\n\n```{{toctree}}\n:hidden:\n:glob:\n:maxdepth: 1\n{tree}\n```\n{below}"
    source[0] = text


def setup(app):
    """Takes docstrings as they are written here."""
    app.connect("source-read", completed)
    app.connect("autodoc-process-docstring", lambda app, what, name, thing, options, lines: lines.__setitem__(
        slice(None), as_definitions(lines)))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
