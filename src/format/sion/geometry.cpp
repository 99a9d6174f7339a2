// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See geometry.hpp.
#include "format/sion/geometry.hpp"

#include <limits>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/checked.hpp"
#include "format/sion/broken_rule.hpp"

namespace lq::format::sion {
namespace {

// Offsets are signed in the file.
constexpr std::uint64_t largest_offset = std::numeric_limits<std::int64_t>::max();

[[noreturn]] void too_far(std::string_view what) {
  throw Error(Code::too_large,
              fmt::format("{} lies behind byte 2^63 - 1, where no file reaches; choose smaller chunks", what));
}

std::vector<std::uint64_t> starts_of(const Head& head, std::uint64_t first) {
  const auto block = static_cast<std::uint64_t>(head.block_size);
  std::vector<std::uint64_t> starts;
  starts.reserve(head.widths.size() + 1);
  std::uint64_t start = round_up(first, block);
  starts.push_back(start);
  for (const std::int64_t stored : head.widths) {
    std::uint64_t width = static_cast<std::uint64_t>(stored);
    if (head.format_version <= 3) width = round_up(width, block);
    if (width > largest_offset - start) too_far("the end of the first block of chunks");
    starts.push_back(start += width);
  }
  return starts;
}

}  // namespace

std::uint64_t round_up(std::uint64_t bytes, std::uint64_t block) {
  const std::uint64_t rest = bytes % block;
  const std::uint64_t padding = rest == 0 ? 0 : block - rest;
  if (bytes > largest_offset || padding > largest_offset - bytes) too_far("the end of a chunk");
  return bytes + padding;
}

Geometry::Geometry(const Head& head, const std::string& path) {
  try {
    starts_ = starts_of(head, head_bytes(head.tasks, head.format_version));
    // formats/sion.md 7: whether the first chunk of format 2 follows the shorter header is known from its end alone.
    const auto tail = static_cast<std::uint64_t>(head.tail_offset);
    const auto blocks = static_cast<std::uint64_t>(head.max_chunks);
    if (head.format_version == 2 && head.is_closed() && tail != tail_offset(blocks)) {
      starts_ = starts_of(head, head_bytes(head.tasks, version));
    }
  } catch (const Error&) {
    throw BrokenRule(Code::malformed, "sion-geometry", path, widths_offset(head.tasks, head.format_version),
                     "the widths of the chunks add up to more than 2^63 - 1 bytes; the header is damaged",
                     "a sum below 2^63");
  }
}

std::uint64_t tail_offset(std::uint64_t start, std::uint64_t skip, std::uint64_t max_chunks) {
  const auto blocks = base::checked_multiply(max_chunks, skip);
  if (!blocks || *blocks > largest_offset - start) too_far("metadata block 2");
  return start + *blocks;
}

}  // namespace lq::format::sion
