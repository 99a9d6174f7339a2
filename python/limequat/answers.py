# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Structured answers: JSON objects whose members are attributes too."""

from __future__ import annotations

import json
from typing import Any, Dict, List

from limequat.display import brief, table
from limequat.remedies import in_keywords


class Answer(Dict[str, Any]):
    """A JSON object (docs/reference/json.md): answer["format"] and answer.format are the same.

    Members whose names are those of dict methods ("items", "keys", ...) need the bracket form.
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"no member {name!r}; there are: {', '.join(self)}") from None

    def _repr_html_(self) -> str:
        return table(self.get("path") or type(self).__name__.lower(), ("", "value"), [(name, brief(value)) for name, value in self.items()])

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *self]


# Members that count or list what is wrong.
_WRONG = ("damage", "damaged", "duplicates", "gaps", "incomplete", "lost", "missing", "outliers", "remarks", "unreadable")


class Judgement(Answer):
    """An answer that is true if nothing is wrong: the answers of :func:`verify`, :func:`diff`,
    :func:`scrub`, :func:`diagnose`, :func:`info`, :func:`repair`, :func:`index` and others."""

    def __bool__(self) -> bool:
        for name in ("ok", "same", "sound"):
            if isinstance(self.get(name), bool):
                return self[name]
        return not has_error(self) and not any(self.get(name) for name in _WRONG)


class Verification(Judgement):
    """The verdict on a file: ``ok``, ``verdict``, ``findings``, and other requested results. True if ok."""

    @property
    def _word(self) -> str:
        """"sound", "damaged", ...; the equivalent word if the answer has none."""
        word = self.get("verdict")
        return word if isinstance(word, str) and "\n" not in word and len(word) < 40 else "ok" if self else "not ok"

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._word!r}: {dict.__repr__(self)}>"

    def _repr_html_(self) -> str:
        return table(self._word, ("", "finding"), _rows(self.get("findings", ())))


class Answers(List[Answer]):
    """A list of answers, which is a table in notebooks: :func:`formats`, :func:`explain`, :func:`build_parts`."""

    def _repr_html_(self) -> str:
        head = list(self[0]) if self else []
        return table(f"{len(self)} entries", head, [[brief(one.get(name)) for name in head] for one in self])


class Findings(List[Answer]):
    """Findings of :func:`validate`: a list that is true if none of them is an error, even if it is empty."""

    def __bool__(self) -> bool:
        return not has_error({"findings": self})

    def _repr_html_(self) -> str:
        return table("conforms" if self else "does not conform", ("", "finding"), _rows(self))


def has_error(answer: Dict[str, Any]) -> bool:
    """True if an answer has a finding that is an error."""
    return any(finding["severity"] == "error" for finding in answer.get("findings", ()))


def _rows(findings):
    return [(finding["severity"], finding["message"]) for finding in findings]


def _answer(members):
    """An Answer, whose sentences name options as Python does."""
    for name in ("message", "remedy"):
        if isinstance(members.get(name), str):
            members[name] = in_keywords(members[name])
    if isinstance(members.get("warnings"), list):
        members["warnings"] = [in_keywords(text) if isinstance(text, str) else text for text in members["warnings"]]
    return Answer(members)


def parse(text: str, kind: Any = Answer) -> Any:
    """JSON text as Answers; the outermost object or array is of the type `kind`; null is None."""
    answer = json.loads(text, object_hook=_answer)
    if answer is None:
        return None
    if isinstance(answer, list) and kind is Answer:
        kind = Answers
    return kind(answer)
