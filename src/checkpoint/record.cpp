// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The records, byte by byte.
#include "checkpoint/record.hpp"

#include <algorithm>
#include <random>
#include <string_view>

#include <fmt/format.h>

#include "kernels/crc32.hpp"

namespace lq::checkpoint {
namespace {

using base::load_le;
using base::store_le;

constexpr std::string_view set_magic = "LQms", chunk_magic = "LQck", tail_magic = "LQmt";
constexpr std::uint16_t version = 1;
constexpr std::size_t checksum_offset = record_bytes - 4;

// What all records begin with: magic, version, compression, kind of checksum, generation.
void put_front(RecordBytes& bytes, std::string_view magic, Compression compression, bool checksums,
               const Generation& generation) noexcept {
  std::ranges::copy(base::as_bytes(magic), bytes.begin());
  store_le(bytes.data() + 4, version);
  bytes[6] = static_cast<std::byte>(compression);
  bytes[7] = static_cast<std::byte>(checksums ? 1 : 0);
  std::ranges::copy(generation.bytes, bytes.begin() + 8);
}

void seal(RecordBytes& bytes) noexcept {
  store_le(bytes.data() + checksum_offset, kernels::crc32(0, base::Bytes(bytes).first(checksum_offset)));
}

bool has_magic(base::Bytes bytes, std::string_view magic) noexcept {
  return bytes.size() >= record_bytes && std::ranges::equal(bytes.first(magic.size()), base::as_bytes(magic));
}

bool is_whole(base::Bytes bytes, std::string_view magic) noexcept {
  return has_magic(bytes, magic) && load_le<std::uint16_t>(bytes.data() + 4) == version &&
         std::to_integer<int>(bytes[6]) <= static_cast<int>(Compression::zstd) && std::to_integer<int>(bytes[7]) <= 1 &&
         load_le<std::uint32_t>(bytes.data() + checksum_offset) == kernels::crc32(0, bytes.first(checksum_offset));
}

template <class Record>
Record take_front(base::Bytes bytes) noexcept {
  Record record;
  std::ranges::copy(bytes.subspan(8, 16), record.generation.bytes.begin());
  if constexpr (requires { record.compression; }) {
    record.compression = static_cast<Compression>(std::to_integer<int>(bytes[6]));
    record.checksums = bytes[7] != std::byte{0};
  }
  return record;
}

}  // namespace

std::string Generation::text() const {
  std::string digits;
  for (const std::byte b : bytes) digits += fmt::format("{:02x}", std::to_integer<unsigned>(b));
  return digits;
}

std::optional<Generation> parse_generation(std::string_view digits) noexcept {
  Generation generation;
  if (digits.size() != 2 * generation.bytes.size()) return std::nullopt;
  for (std::size_t i = 0; i < generation.bytes.size(); ++i) {
    unsigned value = 0;
    for (const char c : digits.substr(2 * i, 2)) {
      const std::size_t digit = std::string_view("0123456789abcdef").find(c);
      if (digit == std::string_view::npos) return std::nullopt;
      value = 16 * value + static_cast<unsigned>(digit);
    }
    generation.bytes[i] = static_cast<std::byte>(value);
  }
  return generation;
}

Generation new_generation() {
  Generation generation;
  std::random_device random;
  for (std::size_t i = 0; i < generation.bytes.size(); i += 4) {
    store_le(generation.bytes.data() + i, static_cast<std::uint32_t>(random()));
  }
  return generation;
}

RecordBytes encode(const SetRecord& record) noexcept {
  RecordBytes bytes{};
  put_front(bytes, set_magic, record.compression, record.checksums, record.generation);
  store_le(bytes.data() + 24, record.file);
  store_le(bytes.data() + 28, record.tasks);
  store_le(bytes.data() + 32, record.tables);
  store_le(bytes.data() + 36, static_cast<std::uint32_t>(reserved_bytes));
  seal(bytes);
  return bytes;
}

RecordBytes encode(const ChunkRecord& record) noexcept {
  RecordBytes bytes{};
  put_front(bytes, chunk_magic, record.compression, record.checksums, record.generation);
  store_le(bytes.data() + 24, record.file);
  store_le(bytes.data() + 28, record.task);
  store_le(bytes.data() + 32, record.chunk);
  store_le(bytes.data() + 36, record.checksum);
  store_le(bytes.data() + 40, record.used);
  store_le(bytes.data() + 48, record.begin);
  store_le(bytes.data() + 56, record.raw_bytes);
  seal(bytes);
  return bytes;
}

RecordBytes encode(const TailRecord& record) noexcept {
  RecordBytes bytes{};
  put_front(bytes, tail_magic, Compression::none, record.was_repaired, record.generation);
  store_le(bytes.data() + 24, record.file);
  store_le(bytes.data() + 28, record.tasks);
  store_le(bytes.data() + 32, record.table_bytes);
  store_le(bytes.data() + 40, record.table);
  store_le(bytes.data() + 44, record.sizes);
  store_le(bytes.data() + 48, record.fields);
  seal(bytes);
  return bytes;
}

std::optional<SetRecord> decode_set_record(base::Bytes bytes) noexcept {
  if (!is_whole(bytes, set_magic) || load_le<std::uint32_t>(bytes.data() + 36) != reserved_bytes) return std::nullopt;
  auto record = take_front<SetRecord>(bytes);
  record.file = load_le<std::uint32_t>(bytes.data() + 24);
  record.tasks = load_le<std::uint32_t>(bytes.data() + 28);
  record.tables = load_le<std::uint32_t>(bytes.data() + 32);
  return record;
}

std::optional<ChunkRecord> decode_chunk_record(base::Bytes bytes) noexcept {
  if (!is_whole(bytes, chunk_magic)) return std::nullopt;
  auto record = take_front<ChunkRecord>(bytes);
  record.file = load_le<std::uint32_t>(bytes.data() + 24);
  record.task = load_le<std::uint32_t>(bytes.data() + 28);
  record.chunk = load_le<std::uint32_t>(bytes.data() + 32);
  record.checksum = load_le<std::uint32_t>(bytes.data() + 36);
  record.used = load_le<std::uint64_t>(bytes.data() + 40);
  record.begin = load_le<std::uint64_t>(bytes.data() + 48);
  record.raw_bytes = load_le<std::uint32_t>(bytes.data() + 56);
  return record;
}

std::optional<TailRecord> decode_tail_record(base::Bytes bytes) noexcept {
  if (!is_whole(bytes, tail_magic)) return std::nullopt;
  auto record = take_front<TailRecord>(bytes);
  record.was_repaired = bytes[7] != std::byte{0};
  record.file = load_le<std::uint32_t>(bytes.data() + 24);
  record.tasks = load_le<std::uint32_t>(bytes.data() + 28);
  record.table_bytes = load_le<std::uint64_t>(bytes.data() + 32);
  record.table = load_le<std::uint32_t>(bytes.data() + 40);
  record.sizes = load_le<std::uint32_t>(bytes.data() + 44);
  record.fields = load_le<std::uint32_t>(bytes.data() + 48);
  return record;
}

bool looks_like_set_record(base::Bytes bytes) noexcept { return has_magic(bytes, set_magic); }

}  // namespace lq::checkpoint
