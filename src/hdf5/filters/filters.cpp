// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/filters/filters.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include <hdf5.h>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"

#ifdef LQ_HAVE_LIBDEFLATE
#include <libdeflate.h>
#endif

#ifdef LQ_HAVE_ZSTD
#include <zstd.h>
#endif

namespace lq::hdf5 {
namespace {

using Buffer = std::vector<std::byte>;

constexpr int zstd_id = 32015;
constexpr std::uint64_t largest_element = 1 << 20;

[[noreturn]] void damaged(const std::string& why) { throw Error(Code::malformed, "a chunk is damaged: " + why); }

// One step from the sites of a chunk to its bytes in the file, and back.
class Step {
 public:
  virtual ~Step() = default;
  virtual Buffer encode(base::Bytes bytes) const = 0;
  // Returns at most `most` bytes.
  virtual Buffer decode(base::Bytes bytes, std::size_t most) const = 0;
  // Maximum number of bytes that encode() returns for an input of this size.
  virtual std::size_t bound(std::size_t bytes) const = 0;
};

// First bytes of all elements, then their second bytes, ...; the rest after the last whole element follows.
class Shuffle final : public Step {
 public:
  explicit Shuffle(std::size_t element) : element_(element) {}

  Buffer encode(base::Bytes bytes) const override {
    return moved(bytes, [this](Buffer& to, base::Bytes from, std::size_t k, std::size_t count) {
      const std::byte* source = from.data() + k;
      std::byte* target = to.data() + k * count;
      for (std::size_t i = 0; i < count; ++i) target[i] = source[i * element_];
    });
  }
  Buffer decode(base::Bytes bytes, std::size_t) const override {
    return moved(bytes, [this](Buffer& to, base::Bytes from, std::size_t k, std::size_t count) {
      const std::byte* source = from.data() + k * count;
      std::byte* target = to.data() + k;
      for (std::size_t i = 0; i < count; ++i) target[i * element_] = source[i];
    });
  }
  std::size_t bound(std::size_t bytes) const override { return bytes; }

 private:
  template <class Move>
  Buffer moved(base::Bytes bytes, Move&& move) const {
    const std::size_t count = bytes.size() / element_;
    Buffer made(bytes.size());
    for (std::size_t k = 0; k < element_; ++k) move(made, bytes, k, count);
    std::copy(bytes.begin() + static_cast<std::ptrdiff_t>(count * element_), bytes.end(),
              made.begin() + static_cast<std::ptrdiff_t>(count * element_));
    return made;
  }

  std::size_t element_;
};

class Fletcher final : public Step {
 public:
  Buffer encode(base::Bytes bytes) const override {
    const std::uint32_t sum = fletcher32(bytes);
    Buffer made(bytes.size() + sum_bytes);
    std::ranges::copy(bytes, made.begin());
    base::store_le(made.data() + bytes.size(), sum);
    return made;
  }
  Buffer decode(base::Bytes bytes, std::size_t) const override {
    if (bytes.size() < sum_bytes) damaged("it is shorter than its checksum");
    const auto stored = base::load_le<std::uint32_t>(bytes.data() + bytes.size() - sum_bytes);
    bytes = bytes.first(bytes.size() - sum_bytes);
    const std::uint32_t sum = fletcher32(bytes);
    // HDF5 before 1.6.3 exchanged the bytes of each half on little-endian machines.
    const std::uint32_t exchanged = (sum & 0x00ff00ffU) << 8 | (sum >> 8 & 0x00ff00ffU);
    if (stored != sum && stored != exchanged) damaged("its Fletcher32 checksum does not agree");
    return {bytes.begin(), bytes.end()};
  }
  std::size_t bound(std::size_t bytes) const override { return bytes + sum_bytes; }

 private:
  static constexpr std::size_t sum_bytes = 4;
};

#ifdef LQ_HAVE_LIBDEFLATE
struct FreeDeflate {
  void operator()(libdeflate_compressor* c) const noexcept { libdeflate_free_compressor(c); }
  void operator()(libdeflate_decompressor* d) const noexcept { libdeflate_free_decompressor(d); }
};

[[noreturn]] void no_memory() { throw Error(Code::out_of_memory, "no memory for the compression of a chunk"); }

class Deflate final : public Step {
  static constexpr std::size_t most_expansion = 1040;

 public:
  explicit Deflate(int level) : level_(level) {}

  Buffer encode(base::Bytes bytes) const override {
    const std::unique_ptr<libdeflate_compressor, FreeDeflate> with(libdeflate_alloc_compressor(level_));
    if (!with) no_memory();
    Buffer made(libdeflate_zlib_compress_bound(with.get(), bytes.size()));
    made.resize(libdeflate_zlib_compress(with.get(), bytes.data(), bytes.size(), made.data(), made.size()));
    return made;
  }
  Buffer decode(base::Bytes bytes, std::size_t most) const override {
    const std::unique_ptr<libdeflate_decompressor, FreeDeflate> with(libdeflate_alloc_decompressor());
    if (!with) no_memory();
    // No data expand more than that, whatever the stated size.
    Buffer made(std::min(most, most_expansion * bytes.size()));
    std::size_t there = 0;
    if (libdeflate_zlib_decompress(with.get(), bytes.data(), bytes.size(), made.data(), made.size(), &there) !=
        LIBDEFLATE_SUCCESS) {
      damaged("deflate cannot undo it, or it holds more than it should");
    }
    made.resize(there);
    return made;
  }
  // Stored blocks of 5000 bytes and more with 5 bytes each, plus header and trailer.
  std::size_t bound(std::size_t bytes) const override { return bytes + 5 * (bytes / 5000 + 1) + 64; }

 private:
  int level_;
};
#endif

#ifdef LQ_HAVE_ZSTD
class Zstd final : public Step {
 public:
  explicit Zstd(int level) : level_(level) {}

  Buffer encode(base::Bytes bytes) const override {
    Buffer made(ZSTD_compressBound(bytes.size()));
    const std::size_t size = ZSTD_compress(made.data(), made.size(), bytes.data(), bytes.size(), level_);
    if (ZSTD_isError(size)) throw Error(Code::out_of_memory, "no memory for the compression of a chunk");
    made.resize(size);
    return made;
  }
  Buffer decode(base::Bytes bytes, std::size_t most) const override {
    Buffer made(most);
    const std::size_t size = ZSTD_decompress(made.data(), made.size(), bytes.data(), bytes.size());
    if (ZSTD_isError(size)) damaged("zstd cannot undo it, or it holds more than it should");
    made.resize(size);
    return made;
  }
  std::size_t bound(std::size_t bytes) const override { return ZSTD_compressBound(bytes); }

 private:
  int level_;
};
#endif

// One step or more.
class Pipeline final : public format::TileCodec {
 public:
  explicit Pipeline(std::vector<std::unique_ptr<Step>> steps) : steps_(std::move(steps)) {}

  Buffer encode(base::Bytes sites) const override {
    Buffer bytes = steps_.front()->encode(sites);
    for (std::size_t i = 1; i < steps_.size(); ++i) bytes = steps_[i]->encode(bytes);
    return bytes;
  }

  void decode(base::Bytes encoded, base::MutableBytes sites) const override {
    std::vector<std::size_t> bounds{sites.size()};  // bound before each step
    for (const auto& step : steps_) bounds.push_back(step->bound(bounds.back()));
    if (encoded.size() > bounds.back()) damaged(fmt::format("{} bytes are more than possible", encoded.size()));
    Buffer made;
    base::Bytes bytes = encoded;
    for (std::size_t i = steps_.size(); i-- > 0; bytes = made) made = steps_[i]->decode(bytes, bounds[i]);
    if (bytes.size() != sites.size()) {
      damaged(fmt::format("it holds {} bytes instead of {}", bytes.size(), sites.size()));
    }
    std::ranges::copy(bytes, sites.begin());
  }

 private:
  std::vector<std::unique_ptr<Step>> steps_;
};

std::unique_ptr<Step> step_named(std::string_view name, std::optional<std::uint64_t> parameter) {
  if (name == "fletcher32" && !parameter) return std::make_unique<Fletcher>();
  if (name == "shuffle" && parameter && *parameter > 0 && *parameter <= largest_element) {
    return std::make_unique<Shuffle>(static_cast<std::size_t>(*parameter));
  }
#ifdef LQ_HAVE_LIBDEFLATE
  if (name == "deflate" && parameter && *parameter <= 9) return std::make_unique<Deflate>(static_cast<int>(*parameter));
#endif
#ifdef LQ_HAVE_ZSTD
  if (name == "zstd" && parameter && *parameter <= 22) return std::make_unique<Zstd>(static_cast<int>(*parameter));
#endif
  return nullptr;
}

std::unique_ptr<format::TileCodec> make_codec(std::string_view encoding) {
  std::vector<std::unique_ptr<Step>> steps;
  for (std::size_t at = 0; at <= encoding.size();) {
    const std::size_t end = std::min(encoding.find(',', at), encoding.size());
    const std::string_view word = encoding.substr(at, end - at);
    const std::size_t colon = word.find(':');
    std::optional<std::uint64_t> parameter;
    if (colon != std::string_view::npos) {
      parameter = base::parse_u64(word.substr(colon + 1));
      if (!parameter) return nullptr;
    }
    auto step = step_named(word.substr(0, colon), parameter);
    if (!step) return nullptr;
    steps.push_back(std::move(step));
    at = end + 1;
  }
  return std::make_unique<Pipeline>(std::move(steps));
}

std::string name_of_filter(int id) {
  switch (id) {
    case H5Z_FILTER_SZIP:
      return "szip";
    case H5Z_FILTER_NBIT:
      return "nbit";
    case H5Z_FILTER_SCALEOFFSET:
      return "scaleoffset";
    case 32000:
      return "lzf";
    case 32001:
      return "blosc";
    case 32004:
      return "lz4";
    case 32008:
      return "bitshuffle";
    default:
      return fmt::format("filter-{}", id);
  }
}

std::string word_of(const Filter& filter, std::uint64_t element_bytes) {
  const std::uint32_t first = filter.parameters.empty() ? 0 : filter.parameters.front();
  switch (filter.id) {
    case H5Z_FILTER_SHUFFLE:
      return fmt::format("shuffle:{}", first > 0 ? first : element_bytes);
    case H5Z_FILTER_DEFLATE:
      return fmt::format("deflate:{}", first);
    case H5Z_FILTER_FLETCHER32:
      return "fletcher32";
    case zstd_id:
      // Levels may be negative or missing there; reading does not need them.
      return fmt::format("zstd:{}", first > 0 && first <= 22 ? first : 3);
    default:
      return name_of_filter(filter.id);
  }
}

}  // namespace

std::string encoding_of(const std::vector<Filter>& filters, std::uint64_t element_bytes) {
  std::string encoding;
  for (const Filter& filter : filters) {
    encoding += fmt::format("{}{}", encoding.empty() ? "" : ",", word_of(filter, element_bytes));
  }
  return encoding;
}

std::vector<std::byte> inflate(base::Bytes stream, std::size_t most) {
  const auto deflate = step_named("deflate", 6);
  return deflate ? deflate->decode(stream, most) : std::vector<std::byte>();
}

const format::TileCodec* tile_codec(std::string_view encoding) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<format::TileCodec>, std::less<>> made;
  const std::lock_guard lock(mutex);
  const auto found = made.find(encoding);
  if (found != made.end()) return found->second.get();
  auto codec = make_codec(encoding);
  if (!codec) return nullptr;
  return made.emplace(encoding, std::move(codec)).first->second.get();
}

std::uint32_t fletcher32(base::Bytes bytes) noexcept {
  constexpr std::size_t most_words = 360;  // whose sums fit 32 bits without reduction
  std::uint32_t plain = 0, nested = 0;
  const auto reduce = [&] {
    plain = (plain & 0xffff) + (plain >> 16);
    nested = (nested & 0xffff) + (nested >> 16);
  };
  const std::size_t words = bytes.size() / 2;
  for (std::size_t i = 0; i < words;) {
    for (const std::size_t end = std::min(words, i + most_words); i < end; ++i) {
      plain += base::load_be<std::uint16_t>(bytes.data() + 2 * i);
      nested += plain;
    }
    reduce();
  }
  if (bytes.size() % 2 != 0) {
    plain += std::to_integer<std::uint32_t>(bytes.back()) << 8;
    nested += plain;
    reduce();
  }
  reduce();
  return nested << 16 | plain;
}

namespace {

[[noreturn]] void refuse_filter(std::string_view text) {
  base::fail(Code::invalid_argument, {.expected = "shuffle, deflate, fletcher32, zstd", .found = std::string(text)},
             "unknown filter \"{}\"; filters are shuffle, deflate (with a level: deflate:6), fletcher32 and zstd, "
             "separated by commas in the order in which they are applied",
             base::printable(text));
}

unsigned level_of(std::string_view text, std::string_view filter, unsigned lowest, unsigned highest) {
  unsigned level = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), level);
  if (error != std::errc() || end != text.data() + text.size() || level < lowest || level > highest) {
    base::fail(Code::invalid_argument, {}, "\"{}\" is not a level of {}; levels go from {} to {}",
               base::printable(text), filter, lowest, highest);
  }
  return level;
}

Filter parse_filter(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const bool has_level = colon != std::string_view::npos;
  if (name == "deflate" || name == "gzip") {
#ifndef LQ_HAVE_LIBDEFLATE
    throw Error(Code::unsupported,
                "the filter deflate is not built in; leave it out, or build with libdeflate (`lq --version -v` names "
                "what is built in)");
#endif
    return {.id = H5Z_FILTER_DEFLATE, .parameters = {has_level ? level_of(text.substr(colon + 1), name, 1, 9) : 6}};
  }
  if (name == "zstd") {
#ifndef LQ_HAVE_ZSTD
    throw Error(Code::unsupported, "the filter zstd is not built in; use deflate, or build with libzstd");
#endif
    // Optional, so that a library without it can still plan the file.
    return {.id = zstd_filter,
            .is_optional = true,
            .parameters = {has_level ? level_of(text.substr(colon + 1), name, 1, 19) : 3}};
  }
  if (has_level) refuse_filter(text);
  if (name == "shuffle") return {.id = H5Z_FILTER_SHUFFLE};
  if (name == "fletcher32") return {.id = H5Z_FILTER_FLETCHER32};
  refuse_filter(text);
}

}  // namespace

std::vector<Filter> parse_filters(std::string_view text) {
  std::vector<Filter> filters;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const Filter filter = parse_filter(text.substr(0, comma));
    for (const Filter& before : filters) {
      if (before.id == filter.id) refuse_filter(text);
    }
    filters.push_back(filter);
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
    if (text.empty()) refuse_filter(text);
  }
  return filters;
}

}  // namespace lq::hdf5
