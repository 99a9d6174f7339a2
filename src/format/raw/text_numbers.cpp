// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/raw/raw_format.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace lq::format::raw {
namespace {

constexpr std::uint64_t decoded_tile_bytes = 256 * base::kibi;
constexpr std::uint64_t most_bytes_of_number = 64;  // as text, with the white space around it
constexpr std::size_t shown_bytes = 40;
constexpr std::string_view encoding_single = "text-single", encoding_double = "text-double";

constexpr bool is_white(char c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r'); }

// With enough digits to distinguish each number from its neighbours.
template <class Real>
class TextCodec final : public TileCodec {
 public:
  std::vector<std::byte> encode(base::Bytes sites) const override {
    std::vector<char> text;
    text.reserve(static_cast<std::size_t>(most_bytes(sites.size())));
    for (std::size_t at = 0; at < sites.size(); at += sizeof(Real)) {
      const Real value = std::bit_cast<Real>(base::load_be<Bits>(sites.data() + at));
      fmt::format_to(std::back_inserter(text), "{:.{}e}\n", value, std::numeric_limits<Real>::max_digits10 - 1);
    }
    const base::Bytes bytes = base::as_bytes({text.data(), text.size()});
    return {bytes.begin(), bytes.end()};
  }

  void decode(base::Bytes encoded, base::MutableBytes sites) const override {
    std::string_view text(reinterpret_cast<const char*>(encoded.data()), encoded.size());
    for (std::size_t at = 0; at < sites.size(); at += sizeof(Real)) {
      base::store_be(sites.data() + at, std::bit_cast<Bits>(value_of(next_word(text))));
    }
    if (!next_word(text).empty()) throw Error(Code::malformed, "it contains more numbers than before");
  }

  // A sign, a point, an exponent of three digits with its letter and sign, and the end of the line.
  std::uint64_t most_bytes(std::uint64_t decoded) const override {
    return decoded / sizeof(Real) * (std::numeric_limits<Real>::max_digits10 + 8);
  }

 private:
  using Bits = std::conditional_t<sizeof(Real) == sizeof(float), std::uint32_t, std::uint64_t>;

  static std::string_view next_word(std::string_view& text) {
    const auto begin = std::ranges::find_if_not(text, is_white), end = std::find_if(begin, text.end(), is_white);
    const std::string_view word(begin, end);
    text = {end, text.end()};
    return word;
  }

  static Real value_of(std::string_view word) {
    const std::optional<double> value = base::parse_double(word);
    const auto rounded = static_cast<Real>(value.value_or(0));
    if (value && std::isfinite(rounded) == std::isfinite(*value)) return rounded;
    base::fail(Code::malformed, {}, "\"{}\" is not a number of {} precision", base::printable(word, shown_bytes),
               sizeof(Real) == sizeof(float) ? "single" : "double");
  }
};

// Scans the text of a file and records where its numbers begin.
class Places {
 public:
  explicit Places(const Payload& payload)
      : of_tile_(payload.tile_sites * payload.spec.numbers / payload.arrays),
        of_array_(payload.stored.volume() * payload.spec.numbers / payload.arrays),
        all_(of_array_ * payload.arrays),
        file_(payload.file) {}

  bool is_complete() const noexcept { return count_ == all_ && !within_; }
  // The beginning of the next number, if there is one.
  std::optional<std::uint64_t> follows() const noexcept { return follows_; }
  std::uint64_t count() const noexcept { return count_; }
  std::uint64_t end() const noexcept { return end_; }

  void add(char c, std::uint64_t offset) {
    if (is_white(c) != within_) return;
    within_ = !within_;
    if (within_ && count_ == all_) {
      follows_ = offset;
    } else if (within_) {
      begin_number(offset);
    } else {
      end_ = offset;
    }
  }

  std::vector<Tile> tiles(std::uint64_t end) && {
    close(end);
    return std::move(tiles_);
  }

 private:
  void begin_number(std::uint64_t offset) {
    if (count_ == next_tile_) {
      close(offset);
      tiles_.push_back({file_, offset, 0});
      const std::uint64_t end_of_array = (count_ / of_array_ + 1) * of_array_;
      next_tile_ = std::min(count_ + of_tile_, end_of_array);
      numbers_ = next_tile_ - count_;
    }
    ++count_;
  }

  void close(std::uint64_t end) {
    if (tiles_.empty()) return;
    Tile& last = tiles_.back();
    last.bytes = end - last.offset;
    if (last.bytes / most_bytes_of_number <= numbers_) return;
    base::fail(Code::malformed, {}, "from byte {} of the data on {} numbers have more than {} bytes each", last.offset,
               numbers_, most_bytes_of_number);
  }

  std::uint64_t of_tile_, of_array_, all_;
  int file_;
  std::uint64_t count_ = 0, next_tile_ = 0, numbers_ = 0, end_ = 0;
  bool within_ = false;
  std::optional<std::uint64_t> follows_;
  std::vector<Tile> tiles_;
};

void cut(Payload& payload) {
  payload.encoding = payload.spec.precision == Precision::single ? encoding_single : encoding_double;
  payload.tile_sites = std::clamp<std::uint64_t>(decoded_tile_bytes / payload.site_bytes(), 1, payload.stored.volume());
  payload.tiles.clear();
}

}  // namespace

const TileCodec* text_codec(std::string_view encoding) noexcept {
  static const TextCodec<float> single;
  static const TextCodec<double> twice;
  if (encoding == encoding_single) return &single;
  return encoding == encoding_double ? &twice : nullptr;
}

void plan_text(Payload& payload) {
  cut(payload);
  const std::uint64_t tiles = (payload.stored.volume() + payload.tile_sites - 1) / payload.tile_sites;
  payload.tiles.resize(static_cast<std::size_t>(tiles * payload.arrays), {payload.file, payload.offset, 0});
}

std::uint64_t find_text(Payload& payload, base::ByteSource& data) {
  cut(payload);
  Places places(payload);
  std::vector<char> piece(static_cast<std::size_t>(std::min(256 * base::kibi, data.size())));
  std::uint64_t at = payload.offset;
  while (!places.follows()) {
    const std::size_t read = data.read_at(at, std::as_writable_bytes(std::span(piece)));
    if (read == 0) break;
    for (std::size_t k = 0; k < read && !places.follows(); ++k) places.add(piece[k], at + k);
    at += read;
  }
  if (!places.follows()) places.add('\n', at);
  if (!places.is_complete() && !places.follows()) {
    const std::uint64_t wanted = payload.length / payload.spec.number_bytes();
    base::fail(Code::truncated,
               {.expected = fmt::format("{} numbers", wanted), .found = fmt::format("{} numbers", places.count())},
               "the data are {} numbers, but the description states {}; check the lattice", places.count(), wanted);
  }
  const std::uint64_t end = places.end();
  payload.tiles = std::move(places).tiles(end);
  return places.follows() ? end : data.size();
}

}  // namespace lq::format::raw
