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


# Members that count or list what is wrong.
_WRONG = ("damage", "damaged", "duplicates", "gaps", "incomplete", "lost", "missing", "outliers", "remarks", "unreadable")


class Judgement(Answer):
    """An answer that says whether something is wrong, and is true when nothing is: those of :func:`verify`, :func:`diff`,
    :func:`scrub`, :func:`diagnose`, :func:`info`, :func:`repair`, :func:`index` and others."""

    def __bool__(self):
        for name in ("ok", "same", "sound"):
            if isinstance(self.get(name), bool):
                return self[name]
        return not has_error(self) and not any(self.get(name) for name in _WRONG)


class Verification(Judgement):
    """The verdict on a file: ``ok``, ``verdict``, ``findings``, and what else was asked for. True when ok."""

    @property
    def _word(self):
        """"sound", "damaged", ...; where the answer has no such word, what it comes to."""
        word = self.get("verdict")
        return word if isinstance(word, str) and "\n" not in word and len(word) < 40 else "ok" if self else "not ok"

    def __repr__(self):
        return f"<{type(self).__name__} {self._word!r}: {dict.__repr__(self)}>"

    def _repr_html_(self):
        return table(self._word, ("", "finding"), _rows(self.get("findings", ())))


class Findings(list):
    """Findings of :func:`validate`: a list, which is true when none of them is an error, be it empty or not."""

    def __bool__(self):
        return not has_error({"findings": self})

    def _repr_html_(self):
        return table("conforms" if self else "does not conform", ("", "finding"), _rows(self))


def has_error(answer):
    """Whether an answer has a finding that is an error."""
    return any(finding["severity"] == "error" for finding in answer.get("findings", ()))


def _rows(findings):
    return [(finding["severity"], finding["message"]) for finding in findings]


def parse(text, kind=Answer):
    """JSON text as Answers; what is outermost, an object or an array, is a `kind`."""
    answer = json.loads(text, object_hook=Answer)
    return kind(answer) if isinstance(answer, dict) or kind is not Answer else answer
