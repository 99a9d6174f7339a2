#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""usage: every_procedure.py MODULE TEST: whether each procedure of the module that takes options is tried by the test
with options that are wrong on one rank."""

import pathlib
import re
import sys

module, test = (pathlib.Path(word).read_text(encoding="utf-8") for word in sys.argv[1:])
taking = {name for name, body in re.findall(r"^  subroutine (\w+)\((.*?)^  end subroutine", module, re.M | re.S)
          if "pairs_in(option_texts" in body}
missing = taking - set(re.findall(r"call refused\('(\w+)'\)", test))
for name in sorted(missing):
    print(f"{name} is not tried with options that are wrong on one rank")
sys.exit(bool(missing) or not taking)
