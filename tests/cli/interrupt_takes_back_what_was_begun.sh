# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Ctrl-C while a file is being converted: lq dies of the signal, and neither the new file nor its beginnings stay. What was
# ready before the signal came, or when it came, is whole, and is converted once more.
lq generate -q --lattice 12x12x12x24 --sweeps 1 source.ildg
python3 - << 'END'
import os, signal, subprocess, time
before = sorted(os.listdir())
for attempt in range(50):
    lq = subprocess.Popen(["lq", "convert", "-q", "source.ildg", "--to", "scidac", "target"], stderr=subprocess.PIPE)
    while lq.poll() is None and sorted(os.listdir()) == before:
        time.sleep(0.0005)
    lq.send_signal(signal.SIGINT)
    words = lq.communicate()[1]
    if sorted(os.listdir()) != [*before, "target"]:
        break
    subprocess.run(["lq", "diff", "-q", "source.ildg", "target"], check=True)
    os.remove("target")
print(lq.returncode, sorted(os.listdir()), words)
END
