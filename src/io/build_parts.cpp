// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the library was built with. The table is made by CMake (cmake/Dependencies.cmake), which also prints it.
#include <fmt/format.h>
#include <limequat/inspect.hpp>

#include <string_view>

#include "format/component.hpp"
#include "io/build_table.hpp"  // made by CMake
#include "kernels/crc32.hpp"
#include "kernels/dispatch.hpp"

namespace lq {

std::vector<BuildPart> build_parts() {
  std::vector<BuildPart> parts = {
      {"compiler", true, build_table::compiler},
      {"kernels", true, fmt::format("{}, CRC-32 by {}", kernels::instruction_set_name(), kernels::crc32_provider())}};
  for (const build_table::Row& row : build_table::rows) {
    BuildPart part{std::string(row.name), row.is_present, std::string(row.note)};
    if (auto why = part.is_present ? format::absence_of(row.component) : std::nullopt) {
      part.is_present = false;
      part.note = std::move(*why);
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace lq
