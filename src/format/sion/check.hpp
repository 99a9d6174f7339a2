// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a multifile that can be read says of itself that is odd (formats/sion.md 9).
#pragma once

#include <functional>

#include "base/byte_source.hpp"
#include "format/findings.hpp"
#include "format/sion/set.hpp"

namespace lq::format::sion {

// The bytes of a file of the set; valid until the next call.
using SourceOf = std::function<base::ByteSource&(const PhysicalFile&)>;

void check_set(const Set& set, const SourceOf& source_of, Findings& findings);

}  // namespace lq::format::sion
