// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/sion/own_records.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

namespace lq::format::sion {
namespace {

using base::load_le;

constexpr std::array<std::string_view, 3> compressions = {"none", "lz4", "zstd"};

bool begins_with(base::Bytes bytes, std::string_view magic) noexcept {
  return std::ranges::equal(bytes.first(magic.size()), base::as_bytes(magic));
}

std::uint32_t word(base::Bytes bytes, std::size_t offset) { return load_le<std::uint32_t>(bytes.data() + offset); }

// Version, compression, generation.
std::string front_of(base::Bytes bytes, std::size_t compression) {
  std::string text;
  const auto version = load_le<std::uint16_t>(bytes.data() + 4);
  if (version != 1) text += fmt::format("version {}, ", version);
  if (compression > 0) {
    text += fmt::format("compression {}, ", compression < compressions.size() ? compressions[compression] : "unknown");
  }
  text += "generation ";
  for (const std::byte b : bytes.subspan(8, 16)) text += fmt::format("{:02x}", std::to_integer<unsigned>(b));
  return text;
}

std::string chunk_text(base::Bytes bytes, bool compressed) {
  std::string text =
      fmt::format("chunk {} of task {} of file {}: {} bytes used, CRC-32 {:08x}, from byte {} of the stream",
                  word(bytes, 32), word(bytes, 28), word(bytes, 24), load_le<std::uint64_t>(bytes.data() + 40),
                  word(bytes, 36), load_le<std::uint64_t>(bytes.data() + 48));
  if (compressed) text += fmt::format(", of which it has {}", word(bytes, 56));
  return text;
}

}  // namespace

std::optional<OwnRecord> own_record(base::Bytes bytes) {
  if (bytes.size() < own_record_bytes) return std::nullopt;
  const auto compression = std::to_integer<std::size_t>(bytes[6]);
  const std::string place = fmt::format("file {} of {} tasks", word(bytes, 24), word(bytes, 28));
  if (begins_with(bytes, "LQms")) {
    std::string value = fmt::format("{}, {}", place, front_of(bytes, compression));
    if (const std::uint32_t epoch = word(bytes, 40); epoch > 0) value += fmt::format(", epoch {}", epoch);
    return OwnRecord{"set record", std::move(value), "formats/sion-records.md 2", false, compression > 0};
  }
  if (begins_with(bytes, "LQck")) {
    return OwnRecord{"chunk record", chunk_text(bytes, compression > 0), "formats/sion-records.md 3", false,
                     compression > 0};
  }
  if (begins_with(bytes, "LQmt")) {
    std::string value = fmt::format("{}, {}", place, front_of(bytes, 0));
    if (const std::uint32_t fields = word(bytes, 48); fields > 0) value += fmt::format(", fields {}", fields);
    if (bytes[7] != std::byte{0}) value += ", repaired";
    const std::uint32_t losses = word(bytes, 52);
    if (losses > 0) value += fmt::format(", losses {}", losses);
    return OwnRecord{"tail record", std::move(value), "formats/sion-records.md 4", true, false, losses};
  }
  return std::nullopt;
}

std::string own_loss(base::Bytes bytes) {
  const auto number = [&](std::size_t offset) { return load_le<std::uint64_t>(bytes.data() + offset); };
  const std::uint32_t task = word(bytes, 0);
  if (task == 0xffffffff) return fmt::format("{} fields after the first {}", number(24), number(16));
  return fmt::format("task {}: from chunk {} and byte {} of its stream on, {} bytes at least", task, number(8),
                     number(16), number(24));
}

}  // namespace lq::format::sion
