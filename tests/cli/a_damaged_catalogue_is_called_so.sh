# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Needs SQLite
#
# A catalogue whose tables are not as they were made is damaged: no mistake of the program.
lq generate -q a.ildg --lattice 4x4x4x4 --sweeps 1
lq index -q . --db c.db
for change in "DROP TABLE files" "ALTER TABLE files RENAME COLUMN path TO other" "DROP TABLE properties"; do
  cp c.db d.db
  python3 - "$change" <<'END'
import sqlite3, sys
with sqlite3.connect("d.db") as database:
    database.execute("PRAGMA foreign_keys = OFF")
    database.execute(sys.argv[1])
END
  for verb in "find beta=6" "scrub" "index ."; do
    # shellcheck disable=SC2086
    lq $verb --db d.db > /dev/null 2> complaint && echo "$change, $verb: done" || echo "$change, $verb: exit $?, $(grep -c -E 'damaged|malformed' complaint) says damaged, $(grep -c mistake complaint) says mistake"
  done
done
