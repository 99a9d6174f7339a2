// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The available compressions: those whose library was found at build time. Frames contain their size.
#include "sets/checkpoint/stream.hpp"

#include <array>
#include <new>

#ifdef LQ_HAVE_LZ4
#include <lz4frame.h>
#endif
#ifdef LQ_HAVE_ZSTD
#include <zstd.h>
#endif

#include <fmt/format.h>

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

// For compressed bytes that `library` does not write. Not used where there is none of the libraries.
[[maybe_unused, noreturn]] void throw_no_frame(const char* library, const char* reason) {
  throw Error(Code::malformed, fmt::format("the compressed bytes are not a frame of {} ({})", library, reason));
}

[[maybe_unused]] void require_frame_size(std::uint64_t bytes) {
  if (bytes <= largest_frame) return;
  throw Error(Code::too_large,
              fmt::format("a compressed frame of {} bytes; frames have {} at most", bytes, largest_frame));
}

#ifdef LQ_HAVE_LZ4
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

#endif

#ifdef LQ_HAVE_ZSTD
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

#endif

[[noreturn]] void throw_not_built(Compression compression) {
  throw Error(Code::unsupported,
              fmt::format("this library was built without {}; build it with the library of that name, "
                          "or choose another compression",
                          name(compression)));
}

}  // namespace

std::unique_ptr<Compressor> make_compressor(Compression compression, [[maybe_unused]] int level) {
  if (compression == Compression::none) return nullptr;
#ifdef LQ_HAVE_LZ4
  if (compression == Compression::lz4) return std::make_unique<Lz4Compressor>(level);
#endif
#ifdef LQ_HAVE_ZSTD
  if (compression == Compression::zstd) return std::make_unique<ZstdCompressor>(level);
#endif
  throw_not_built(compression);
}

std::unique_ptr<Decompressor> make_decompressor(Compression compression) {
  if (compression == Compression::none) return nullptr;
#ifdef LQ_HAVE_LZ4
  if (compression == Compression::lz4) return std::make_unique<Lz4Decompressor>();
#endif
#ifdef LQ_HAVE_ZSTD
  if (compression == Compression::zstd) return std::make_unique<ZstdDecompressor>();
#endif
  throw_not_built(compression);
}

}  // namespace sets
}  // namespace lq
