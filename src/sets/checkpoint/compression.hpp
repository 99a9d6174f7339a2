// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Compression of streams, frame by frame. Frames are ordinary ones of zstd and lz4, whole within a chunk, so that the
// stored bytes of a task are a file that the programs zstd and lz4 decompress.
#pragma once

#include <memory>
#include <vector>

#include <limequat/multifile.hpp>

#include "base/bytes.hpp"

namespace lq::sets {

inline constexpr std::uint64_t largest_frame = 16ULL << 20;  // of stream bytes in one frame

class Compressor {
 public:
  virtual ~Compressor() = default;
  // The most that the given number of bytes become.
  virtual std::size_t bound(std::size_t raw_bytes) const = 0;
  // One frame; `to` has bound() bytes. Returns what it took.
  virtual std::size_t compress(base::Bytes raw, base::MutableBytes to) = 0;
};

class Decompressor {
 public:
  virtual ~Decompressor() = default;
  // The frame at the front of `stored` into `raw`, which is resized. Returns its stored bytes; malformed, too_large: it
  // is no frame, or of more than `largest_frame` bytes.
  virtual std::size_t decompress(base::Bytes stored, std::vector<std::byte>& raw) = 0;
};

// nullptr for `none`. unsupported: built without it; invalid_argument: there is no such level.
std::unique_ptr<Compressor> make_compressor(Compression compression, int level);
std::unique_ptr<Decompressor> make_decompressor(Compression compression);

// Of one library each; nullptr where built without it.
std::unique_ptr<Compressor> make_zstd_compressor(int level);
std::unique_ptr<Decompressor> make_zstd_decompressor();
std::unique_ptr<Compressor> make_lz4_compressor(int level);
std::unique_ptr<Decompressor> make_lz4_decompressor();

// Error(malformed): compressed bytes that are not what `library` writes.
[[noreturn]] void throw_no_frame(const char* library, const char* reason);
// Throws too_large.
void require_frame_size(std::uint64_t bytes);

}  // namespace lq::sets
