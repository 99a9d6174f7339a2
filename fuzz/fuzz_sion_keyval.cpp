// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Any bytes as a stream of key-value records, in both byte orders: records that tile it, or an Error where they end.
#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include <limequat/error.hpp>

#include "base/byte_source.hpp"
#include "format/sion/stream.hpp"

namespace {

using namespace lq;
using namespace lq::format::sion;

void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

void walk(base::MemorySource& stream, ByteOrder order) {
  const auto read = [&](std::uint64_t position, base::MutableBytes buffer) { return stream.read_at(position, buffer); };
  KeyWalker walker(read, stream.size(), order, "input");
  std::uint64_t next = 0;
  try {
    while (const auto record = walker.next()) {
      require(record->position == next + record_header_bytes, "records follow each other");
      require(record->length <= stream.size() - record->position, "a record ends in its stream");
      const auto header = encode_record_header(record->key, record->length, order);
      std::array<std::byte, record_header_bytes> found{};
      stream.read_at(next, found);
      require(header == found, "a header is what is written for it");
      next = record->position + record->length;
    }
    require(next == stream.size(), "records fill their stream");
  } catch (const Error& error) {
    require(error.code() == Code::malformed || error.code() == Code::truncated, "only damage is found");
    require(!walker.next(), "the walk ends with the first damage");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  base::MemorySource stream({reinterpret_cast<const std::byte*>(data), size}, "input");
  walk(stream, ByteOrder::little);
  walk(stream, ByteOrder::big);
  return 0;
}
