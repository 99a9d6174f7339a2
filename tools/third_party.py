#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The copies in third_party/: which releases they are, a check that they are unchanged, and how to replace them.
"""usage: third_party.py check [--root ROOT]
       third_party.py update LIBRARY VERSION [--from TARBALL] [--root ROOT]

check   compares every file with third_party/SHA256SUMS, and the versions with third_party/README.md
update  replaces a copy by that of another release, which is downloaded, or read from a file"""

import argparse
import hashlib
import io
import pathlib
import re
import shutil
import sys
import tarfile
import urllib.request

# The source of each release, and the files that we need.
LIBRARIES = {
    "fmt": ("https://github.com/fmtlib/fmt/archive/refs/tags/{}.tar.gz", ("include/fmt/", "LICENSE.rst")),
    "pugixml": ("https://github.com/zeux/pugixml/archive/refs/tags/v{}.tar.gz", ("src/", "LICENSE.md")),
    "CLI11": ("https://github.com/CLIUtils/CLI11/archive/refs/tags/v{}.tar.gz", ("include/CLI/", "LICENSE")),
    "tomlplusplus": ("https://github.com/marzer/tomlplusplus/archive/refs/tags/v{}.tar.gz", ("include/toml++/", "LICENSE")),
}
# The version that each copy states.
VERSIONS = {
    "fmt": ("include/fmt/core.h", r"define FMT_VERSION (\d+)(\d\d)(\d\d)$"),
    "pugixml": ("src/pugixml.hpp", r"define PUGIXML_VERSION (\d)(\d\d)0\b"),
    "CLI11": ("include/CLI/Version.hpp", r'define CLI11_VERSION "(\d+)\.(\d+)\.(\d+)"'),
    "tomlplusplus": ("include/toml++/impl/version.h",
                     r"define TOML_LIB_MAJOR\s+(\d+)\s+#define TOML_LIB_MINOR\s+(\d+)\s+#define TOML_LIB_PATCH\s+(\d+)"),
}


def digests(folder):
    """The SHA-256 of each file of the copies, by its path within third_party/."""
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for library in LIBRARIES for path in sorted((folder / library).rglob("*")) if path.is_file()}


def version(folder, library):
    """The version that the headers of a copy state."""
    name, pattern = VERSIONS[library]
    found = re.search(pattern, (folder / library / name).read_text(encoding="utf-8"), re.M)
    return ".".join(str(int(number)) for number in found.groups())


def check(folder):
    """Messages about errors; empty without errors."""
    stated = dict(reversed(line.split("  ", 1)) for line in (folder / "SHA256SUMS").read_text(encoding="utf-8").splitlines())
    found = digests(folder)
    for name in sorted(stated.keys() | found.keys()):
        if name not in found:
            yield f"third_party/{name} is missing"
        elif stated.get(name) != found[name]:
            yield f"third_party/{name} is not as it was released; `third_party.py update` replaces copies"
    rows = dict(re.findall(r"^\| (\S+) \| (\S+) \|", (folder / "README.md").read_text(encoding="utf-8"), re.M))
    for library in LIBRARIES:
        if rows.get(library) != version(folder, library):
            yield f"third_party/README.md names {library} {rows.get(library)}, the copy is {version(folder, library)}"


def update(folder, library, wanted, tarball):
    address, parts = LIBRARIES[library]
    if tarball is None:
        with urllib.request.urlopen(address.format(wanted)) as answer:
            content = answer.read()
    else:
        content = pathlib.Path(tarball).read_bytes()
    shutil.rmtree(folder / library, ignore_errors=True)
    with tarfile.open(fileobj=io.BytesIO(content)) as release:
        for member in release:
            name = member.name.split("/", 1)[-1]  # without the folder of the release
            if member.isfile() and any(name == part or part.endswith("/") and name.startswith(part) for part in parts):
                target = folder / library / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(release.extractfile(member).read())
    if version(folder, library) != wanted:
        raise SystemExit(f"{tarball or address.format(wanted)} has {library} {version(folder, library)}, not {wanted}")
    (folder / "SHA256SUMS").write_text("".join(f"{digest}  {name}\n" for name, digest in digests(folder).items()), encoding="utf-8")
    page = folder / "README.md"
    page.write_text(re.sub(rf"^(\| {library} \| )\S+", rf"\g<1>{wanted}", page.read_text(encoding="utf-8"), flags=re.M),
                    encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    for name in ("check", "update"):
        verb = verbs.add_parser(name)
        if name == "update":
            verb.add_argument("library", choices=LIBRARIES)
            verb.add_argument("version")
            verb.add_argument("--from", dest="tarball")
        verb.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    arguments = parser.parse_args()
    folder = arguments.root / "third_party"
    if arguments.verb == "update":
        update(folder, arguments.library, arguments.version, arguments.tarball)
        return 0
    wrong = list(check(folder))
    print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
