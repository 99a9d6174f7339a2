# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests of releases, recipes and symbol lists: each check finds an error in generated trees and libraries, and this tree names the same
# version everywhere.
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import check_abi  # noqa: E402
import check_recipes  # noqa: E402
import check_symbols  # noqa: E402
import release  # noqa: E402


class Release(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name) / "tree"

    def copy_tree(self):
        """Of this tree, what the checks read and a source release needs."""
        for place in [*release.WHOLE, *release.SERIES, *release.MAJOR, release.HEADER, "LICENSE", "tools/make_wheel.py", "tools/release.py",
                      "packaging/make_debian.sh"]:
            (self.root / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / place, self.root / place)
        shutil.copytree(ROOT / "packaging/debian", self.root / "packaging/debian", dirs_exist_ok=True)

    def change(self, place, before, after):
        text = (self.root / place).read_text(encoding="utf-8")
        self.assertIn(before, text)
        (self.root / place).write_text(text.replace(before, after, 1), encoding="utf-8")

    def git(self, *words):
        subprocess.run(["git", "-C", self.root, "-c", "user.name=T", "-c", "user.email=t@example.org", *words], check=True,
                       capture_output=True)

    def test_this_tree_names_one_version(self):
        self.assertEqual(list(release.complaints(ROOT)), [])

    def test_each_place_that_names_another_version_is_reported(self):
        version = release.header_version(ROOT)
        series, major = version.rpartition(".")[0], version.partition(".")[0]
        names = {place: version for place in release.WHOLE} | {place: f"Limequat {series}" for place in release.SERIES}
        names |= {"packaging/debian/control": f"liblimequat{major}", "python/limequat/_finding.py": f".so.{major}",
                  "python/limequat/communicators.py": f".so.{major}", "packaging/README.md": f".so.{major}"}
        self.assertEqual(set(names), {*release.WHOLE, *release.SERIES, *release.MAJOR})
        for place, name in names.items():
            self.copy_tree()
            self.change(place, name, name[:-1] + "77")
            wrong, = release.differing(self.root)
            self.assertTrue(wrong.startswith(f"{place} names version ") and "77" in wrong, wrong)

    def test_a_package_of_another_soname_is_reported(self):
        self.copy_tree()
        file = next((self.root / "packaging/debian").glob("liblimequat[0-9].install"))
        file.rename(file.with_name("liblimequat77.install"))
        self.assertEqual(len(list(release.differing(self.root))), 1)

    def test_a_tag_must_be_that_of_the_version_with_nothing_unreleased(self):
        self.copy_tree()
        tag = f"v{release.header_version(ROOT)}"
        log = (self.root / "CHANGELOG.md").read_text(encoding="utf-8")
        self.change("CHANGELOG.md", log, log.replace("## Unreleased\n", "## Unreleased before\n"))
        self.assertEqual(list(release.complaints(self.root, tag)), [])
        self.assertEqual(len(list(release.complaints(self.root, tag + "7"))), 1)
        self.change("CHANGELOG.md", "\n## ", "\n## Unreleased\n\n- Added: something.\n\n## ")
        wrong, = release.complaints(self.root, tag)
        self.assertIn("Unreleased", wrong)
        self.assertEqual(list(release.complaints(self.root)), [])

    def test_the_section_of_a_version_is_all_of_it_and_nothing_else(self):
        text = "# Changelog\n\n## Unreleased\n\n- new\n\n## 0.1.0 (2026-11-21)\n\nFirst.\n\n- a\n- b\n"
        self.assertEqual(release.section(text, "Unreleased"), "- new")
        self.assertEqual(release.section(text, "0.1.0"), "First.\n\n- a\n- b")
        self.assertIsNone(release.section(text, "0.1"))

    def test_the_command_prints_notes_and_refuses_unknown_versions(self):
        def command(*words):
            return subprocess.run([sys.executable, ROOT / "tools/release.py", *words], text=True, capture_output=True)

        version = release.header_version(ROOT)
        done = command("notes")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith(f"# Limequat {version}\n") and "\n- " in done.stdout)
        self.assertEqual(command("check").returncode, 0)
        self.assertEqual(command("check", "v0.0.77").returncode, 1)
        self.assertIn("no section 0.0.77", command("notes", "0.0.77").stderr)

    @unittest.skipUnless(shutil.which("git"), "no git here")
    def test_a_tag_becomes_tarballs_with_checksums_and_without_local_changes(self):
        self.copy_tree()
        log = (self.root / "CHANGELOG.md").read_text(encoding="utf-8")
        self.change("CHANGELOG.md", log, log.replace("## Unreleased\n", "## Unreleased before\n"))
        version = release.header_version(self.root)
        self.git("init", "-q")
        self.git("add", "-A")
        self.git("commit", "-qm", "all")
        self.git("tag", f"v{version}")
        self.change("LICENSE", "BSD", "MY")
        (self.root / "stray").write_text("x")
        sums = set()
        for name in ("first", "second"):
            folder = self.root.parent / name
            made = release.make(self.root, f"v{version}", folder, with_wheel=False)
            self.assertLessEqual({f"limequat-{version}.tar.gz", f"limequat_{version}.orig.tar.gz", "NOTES.md", "SHA256SUMS"}, set(made))
            subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=folder, check=True)
            with tarfile.open(folder / f"limequat-{version}.tar.gz") as archive:
                self.assertNotIn(f"limequat-{version}/stray", archive.getnames())
                text = archive.extractfile(f"limequat-{version}/LICENSE").read()
            self.assertEqual(text, (ROOT / "LICENSE").read_bytes())
            sums.add((folder / f"limequat-{version}.tar.gz").read_bytes())
        self.assertEqual(len(sums), 1, "two releases of one tag differ")
        with self.assertRaisesRegex(SystemExit, "not empty"):
            release.make(self.root, f"v{version}", folder, with_wheel=False)
        self.git("tag", "v0.0.77")
        with self.assertRaisesRegex(SystemExit, "the tag is v0.0.77"):
            release.make(self.root, "v0.0.77", self.root.parent / "third", with_wheel=False)


class Recipes(unittest.TestCase):
    def complaints(self, file, before, after):
        """Those about this tree with one text of one file replaced."""
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            for folder in ("cmake", "packaging"):
                shutil.copytree(ROOT / folder, root / folder)
            (root / "tools").mkdir()
            for place in ("dev", "tools/make_wheel.py"):
                shutil.copy(ROOT / place, root / place)
            text = (root / file).read_text(encoding="utf-8")
            self.assertIn(before, text)
            (root / file).write_text(text.replace(before, after), encoding="utf-8")
            return check_recipes.check(root)

    def test_a_library_that_a_recipe_lacks_is_named(self):
        for file, before in (("packaging/debian/control", " libsqlite3-dev,"), ("packaging/Containerfile", " libsqlite3-0"),
                             ("packaging/conda/recipe.yaml", "    - libsqlite\n"), ("dev", "  need libsqlite3-dev sqlite3.h\n"),
                             ("packaging/spack/packages/limequat/package.py", '    depends_on("sqlite", when="+sqlite")\n')):
            complaint, = self.complaints(file, before, "")
            self.assertTrue(complaint.startswith(f"{file} does not name ") and "sqlite" in complaint, complaint)

    def test_every_licence_of_debian_has_a_text_of_its_own(self):
        """As lintian asks for it: a licence that paragraphs of files share is a paragraph with its text."""
        paragraphs = (ROOT / "packaging/debian/copyright").read_text(encoding="utf-8").split("\n\n")
        named = {line[9:] for part in paragraphs if part.startswith("Files: ") for line in part.splitlines() if line.startswith("License: ")}
        texts = {part.splitlines()[0][9:] for part in paragraphs if part.startswith("License: ") and "\n " in part}
        self.assertEqual(named, texts)
        copied = {path.name for path in (ROOT / "third_party").iterdir() if path.is_dir()}
        self.assertEqual({name for name in copied if f"Files: third_party/{name}/*" not in "\n".join(paragraphs)}, set())

    def test_the_recipe_of_spack_is_what_spack_takes(self):
        """Its directives, with the arguments that Spack documents, for every choice of variants."""
        variants, known, asked = {}, check_recipes.options(ROOT), []

        def when(condition):
            for name in re.findall(r"[+~]([\w-]+)", condition or ""):
                self.assertIn(name, variants)

        def is_spec(text):
            """The grammar of Spack: a package or %compiler, versions 1.2, 1.2:, :1.2 or 1.2:1.3, and variants."""
            self.assertRegex(text, r"^%?[a-z][a-z0-9-]*(@(\d+(\.\d+)*:?|:\d+(\.\d+)*|\d+(\.\d+)*:\d+(\.\d+)*))?([+~][\w-]+)*$")

        def depends_on(spec, type=("build", "link"), **options):
            is_spec(spec)
            self.assertLessEqual({type} if isinstance(type, str) else set(type), {"build", "link", "run", "test"})
            condition = options.pop("when", "+hdf5")
            self.assertRegex(condition, r"^([+~][\w-]+)+$")
            when(condition)
            self.assertEqual(options, {})

        class CMakePackage:
            def define(self, name, value):
                asked.append(name)
                return f"-D{name}={'ON' if value is True else 'OFF' if value is False else value}"

            def define_from_variant(self, name, variant):
                return self.define(name, self.spec.satisfies(f"+{variant}"))

        class Spec:
            def __init__(self, chosen):
                self.chosen = chosen

            def satisfies(self, condition):
                when(condition)
                return condition[1:] in self.chosen

        recipe = ROOT / "packaging/spack/packages/limequat/package.py"
        directives = {
            "__file__": str(recipe), "CMakePackage": CMakePackage, "join_path": os.path.join,
            "license": lambda name, checked_by=None: None, "generator": lambda name, default=None: self.assertEqual(name, "ninja"),
            "version": lambda name, tag=None, branch=None, sha256=None, url=None: None,
            "variant": lambda name, default, description, values=None, when=None: variants.update({name: default}),
            "depends_on": depends_on, "conflicts": lambda spec, msg, when=None: is_spec(spec)}
        text = recipe.read_text(encoding="utf-8")
        self.assertEqual(text.count("from spack.package import *\n"), 1)
        exec(compile(text.replace("from spack.package import *\n", ""), recipe, "exec"), directives)
        package = directives["Limequat"]()
        package.prefix, paths = types.SimpleNamespace(lib="/prefix/lib"), []
        for chosen in (set(), set(variants), {name for name, default in variants.items() if default}):
            package.spec = Spec(chosen)
            words = package.cmake_args()
            for name in ("isa-l", "zstd", "hdf5", "sqlite"):
                self.assertIn(f"-DLQ_WITH_{name.replace('-', '').upper()}={'ON' if name in chosen else 'OFF'}", words)
            self.assertIn(f"-DLIMEQUAT_MPI={'AUTO' if 'mpi' in chosen else 'none'}", words)
            package.setup_run_environment(types.SimpleNamespace(prepend_path=lambda *words: paths.append(words)))
        self.assertEqual(set(asked) - known, set())
        self.assertEqual(paths, [("PYTHONPATH", "/prefix/lib/python")])  # of all variants: python is off by default
        unknown = {name for name in asked if name.startswith("LQ_WITH_")} - {f"LQ_WITH_{name.replace('-', '').upper()}" for name in variants}
        self.assertEqual(unknown, set())

    def test_a_new_library_of_cmake_is_asked_about(self):
        complaint, = self.complaints("cmake/Dependencies.cmake", "lq_find_optional(LZ4 ",
                                     "lq_find_optional(SNAPPY snappy.h snappy)\nlq_find_optional(LZ4 ")
        self.assertIn("SNAPPY", complaint)

    def test_an_option_that_cmake_has_not_is_named(self):
        complaint, = self.complaints("packaging/debian/rules", "-DLIMEQUAT_TESTS=OFF", "-DLIMEQUAT_TESTING=OFF")
        self.assertEqual(complaint, "packaging/debian/rules sets LIMEQUAT_TESTING, which is no option of CMake")
        complaint, = self.complaints("tools/make_wheel.py", '"PROGRAMS=OFF"', '"TOOLS=OFF"')
        self.assertIn("LIMEQUAT_TOOLS", complaint)


@unittest.skipUnless(all(map(shutil.which, ("cc", "nm", "readelf"))), "no compiler here")
class Symbols(unittest.TestCase):
    def test_what_is_gone_new_or_of_another_soname_is_told(self):
        with tempfile.TemporaryDirectory() as name:
            library, script = pathlib.Path(name) / "libthing.so", pathlib.Path(name) / "map"
            script.write_text("LIMEQUAT_1 { global: *; };", encoding="utf-8")
            subprocess.run(["cc", "-shared", "-fPIC", "-Wl,-soname,libthing.so.1", f"-Wl,--version-script={script}", "-x", "c", "-", "-o", library], check=True,
                           input="int kept; void fresh(void) {} __attribute__((weak)) void weak(void) {} static int own;", text=True)
            self.assertEqual(list(check_symbols.complaints({"kept", "fresh"}, library, "libthing.so.1")), [])
            said = " ".join(check_symbols.complaints({"kept", "gone"}, library, "libthing.so.2"))
        for words in ("gone is gone", "fresh is new", "the soname is libthing.so.1, expected libthing.so.2",
                      "kept has not the version LIMEQUAT_2"):
            self.assertIn(words, said)


@unittest.skipUnless(all(map(shutil.which, ("cc", "abidw"))), "no compiler or no libabigail here")
class Abi(unittest.TestCase):
    HEADER = """#include <stdint.h>
    typedef enum { LQ_ONE = 1, LQ_TWO = 2 } lq_number;
    typedef int (*lq_fetch)(void* context, const double* site);
    typedef struct lq_options { uint64_t struct_size; int threads; const char* name; } lq_options;
    typedef struct lq_point { double x[2]; lq_fetch fetch; } lq_point;
    typedef struct lq_file lq_file;
    lq_number lq_go(const lq_options* options, lq_point point, lq_file** file);
    """

    def lines(self, *changes):
        """Of that header, with texts replaced."""
        text = self.HEADER
        for before, after in changes:
            self.assertIn(before, text)
            text = text.replace(before, after)
        with tempfile.TemporaryDirectory() as name:
            (pathlib.Path(name) / "limequat.h").write_text(text, encoding="utf-8")
            return check_abi.interface(name, ["lq_go"], "cc")

    def complaints(self, *changes):
        return list(check_abi.complaints(self.lines(), self.lines(*changes)))

    def test_functions_members_and_enumerators_are_described(self):
        self.assertEqual(self.lines(), {
            "lq_number: LQ_ONE = 1", "lq_number: LQ_TWO = 2", "lq_fetch: int (void *, double const *) *", "lq_options.struct_size: "
            "uint64_t at byte 0", "lq_options.threads: int at byte 8", "lq_options.name: char const * at byte 16", "lq_point: 24 bytes",
            "lq_point.x: double[2] at byte 0", "lq_point.fetch: lq_fetch at byte 16",
            "lq_go: lq_number (lq_options const *, lq_point, lq_file * *)"})

    def test_a_member_at_the_end_of_options_is_new_and_no_more(self):
        complaint, = self.complaints(("const char* name;", "const char* name; double bound;"))
        self.assertTrue(complaint.startswith("new: lq_options.bound: double at byte 24"), complaint)

    def test_what_programs_rely_on_is_told_when_it_changes(self):
        for before, after, words in (("int threads;", "int first; int second; int threads;", "lq_options.threads: int at byte 8"),
                                     ("int threads;", "int64_t threads;", "lq_options.threads: int at byte 8"),
                                     ("lq_fetch fetch;", "lq_fetch fetch; int more;", "lq_point: 24 bytes"),
                                     ("LQ_TWO = 2", "LQ_TWO = 3", "lq_number: LQ_TWO = 2"), ("lq_point point", "lq_point* point", "lq_go: "),
                                     ("void* context, ", "", "lq_fetch: int")):
            said = [line for line in self.complaints((before, after)) if line.startswith(f"no longer true: {words}")]
            self.assertEqual(len(said), 1, after)

    def test_a_function_that_the_header_does_not_declare_is_an_error(self):
        with self.assertRaises(subprocess.CalledProcessError) as caught:
            self.lines(("lq_go", "lq_went"))
        self.assertIn("lq_go", caught.exception.stderr)


if __name__ == "__main__":
    unittest.main()
