// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The text that says what is in a file without a header (formats/raw.md 2).
#pragma once

#include <string>
#include <string_view>

#include <limequat/catalog.hpp>

#include "format/flat/text_header.hpp"

namespace lq::format::raw {

inline constexpr std::string_view begin_line = "BEGIN_RAW_FIELD";
inline constexpr std::string_view end_line = "END_RAW_FIELD";

struct Description {
  std::string data;  // path of the data, as the text has it; empty: it has none
  Payload payload;   // in file number 1; with its length
  bool is_text = false;
  std::string basis = {};
};

// malformed, unsupported, too_large: in a sentence that names the line.
Description understand(const flat::TextHeader& header);

// What a layout of the option `layout` says: the name of one, or an order, perhaps behind "little", "big" or "text".
struct Ordering {
  std::string order;
  ByteOrder byte_order = ByteOrder::big;
  bool is_text = false;
};
// invalid_argument, unsupported: there is none, or it is for another precision.
Ordering ordering_of(std::string_view layout, const FieldSpec& spec);

}  // namespace lq::format::raw
