# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The first python3 that has the packages draws; where none has them, the error names those that were tried.
program=$(command -v lq)
echo '{"environment": {}, "results": []}' > none.json
code=0
PATH=$PWD/nowhere "$program" plot none.json -o out.svg || code=$?
echo "no python3: $code"
mkdir bare
printf '#!/bin/sh\nexit 77\n' > bare/python3
chmod +x bare/python3
code=0
PATH=$PWD/bare "$program" plot none.json -o out.svg || code=$?
echo "without the packages: $code"
mkdir other
printf '#!/bin/sh\nshift 4\necho "$@"\n' > other/python3
chmod +x other/python3
PATH=$PWD/bare:$PWD/other "$program" plot none.json -q -o out.svg --kind ratio
ls
