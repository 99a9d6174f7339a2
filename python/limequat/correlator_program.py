# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""python3 -m limequat.correlators: lists and verifies stores, and imports files of other programs."""

import argparse
import re
import sys

from limequat import correlators
from limequat.correlator_labels import described
from limequat.errors import Error
from limequat.foreign_correlators import LAYOUTS
from limequat.units import spelled


def main(arguments):
    """The exit status: 0, 1 for damage or an error, 2 for wrong arguments."""
    parser = argparse.ArgumentParser(prog="python3 -m limequat.correlators", description="Stores of correlators.")
    verbs = parser.add_subparsers(dest="verb", required=True)
    listing = verbs.add_parser("ls", help="configurations and correlators of a store")
    listing.add_argument("store")
    listing.add_argument("--missing", action="store_true", help="list combinations that the store lacks")
    checking = verbs.add_parser("verify", help="read everything and compare all checksums")
    checking.add_argument("store", nargs="+")
    importing = verbs.add_parser("import", help="append files of other programs; each file, or the files of a folder, are a configuration")
    importing.add_argument("store")
    importing.add_argument("files", nargs="+")
    importing.add_argument("--layout", choices=list(LAYOUTS))
    importing.add_argument("--configuration", help="of all files; otherwise it is the last number in the name of a file")
    importing.add_argument("--replace", action="store_true", help="replace correlators that the store has")
    options = parser.parse_args(arguments)
    try:
        return {"ls": _list, "verify": _verify, "import": _import}[options.verb](options)
    except Error as error:
        print(error, file=sys.stderr)
        return 1


def _list(options):
    with correlators.open(options.store) as store:
        sizes = store.sizes
        print(f"{_plain(store.path)}: {len(store.correlators)} correlators, {len(store)} configurations, {spelled(sizes.file)}"
              + (f", {spelled(sizes.replaced)} replaced" if sizes.replaced else ""))
        for series in store.correlators:
            print(f"  {_plain(described(series.name, series.labels))}  {series.dtype} {list(series.shape)}")
        missing = store.select().missing
        if missing:
            print(f"{len(missing)} of {len(store) * len(store.correlators)} arrays are not in the store")
        for configuration, series in missing if options.missing else ():
            print(f"  {configuration!r}: {_plain(described(series.name, series.labels))}")
    return 0


def _verify(options):
    status = 0
    for path in options.store:
        with correlators.open(path) as store:
            verdict = store.verify()
        print(f"{'OK' if verdict else 'DAMAGED'}  {_plain(path)}: {verdict.arrays} arrays")
        for finding in verdict.findings:
            print(f"  {_plain(finding['message'])}")
        status = status or int(not verdict)
    return status


def _import(options):
    by_configuration = {}
    for path in options.files:
        by_configuration.setdefault(_configuration_of(path, options.configuration), []).append(path)
    with correlators.open(options.store, "a", wait=60) as store:
        for configuration, paths in by_configuration.items():
            count = store.import_files(configuration, paths, options.layout, replace=options.replace)
            print(f"{configuration!r}: {count} correlators")
    return 0


def _configuration_of(path, given):
    text = given if given is not None else (re.findall(r"\d+", re.sub(r"\.(h5|hdf5|txt|dat)$", "", path.rsplit("/", 1)[-1])) or [""])[-1]
    if not text:
        raise correlators.InvalidArgument(f"{path}: no number in the name; give --configuration", path=path)
    return int(text) if re.fullmatch(r"\d{1,18}", text) else text


def _plain(text):
    return "".join(c if c.isprintable() else "?" for c in str(text))
