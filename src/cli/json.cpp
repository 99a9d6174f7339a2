// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See json.hpp.
#include "cli/json.hpp"

#include <cmath>
#include <optional>

#include <fmt/format.h>

namespace lq::cli {
namespace {

// Bytes of the UTF-8 character that starts at text[at]; 0 when there is none.
std::size_t character_bytes(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xc2 && lead < 0xe0   ? 2
                             : (lead & 0xf0) == 0xe0       ? 3
                             : lead >= 0xf0 && lead < 0xf5 ? 4
                                                           : 0;
  if (length == 0 || at + length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const bool overlong = (lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xf0 && byte(1) < 0x90);
  const bool outside = (lead == 0xed && byte(1) >= 0xa0) || (lead == 0xf4 && byte(1) >= 0x90);
  return overlong || outside ? 0 : length;
}

}  // namespace

std::string json_text(std::string_view text) {
  std::string json = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character_bytes(text, at);
    const auto byte = static_cast<unsigned char>(text[at]);
    if (length == 0) {
      json += "\xef\xbf\xbd";
    } else if (byte == '"' || byte == '\\') {
      json += {'\\', text[at]};
    } else if (byte == '\n') {
      json += "\\n";
    } else if (byte < 0x20 || byte == 0x7f) {
      json += fmt::format("\\u{:04x}", byte);
    } else {
      json += text.substr(at, length);
    }
    at += length == 0 ? 1 : length;
  }
  return json + "\"";
}

std::string json_number(double number) { return std::isfinite(number) ? fmt::format("{}", number) : "null"; }

std::string json_array(const std::vector<std::string>& values) { return fmt::format("[{}]", fmt::join(values, ",")); }

std::string json_array(const Coord& coord) { return fmt::format("[{}]", fmt::join(coord.begin(), coord.end(), ",")); }

JsonObject& JsonObject::add(std::string_view name, std::string_view value) {
  if (!members_.empty()) members_ += ",";
  members_ += fmt::format("{}:{}", json_text(name), value);
  return *this;
}

}  // namespace lq::cli
