# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""``lq export --vtk``: plaquette and topological charge density of a gauge field as images of VTK."""

import argparse
import contextlib
import json
import re
import sys

from limequat.densities import charge_density, plaquette_density
from limequat.errors import Error, InvalidArgument
from limequat.files import open as open_file
from limequat.manifests import exit_code_of
from limequat.remedies import in_arguments
from limequat.vtk import export


def main(words):
    """Writes the images of one file. Returns the exit code."""
    parser = argparse.ArgumentParser(prog="lq export --vtk")
    parser.add_argument("file")
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--field")
    parser.add_argument("--slice")
    parser.add_argument("--overwrite", action="store_true")
    parser.add_argument("-q", "--quiet", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(words)
    try:
        with open_file(options.file) as file:
            fields = densities(file, options.field)
        written = export(options.output, fields, _time_of(options.slice), overwrite=options.overwrite, likes=[options.file])
    except Error as error:
        print("lq: " + error.sentence.replace("overwrite=True", "--overwrite").replace("with t=", "with --slice t="), file=sys.stderr)
        return exit_code_of(error)
    except ImportError as error:
        print(f"lq: {in_arguments(str(error))}", file=sys.stderr)
        return 4
    with contextlib.suppress(BrokenPipeError):
        if options.json:
            print(json.dumps({"path": options.output, "files": written, "fields": list(fields)}))
        elif not options.quiet:
            print(f"{options.output}: {' and '.join(fields)} of {options.file}, {len(written)} file{'s' * (len(written) != 1)}")
    return 0


def densities(file, name=None):
    """{quantity: its array} of a gauge field of an open file, by default the only one."""
    gauge = [view for view in file.fields if view.kind == "gauge"] if name is None else [file[name]]
    if len(gauge) != 1 or gauge[0].kind != "gauge":
        found = ", ".join(view.name for view in gauge) or "none"
        raise InvalidArgument(f"{file.path}: images are made of one gauge field, and here there is {found}; choose one with --field",
                              path=str(file.path))
    links = gauge[0]
    quantities = {"plaquette": plaquette_density(links)}
    if links.shape[-3] == 4:
        quantities["charge density"] = charge_density(links)
    return quantities


def _time_of(text):
    if text is None:
        return None
    match = re.fullmatch(r"t=([0-9]{1,9})", text)
    if match is None:
        raise InvalidArgument(f"--slice {text}: expected a time slice, such as t=3", found=text)
    return int(match[1])
