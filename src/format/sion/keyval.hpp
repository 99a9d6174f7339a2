// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Records of key-value mode: a key, a length, and data, one after another through the stream of a task whatever chunks
// it is cut into (formats/sion.md 6).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/bytes.hpp"
#include "format/sion/integers.hpp"

namespace lq::format::sion {

inline constexpr std::size_t record_header_bytes = 16;

struct KeyRecord {
  std::uint64_t key = 0;
  std::uint64_t length = 0;
  std::uint64_t position = 0;  // of the data in the stream
};

std::array<std::byte, record_header_bytes> encode_record_header(std::uint64_t key, std::uint64_t length,
                                                                ByteOrder order) noexcept;

// From record to record; data are skipped.
class KeyWalker {
 public:
  // Reads bytes of the stream from `position` on into all of `buffer`, or as many as there are; returns their number.
  using ReadStream = std::function<std::size_t(std::uint64_t position, base::MutableBytes buffer)>;

  // `stream` names the stream in messages.
  KeyWalker(ReadStream read, std::uint64_t stream_bytes, ByteOrder order, std::string stream);

  // The next record; nothing at the end. Throws Error: malformed or truncated where a record reaches past the end of
  // the stream, which also ends the walk.
  std::optional<KeyRecord> next();
  // Where the next record begins.
  std::uint64_t position() const noexcept { return position_; }
  // Goes on with the record that begins there.
  void seek(std::uint64_t position) noexcept { position_ = position; }

 private:
  ReadStream read_;
  std::uint64_t stream_bytes_;
  ByteOrder order_;
  std::string stream_;
  std::uint64_t position_ = 0;
};

}  // namespace lq::format::sion
