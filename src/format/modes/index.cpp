// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/modes/index.hpp"

#include <bit>
#include <limits>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/checked.hpp"
#include "format/lime/header.hpp"

namespace lq::format::modes {
namespace {

constexpr SumName total{SumKind::scidac, SumOf::field};
constexpr SumName slice_checksums{SumKind::scidac, SumOf::slices};
constexpr SumName slice_weights{SumKind::weighted, SumOf::slices};

constexpr std::uint64_t fixed_bytes = 56, slice_bytes = 24, error_bytes = 8, sum_bytes = 8;
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint64_t largest_document = 1 << 20;
constexpr std::size_t most_blocks = 64;  // each has twice the room of the one before

class Writer {
 public:
  template <class Number>
  void put(Number number) {
    bytes.resize(bytes.size() + sizeof number);
    base::store_be(bytes.data() + bytes.size() - sizeof number, number);
  }
  void put_real(double number) { put(std::bit_cast<std::uint64_t>(number)); }
  std::vector<std::byte> sealed() {
    put(fnv1a(bytes));
    return std::move(bytes);
  }

  std::vector<std::byte> bytes;
};

class Reader {
 public:
  explicit Reader(base::Bytes bytes) : at_(bytes.data()) {}
  template <class Number>
  Number take() {
    at_ += sizeof(Number);
    return base::load_be<Number>(at_ - sizeof(Number));
  }
  double take_real() { return std::bit_cast<double>(take<std::uint64_t>()); }

 private:
  const std::byte* at_;
};

bool is_sealed(base::Bytes bytes) noexcept {
  const std::size_t held = bytes.size() - sum_bytes;
  return base::load_be<std::uint64_t>(bytes.data() + held) == fnv1a(bytes.first(held));
}

const Sum& required(const Sums& sums, const SumName& name, std::uint64_t values) {
  const Sum* const sum = sums.find(name);
  if (sum != nullptr && sum->values() == values) return *sum;
  throw Error(Code::internal, fmt::format("the sum {} of a mode was not computed; please report", to_string(name)));
}

std::vector<std::byte> read_up_to(base::ByteSource& file, std::uint64_t offset, std::uint64_t bytes) {
  const std::uint64_t there = offset < file.size() ? file.size() - offset : 0;
  std::vector<std::byte> read(static_cast<std::size_t>(std::min(bytes, there)));
  read.resize(file.read_at(offset, read));
  return read;
}

[[noreturn]] void fail(base::ByteSource& file, std::uint64_t offset, const std::string& what) {
  throw Error(Code::malformed, fmt::format("{}: {} at byte {}", file.path(), what, offset),
              {.path = file.path(), .offset = offset});
}

// The header of a record of that type; nothing where there is another one.
std::optional<lime::Header> record_at(base::ByteSource& file, std::uint64_t offset, std::string_view type) {
  const auto bytes = read_up_to(file, offset, lime::header_bytes);
  if (bytes.size() < lime::header_bytes || !lime::has_magic(bytes)) return std::nullopt;
  lime::Header header = lime::decode(base::Bytes(bytes).first<lime::header_bytes>());
  if (header.type != type) return std::nullopt;
  return header;
}

std::optional<Block> block_at(base::ByteSource& file, std::uint64_t offset, std::uint64_t entry) {
  const auto header = record_at(file, offset - lime::header_bytes, type::index);
  const auto bytes = read_up_to(file, offset, Block::head_bytes);
  const auto block = decode_block(bytes);
  const bool fits = header && block && block->entry_bytes == entry && block->count <= block->room &&
                    block->room <= header->data_length / block->entry_bytes && header->data_length == block->bytes();
  return fits ? block : std::nullopt;
}

}  // namespace

std::uint64_t fnv1a(base::Bytes bytes) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::byte byte : bytes) hash = (hash ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001b3;
  return hash;
}

std::vector<SumName> sum_names() { return {total, slice_checksums, slice_weights}; }

std::uint64_t entry_bytes(const Description& description) {
  const bool has_errors = description.coherence.basis > 0;
  return fixed_bytes + slice_bytes * slices_of(description) + (has_errors ? error_bytes : 0);
}

std::vector<std::byte> encode(const Entry& entry, const Description& description) {
  const std::uint64_t slices = slices_of(description, entry.is_whole());
  Writer to;
  to.put(entry.number);
  to.put(entry.offset);
  to.put_real(entry.mode.eigenvalue.real());
  to.put_real(entry.mode.eigenvalue.imag());
  to.put_real(entry.mode.residual.value_or(unknown));
  for (const std::uint32_t word : required(entry.sums, total, 1).words) to.put(word);
  const Sum& checksums = required(entry.sums, slice_checksums, slices);
  const Sum& weights = required(entry.sums, slice_weights, slices);
  for (std::size_t slice = 0; slice < slices; ++slice) {
    for (std::size_t i = 0; i < 2; ++i) to.put(checksums.words[2 * slice + i]);
    for (std::size_t i = 0; i < 4; ++i) to.put(weights.words[4 * slice + i]);
  }
  to.bytes.resize(to.bytes.size() + static_cast<std::size_t>(slice_bytes * (slices_of(description) - slices)));
  if (description.coherence.basis > 0) to.put_real(entry.mode.error.value_or(unknown));
  return to.sealed();
}

std::optional<Entry> decode_entry(base::Bytes bytes, const Description& description) {
  if (bytes.size() != entry_bytes(description) || !is_sealed(bytes)) return std::nullopt;
  Reader from(bytes);
  Entry entry;
  entry.number = from.take<std::uint64_t>();
  entry.offset = from.take<std::uint64_t>();
  const double re = from.take_real(), im = from.take_real(), residual = from.take_real();
  entry.mode.eigenvalue = {re, im};
  if (!(residual != residual)) entry.mode.residual = residual;
  if (description.coherence.basis > 0) {
    const double error = Reader(bytes.last(error_bytes + sum_bytes)).take_real();
    if (!(error != error)) entry.mode.error = error;
    if (!entry.is_whole() && !(error >= 0 && entry.number >= description.coherence.basis)) return std::nullopt;
  }
  const std::uint64_t slices = slices_of(description, entry.is_whole());
  const auto suma = from.take<std::uint32_t>(), sumb = from.take<std::uint32_t>();
  entry.sums.set_checksum({suma, sumb});
  Sum checksums{slice_checksums}, weights{slice_weights};
  for (std::uint64_t slice = 0; slice < slices; ++slice) {
    for (int i = 0; i < 2; ++i) checksums.words.push_back(from.take<std::uint32_t>());
    for (int i = 0; i < 4; ++i) weights.words.push_back(from.take<std::uint32_t>());
  }
  entry.sums.set(std::move(checksums));
  entry.sums.set(std::move(weights));
  return entry;
}

std::vector<std::byte> encode(const Block& block) {
  Writer to;
  for (const std::uint64_t number : {block.entry_bytes, block.room, block.first, block.count, block.next}) {
    to.put(number);
  }
  return to.sealed();
}

std::optional<Block> decode_block(base::Bytes bytes) {
  if (bytes.size() != Block::head_bytes || !is_sealed(bytes)) return std::nullopt;
  Reader from(bytes);
  Block block;
  for (std::uint64_t* number : {&block.entry_bytes, &block.room, &block.first, &block.count, &block.next}) {
    *number = from.take<std::uint64_t>();
  }
  return block;
}

Head read_head(base::ByteSource& file) {
  const auto header = record_at(file, 0, type::head);
  if (!header) fail(file, 0, fmt::format("no record \"{}\"", type::head));
  if (header->data_length > largest_document) fail(file, 8, fmt::format("a \"{}\" of more than 1 MiB", type::head));
  const auto document = read_up_to(file, lime::header_bytes, header->data_length);
  Head head;
  try {
    head.description = decode_description(base::as_text(document));
    head.unproven = unproven_texts(base::as_text(document));
  } catch (const Error& error) {
    throw Error(Code::malformed, fmt::format("{}: \"{}\": {}", file.path(), type::head, error.what()),
                {.path = file.path(), .record = std::string(type::head), .offset = 0});
  }
  head.document_bytes = header->data_length;
  const std::uint64_t entry = entry_bytes(head.description);
  std::uint64_t offset = 2 * lime::header_bytes + header->data_length + lime::padding(header->data_length);
  while (offset != 0) {
    const auto block = block_at(file, offset, entry);
    const bool follows = block && (head.blocks.empty() || offset > head.blocks.back().offset) &&
                         block->first == head.size() && head.blocks.size() < most_blocks;
    if (!follows) {
      head.is_whole = false;
      return head;
    }
    head.blocks.push_back({*block, offset});
    offset = block->next;
    if (offset != 0 && block->count != block->room) {
      head.is_whole = false;
      return head;
    }
  }
  head.description.room = head.blocks.front().block.room;
  return head;
}

}  // namespace lq::format::modes
