// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rules of ILDG files (formats/ildg.md 2 and 3).
#pragma once

#include <limequat/catalog.hpp>

#include "base/byte_source.hpp"
#include "format/findings.hpp"

namespace lq::format::ildg {

void check_records(base::ByteSource& file, const Catalog& catalog, Findings& findings);

}  // namespace lq::format::ildg
