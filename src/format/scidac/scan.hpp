// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Records into fields: the one reader of lattice files in LIME, for SciDAC, ILDG and the programs that mix them.
#pragma once

#include <string_view>

#include <limequat/catalog.hpp>
#include <limequat/options.hpp>

#include "base/byte_source.hpp"

namespace lq::format::scidac {

Catalog scan(base::ByteSource& file, const Limits& limits, std::string_view format_name);

}  // namespace lq::format::scidac
