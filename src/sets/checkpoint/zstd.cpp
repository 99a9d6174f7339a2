// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Frames of zstd that know their size.
#include <zstd.h>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "sets/checkpoint/compression.hpp"

namespace lq::sets {
namespace {

class ZstdCompressor final : public Compressor {
 public:
  explicit ZstdCompressor(int level) : context_(ZSTD_createCCtx(), &ZSTD_freeCCtx) {
    if (context_ == nullptr) throw std::bad_alloc();
    if (level != 0 && (level < ZSTD_minCLevel() || level > ZSTD_maxCLevel())) {
      throw Error(Code::invalid_argument,
                  fmt::format("zstd has no level {}, but {} to {}", level, ZSTD_minCLevel(), ZSTD_maxCLevel()));
    }
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level == 0 ? ZSTD_CLEVEL_DEFAULT : level);
  }

  std::size_t bound(std::size_t raw_bytes) const override { return ZSTD_compressBound(raw_bytes); }

  std::size_t compress(base::Bytes raw, base::MutableBytes to) override {
    const std::size_t stored = ZSTD_compress2(context_.get(), to.data(), to.size(), raw.data(), raw.size());
    if (ZSTD_isError(stored) != 0) {
      throw Error(Code::out_of_memory,
                  fmt::format("zstd could not compress {} bytes: {}", raw.size(), ZSTD_getErrorName(stored)));
    }
    return stored;
  }

 private:
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context_;
};

class ZstdDecompressor final : public Decompressor {
 public:
  std::size_t decompress(base::Bytes stored, std::vector<std::byte>& raw) override {
    const std::size_t frame = ZSTD_findFrameCompressedSize(stored.data(), stored.size());
    if (ZSTD_isError(frame) != 0) throw_no_frame("zstd", ZSTD_getErrorName(frame));
    const unsigned long long size = ZSTD_getFrameContentSize(stored.data(), frame);
    if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR) throw_no_frame("zstd", "no size");
    require_frame_size(size);
    raw.resize(size);
    const std::size_t got = ZSTD_decompress(raw.data(), raw.size(), stored.data(), frame);
    if (ZSTD_isError(got) != 0) throw_no_frame("zstd", ZSTD_getErrorName(got));
    if (got != size) throw_no_frame("zstd", "it ends early");
    return frame;
  }
};

}  // namespace

std::unique_ptr<Compressor> make_zstd_compressor(int level) { return std::make_unique<ZstdCompressor>(level); }
std::unique_ptr<Decompressor> make_zstd_decompressor() { return std::make_unique<ZstdDecompressor>(); }

}  // namespace lq::sets
