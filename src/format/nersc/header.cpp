// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/nersc/header.hpp"

#include <charconv>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/text.hpp"

namespace lq::format::nersc {
namespace {

// Takes a number off the front.
std::optional<int> take_number(std::string_view& text) noexcept {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value < 0) return {};
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

bool take(std::string_view& text, std::string_view what) noexcept {
  if (!text.starts_with(what)) return false;
  text.remove_prefix(what.size());
  return true;
}

// 4D_SU3_GAUGE, 4D_SU3_GAUGE_3x3
std::optional<Datatype> datatype_in(std::string_view text) {
  const auto dimensions = take_number(text);
  if (!dimensions || !take(text, "D_SU")) return {};
  const auto colors = take_number(text);
  if (!colors || !take(text, "_GAUGE")) return {};
  const bool whole = text == fmt::format("_{}x{}", *colors, *colors);
  if (!whole && !text.empty()) return {};
  return Datatype{*dimensions, *colors, whole};
}

}  // namespace

Datatype parse_datatype(std::string_view text) {
  const auto found = datatype_in(text);
  if (!found || found->colors < 2 || found->colors > 100) {
    throw Error(
        found ? Code::malformed : Code::unsupported,
        fmt::format(
            "unsupported DATATYPE {}; expected 4D_SU3_GAUGE, 4D_SU3_GAUGE_3x3 or the corresponding names for SU(N)",
            base::printable(text)),
        {.expected = "4D_SU3_GAUGE_3x3", .found = base::printable(text)});
  }
  if (found->dimensions < 1 || found->dimensions > max_dimensions) {
    throw Error(Code::unsupported, fmt::format("lattices of {} dimensions are not read; expected 1 to {}",
                                               found->dimensions, max_dimensions));
  }
  return *found;
}

FloatingPoint parse_floating_point(std::string_view text) {
  std::string_view rest = text;
  FloatingPoint result;
  if (take(rest, "IEEE32")) {
    result.precision = Precision::single;
  } else if (take(rest, "IEEE64")) {
    result.precision = Precision::double_;
  } else {
    rest = "?";
  }
  if (rest == "BIG") {
    result.order = ByteOrder::big;
  } else if (rest == "LITTLE") {
    result.order = ByteOrder::little;
  } else if (!rest.empty()) {
    throw Error(Code::malformed,
                fmt::format("FLOATING_POINT {} is none of IEEE32BIG, IEEE32LITTLE, IEEE64BIG, IEEE64LITTLE, IEEE32, "
                            "IEEE64",
                            base::printable(text)),
                {.expected = "IEEE64BIG", .found = base::printable(text)});
  }
  return result;
}

}  // namespace lq::format::nersc
