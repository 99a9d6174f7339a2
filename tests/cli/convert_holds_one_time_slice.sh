# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Plaquette and link trace of a field whose time slices have 72 MiB are measured for the header of the new file: not more than
# 64 MiB beyond one of them is in memory. The field is a hole in its file, and zero.
python3 - "$LQ_SOURCE" <<'END'
import os, subprocess, sys

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1] + "/bench")
from convert import write_sparse

write_sparse("zeros.ildg", (64, 64, 64, 3), 32)
process = subprocess.Popen(["lq", "convert", "--accept-damage", "-j1", "--sync", "none", "zeros.ildg", "zeros.nersc"])
_, status, usage = os.wait4(process.pid, 0)
print("exit code", status, "bounded" if usage.ru_maxrss <= (72 + 64) * 1024 else f"{usage.ru_maxrss} KiB")
END
head -c 300 zeros.nersc | grep -a -E "PLAQUETTE|LINK_TRACE|CHECKSUM"
