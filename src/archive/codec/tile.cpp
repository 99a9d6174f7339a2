// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "archive/codec/tile.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/float_environment.hpp"
#include "kernels/crc32.hpp"

#ifdef LQ_HAVE_ZSTD
#include <zstd.h>
#endif

namespace lq::archive {

#ifdef LQ_HAVE_ZSTD

namespace {

constexpr int level = 3;

}  // namespace

std::vector<std::byte> shuffle_and_compress(base::Bytes numbers, std::size_t bytes_each) {
  if (numbers.size() % bytes_each != 0) return {};
  const std::size_t count = numbers.size() / bytes_each;
  std::vector<std::byte> shuffled(numbers.size());
  for (std::size_t byte = 0; byte < bytes_each; ++byte) {
    for (std::size_t k = 0; k < count; ++k) shuffled[byte * count + k] = numbers[k * bytes_each + byte];
  }
  std::vector<std::byte> result(ZSTD_compressBound(shuffled.size()));
  const std::size_t size = ZSTD_compress(result.data(), result.size(), shuffled.data(), shuffled.size(), level);
  if (ZSTD_isError(size)) throw Error(Code::out_of_memory, "no memory for the compression of a tile");
  result.resize(size);
  return result;
}

void restore_shuffled(base::Bytes compressed, std::size_t bytes_each, base::MutableBytes numbers) {
  if (numbers.size() % bytes_each != 0) throw Error(Code::malformed, "it holds no whole numbers");
  std::vector<std::byte> shuffled(numbers.size());
  const std::size_t size = ZSTD_decompress(shuffled.data(), shuffled.size(), compressed.data(), compressed.size());
  if (ZSTD_isError(size) || size != shuffled.size()) {
    throw Error(Code::malformed, "zstd cannot undo it, or its decompressed size is wrong");
  }
  const std::size_t count = numbers.size() / bytes_each;
  for (std::size_t byte = 0; byte < bytes_each; ++byte) {
    for (std::size_t k = 0; k < count; ++k) numbers[k * bytes_each + byte] = shuffled[byte * count + k];
  }
}

#else

std::vector<std::byte> shuffle_and_compress(base::Bytes, std::size_t) { return {}; }

void restore_shuffled(base::Bytes, std::size_t, base::MutableBytes) {
  throw Error(Code::unsupported, "it is compressed by zstd, which this build of Limequat lacks");
}

#endif

namespace {

// How the bytes of a tile are stored.
enum class Way : std::uint8_t { as_they_are, links, shuffled, columns };

constexpr std::size_t tile_head_bytes = 8;

class NumbersCodec final : public format::TileCodec {
 public:
  explicit NumbersCodec(const Numbers& numbers) : numbers_(numbers), name_(encoding_name(numbers)) {}
  const std::string& name() const noexcept { return name_; }
  const Numbers& numbers() const noexcept { return numbers_; }

  std::vector<std::byte> encode(base::Bytes tile) const override {
    const base::DefaultFloatEnvironment as_in_the_format;
    Way way = Way::shuffled;
    std::vector<std::byte> body;
    const std::size_t link = std::size_t{numbers_.reals} * numbers_.bytes;
    if (link != 0 && tile.size() % link == 0) {
      way = Way::columns;
      body = encode_links(tile, numbers_);
    }
    // Not links after all, or links so simple that other methods compress them better.
    if (body.empty() || body.size() > tile.size() / 2) {
      std::vector<std::byte> other = shuffle_and_compress(tile, numbers_.bytes);
      if (body.empty() || (!other.empty() && other.size() < body.size())) {
        way = Way::shuffled;
        body = std::move(other);
      }
    }
    if (body.empty() || body.size() >= tile.size()) {
      way = Way::as_they_are;
      body.assign(tile.begin(), tile.end());
    }
    std::vector<std::byte> result(tile_head_bytes + body.size());
    result[0] = static_cast<std::byte>(way);
    result[1] = static_cast<std::byte>(numbers_.reals);
    result[2] = static_cast<std::byte>(numbers_.bytes);
    result[3] = static_cast<std::byte>(numbers_.big_endian ? 1 : 0);
    base::store_be(&result[4], kernels::crc32(0, tile));
    std::ranges::copy(body, &result[tile_head_bytes]);
    return result;
  }

  void decode(base::Bytes encoded, base::MutableBytes tile) const override {
    const base::DefaultFloatEnvironment as_in_the_format;
    if (encoded.size() < tile_head_bytes) throw Error(Code::malformed, "it is shorter than its own head");
    const base::Bytes body = encoded.subspan(tile_head_bytes);
    const Numbers numbers{std::to_integer<std::uint8_t>(encoded[1]), std::to_integer<std::uint8_t>(encoded[2]),
                          encoded[3] == std::byte{1}};
    if (numbers != numbers_ || encoded[3] > std::byte{1}) {
      throw Error(Code::malformed, fmt::format("its head does not state {}", name_));
    }
    switch (static_cast<Way>(encoded[0])) {
      case Way::as_they_are:
        if (body.size() != tile.size()) throw Error(Code::malformed, "its size is wrong");
        std::ranges::copy(body, tile.begin());
        break;
      case Way::links:
      case Way::columns:
        if (numbers.reals == 0 || tile.size() % (std::size_t{numbers.reals} * numbers.bytes) != 0) {
          throw Error(Code::malformed, "it states links, but has none");
        }
        decode_links(body, tile, numbers,
                     encoded[0] == static_cast<std::byte>(Way::columns) ? LinkMethod::by_column : LinkMethod::by_link);
        break;
      case Way::shuffled:
        restore_shuffled(body, numbers.bytes, tile);
        break;
      default:
        throw Error(Code::malformed, fmt::format("it is stored with method {}, which is unknown",
                                                 std::to_integer<unsigned>(encoded[0])));
    }
    const auto stated = base::load_be<std::uint32_t>(&encoded[4]);
    const std::uint32_t found = kernels::crc32(0, tile);
    if (stated != found) {
      throw Error(Code::checksum_mismatch, fmt::format("the CRC-32 of its decoded bytes is {:08x}, but {:08x} was "
                                                       "stored with it",
                                                       found, stated));
    }
  }

 private:
  Numbers numbers_;
  std::string name_;
};

// One codec of each kind; they have no state.
const std::vector<NumbersCodec>& all_codecs() {
  static const std::vector<NumbersCodec> all = [] {
    std::vector<NumbersCodec> codecs;
    for (const std::uint8_t reals : std::array<std::uint8_t, 3>{18, 12, 0}) {
      for (const std::uint8_t bytes : std::array<std::uint8_t, 2>{8, 4}) {
        for (const bool big_endian : {true, false}) codecs.emplace_back(Numbers{reals, bytes, big_endian});
      }
    }
    return codecs;
  }();
  return all;
}

}  // namespace

std::string encoding_name(const Numbers& numbers) {
  return fmt::format("{}-{}-{}", numbers.reals == 0 ? "numbers" : fmt::format("links{}", numbers.reals),
                     numbers.bytes == 8 ? "double" : "single", numbers.big_endian ? "big" : "little");
}

const format::TileCodec& codec_of(const Numbers& numbers) {
  return *std::ranges::find(all_codecs(), numbers, &NumbersCodec::numbers);
}

const format::TileCodec* codec_named(std::string_view encoding) {
  const auto& all = all_codecs();
  const auto found = std::ranges::find(all, encoding, &NumbersCodec::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace lq::archive
