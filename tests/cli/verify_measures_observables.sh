# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Needs SQLite.
# Links that are 1 have loops of 1, no energy and no charge, with flow and without; what a catalogue has of a file as it
# is must be what is measured, and a text that disagrees is told.
make-config cold.ildg
lq verify --observables --flow-steps 2 --flow-step 0.1 cold.ildg
lq index -q --observables .
lq verify --observables cold.ildg | tail -1
lq find --json 'charge=0 wilson_2x2=1' | grep -o '"observables.*'
python3 - <<'END'
import sqlite3
catalogue = sqlite3.connect("lq-catalogue.db")
catalogue.execute("UPDATE observables SET value = 0.25 WHERE name = 'charge'")
catalogue.commit()
END
lq verify -q --observables cold.ildg || echo "exit $?"
lq verify --flow-steps 1 --flow-step 0.5 cold.ildg || echo "exit $?"
