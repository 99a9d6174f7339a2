// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sets of modes as files of other programs (formats/vectors.md).
#pragma once

#include <cstdint>
#include <string>

#include <limequat/modes.hpp>

namespace lq::modes {

// Collective. Modes first to last - 1 in the format options.format. invalid_argument: there is none of that name;
// unsupported: it cannot hold the vectors, or they are no set of modes yet.
void export_set(const Set& source, const std::string& to, const Communicator& communicator, std::uint64_t first,
                std::uint64_t last, const ConvertOptions& options, Report& report);

}  // namespace lq::modes
