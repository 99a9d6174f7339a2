// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A look at the record types of a file, to tell what it is.
#pragma once

#include <functional>
#include <string_view>

#include "base/byte_source.hpp"

namespace lq::format::lime {

// Whether any record up to the first damage (other than of magic numbers) has a type of which `wanted` is true,
// whatever the bytes.
bool has_record(base::ByteSource& file, const std::function<bool(std::string_view type)>& wanted);

}  // namespace lq::format::lime
