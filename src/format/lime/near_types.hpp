// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Types of records that were known ones before a bit or a letter of them was damaged (formats/lime.md 6.3).
#pragma once

#include <span>
#include <string_view>

#include "base/bytes.hpp"
#include "format/lime/header.hpp"

namespace lq::format::lime {

// Of the 128 bytes of a type: the known one from which it differs in one byte, or in one letter that is missing or
// added; empty: there is none, or it is a known one itself.
std::string_view near_type(std::span<const std::byte, type_bytes> field, std::span<const std::string_view> known);

// invalid_argument: a record of the user's would be taken for a damaged one of a known type.
void require_own_type(std::string_view type);

}  // namespace lq::format::lime
