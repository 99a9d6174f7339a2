# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The Python sample of docs/guide/ensembles.md; run by guide_test.sh after ensemble.sh.
# [ensemble]
import limequat as lq

lq.index("b600")
files = lq.find("beta=6.0 trajectory>=1000")  # a list of dicts
print([(file["trajectory"], file["plaquette"]) for file in files])
if not lq.scrub(since="30d"):
    print("something is wrong")
lq.report_page("b600", "page.html", overwrite=True)
# [/ensemble]
assert {file["trajectory"] for file in files} == {1000, 1005, 1010, 1020}


def plotted():
    # [pandas]
    files.to_pandas().plot.scatter("trajectory", "plaquette")
    # [/pandas]


try:
    plotted()
except ImportError as missing:
    print(missing)
