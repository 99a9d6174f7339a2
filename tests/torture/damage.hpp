// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What disks and people do to files.
#pragma once

#include <cstdint>
#include <string>

#include "torture/draw.hpp"

namespace lq::torture {

struct Damage {
  enum class Kind { bit, zeros, cut, removed };
  Kind kind = Kind::bit;
  std::string path;
  std::uint64_t offset = 0, bytes = 0;  // that are not as they were, or are gone

  // Whether it reaches into the bytes from `begin` up to `end` of that file.
  bool touches(std::uint64_t begin, std::uint64_t end) const noexcept { return offset < end && offset + bytes > begin; }
};
std::string words(const Damage& damage);

// One of the files in a directory; at any byte, at its beginning and end more often.
Damage damage_one_file(Draw& draw, const std::string& directory);

}  // namespace lq::torture
