# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# And defrag, convert and dry runs on the way.
head -c 5000 /dev/zero | tr '\0' a > one
: > two
printf 'three' > three
lq pack x.sion one two three --block-size 512
lq pack x.sion one && exit 1 || echo "again: $?"
lq pack --dry-run y.sion one two
lq convert x.sion y.sion
lq defrag y.sion -o z.sion --block-size 1
lq defrag --json z.sion -o z.sion --force && exit 1 || echo "onto itself: $?"
lq ls z.sion
lq unpack z.sion -d out --json
cmp one out/task.0 && cmp two out/task.1 && cmp three out/task.2
ls out
