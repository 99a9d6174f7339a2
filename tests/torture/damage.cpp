// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "torture/damage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "support/file_contents.hpp"

namespace lq::torture {

std::string words(const Damage& damage) {
  static constexpr const char* names[] = {"one bit", "zeros", "cut", "removed"};
  return fmt::format("{}: {} bytes from {} of {}", names[static_cast<int>(damage.kind)], damage.bytes, damage.offset,
                     std::filesystem::path(damage.path).filename().string());
}

Damage damage_one_file(Draw& draw, const std::string& directory) {
  const std::vector<std::string> names = testing::files_in(directory);
  Damage damage;
  damage.path = directory + "/" + names[draw.below(names.size())];
  std::string contents = testing::contents(damage.path);
  const std::uint64_t near = std::min<std::uint64_t>(contents.size(), 1024);
  damage.offset = draw.one_of({draw.below(contents.size()), draw.below(near), contents.size() - 1 - draw.below(near)});
  const std::uint64_t rest = contents.size() - damage.offset;
  using enum Damage::Kind;
  damage.kind = draw.one_of({bit, bit, bit, zeros, zeros, cut, cut, removed});
  switch (damage.kind) {
    case bit:
      damage.bytes = 1;
      contents[damage.offset] = static_cast<char>(contents[damage.offset] ^ (1 << draw.below(8)));
      break;
    case zeros:
      damage.bytes = std::min(draw.size_up_to(600) + 1, rest);
      std::fill_n(contents.begin() + static_cast<std::ptrdiff_t>(damage.offset), damage.bytes, '\0');
      break;
    case cut:
      damage.bytes = rest;
      contents.resize(damage.offset);
      break;
    case removed:
      damage.offset = 0;
      damage.bytes = contents.size();
      std::filesystem::remove(damage.path);
      return damage;
  }
  testing::put_contents(damage.path, contents);
  return damage;
}

}  // namespace lq::torture
