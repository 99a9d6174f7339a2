# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A program that continues after it was killed: hmc.py FOLDER STEPS [SECONDS]. Its exit status is 85 if the batch system asks it to
# end before it has finished. With mpi4py it uses all ranks.
import signal
import sys
import time

import numpy as np

import limequat as lq

LATTICE = (4, 4, 4, 8)
folder, steps = sys.argv[1], int(sys.argv[2])
pause = float(sys.argv[3]) if len(sys.argv) > 3 else 0.0


def update(u, random):
    """Stands for a trajectory."""
    time.sleep(pause)
    return u + random.normal(size=u.shape)


# [loop]
asked_to_end = False


def end_soon(number, frame):
    global asked_to_end
    asked_to_end = True


signal.signal(signal.SIGUSR1, end_soon)  # what the batch system sends some minutes before the time is up

with lq.Checkpoints(folder, keep=2) as checkpoints:
    random = np.random.default_rng(4711)
    found = checkpoints.load_newest()
    if found is None:
        step, u = 0, np.zeros(LATTICE[::-1])
    else:
        step, u = found.step, found.read_field("u")
        random.bit_generator.state = found.state["random"]
    while step < steps and not asked_to_end:
        step, u = step + 1, update(u, random)
        checkpoints.save(step, fields={"u": {"array": u, "kind": "generic"}},
                         state={"random": random.bit_generator.state})
signal.signal(signal.SIGUSR1, signal.SIG_IGN)  # what comes now is too late, and must not kill what has ended
# [/loop]

print(f"step {step}, sum {u.sum():.17g}", flush=True)
sys.exit(0 if step == steps else 85)
