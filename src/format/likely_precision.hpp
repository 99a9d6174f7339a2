// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What numbers look like, where a description and a length contradict each other: the lower half of a double is noise,
// which as a number in single precision would often be huge.
#pragma once

#include <cstdint>
#include <optional>

#include <limequat/catalog.hpp>
#include <limequat/field.hpp>

#include "base/byte_source.hpp"

namespace lq::format {

// The precision of the numbers in these bytes, of which a few thousand are looked at; nothing where it cannot be told,
// as of zeros and of small integers.
std::optional<Precision> likely_precision(base::ByteSource& file, std::uint64_t offset, std::uint64_t length,
                                          ByteOrder order);

}  // namespace lq::format
