// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The files of a field in parts as QIO writes them (formats/scidac.md 4.6): their names, and the list of its sites that
// each of them begins with.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "format/format.hpp"
#include "format/parts.hpp"

namespace lq::format::scidac {

// ".vol0000", ...
std::vector<std::string> volume_suffixes(const Parts& parts);
std::uint64_t list_length(const Parts& parts) noexcept;
// The list of the sites of part `number`, which goes there.
Bulk site_list(const Parts& parts, int number, std::uint64_t offset);

}  // namespace lq::format::scidac
