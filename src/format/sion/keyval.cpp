// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See keyval.hpp.
#include "format/sion/keyval.hpp"

#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>

namespace lq::format::sion {

std::array<std::byte, record_header_bytes> encode_record_header(std::uint64_t key, std::uint64_t length,
                                                                ByteOrder order) noexcept {
  std::array<std::byte, record_header_bytes> bytes{};
  store_uint64(bytes.data(), key, order);
  store_uint64(bytes.data() + 8, length, order);
  return bytes;
}

KeyWalker::KeyWalker(ReadStream read, std::uint64_t stream_bytes, ByteOrder order, std::string stream)
    : read_(std::move(read)), stream_bytes_(stream_bytes), order_(order), stream_(std::move(stream)) {}

std::optional<KeyRecord> KeyWalker::next() {
  if (position_ >= stream_bytes_) return std::nullopt;
  const std::uint64_t begin = std::exchange(position_, stream_bytes_);  // after a failure the walk is over
  std::array<std::byte, record_header_bytes> bytes{};
  const std::uint64_t left = stream_bytes_ - begin;
  if (left < bytes.size() || read_(begin, bytes) < bytes.size()) {
    throw Error(Code::truncated,
                fmt::format("{}: the stream ends {} bytes into the header of a key-value record at its byte {}",
                            stream_, left, begin),
                {.path = stream_, .offset = begin, .expected = "16 bytes", .found = fmt::format("{} bytes", left)});
  }
  KeyRecord record;
  record.key = load_uint64(bytes.data(), order_);
  record.length = load_uint64(bytes.data() + 8, order_);
  record.position = begin + bytes.size();
  if (record.length > stream_bytes_ - record.position) {
    throw Error(Code::malformed,
                fmt::format("{}: the key-value record at byte {} of the stream has {} bytes, but only {} follow; the "
                            "stream is damaged or was written without key-value mode",
                            stream_, begin, record.length, stream_bytes_ - record.position),
                {.path = stream_,
                 .offset = begin,
                 .expected = fmt::format("at most {}", stream_bytes_ - record.position),
                 .found = fmt::format("{}", record.length)});
  }
  position_ = record.position + record.length;
  return record;
}

}  // namespace lq::format::sion
