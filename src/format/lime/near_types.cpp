// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/lime/near_types.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/one_edit.hpp"
#include "format/format.hpp"

namespace lq::format::lime {
namespace {

// Also where the other byte is a NUL, which ends the type early.
bool differs_in_one_byte(std::string_view field, std::string_view type) noexcept {
  std::size_t differing = 0;
  for (std::size_t i = 0; i < field.size() && differing < 2; ++i) {
    differing += field[i] != (i < type.size() ? type[i] : '\0') ? 1 : 0;
  }
  return differing == 1;
}

}  // namespace

std::string_view near_type(std::span<const std::byte, type_bytes> field, std::span<const std::string_view> known) {
  const std::string_view bytes = base::as_text(field);
  const std::string_view type = bytes.substr(0, bytes.find('\0'));
  if (std::ranges::find(known, type) != known.end()) return {};
  const auto near = std::ranges::find_if(known, [&](std::string_view right) {
    return differs_in_one_byte(bytes, right) || base::one_edit_apart(type, right);
  });
  return near == known.end() ? std::string_view{} : *near;
}

void require_own_type(std::string_view type) {
  const HeaderBytes header = encode({.type = std::string(type)});
  const auto field = std::span(header).subspan<type_offset, type_bytes>();
  const std::string_view near = near_type(field, known_record_types());
  if (near.empty()) return;
  throw Error(
      Code::invalid_argument,
      fmt::format("record type \"{}\" is one letter away from \"{}\", so that readers would take it for a damaged "
                  "one; choose another name",
                  type, near),
      {.record = std::string(type)});
}

}  // namespace lq::format::lime
