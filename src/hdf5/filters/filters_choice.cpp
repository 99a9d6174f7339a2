// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/filters/filters_choice.hpp"

#include <charconv>

#include <fmt/format.h>
#include <hdf5.h>
#include <limequat/error.hpp>

#include "base/text.hpp"

namespace lq::hdf5 {
namespace {

[[noreturn]] void refuse_filter(std::string_view text) {
  throw Error(Code::invalid_argument,
              fmt::format("unknown filter \"{}\"; filters are shuffle, deflate (with a level: deflate:6), fletcher32 "
                          "and zstd, separated by commas in the order in which they are applied",
                          base::printable(text)),
              {.expected = "shuffle, deflate, fletcher32, zstd", .found = std::string(text)});
}

unsigned level_of(std::string_view text, std::string_view filter, unsigned lowest, unsigned highest) {
  unsigned level = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), level);
  if (error != std::errc() || end != text.data() + text.size() || level < lowest || level > highest) {
    throw Error(Code::invalid_argument, fmt::format("\"{}\" is not a level of {}; levels go from {} to {}",
                                                    base::printable(text), filter, lowest, highest));
  }
  return level;
}

Filter parse_filter(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const bool has_level = colon != std::string_view::npos;
  if (name == "deflate" || name == "gzip") {
    return {.id = H5Z_FILTER_DEFLATE, .parameters = {has_level ? level_of(text.substr(colon + 1), name, 1, 9) : 6}};
  }
  if (name == "zstd") {
#ifndef LQ_HAVE_ZSTD
    throw Error(Code::unsupported, "the filter zstd is not built in; take deflate, or build with libzstd");
#endif
    // Optional, so that a library without it plans the file all the same.
    return {.id = zstd_filter,
            .is_optional = true,
            .parameters = {has_level ? level_of(text.substr(colon + 1), name, 1, 19) : 3}};
  }
  if (has_level) refuse_filter(text);
  if (name == "shuffle") return {.id = H5Z_FILTER_SHUFFLE};
  if (name == "fletcher32") return {.id = H5Z_FILTER_FLETCHER32};
  refuse_filter(text);
}

}  // namespace

std::vector<Filter> parse_filters(std::string_view text) {
  std::vector<Filter> filters;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const Filter filter = parse_filter(text.substr(0, comma));
    for (const Filter& before : filters) {
      if (before.id == filter.id) refuse_filter(text);
    }
    filters.push_back(filter);
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
    if (text.empty()) refuse_filter(text);
  }
  return filters;
}

}  // namespace lq::hdf5
