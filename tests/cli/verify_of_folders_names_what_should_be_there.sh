# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Whatever should be a configuration and is none is named, with what it is; other files are counted, and named with -v.
mkdir run
for n in 100 110 120 130 140 150 160; do make-config run/conf.$n 2x2x2x4 --angle 0.$n; done
: > run/conf.110
head -c 4096 /dev/zero | dd of=run/conf.120 conv=notrunc 2> /dev/null
head -c 19712 /dev/zero > run/conf.130
printf '\n<HTML><BODY>404</BODY></HTML>' > run/conf.140
echo 'scp: no space' > run/conf.150
mv run/conf.160 run/.conf.160.1a2b3c4d
ln -s /nowhere/conf run/conf.170
echo text > run/README
lq verify -r run || echo "exit $?"
lq verify -r -q run > quiet || echo "exit $?"
grep -c UNREADABLE quiet
lq verify -r -v run | tail -n 3 | head -n 2 || true
lq verify -r run/README || echo "exit $?"
