// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rules of SciDAC files that reading does not depend on (formats/scidac.md 8).
#pragma once

#include <limequat/catalog.hpp>

#include "format/findings.hpp"

namespace lq::format::scidac {

void check_records(const Catalog& catalog, Findings& findings);

}  // namespace lq::format::scidac
