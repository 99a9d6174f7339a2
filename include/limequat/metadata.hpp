// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Metadata: named texts stored with a field. In LIME files a name is the type of a record
// ("xlf-info", "ildg-data-lfn", "scidac-file-xml", "scidac-record-xml", or one of the user's own).
#pragma once

#include <limequat/language.hpp>

#include <string>
#include <utility>
#include <vector>

namespace lq {

// In the order of the file; a name may occur more than once.
using Metadata = std::vector<std::pair<std::string, std::string>>;

}  // namespace lq
