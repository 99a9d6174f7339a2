#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Generates docs/reference/lq.md, the page of the command `lq`, from the output of the program (lq VERB --help --json),
# and the synopsis of docs/man/lq.1.scd. Without --fix it compares them.
"""usage: make_lq_page.py [--fix] LQ [ROOT]"""

import json
import pathlib
import re
import subprocess
import sys
import textwrap

PAGE, MANUAL = "docs/reference/lq.md", "docs/man/lq.1.scd"
SYNOPSIS = re.compile(r"(?<=# SYNOPSIS\n\n).*?(?=# DESCRIPTION\n)", re.DOTALL)
COMMON = ("--json", "-q", "-v")  # described once on the page

INTRODUCTION = """# The command lq

`lq` inspects, checks, converts and makes files, and looks after ensembles of them. `lq` is one process without MPI; `lq-mpi` is the
same command on all ranks of a job (`mpirun -n 4 lq-mpi VERB ...`). `lq --help` lists the verbs, `lq VERB --help` shows what is below.
tools/make_lq_page.py generates this page from the program; a test runs every example.

Every verb takes `-q` (`--quiet`: results, warnings and errors only) and `-v` (`--verbose`: more on standard error); those that report take `--json` (results as
[JSON](json.md), one object per line). With several files the highest exit code counts:

| Exit code | Meaning |
|---|---|
| 0 | fine |
| 1 | content differs, or a verification failed |
| 2 | usage; also: the target exists and `--overwrite` is missing |
| 3 | not readable, or not a valid file |
| 4 | environment: permission, space, MPI |
| 5 | incomplete: an interrupted writer |

A terminal gets colours, unless the variable `NO_COLOR` is set; lines are as wide as the terminal, or as `COLUMNS` says. Completion of verbs,
options and values: `source <(lq completion bash)`, or `zsh`, `fish`; installed packages bring it. Options of calls in all languages are on the page
[options](options.md).
"""


def said_by(program):
    """The help of each verb, in the program's order."""
    def run(*words):
        return subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout
    verbs = re.findall(r"^  ([a-z]{2,})  ", run("--help"), re.MULTILINE)
    return [json.loads(run(verb, "--help", "--json")) for verb in verbs]


def entry(argument):
    names = list(argument["names"])
    if argument["positional"]:
        names = [names[0] + "..." * argument["repeats"]]
    elif argument["value"]:
        names[-1] += " " + argument["value"]
    values = f" ({', '.join(f'`{choice}`' for choice in argument['choices'])})" if argument["choices"] else ""
    text = argument["help"].replace("<", "\\<").replace("*", "\\*")
    return f"- {', '.join(f'`{name}`' for name in names)}: {text}{values}"


def section(verb):
    lines = [f"### lq {verb['verb']}", "", verb["summary"][0].upper() + verb["summary"][1:] + ".", "",
             "```text", *textwrap.wrap(verb["usage"], 60, subsequent_indent="    ", break_on_hyphens=False), "```", ""]
    own = [a for a in verb["arguments"] if not any(name in COMMON for name in a["names"])]
    lines += [*map(entry, own), ""] if own else []
    lines += ["```text"]
    for example in verb["examples"]:
        lines += [f"# {example['purpose']}", example["command"]]
    return [*lines, "```", ""]


def page(verbs):
    lines, groups = [INTRODUCTION], list(dict.fromkeys(verb["group"] for verb in verbs))
    for group in groups:
        lines += [f"## {group}", ""]
        for verb in verbs:
            lines += section(verb) if verb["group"] == group else []
    return "\n".join(lines).rstrip("\n") + "\n"


def synopsis(verbs):
    """The line of each verb for the manual page."""
    def shown(word):
        return word if word == "[OPTIONS]" else f"_{word.rstrip('.')}_" + "..." * word.endswith("...")
    lines = []
    for verb in verbs:
        program, name, *words = verb["usage"].split()
        lines += [" ".join([f"*{program}* {name}", *(shown(word).replace("[OPTIONS]", "[_OPTIONS_]") for word in words)]), ""]
    return "\n".join([*lines, "*mpirun* -n _RANKS_ *lq-mpi* _VERB_ ...", "", ""])


def main():
    words = [word for word in sys.argv[1:] if word != "--fix"]
    if len(words) not in (1, 2):
        raise SystemExit(__doc__)
    root = pathlib.Path(words[1] if len(words) > 1 else pathlib.Path(__file__).parent.parent)
    verbs = said_by(words[0])
    manual = (root / MANUAL).read_text(encoding="utf-8")
    wanted = {PAGE: page(verbs), MANUAL: SYNOPSIS.sub(lambda _: synopsis(verbs), manual)}
    wrong = []
    for name, text in wanted.items():
        path = root / name
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        if "--fix" in sys.argv:
            path.write_text(text, encoding="utf-8")
        else:
            wrong.append(f"{name} is not what lq says; tools/make_lq_page.py --fix LQ writes it")
    print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
