// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The records, byte by byte.
#include "sets/checkpoint/record.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/random_number.hpp"
#include "kernels/crc32.hpp"

namespace lq::sets {
namespace {

using base::load_le;
using base::store_le;

constexpr std::string_view set_magic = "LQms", chunk_magic = "LQck", tail_magic = "LQmt";
constexpr std::uint16_t record_version = 1;
constexpr std::size_t checksum_offset = record_bytes - 4;
constexpr std::size_t reserved_offset = 36;  // of a set: the number of reserved bytes in a chunk

// The common beginning of all records: magic, version, compression, kind of checksum, generation.
void put_front(RecordBytes& bytes, std::string_view magic, Compression compression, bool checksums,
               const Generation& generation) noexcept {
  std::ranges::copy(base::as_bytes(magic), bytes.begin());
  store_le(bytes.data() + 4, record_version);
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
  return has_magic(bytes, magic) && load_le<std::uint16_t>(bytes.data() + 4) == record_version &&
         std::to_integer<int>(bytes[6]) <= static_cast<int>(Compression::zstd) && std::to_integer<int>(bytes[7]) <= 1 &&
         load_le<std::uint32_t>(bytes.data() + checksum_offset) == kernels::crc32(0, bytes.first(checksum_offset));
}

bool looks_like(base::Bytes bytes, std::string_view magic) noexcept {
  if (bytes.size() < record_bytes) return false;
  if (has_magic(bytes, magic)) return true;
  std::uint32_t sum = kernels::crc32(0, base::as_bytes(magic));
  sum = kernels::crc32(sum, bytes.subspan(magic.size(), checksum_offset - magic.size()));
  return load_le<std::uint32_t>(bytes.data() + checksum_offset) == sum;
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
  for (std::size_t i = 0; i < generation.bytes.size(); i += 4) {
    store_le(generation.bytes.data() + i, base::random_number());
  }
  return generation;
}

Epoch epoch_after(const Epoch& epoch) { return {epoch.count + 1, base::random_number()}; }

std::string_view describe(LossCause cause) noexcept {
  switch (cause) {
    case LossCause::damaged:
      return "its bytes differed from the recorded ones";
    case LossCause::without_record:
      return "the record of its bytes was missing";
    case LossCause::behind_gap:
      return "it followed a gap in its stream";
    case LossCause::cut_off:
      return "the file had lost its end";
    case LossCause::file_missing:
      return "the physical file that held it was missing";
  }
  return "for a reason unknown to this version";
}

std::vector<std::byte> encode(const std::vector<StreamLoss>& losses) {
  std::vector<std::byte> bytes(loss_bytes * losses.size());
  std::byte* at = bytes.data();
  for (const StreamLoss& loss : losses) {
    store_le(at, loss.task);
    store_le(at + 4, static_cast<std::uint32_t>(loss.cause));
    store_le(at + 8, loss.chunk);
    store_le(at + 16, loss.position);
    store_le(at + 24, loss.bytes);
    at += loss_bytes;
  }
  return bytes;
}

std::optional<std::vector<StreamLoss>> decode_losses(base::Bytes bytes) {
  if (bytes.size() % loss_bytes != 0) return std::nullopt;
  std::vector<StreamLoss> losses;
  for (; !bytes.empty(); bytes = bytes.subspan(loss_bytes)) {
    const std::byte* at = bytes.data();
    const StreamLoss loss{load_le<std::uint32_t>(at), static_cast<LossCause>(load_le<std::uint32_t>(at + 4)),
                          load_le<std::uint64_t>(at + 8), load_le<std::uint64_t>(at + 16),
                          load_le<std::uint64_t>(at + 24)};
    if (loss.bytes == 0 || loss.bytes > StreamLoss::most_bytes) return std::nullopt;
    losses.push_back(loss);
  }
  return losses;
}

namespace {

// The positions of a record's members, for both directions.
template <class Each>
void visit(auto& record, const Each& each) noexcept {
  using Record = std::remove_cvref_t<decltype(record)>;
  each(24, record.file);
  if constexpr (std::is_same_v<Record, ChunkRecord>) {
    each(28, record.task);
    each(32, record.chunk);
    each(36, record.checksum);
    each(40, record.used);
    each(48, record.begin);
    each(56, record.raw_bytes);
  } else if constexpr (std::is_same_v<Record, SetRecord>) {
    each(28, record.tasks);
    each(32, record.tables);
    each(40, record.epoch.count);
    each(44, record.epoch.holder);
    each(48, record.blocks);
  } else {
    each(28, record.tasks);
    each(32, record.table_bytes);
    each(40, record.table);
    each(44, record.sizes);
    each(48, record.fields);
    each(52, record.losses);
    each(56, record.losses_sum);
  }
}

void store_members(RecordBytes& bytes, const auto& record) noexcept {
  visit(record, [&](std::size_t at, auto value) { store_le(bytes.data() + at, value); });
}

template <class Record>
Record load_record(base::Bytes bytes) noexcept {
  auto record = take_front<Record>(bytes);
  visit(record, [&]<class T>(std::size_t at, T& value) { value = load_le<T>(bytes.data() + at); });
  return record;
}

}  // namespace

RecordBytes encode(const SetRecord& record) noexcept {
  RecordBytes bytes{};
  put_front(bytes, set_magic, record.compression, record.checksums, record.generation);
  store_members(bytes, record);
  store_le(bytes.data() + reserved_offset, static_cast<std::uint32_t>(reserved_bytes));
  seal(bytes);
  return bytes;
}

RecordBytes encode(const ChunkRecord& record) noexcept {
  RecordBytes bytes{};
  put_front(bytes, chunk_magic, record.compression, record.checksums, record.generation);
  store_members(bytes, record);
  seal(bytes);
  return bytes;
}

RecordBytes encode(const TailRecord& record) noexcept {
  RecordBytes bytes{};
  put_front(bytes, tail_magic, Compression::none, record.was_repaired, record.generation);
  store_members(bytes, record);
  seal(bytes);
  return bytes;
}

std::optional<SetRecord> decode_set_record(base::Bytes bytes) noexcept {
  if (!is_whole(bytes, set_magic)) return std::nullopt;
  if (load_le<std::uint32_t>(bytes.data() + reserved_offset) != reserved_bytes) return std::nullopt;
  return load_record<SetRecord>(bytes);
}

std::optional<ChunkRecord> decode_chunk_record(base::Bytes bytes) noexcept {
  if (!is_whole(bytes, chunk_magic)) return std::nullopt;
  return load_record<ChunkRecord>(bytes);
}

std::optional<TailRecord> decode_tail_record(base::Bytes bytes) noexcept {
  if (!is_whole(bytes, tail_magic)) return std::nullopt;
  auto record = load_record<TailRecord>(bytes);
  record.was_repaired = bytes[7] != std::byte{0};
  return record;
}

bool looks_like_set_record(base::Bytes bytes) noexcept { return looks_like(bytes, set_magic); }
bool looks_like_tail_record(base::Bytes bytes) noexcept { return looks_like(bytes, tail_magic); }

}  // namespace lq::sets
