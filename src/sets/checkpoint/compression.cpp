// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which compressions there are.
#include "sets/checkpoint/compression.hpp"

#include <array>

#include <fmt/format.h>
#include <limequat/error.hpp>

namespace lq {

std::string_view name(Compression compression) noexcept {
  constexpr std::array<std::string_view, 3> names{"none", "lz4", "zstd"};
  return names[static_cast<std::size_t>(compression)];
}

Compression parse_compression(std::string_view text) {
  for (const Compression one : {Compression::none, Compression::lz4, Compression::zstd}) {
    if (text == name(one)) return one;
  }
  throw Error(Code::invalid_argument,
              fmt::format("there is no compression \"{}\"; choose none, lz4 or zstd", text.substr(0, 40)));
}

bool is_available(Compression compression) noexcept {
  try {
    return compression == Compression::none || sets::make_compressor(compression, 0) != nullptr;
  } catch (...) {
    return false;
  }
}

namespace sets {
namespace {

template <class Made>
Made require_built(Made made, Compression compression) {
  if (made != nullptr) return made;
  throw Error(Code::unsupported,
              fmt::format("this library was built without {}; build it with the library of that name, "
                          "or choose another compression",
                          name(compression)));
}

}  // namespace

std::unique_ptr<Compressor> make_compressor(Compression compression, int level) {
  if (compression == Compression::none) return nullptr;
  return require_built(compression == Compression::zstd ? make_zstd_compressor(level) : make_lz4_compressor(level),
                       compression);
}

std::unique_ptr<Decompressor> make_decompressor(Compression compression) {
  if (compression == Compression::none) return nullptr;
  return require_built(compression == Compression::zstd ? make_zstd_decompressor() : make_lz4_decompressor(),
                       compression);
}

void throw_no_frame(const char* library, const char* reason) {
  throw Error(Code::malformed, fmt::format("the compressed bytes are not a frame of {} ({})", library, reason));
}

void require_frame_size(std::uint64_t bytes) {
  if (bytes <= largest_frame) return;
  throw Error(Code::too_large,
              fmt::format("a compressed frame of {} bytes; frames have {} at most", bytes, largest_frame));
}

}  // namespace sets
}  // namespace lq
