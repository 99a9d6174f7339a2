// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Messages as bytes at known places: headers, flags, padding. Contents that depend on the data are left open.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "format/format.hpp"

namespace lq::format::lime {

// A record to be written: contents that are known, or the space for contents that come later.
struct Piece {
  std::string type;
  std::string contents;
  std::optional<std::uint64_t> reserved;  // bytes; `contents` is not used

  std::uint64_t data_length() const noexcept { return reserved.value_or(contents.size()); }
};

struct Placed {
  std::vector<Literal> literals;       // neighbours joined
  std::vector<std::uint64_t> offsets;  // of the payload of each piece
  std::uint64_t end = 0;               // after the last padding
};

// One message: MB on the first piece, ME on the last. Throws as encode() does, and too_large past 2^64.
void place_message(const std::vector<Piece>& pieces, std::uint64_t offset, Placed& placed);

// The layout of one record in a message of its own.
Layout plan_record(std::string_view type, std::string_view contents, std::uint64_t offset);

}  // namespace lq::format::lime
