# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Simulates Slurm: fake_slurm.py JOB.sh [SEED]. Runs the job with a time limit, sends it USR1 before the time limit and
# SIGKILL at it, sometimes SIGKILL without a warning like a failing node, and restarts it whenever it
# was requeued or killed.
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile

job, draw = sys.argv[1], random.Random(sys.argv[2] if len(sys.argv) > 2 else "1")
folder = pathlib.Path(tempfile.mkdtemp())
tools, requeued = folder / "bin", folder / "requeued"
tools.mkdir()
(tools / "srun").write_text('#!/bin/sh\nexec "$@"\n')
(tools / "scontrol").write_text(f'#!/bin/sh\n[ "$1" = requeue ] && echo "$2" >> {requeued}\n')
for tool in tools.iterdir():
    tool.chmod(0o755)
environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "SLURM_JOB_ID": "4711"}
limit, warning = float(os.environ.get("FAKE_LIMIT", "2")), 0.6  # seconds, and of the limit

for start in range(1, 200):
    requeued.unlink(missing_ok=True)
    process = subprocess.Popen(["sh", job], env=environment, start_new_session=True)
    fails = draw.random() < 0.3
    try:
        code = process.wait(timeout=limit * (draw.random() if fails else warning))
    except subprocess.TimeoutExpired:
        if not fails:
            process.send_signal(signal.SIGUSR1)
        try:
            code = process.wait(timeout=0 if fails else 20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            code = process.wait()
    print(f"start {start}: {code}{', requeued' if requeued.exists() else ''}", flush=True)
    if code == 0:
        sys.exit(0)
    if not requeued.exists() and code != -signal.SIGKILL:
        sys.exit(f"the job ended with {code} and was not requeued")
sys.exit("the job never ended")
