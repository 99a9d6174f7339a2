# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Where the site's is looked for.
export LQ_PROFILE=
export HOME=$PWD XDG_CONFIG_HOME=
lq doctor --save-profile > out.txt
tail -n 1 out.txt
grep -c '^[a-z_]* = ' .config/limequat/site.toml
grep '^\[' .config/limequat/site.toml
