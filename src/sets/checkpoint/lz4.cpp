// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Frames of lz4 that know their size.
#include <lz4frame.h>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "sets/checkpoint/compression.hpp"

namespace lq::sets {
namespace {

constexpr int highest_level = 12;

class Lz4Compressor final : public Compressor {
 public:
  explicit Lz4Compressor(int level) {
    if (level < 0 || level > highest_level) {
      throw Error(Code::invalid_argument, fmt::format("lz4 has no level {}, but 1 to {}", level, highest_level));
    }
    preferences_.compressionLevel = level;
    preferences_.frameInfo.blockSizeID = LZ4F_max4MB;
  }

  std::size_t bound(std::size_t raw_bytes) const override { return LZ4F_compressFrameBound(raw_bytes, &preferences_); }

  std::size_t compress(base::Bytes raw, base::MutableBytes to) override {
    preferences_.frameInfo.contentSize = raw.size();
    const std::size_t stored = LZ4F_compressFrame(to.data(), to.size(), raw.data(), raw.size(), &preferences_);
    if (LZ4F_isError(stored) != 0) {
      throw Error(Code::out_of_memory,
                  fmt::format("lz4 could not compress {} bytes: {}", raw.size(), LZ4F_getErrorName(stored)));
    }
    return stored;
  }

 private:
  LZ4F_preferences_t preferences_{};
};

class Lz4Decompressor final : public Decompressor {
 public:
  Lz4Decompressor() {
    if (LZ4F_isError(LZ4F_createDecompressionContext(&context_, LZ4F_VERSION)) != 0) throw std::bad_alloc();
  }
  ~Lz4Decompressor() override { LZ4F_freeDecompressionContext(context_); }
  Lz4Decompressor(const Lz4Decompressor&) = delete;
  Lz4Decompressor& operator=(const Lz4Decompressor&) = delete;

  std::size_t decompress(base::Bytes stored, std::vector<std::byte>& raw) override {
    LZ4F_resetDecompressionContext(context_);
    LZ4F_frameInfo_t info{};
    std::size_t taken = stored.size();
    require(LZ4F_getFrameInfo(context_, &info, stored.data(), &taken));
    if (info.frameType != LZ4F_frame) throw_no_frame("lz4", "another kind of frame");
    require_frame_size(info.contentSize);
    raw.resize(info.contentSize);
    std::size_t filled = 0;
    for (std::size_t more = 1; more != 0;) {
      std::size_t in = stored.size() - taken, out = raw.size() - filled;
      more = LZ4F_decompress(context_, raw.data() + filled, &out, stored.data() + taken, &in, nullptr);
      require(more);
      if (more != 0 && in == 0 && out == 0) throw_no_frame("lz4", "it ends early");
      taken += in;
      filled += out;
    }
    if (filled != raw.size()) throw_no_frame("lz4", "it ends early");
    return taken;
  }

 private:
  static void require(std::size_t code) {
    if (LZ4F_isError(code) != 0) throw_no_frame("lz4", LZ4F_getErrorName(code));
  }

  LZ4F_dctx* context_ = nullptr;
};

}  // namespace

std::unique_ptr<Compressor> make_lz4_compressor(int level) { return std::make_unique<Lz4Compressor>(level); }
std::unique_ptr<Decompressor> make_lz4_decompressor() { return std::make_unique<Lz4Decompressor>(); }

}  // namespace lq::sets
