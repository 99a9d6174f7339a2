// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rules of LIME that no reader depends on, so that a scan does not look at them (formats/lime.md 6).
#pragma once

#include <limequat/catalog.hpp>

#include "base/byte_source.hpp"
#include "format/findings.hpp"

namespace lq::format::lime {

void check_headers(base::ByteSource& file, const Catalog& catalog, Findings& findings);

}  // namespace lq::format::lime
