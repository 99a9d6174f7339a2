#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Makes a release from a git tag. It first checks that the tag, the header, the packages and CHANGELOG.md name the same version.
# Then it builds everything from a clean checkout of the tag, so a release contains no local changes.
"""usage: release.py check [TAG] [--root ROOT]
       release.py notes [VERSION] [--root ROOT]
       release.py make TAG FOLDER [--without-wheel] [--root ROOT]

check  compares the versions in the tree, and the tag if one is given
notes  prints the section of a version in CHANGELOG.md as release notes (default: the version of the header)
make   writes source tarball, wheel, Debian source, notes and SHA256SUMS of a tag into a new or empty FOLDER"""

import argparse
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# Files that name the whole version, its first two numbers, or the major version (the soname).
WHOLE = {
    "python/pyproject.toml": r'^version = "(.*)"$', "pyproject.toml": r'^version = "(.*)"$', "CITATION.cff": r"^version: (.*)$",
    "packaging/conda/recipe.yaml": r'^  version: "(.*?)"$', "packaging/debian/changelog": r"\A\w+ \((.*?)-\d+\)",
    "packaging/spack/packages/limequat/package.py": r'^    version\("(.*?)"', "CHANGELOG.md": r"^## (\d\S*) \(\d{4}-\d\d-\d\d\)$",
    "dropins/CMakeLists.txt": r"project\(LimequatDropins VERSION (\S+)",
}
SERIES = {"docs/guide/getting-started.md": r"find_package\(Limequat ([\d.]+)",
          "tests/install/downstream/CMakeLists.txt": r"find_package\(Limequat ([\d.]+)"}
MAJOR = {
    "packaging/debian/control": r"\bliblimequat(?:-mpi)?(\d+)\b", "python/limequat/_finding.py": r"liblimequat\.so\.(\d+)",
    "python/limequat/communicators.py": r"liblimequat_mpi\.so\.(\d+)", "packaging/README.md": r"liblimequat\.so\.(\d+)",
}
HEADER = "include/limequat/version.hpp"


def header_version(root):
    """The version in include/limequat/version.hpp; all others must agree with it."""
    text = (root / HEADER).read_text(encoding="utf-8")
    return ".".join(re.search(rf"LQ_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def differing(root):
    """Messages about files that name a different version; empty if all agree."""
    parts = header_version(root).split(".")
    for places, wanted in ((WHOLE, ".".join(parts)), (SERIES, ".".join(parts[:2])), (MAJOR, parts[0])):
        for place, pattern in places.items():
            found = re.findall(pattern, (root / place).read_text(encoding="utf-8"), re.M)
            named = found[:1] if places is WHOLE else sorted(set(found))
            if named != [wanted]:
                yield f"{place} names version {', '.join(named) or 'none'}, {HEADER} {wanted}"
    for name in (root / "packaging/debian").glob("liblimequat*[0-9].install"):
        if not re.fullmatch(rf"liblimequat(-mpi|-hdf5-|-ensemble)?{parts[0]}\.install", name.name):
            yield f"packaging/debian/{name.name} is not named after the soname {parts[0]}"


def section(text, version):
    """The entries of a version in a change log, or None."""
    found = re.search(rf"^## {re.escape(version)}(?: [^\n]*)?\n(.*?)(?=^## |\Z)", text, re.S | re.M)
    return found[1].strip() if found else None


def complaints(root, tag=None):
    """All reasons against a release, as messages."""
    yield from differing(root)
    log, version = (root / "CHANGELOG.md").read_text(encoding="utf-8"), header_version(root)
    if tag is not None and tag != f"v{version}":
        yield f"the tag is {tag}, expected v{version} ({HEADER})"
    if tag is not None and section(log, "Unreleased"):
        yield f"CHANGELOG.md has entries under Unreleased; move them to {version}"


def notes(root, version):
    """The release notes of a version, or None if CHANGELOG.md does not have it."""
    entries = section((root / "CHANGELOG.md").read_text(encoding="utf-8"), version)
    return entries and (f"# Limequat {version}\n\n{entries}\n\n`pip install limequat` installs the wheel, which needs neither MPI nor a "
                        "compiler; packaging/ has recipes for Debian, Spack, conda and containers.\n")


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    if done.returncode != 0:
        raise SystemExit(f"release.py: {' '.join(map(str, command))} failed:\n{done.stdout[-4000:]}")
    return done.stdout


def write_sums(folder):
    """SHA256SUMS, as `sha256sum -c` reads it."""
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.name != "SHA256SUMS")
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (folder / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")


def make(root, tag, folder, with_wheel):
    folder = folder.resolve()
    if folder.exists() and any(folder.iterdir()):
        raise SystemExit(f"release.py: {folder} is not empty; give a new folder")
    seconds = run("git", "-C", root, "log", "-1", "--format=%ct", f"{tag}^{{commit}}").strip()
    with tempfile.TemporaryDirectory(prefix="limequat-release-") as name:
        tree, debian = pathlib.Path(name) / "tree", pathlib.Path(name) / "debian"
        run("git", "-C", root, "worktree", "add", "--detach", tree, f"{tag}^{{commit}}")
        try:
            wrong = list(complaints(tree, tag))
            if wrong:
                raise SystemExit("\n".join(wrong))
            folder.mkdir(parents=True, exist_ok=True)
            environment = {**os.environ, "SOURCE_DATE_EPOCH": seconds}
            run(sys.executable, tree / "tools/make_wheel.py", "--sdist", folder, env=environment)
            run(tree / "packaging/make_debian.sh", debian, env=environment)
            if shutil.which("dpkg-source"):
                run("dpkg-source", "--build", debian / f"limequat-{header_version(tree)}", cwd=debian)
            for path in debian.iterdir():
                if path.is_file():
                    shutil.move(path, folder / path.name)
            if with_wheel:
                run(tree / "dev", "wheel", "--mpi", "none", env=environment)
                for wheel in (tree / "build/dist").glob("*.whl"):
                    shutil.copy(wheel, folder)
            (folder / "NOTES.md").write_text(notes(tree, header_version(tree)), encoding="utf-8")
        finally:
            run("git", "-C", root, "worktree", "remove", "--force", tree)
    write_sums(folder)
    return sorted(path.name for path in folder.iterdir())


def main():
    parser = argparse.ArgumentParser(usage=__doc__.removeprefix("usage: "))
    parser.add_argument("verb", choices=("check", "notes", "make"))
    parser.add_argument("name", nargs="?")
    parser.add_argument("folder", nargs="?", type=pathlib.Path)
    parser.add_argument("--without-wheel", action="store_true")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    options = parser.parse_args()
    if options.verb == "make":
        if options.folder is None:
            parser.error("make needs a tag and a folder")
        print("\n".join(make(options.root, options.name, options.folder, not options.without_wheel)))
        return 0
    wrong = list(complaints(options.root, options.name if options.verb == "check" else None))
    if options.verb == "notes":
        version = options.name or header_version(options.root)
        text = notes(options.root, version)
        if text is None:
            wrong.append(f"CHANGELOG.md has no section {version}")
    if wrong:
        print("\n".join(wrong), file=sys.stderr)
        return 1
    if options.verb == "notes":
        print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
