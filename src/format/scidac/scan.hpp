// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Records into fields: the one reader of lattice files in LIME, for SciDAC, ILDG and the programs that mix them.
#pragma once

#include <string_view>

#include <limequat/catalog.hpp>
#include <limequat/options.hpp>

#include "base/byte_source.hpp"
#include "format/format.hpp"

namespace lq::format::scidac {

Catalog scan(base::ByteSource& file, const Limits& limits, std::string_view format_name);

// What a scan does not look at: whether texts hold what are records, the checksums of data without a lattice, and
// whether numbers look as their description says, where that alone says how many there are.
Examined examine(base::ByteSource& file, const Catalog& catalog);

}  // namespace lq::format::scidac
