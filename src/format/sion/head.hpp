// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Metadata block 1 of a physical file of a multifile (formats/sion.md 2), and integers in the byte order of the machine
// that wrote it. Nothing in the file is trusted: sizes are compared with the file before memory is allocated.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/error.hpp>

#include "base/byte_source.hpp"
#include "base/bytes.hpp"

namespace lq::format::sion {

// Integers in the byte order of the machine that wrote a multifile (formats/sion.md 3), singly and in tables.

inline constexpr ByteOrder host_order = std::endian::native == std::endian::big ? ByteOrder::big : ByteOrder::little;

inline std::int32_t load_int32(const std::byte* p, ByteOrder order) noexcept {
  return static_cast<std::int32_t>(order == ByteOrder::big ? base::load_be<std::uint32_t>(p)
                                                           : base::load_le<std::uint32_t>(p));
}
inline std::uint64_t load_uint64(const std::byte* p, ByteOrder order) noexcept {
  return order == ByteOrder::big ? base::load_be<std::uint64_t>(p) : base::load_le<std::uint64_t>(p);
}
inline std::int64_t load_int64(const std::byte* p, ByteOrder order) noexcept {
  return static_cast<std::int64_t>(load_uint64(p, order));
}

inline void store_int32(std::byte* p, std::int32_t value, ByteOrder order) noexcept {
  const auto bits = static_cast<std::uint32_t>(value);
  order == ByteOrder::big ? base::store_be(p, bits) : base::store_le(p, bits);
}
inline void store_uint64(std::byte* p, std::uint64_t value, ByteOrder order) noexcept {
  order == ByteOrder::big ? base::store_be(p, value) : base::store_le(p, value);
}
inline void store_int64(std::byte* p, std::int64_t value, ByteOrder order) noexcept {
  store_uint64(p, static_cast<std::uint64_t>(value), order);
}

// As many of the `count` numbers at `offset` as the file contains; the caller has bounded `count`.
std::vector<std::int64_t> read_int64s(base::ByteSource& file, std::uint64_t offset, std::uint64_t count,
                                      ByteOrder order);
void store_int64s(std::byte* p, std::span<const std::int64_t> numbers, ByteOrder order) noexcept;

inline constexpr std::string_view magic = "sion";
inline constexpr std::int32_t version = 5;         // for writing
inline constexpr std::int32_t oldest_version = 2;  // for reading
inline constexpr std::uint64_t prefix_bytes = 1024;
inline constexpr std::uint64_t closing_bytes = 12;  // maximum of chunks and offset of metadata block 2
inline constexpr std::size_t longest_fixed_bytes = 1076;

// Bounds on the memory that a file may require, besides its own size (which may be a hole).
struct Bounds {
  std::uint64_t tasks = 1ULL << 24;   // per set
  std::uint64_t chunks = 1ULL << 27;  // per physical file, all tasks together
};

// How the bytes of a logical file are interpreted: the upper half of flag 1.
enum class KeyValueMode : std::int32_t { none = 50, inline_records = 51, meta = 52, hash = 53 };

// The part before the tables of tasks.
struct FixedHead {
  ByteOrder metadata_order = host_order;
  ByteOrder data_order = host_order;    // as declared; the data are never converted
  std::int32_t library_version = 1007;  // 1000 * major + minor
  std::int32_t library_patch = 6;
  std::int32_t format_version = version;
  std::int32_t block_size = 1;   // of the file system
  std::int32_t tasks = 0;        // of this physical file
  std::int32_t files = 1;        // of the set
  std::int32_t file_number = 0;  // writers of a single file may store 1
  std::int64_t flag1 = std::int64_t{50} << 32;
  std::int64_t flag2 = 0;
  std::string prefix;  // the name passed to open, up to the first NUL

  // `none` also for files from before the mode existed.
  KeyValueMode key_value_mode() const noexcept;
  void set_key_value_mode(KeyValueMode mode) noexcept;
};

struct Head : FixedHead {
  std::vector<std::int64_t> ranks;   // global rank of each task; negative: placeholder of a buddy copy
  std::vector<std::int64_t> widths;  // of the chunks, as stored; Geometry computes the actual widths
  std::int32_t max_chunks = 0;       // largest number of chunks of a task
  std::int64_t tail_offset = 0;      // of metadata block 2; 0: the file was not closed

  bool is_closed() const noexcept { return tail_offset != 0 || max_chunks != 0; }
};

// Positions in metadata block 1. `tasks` is not negative.
constexpr std::uint64_t fixed_bytes(std::int32_t format_version) noexcept {
  return format_version >= 3 ? longest_fixed_bytes : longest_fixed_bytes - 20;
}
constexpr std::uint64_t ranks_offset(std::int32_t format_version = version) noexcept {
  return fixed_bytes(format_version);
}
constexpr std::uint64_t widths_offset(std::int32_t tasks, std::int32_t format_version = version) noexcept {
  return fixed_bytes(format_version) + 8 * static_cast<std::uint64_t>(tasks);
}
constexpr std::uint64_t closing_offset(std::int32_t tasks, std::int32_t format_version = version) noexcept {
  return fixed_bytes(format_version) + 16 * static_cast<std::uint64_t>(tasks);
}
constexpr std::uint64_t head_bytes(std::int32_t tasks, std::int32_t format_version = version) noexcept {
  return closing_offset(tasks, format_version) + closing_bytes;
}

bool has_magic(base::Bytes bytes) noexcept;
// Throws BrokenRule: unknown_format, truncated, malformed, unsupported. `path` is for messages.
FixedHead decode_fixed(base::Bytes bytes, const std::string& path);
// Throws BrokenRule as decode_fixed(), too_large past the bounds, and errors of reading. An unclosed file also has a
// head: its last 12 bytes may be after the end of the file.
Head read_head(base::ByteSource& file, const Bounds& bounds = {});

// The bytes in format 5, for any head.format_version. invalid_argument: a prefix of 1024 bytes or more, tables whose
// length is not `tasks`, negative sizes.
std::vector<std::byte> encode(const Head& head);
// The first 1076 of these, for writers that write the tables themselves.
std::vector<std::byte> encode_fixed(const FixedHead& head);
std::array<std::byte, closing_bytes> encode_closing(std::int32_t max_chunks, std::int64_t tail_offset, ByteOrder order);

// A fault of a multifile, as an error with the rule of formats/sion.md that it breaks: readers let it propagate,
// a scan turns it into a finding.
class BrokenRule : public Error {
 public:
  // `message` is a sentence without the path, which the error begins with. No offset: it concerns no particular byte.
  BrokenRule(Code code, std::string rule, const std::string& path, std::optional<std::uint64_t> offset,
             const std::string& message, std::string expected = {}, std::string found = {});

  Finding finding() const;

 private:
  std::string rule_;
  std::string message_;
};

}  // namespace lq::format::sion
