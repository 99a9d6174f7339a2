# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The site builds without warnings, all its links work, and its search finds the words of the pages. Skipped
# without Sphinx or MyST; LIMEQUAT_LIBRARY names the library that the package loads.
import html.parser
import importlib.util
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]


# Loads every page in a frame as wide as a phone, and names those that are wider.
PHONE = """<iframe id="frame" style="width:390px;height:900px;border:0"></iframe><pre id="said"></pre><script>
const pages = PAGES, wide = [], frame = document.getElementById("frame");
let next = 0;
frame.onload = () => {
  if (frame.contentDocument.documentElement.scrollWidth > 392) wide.push(pages[next - 1]);
  if (next < pages.length) frame.src = pages[next++];
  else document.getElementById("said").textContent = pages.length + ": " + wide.join(" ");
};
frame.src = pages[next++];
</script>"""


class Links(html.parser.HTMLParser):
    """Where a page points to, and the places in it."""

    def __init__(self, page):
        super().__init__()
        self.targets, self.places = [], set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        known = dict(attributes)
        self.places.add(known.get("id"))
        if tag in ("a", "link") and known.get("href"):
            self.targets.append(known["href"])
        if tag in ("img", "script") and known.get("src"):
            self.targets.append(known["src"])


@unittest.skipUnless(all(map(importlib.util.find_spec, ("sphinx", "myst_parser", "numpy"))), "no Sphinx with MyST here")
class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="limequat-site-")
        cls.addClassCleanup(folder.cleanup)
        cls.site = pathlib.Path(folder.name)
        cls.done = subprocess.run([sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", ROOT / "docs", cls.site],
                                  text=True, capture_output=True)

    def test_it_is_built_without_a_warning(self):
        self.assertEqual((self.done.returncode, self.done.stderr), (0, ""))

    def test_no_page_is_wider_than_a_phone(self):
        browser = next(filter(shutil.which, ("chromium", "chromium-browser", "google-chrome")), None)
        if browser is None:
            self.skipTest("there is no Chromium")
        pages = sorted(str(page.relative_to(self.site)) for page in self.site.rglob("*.html"))
        frame = self.site / "phone.html"
        frame.write_text(PHONE.replace("PAGES", json.dumps(pages)), encoding="utf-8")
        with tempfile.TemporaryDirectory() as profile:
            document = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                                       "--allow-file-access-from-files", f"--user-data-dir={profile}", "--virtual-time-budget=120000",
                                       "--dump-dom", f"file://{frame}"], capture_output=True, text=True, timeout=300).stdout
        frame.unlink()
        self.assertEqual(re.search(r'id="said">(.*?)<', document)[1], f"{len(pages)}: ")

    def test_no_link_is_dead(self):
        pages = {page.resolve(): Links(page) for page in self.site.rglob("*.html")}
        dead = []
        for page, known in pages.items():
            for target in known.targets:
                parts = urllib.parse.urlsplit(target)
                aim = (page.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else page
                if parts.scheme or "compiled" in parts.path:  # pages of others, and of Doxygen, which is no part of this test
                    continue
                place = urllib.parse.unquote(parts.fragment)
                if not aim.exists() or (place and aim in pages and place not in pages[aim].places):
                    dead.append(f"{page.relative_to(self.site.resolve())}: {target}")
        self.assertGreater(len(pages), 80)
        self.assertEqual(dead, [])

    def test_the_search_knows_the_words(self):
        text = (self.site / "searchindex.js").read_text(encoding="utf-8")
        index = json.loads(text[text.index("{"):text.rindex("}") + 1])
        for word, page in (("plaquett", "guide/wrong-plaquette"), ("kill", "guide/killed-job"), ("notebook", "guide/python"),
                           ("lemon", "guide/porting-from-lemon"), ("checksum", "formats/ildg")):  # stems
            found = [index[where].get(word, []) for where in ("terms", "titleterms")]
            numbers = [number for one in found for number in (one if isinstance(one, list) else [one])]
            self.assertIn(page, [index["docnames"][number] for number in numbers], word)

    def test_the_interface_of_python_is_in_it(self):
        page = (self.site / "api/python.html").read_text(encoding="utf-8")
        for name in ("limequat.read", "limequat.FieldView.to_xarray", "limequat.plot.damage", "limequat.hdf5.File", "limequat.ChecksumError"):
            self.assertTrue(f'id="{name}"' in page or f'id="{name.replace("limequat.C", "limequat.errors.C")}"' in page, name)


if __name__ == "__main__":
    unittest.main()
