# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Links that are phases exp(0.1 i n) of the site number n have a plaquette that can be summed by hand: Re Tr/3 is
# (2 cos(0.1 (n(x+mu) - n(x+nu))) + 1) / 3. What lq finds is compared with that sum.
make-config cold.ildg
make-config warm.ildg --angle 0.1
lq verify cold.ildg warm.ildg
lq verify -q cold.ildg
lq verify --no-physics cold.ildg
lq verify --json warm.ildg | python3 -c '
import itertools, json, math, sys
L = (2, 2, 2, 4)
number = lambda x: sum(c % l * math.prod(L[:d]) for d, (c, l) in enumerate(zip(x, L)))
step = lambda x, d: number([c + (i == d) for i, c in enumerate(x)])
found = json.load(sys.stdin)["fields"][0]["physics"]["plaquette"]
for name, planes in (("spatial", [(0, 1), (0, 2), (1, 2)]), ("temporal", [(0, 3), (1, 3), (2, 3)])):
    terms = [(2 * math.cos(0.1 * (step(x, m) - step(x, n))) + 1) / 3
             for x in itertools.product(*map(range, L)) for m, n in planes]
    print(name, abs(sum(terms) / len(terms) - found[name]) < 1e-14)'
