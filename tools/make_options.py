#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Generates the documentation of options for readers and type checkers from the tables in src/options, which the library
# returns (lq_options_json): docs/reference/options.md, a section of docs/man/lq.1.scd, and python/limequat/option_types.py.
# Without --fix it compares the files with the tables; and every member of the public structs must have a row.
"""usage: make_options.py [--fix] LIBRARY [ROOT]"""

import ctypes
import json
import pathlib
import re
import sys
import textwrap

TYPES = {"flag": "bool", "whole": "int", "count": "int", "real": "float", "text": "str", "texts": "Mapping[str, str]",
         "extents": "Union[str, Sequence[int]]", "box": "Union[Mapping[Union[str, int], Union[slice, int]], str]", "callback": "Callable[..., None]"}


def tables_of(library):
    """The tables, as the library returns them."""
    functions = ctypes.CDLL(str(library))
    text = ctypes.c_char_p()
    if functions.lq_options_json(ctypes.byref(text)) != 0:
        raise SystemExit("make_options.py: lq_options_json failed")
    return json.loads(text.value)


def arguments_of(row):
    return ", ".join(f"`{argument['names'][0]}`" for argument in row["arguments"])


def default_of(row):
    return {"texts": "none", "box": "all", "callback": "none"}.get(row["kind"], row["default"] or "not given")


def page(tables):
    """docs/reference/options.md"""
    lines = ["# Options", "",
             "Every option has one name: a member of the structs of C++ and C, a keyword of Python, an argument of `lq` "
             "(with dashes). Change them only for a reason: the defaults are meant for production. `lq VERB --help` and "
             "`help()` in Python show the first line of each. tools/make_options.py generates this page from the tables "
             "in src/options.", ""]
    for table in tables:
        c = f"`{table['c_name']}` in C" if table["c_name"] else "not in C"
        functions = ", ".join(f"`{name}`" for name in table["functions"]) or "no function"
        verbs = ", ".join(f"`lq {verb}`" for verb in table["verbs"]) or "no verb"
        lines += [f"## {table['name']}", "", *textwrap.wrap(
            f"{table['summary']}. `lq::{table['name']}` in C++, {c}; in Python {functions}; on the command line {verbs}."
            + (f" Also takes the options of [{table['base']}](#{table['base'].lower()})." if table["base"] else ""), 118), ""]
        for row in table["options"]:
            lines += [f"### {row['name']}", "", *textwrap.wrap(row["meaning"][0].upper() + row["meaning"][1:] + ".", 118), ""]
            facts = [f"Default: {default_of(row)}"]
            if row["choices"]:
                facts.append("values: " + ", ".join(row["choices"]))
            if row["cpp"] != row["name"]:
                facts.append(f"in C++ `{row['cpp']}`")
            if row["arguments"]:
                only = "" if row["verbs"] == table["verbs"] else " of " + ", ".join(row["verbs"])
                facts.append(f"{arguments_of(row)}{only}")
            else:
                facts.append(f"no argument of `lq`: {row['not_in_lq'] or 'no verb takes it'}")
            if row["aliases"]:
                facts.append("older names: " + ", ".join(f"`{alias}`" for alias in row["aliases"]))
            facts.append({"same": "the same on all ranks", "resolved": "its effective value is the same on all ranks",
                          "own": "ranks may differ"}[row["ranks"]])
            lines += [*textwrap.wrap("; ".join(facts) + ".", 118), "", *textwrap.wrap(row["advice"], 118), ""]
    return "\n".join(lines).rstrip() + "\n"


def type_of(row):
    if row["name"] == "progress":
        return f"Union[{TYPES[row['kind']]}, bool, None]"
    if row.get("is_extents"):
        return f"Optional[{TYPES['extents']}]"
    choices = ", ".join(f'"{choice}"' for choice in row["choices"])
    return f"Union[Literal[{choices}], bool, None]" if choices else f"Optional[{TYPES[row['kind']]}]"


def class_of(name, base, summary, rows):
    """A TypedDict of options and their older names."""
    lines = ["", f"class {name}({base}, total=False):", f'    """{summary}."""', ""]
    return [*lines, *(f"    {one}: {type_of(row)}" for row in rows for one in (row["name"], *row["aliases"])), ""]


# Options that functions name as separate parameters; checkers do not accept them twice, so a class has only the others.
NAMED = {"ReadOptions": ("FurtherReadOptions", ("field", "region", "verify"))}


def types(tables):
    """python/limequat/option_types.py"""
    classes = [name for table in tables if table["functions"] for name in (table["name"], *NAMED.get(table["name"], ())[:1])]
    lines = ["# Copyright (c) 2026 The Limequat authors", "# SPDX-License-Identifier: BSD-3-Clause",
             '"""Options for type checkers; made of the tables in src/options by tools/make_options.py."""', "",
             "from typing import Callable, Literal, Mapping, Optional, Sequence, TypedDict, Union", "",
             "from typing_extensions import Unpack", "",
             f"__all__ = {json.dumps(classes + ['Unpack'])}", ""]
    for table in tables:
        if not table["functions"]:
            continue
        base = table["base"] or "TypedDict"
        there = {row["name"] for other in tables if other["name"] == table["base"] for row in other["options"]}
        rows = [row for row in table["options"] if row["name"] not in there]
        further, named = NAMED.get(table["name"], (None, ()))
        if further:
            lines += class_of(further, base, table["summary"], [row for row in rows if row["name"] not in named])
            base, rows = further, [row for row in rows if row["name"] in named]
        lines += class_of(table["name"], base, table["summary"], rows)
    return "\n".join(lines)


VALUES = {"whole": " _N_", "count": " _N_", "real": " _X_", "texts": " _NAME_=_TEXT_", "text": " _TEXT_"}


def escaped(text):
    """A text in scdoc."""
    return re.sub(r"([_*\\])", r"\\\1", text)


def in_manual(row, argument):
    """The names of an argument and its value, in scdoc."""
    value = "" if argument["value"] else VALUES.get(row["kind"], " " + "|".join(row["choices"]))
    return ", ".join(f"*{escaped(name)}*" for name in argument["names"]) + value


def manual(tables, text):
    """The manual page `text` with its section of options regenerated."""
    entries = {}
    for table in tables:
        for row in table["options"]:
            for argument in row["arguments"]:
                key = (in_manual(row, argument), argument["meaning"])
                entries.setdefault(key, []).extend(row["verbs"])
    lines = []
    for (head, meaning), verbs in sorted(entries.items()):
        said = escaped(f"{meaning[0].upper()}{meaning[1:]}.")
        lines += [head, f"\t{said} Of {', '.join(dict.fromkeys(verbs))}.", ""]
    return re.sub(r"(; \[options\]\n\n).*?(; \[/options\]\n)", lambda m: m[1] + "\n".join(lines) + "\n" + m[2], text,
                  flags=re.DOTALL)


def members(text, name):
    """Names of the members of a struct in a header."""
    body = re.search(rf"(?:typedef )?struct {name} {{\n(.*?)\n}}", text, re.DOTALL)
    if not body:
        raise SystemExit(f"make_options.py: there is no struct {name}")
    code = re.sub(r"//[^\n]*", "", body[1])
    found = []
    for statement in code.split(";"):
        statement = re.sub(r"\s*=.*", "", statement, flags=re.DOTALL).strip()
        callback = re.search(r"\(\*(\w+)\)", statement)
        if callback or statement:
            found.append(callback[1] if callback else re.search(r"(\w+)$", statement)[1])
    return found


def without_rows(root, tables):
    """Sentences about members of public structs that are in no table."""
    headers, c_headers = ("\n".join(path.read_text(encoding="utf-8") for path in sorted((root / "include/limequat").glob(names)))
                          for names in ("*.hpp", "c/*.h"))
    for table in tables:
        known = {row["cpp"].split(".")[0] for row in table["options"]} | ALSO.get(table["name"], set())
        for name in members(headers, table["name"]):
            if name not in known:
                yield f"{table['name']}::{name} has no row in src/options"
        if table["c_name"]:
            known = {member["name"] for row in table["options"] for member in row["members"]}
            known |= {member["name"] for member in table["others"]}
            for name in members(c_headers, table["c_name"]):
                if name not in known:
                    yield f"{table['c_name']}.{name} has no row in src/options"


# Arguments rather than options, and the other struct of a conversion.
ALSO = {"PlanRequest": {"lattice", "processes", "rank_order", "spec", "writing"}, "ConvertOptions": {"write"},
        "RepairOptions": {"output"}}


def main():
    words = [word for word in sys.argv[1:] if word != "--fix"]
    root = pathlib.Path(words[1]) if len(words) > 1 else pathlib.Path(__file__).resolve().parent.parent
    tables = tables_of(words[0])
    wrong = list(without_rows(root, tables))
    man = root / "docs/man/lq.1.scd"
    for path, text in [(root / "docs/reference/options.md", page(tables)),
                       (man, manual(tables, man.read_text(encoding="utf-8"))),
                       (root / "python/limequat/option_types.py", types(tables))]:
        if "--fix" in sys.argv:
            path.write_text(text, encoding="utf-8")
        elif not path.is_file() or path.read_text(encoding="utf-8") != text:
            wrong.append(f"{path.relative_to(root)} is not what the tables say; tools/make_options.py --fix LIBRARY writes it")
    for sentence in wrong:
        print(sentence)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
