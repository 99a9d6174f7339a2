// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include <bit>
#include <memory>

#include <limequat/error.hpp>

#include "archive/codec/link_batch.hpp"
#include "archive/codec/link_symbols.hpp"
#include "archive/codec/prefix_code.hpp"
#include "archive/codec/tile.hpp"

namespace lq::archive {
namespace {

[[noreturn]] void throw_damaged(const char* what) { throw Error(Code::malformed, what); }

// Takes the given number of bytes off the front.
base::Bytes take(base::Bytes& from, std::uint64_t bytes) {
  if (bytes > from.size()) throw_damaged("a stream of a tile is cut short");
  const base::Bytes result = from.first(static_cast<std::size_t>(bytes));
  from = from.subspan(static_cast<std::size_t>(bytes));
  return result;
}

// An encoded tile in its parts.
struct Parts {
  explicit Parts(base::Bytes encoded) {
    const base::Bytes front = take(encoded, front_bytes);
    for (std::size_t group = 0; group < residual_groups; ++group) {
      low_bits[group] = std::to_integer<std::uint8_t>(front[group]);
      if (low_bits[group] > most_low_bits) throw_damaged("a tile has more low bits than there are");
    }
    for (auto& one : lengths) one = read_lengths(encoded);
    for (std::size_t k = 0; k < streams; ++k) {
      stream[k] = take(encoded, base::load_be<std::uint64_t>(&front[4 + 8 * k]));
    }
    if (!encoded.empty()) throw_damaged("bytes follow the last stream of a tile");
  }

  LowBits low_bits{};
  std::array<CodeLengths, alphabets> lengths{};
  std::array<base::Bytes, streams> stream;
};

template <class T, bool big>
class LinkDecoder {
 public:
  using Word = WordOf<T>;
  LinkDecoder(const Parts& parts, base::MutableBytes links, std::size_t reals)
      : links_(links),
        reals_(reals),
        is_whole_(reals == 18),
        codes_{PrefixDecoder(parts.lengths[0]), PrefixDecoder(parts.lengths[1]), PrefixDecoder(parts.lengths[2]),
               PrefixDecoder(parts.lengths[3]), PrefixDecoder(parts.lengths[4]), PrefixDecoder(parts.lengths[5])},
        most_low_(parts.low_bits),
        symbols_(parts.stream[0]),
        kept_(parts.stream[1]),
        low_(parts.stream[2]),
        whole_(parts.stream[3]) {}

  void run() {
    const std::size_t count = links_.size() / (reals_ * sizeof(T));
    for (std::size_t at = 0; at < count; at += lanes) {
      begin_ = at;
      count_ = std::min(lanes, count - at);
      read_symbols();
      read_kept();
      rebuild();
      store();
      if (symbols_.is_past_end() || kept_.is_past_end() || low_.is_past_end()) {
        throw_damaged("a stream of a tile is shorter than what it should hold");
      }
    }
    if (!whole_.empty()) throw_damaged("a tile holds more whole links than it states");
  }

 private:
  std::byte* bytes_of(std::size_t l) const noexcept { return links_.data() + (begin_ + l) * reals_ * sizeof(T); }

  // Several symbols out of the same bits: five codes are no longer than what one look gives.
  template <std::size_t n>
  void look_up(BitReader& symbols, const std::array<Alphabet, n>& of, std::uint8_t* to) const noexcept {
    static_assert(n * longest_code <= 57);
    std::uint64_t bits = symbols.peek();
    unsigned used = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t entry = codes_[of[i]].look_up(bits);
      to[i] = static_cast<std::uint8_t>(entry);
      bits >>= entry >> 8;
      used += entry >> 8;
    }
    symbols.skip(used);
  }

  void read_symbols() {
    BitReader symbols = symbols_;  // in registers: stores of bytes might change a member
    for (std::size_t l = 0; l < lanes; ++l) {
      std::uint8_t choice = as_it_is;
      if (l < count_) look_up<1>(symbols, {choices}, &choice);
      if (choice > as_it_is) choice = as_it_is;
      is_link_[l] = choice != as_it_is;
      Dropped& dropped = batch_.dropped;
      if (!is_link_[l]) choice = 0;
      dropped.first[l] = choice >> 4;
      dropped.second[l] = (choice >> 2) & 3;
      dropped.first_sign[l] = (choice & 2) != 0 ? -1.0 : 1.0;
      dropped.root_sign[l] = (choice & 1) != 0 ? -1.0 : 1.0;
      if (!is_link_[l]) continue;
      look_up<4>(symbols, {exponents_row0, exponents_row0, exponents_row1, exponents_row1}, exponents_[l].data());
      if (is_whole_) {
        look_up<5>(symbols, {dropped_pair, pivot_pair, row2_pair, row2_pair, row2_pair}, residuals_[l].data());
      } else {
        look_up<2>(symbols, {dropped_pair, pivot_pair}, residuals_[l].data());
      }
    }
    symbols_ = symbols;
  }

  void read_kept() noexcept {
    BitReader kept = kept_;
    for (std::size_t l = 0; l < lanes; ++l) {
      for (std::size_t i = 0; i < kept_numbers; ++i) {
        if (!is_link_[l]) {
          kept_words_[i][l] = 0;
          continue;
        }
        const std::uint64_t steps = (exponents_[l][i / 2] >> (4 * (i % 2))) & 15;
        const std::uint64_t bits = kept.take(mantissa_bits<T> + 1);
        std::uint64_t exponent = static_cast<std::uint64_t>(half_exponent<T>) - steps;
        if (steps == escape) [[unlikely]]
          exponent = low_.take(exponent_bits<T>);
        const std::uint64_t sign = bits >> mantissa_bits<T>;
        kept_words_[i][l] = static_cast<Word>((sign << (8 * sizeof(T) - 1)) | (exponent << mantissa_bits<T>) |
                                              low_bits(bits, mantissa_bits<T>));
      }
    }
    kept_ = kept;
    for (std::size_t i = 0; i < kept_numbers; ++i) to_numbers<T>(kept_words_[i], batch_.kept[i]);
  }

  // Number `predicted` of all links: what was predicted becomes what it was.
  void correct(std::size_t predicted, Lane& numbers, WordLane<T>& words) noexcept {
    to_words<T>(numbers, words);
    BitReader lows = low_;
    const unsigned most = most_low_[group_of(predicted)];
    for (std::size_t l = 0; l < lanes; ++l) {
      if (!is_link_[l]) continue;
      const unsigned low = std::min(steps_below_half<T>(words[l]), most);
      const std::uint64_t below = lows.take(low);
      std::uint64_t high = (residuals_[l][predicted / 2] >> (4 * (predicted % 2))) & 15;
      if (high == escape) [[unlikely]]
        high = lows.take(std::min(static_cast<unsigned>(lows.take(6)), most_escaped_bits));
      const auto residual = static_cast<std::int64_t>((static_cast<std::uint64_t>(unzigzag(high)) << low) | below);
      words[l] = from_ordinal<T>(sum(ordinal<T>(words[l]), residual));
    }
    low_ = lows;
    to_numbers<T>(words, numbers);
  }

  void rebuild() noexcept {
    batch_.predict_first();
    correct(0, batch_.first, first_);
    batch_.assemble_row0();
    batch_.predict_second();
    correct(1, batch_.second, second_);
    batch_.predict_pivot();
    for (std::size_t part = 0; part < 2; ++part) correct(2 + part, batch_.pivot[part], pivot_[part]);
    batch_.assemble_row1();
    if (!is_whole_) return;
    batch_.predict_row2();
    for (std::size_t i = 0; i < 6; ++i) correct(4 + i, batch_.row2[i], row2_[i]);
  }

  void store() {
    for (std::size_t l = 0; l < count_; ++l) {
      std::byte* to = bytes_of(l);
      if (!is_link_[l]) {
        const std::size_t bytes = reals_ * sizeof(T);
        std::ranges::copy(take(whole_, bytes), to);
        continue;
      }
      const auto put = [&](const Lane& number) {
        store_word<Word, big>(to, std::bit_cast<Word>(static_cast<T>(number[l])));
        to += sizeof(T);
      };
      for (const Lane& number : batch_.row0) put(number);
      for (const Lane& number : batch_.row1) put(number);
      if (!is_whole_) continue;
      for (const Lane& number : batch_.row2) put(number);
    }
  }

  base::MutableBytes links_;
  std::size_t reals_;
  bool is_whole_;
  std::size_t begin_ = 0, count_ = 0;
  std::array<PrefixDecoder, alphabets> codes_;
  LowBits most_low_;
  BitReader symbols_, kept_, low_;
  base::Bytes whole_;
  LinkBatch batch_;
  std::array<bool, lanes> is_link_{};
  std::array<std::array<std::uint8_t, 4>, lanes> exponents_{};
  std::array<std::array<std::uint8_t, 5>, lanes> residuals_{};
  std::array<WordLane<T>, kept_numbers> kept_words_{};
  WordLane<T> first_{}, second_{};
  std::array<WordLane<T>, 2> pivot_{};
  std::array<WordLane<T>, 6> row2_{};
};

template <class T, bool big>
inline void decode_as(const Parts& parts, base::MutableBytes links, const Numbers& of) {
  std::make_unique<LinkDecoder<T, big>>(parts, links, of.reals)->run();
}

inline void decode(const Parts& parts, base::MutableBytes links, const Numbers& of) {
  if (of.bytes == 8) {
    return of.big_endian ? decode_as<double, true>(parts, links, of) : decode_as<double, false>(parts, links, of);
  }
  return of.big_endian ? decode_as<float, true>(parts, links, of) : decode_as<float, false>(parts, links, of);
}

#ifdef LQ_WIDE
LQ_WIDE void decode_wide(const Parts& parts, base::MutableBytes links, const Numbers& of) { decode(parts, links, of); }
#endif

}  // namespace

void decode_links(base::Bytes encoded, base::MutableBytes links, const Numbers& of) {
  const Parts parts(encoded);
#ifdef LQ_WIDE
  if (is_wide()) return decode_wide(parts, links, of);
#endif
  decode(parts, links, of);
}

}  // namespace lq::archive
