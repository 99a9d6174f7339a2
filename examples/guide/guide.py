# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The Python samples of README.md and docs/guide; run by guide_test.sh beside a file conf.ildg.
# [first]
import limequat as lq

u = lq.read("conf.ildg")  # ndarray [t, z, y, x, mu, 3, 3], complex128, checksum verified
print(u.shape, lq.plaquette(u).average)
lq.write("copy.lime", u, format="ildg", precision="single", metadata={"xlf-info": "from Python"}, overwrite=True)
# [/first]

# [background]
with lq.write_async("next.ildg", u) as writing:  # u is read-only until the block ends
    trace = lq.link_trace(u)
print(writing.report.strategy, trace)

reading = lq.read_async("next.ildg")
print(lq.plaquette(u).average)
v = reading.wait()  # the array
# [/background]
assert (u == v).all()

# [errors]
try:
    lq.read("conf.0020.ildg")
except FileNotFoundError as error:  # lq.NotFound is both lq.Error and FileNotFoundError
    print(error)
# [/errors]

# [verify]
verdict = lq.verify("conf.ildg")
print(verdict.ok, verdict.findings)
# [/verify]
assert verdict.ok

# [views]
import numpy

lq.repartition("conf.ildg", "conf.set", to="t=block:4", overwrite=True)
with lq.View("conf.set", "t=block:2", 1) as view:  # the second half of the time slices
    half = numpy.frombuffer(view.read(), ">c16")
# [/views]
assert (half.reshape(-1, *u.shape[1:]) == u[len(u) // 2:]).all()
