# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Without gaps, and every line cites its section.
make-config conf.ildg
lq explain conf.ildg | head -8
lq explain --json conf.ildg | json '[
  [a["offset"] + a["length"] for a in o["annotations"]][:-1] == [a["offset"] for a in o["annotations"]][1:],
  sum(a["length"] for a in o["annotations"]), all("formats/" in a["section"] for a in o["annotations"])]'
wc -c < conf.ildg
