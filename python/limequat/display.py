# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""What notebooks show: tables in HTML. Texts of files are escaped."""

import html


def table(title, head, rows):
    """A title and a table below it; nothing but the title without rows."""
    shown = f"<p><b>{_escaped(title)}</b></p>"
    if not rows:
        return shown
    cells = [_row("th", head)] + [_row("td", row) for row in rows]
    return f"{shown}<table>{''.join(cells)}</table>"


def _row(tag, values):
    return "<tr>" + "".join(f'<{tag} style="text-align:left">{_escaped(value)}</{tag}>' for value in values) + "</tr>"


def _escaped(value):
    text = "".join(c if c.isprintable() else " " for c in str(value))
    return html.escape(text)
