# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""HTML tables for notebooks. Texts of files are escaped."""

import html
import os

MOST = 100  # rows of a table
_LONG = 300  # characters of a value


def table(title, head, rows):
    """A title and a table below it, of the first hundred rows; only the title without rows."""
    shown, rows = f"<p><b>{_escaped(title)}</b></p>", list(rows)
    if not rows:
        return shown
    cells = [_row("th", head)] + [_row("td", row) for row in rows[:MOST]]
    more = f"<p>and {len(rows) - MOST} more</p>" if len(rows) > MOST else ""
    return f"{shown}<table>{''.join(cells)}</table>{more}"


def brief(value):
    """A value of an answer in a cell: only the length of a long list or of dicts."""
    if isinstance(value, dict):
        return ", ".join(f"{name}: {brief(one)}" for name, one in value.items()) if len(value) <= 4 else f"{len(value)} members"
    if isinstance(value, list) and (len(value) > 8 or any(isinstance(one, (dict, list)) for one in value)):
        return f"{len(value)} entries"
    return ", ".join(map(str, value)) if isinstance(value, list) else "" if value is None else value


def name_of(path):
    """A path as a text, also of bytes."""
    return os.fsdecode(path) if isinstance(path, (str, bytes, os.PathLike)) else str(path)


def _row(tag, values):
    return "<tr>" + "".join(f'<{tag} style="text-align:left">{_escaped(value)}</{tag}>' for value in values) + "</tr>"


def _escaped(value):
    text = "".join(c if c.isprintable() else " " for c in str(value))
    return html.escape(text if len(text) <= _LONG else text[:_LONG] + "...")
