# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Messages of the library name members of structs; lq shows its own arguments, and leaves names of files alone.
lq generate -q conf.ildg --lattice 2x2x2x4 --sweeps 1
lq generate -q conf.ildg --lattice 2x2x2x4 --sweeps 1 || echo "exit code $?"
lq convert conf.ildg note.ildg --metadata note=mine -q
lq convert note.ildg conf.milc || echo "exit code $?"
lq convert --json note.ildg conf.milc 2> /dev/null | json 'o["error"]["message"] if isinstance(o["error"], dict) else o["error"]' || true
cp conf.ildg options.overwrite
lq verify options.threads || echo "exit code $?"
lq verify options.overwrite
lq verify options.ildg || echo "exit code $?"
cp conf.ildg there.options.overwrite
lq convert conf.ildg conf.h5 --filters deflate || echo "exit code $?"
head -c 5000 conf.ildg | tail -c 3000 > bytes
lq diagnose bytes || echo "exit code $?"
