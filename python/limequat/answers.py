# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Structured answers: JSON objects whose members are attributes too."""

import json

from limequat.display import table


class Answer(dict):
    """A JSON object (docs/reference/json.md): answer["format"] and answer.format are the same.

    Members whose names are those of dict methods ("items", "keys", ...) need the bracket form.
    """

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"no member {name!r}; there are: {', '.join(self)}") from None

    def __dir__(self):
        return [*super().__dir__(), *self]


class Verification(Answer):
    """The verdict on a file: ``ok``, ``findings``, and what else was asked for. True when ok."""

    def __bool__(self):
        return bool(self["ok"])

    def _repr_html_(self):
        findings = [(finding["severity"], finding["message"]) for finding in self.get("findings", ())]
        return table("sound" if self else "damaged", ("", "finding"), findings)


def parse(text, kind=Answer):
    """JSON text as Answers; the outermost object is a `kind`."""
    answer = json.loads(text, object_hook=Answer)
    return kind(answer) if isinstance(answer, dict) else answer
