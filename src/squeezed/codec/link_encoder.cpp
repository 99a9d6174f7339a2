// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include <bit>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "squeezed/codec/link_batch.hpp"
#include "squeezed/codec/link_codec.hpp"
#include "squeezed/codec/link_symbols.hpp"
#include "squeezed/codec/link_words.hpp"
#include "squeezed/codec/prefix_code.hpp"
#include "squeezed/codec/wide.hpp"

namespace lq::squeezed {
namespace {

// No number of a matrix of the group is as large; not-a-number is not below it either.
constexpr double most_in_group = 1.5;

template <class T, bool big>
class LinkEncoder {
 public:
  using Word = WordOf<T>;
  LinkEncoder(base::Bytes links, std::size_t reals)
      : links_(links),
        reals_(reals),
        predicted_(reals == 18 ? predicted_numbers : 4),
        count_(links.size() / (reals * sizeof(T))),
        taken_(count_) {}

  std::vector<std::byte> run() {
    for (std::size_t at = 0; at < count_; at += lanes) take_batch(at, std::min(lanes, count_ - at));
    choose_low_bits();
    for (std::size_t at = 0; at < count_; at += lanes) put_batch(at, std::min(lanes, count_ - at));
    return finish();
  }

 private:
  // What is known of a link before it is coded.
  struct Taken {
    std::array<Word, kept_numbers> kept;
    std::array<std::int64_t, predicted_numbers> residuals;
    std::array<std::uint8_t, predicted_numbers> steps;  // below one half
    std::uint8_t choice;
  };

  const std::byte* bytes_of(std::size_t link) const noexcept { return links_.data() + link * reals_ * sizeof(T); }

  // --- which numbers are kept, and by how much the others differ from what is predicted

  void load(std::size_t begin, std::size_t count) {
    for (auto& lane : exact_) lane.fill(0);
    is_link_.fill(false);
    for (std::size_t l = 0; l < count; ++l) {
      const std::byte* from = bytes_of(begin + l);
      bool fits = true;
      for (std::size_t i = 0; i < reals_; ++i, from += sizeof(T)) {
        exact_[i][l] = load_word<Word, big>(from);
        fits = fits && std::fabs(std::bit_cast<T>(exact_[i][l])) < most_in_group;
      }
      is_link_[l] = fits;
    }
    for (std::size_t i = 0; i < 6; ++i) {
      to_numbers<T>(exact_[i], batch_.row0[i]);
      to_numbers<T>(exact_[6 + i], batch_.row1[i]);
    }
    for (std::size_t l = 0; l < lanes; ++l) {
      if (is_link_[l]) continue;
      for (std::size_t i = 0; i < 6; ++i) {  // any link will do
        batch_.row0[i][l] = i == 0 ? 1 : 0;
        batch_.row1[i][l] = i == 2 ? 1 : 0;
      }
    }
  }

  void take_batch(std::size_t begin, std::size_t count) {
    load(begin, count);
    batch_.choose_first();
    batch_.choose_second();
    batch_.predict_first();
    to_words<T>(batch_.first, found_);
    for (std::size_t l = 0; l < lanes; ++l) batch_.first[l] = batch_.row0[batch_.dropped.first[l]][l];
    take_residuals(begin, count, 0, [&](std::size_t l) { return std::size_t{batch_.dropped.first[l]}; });
    batch_.predict_second();
    to_words<T>(batch_.second, found_);
    take_residuals(begin, count, 1, [&](std::size_t l) { return 6 + place_of_second(l); });
    for (std::size_t l = 0; l < lanes; ++l) batch_.second[l] = batch_.row1[place_of_second(l)][l];
    batch_.predict_pivot();
    for (std::size_t part = 0; part < 2; ++part) {
      to_words<T>(batch_.pivot[part], found_);
      take_residuals(begin, count, 2 + part,
                     [&](std::size_t l) { return 6 + 2 * std::size_t{batch_.column[l]} + part; });
    }
    if (predicted_ == predicted_numbers) {
      batch_.predict_row2();
      for (std::size_t i = 0; i < 6; ++i) {
        to_words<T>(batch_.row2[i], found_);
        take_residuals(begin, count, 4 + i, [&](std::size_t) { return 12 + i; });
      }
    }
    for (std::size_t l = 0; l < count; ++l) take_choice(taken_[begin + l], l);
  }

  std::size_t place_of_second(std::size_t l) const noexcept {
    return 2 * LinkBatch::column_of_second(batch_.column[l], batch_.dropped.second[l]) + (batch_.dropped.second[l] & 1);
  }

  template <class PlaceOf>
  void take_residuals(std::size_t begin, std::size_t count, std::size_t predicted, const PlaceOf& place_of) {
    for (std::size_t l = 0; l < count; ++l) {
      Taken& link = taken_[begin + l];
      link.residuals[predicted] = ordinal<T>(exact_[place_of(l)][l]) - ordinal<T>(found_[l]);
      link.steps[predicted] = static_cast<std::uint8_t>(steps_below_half<T>(found_[l]));
    }
  }

  void take_choice(Taken& link, std::size_t l) {
    const Dropped& dropped = batch_.dropped;
    link.choice = static_cast<std::uint8_t>(
        ((dropped.first[l] * 4 + dropped.second[l]) * 2 + (dropped.first_sign[l] < 0 ? 1 : 0)) * 2 +
        (dropped.root_sign[l] < 0 ? 1 : 0));
    for (std::size_t i = 0; i < kept_numbers; ++i) {
      link.kept[i] = std::bit_cast<Word>(static_cast<T>(batch_.kept[i][l]));
    }
    unsigned far = 0;
    bool fits = is_link_[l];
    for (std::size_t i = 0; i < predicted_; ++i) {
      const std::uint64_t size = zigzag(link.residuals[i] >> link.steps[i]);
      far += size >= 64 * escape ? 1 : 0;
      fits = fits && size >> (most_escaped_bits - most_low_bits) == 0;
    }
    if (!fits || far > 3) link.choice = as_it_is;
  }

  // --- how they are coded

  // Numbers that are predicted exactly have no low bits worth a place.
  void choose_low_bits() {
    for (std::size_t group = 0; group < residual_groups; ++group) low_bits_[group] = most_low_bits;
    std::array<std::uint64_t, residual_groups> exact{}, all{};
    for (const Taken& link : taken_) {
      if (link.choice == as_it_is) continue;
      for (std::size_t i = 0; i < predicted_; ++i) {
        exact[group_of(i)] += link.residuals[i] == 0 ? 1 : 0;
        ++all[group_of(i)];
      }
    }
    for (std::size_t group = 0; group < residual_groups; ++group) {
      if (2 * exact[group] > all[group]) low_bits_[group] = 0;
    }
  }

  // The symbol of a number's residual; its low bits, and what is too large for a symbol, go elsewhere.
  std::uint8_t put_residual(const Taken& link, std::size_t i) {
    const unsigned low = std::min<unsigned>(link.steps[i], low_bits_[group_of(i)]);
    const std::uint64_t high = zigzag(link.residuals[i] >> low);
    low_.put(low_bits(static_cast<std::uint64_t>(link.residuals[i]), low), low);
    if (high < escape) return static_cast<std::uint8_t>(high);
    const auto bits = static_cast<unsigned>(std::bit_width(high));
    low_.put(bits, 6);
    low_.put(high, bits);
    return escape;
  }

  // The symbol of a number's exponent; sign and mantissa go elsewhere.
  std::uint8_t put_kept(Word word) {
    constexpr unsigned mantissa = mantissa_bits<T>;
    kept_.put((word >> (8 * sizeof(T) - 1) << mantissa) | low_bits(word, mantissa), mantissa + 1);
    const std::int32_t exponent = exponent_of<T>(word), steps = half_exponent<T> - exponent;
    if (steps >= 0 && steps < static_cast<std::int32_t>(escape)) return static_cast<std::uint8_t>(steps);
    low_.put(static_cast<std::uint64_t>(exponent), exponent_bits<T>);
    return escape;
  }

  static std::uint8_t pair(std::uint8_t first, std::uint8_t second) noexcept {
    return static_cast<std::uint8_t>(first | (second << 4));
  }

  void put_symbol(Alphabet alphabet, std::uint8_t symbol) {
    ++counts_[alphabet][symbol];
    symbols_.push_back(symbol);
  }

  // Low bits stand in the order in which a decoder comes to need them.
  void put_batch(std::size_t begin, std::size_t count) {
    std::array<std::array<std::uint8_t, kept_numbers>, lanes> exponents{};
    std::array<std::array<std::uint8_t, predicted_numbers>, lanes> residuals{};
    const auto for_each_link = [&](const auto& put) {
      for (std::size_t l = 0; l < count; ++l) {
        if (taken_[begin + l].choice != as_it_is) put(taken_[begin + l], l);
      }
    };
    for_each_link([&](const Taken& link, std::size_t l) {
      for (std::size_t i = 0; i < kept_numbers; ++i) exponents[l][i] = put_kept(link.kept[i]);
    });
    for (std::size_t i = 0; i < predicted_; ++i) {
      for_each_link([&](const Taken& link, std::size_t l) { residuals[l][i] = put_residual(link, i); });
    }
    for (std::size_t l = 0; l < count; ++l) {
      put_symbol(choices, taken_[begin + l].choice);
      if (taken_[begin + l].choice == as_it_is) {
        const std::byte* from = bytes_of(begin + l);
        whole_.insert(whole_.end(), from, from + reals_ * sizeof(T));
        continue;
      }
      const auto& e = exponents[l];
      put_symbol(exponents_row0, pair(e[0], e[1]));
      put_symbol(exponents_row0, pair(e[2], e[3]));
      put_symbol(exponents_row1, pair(e[4], e[5]));
      put_symbol(exponents_row1, pair(e[6], e[7]));
      const auto& r = residuals[l];
      put_symbol(dropped_pair, pair(r[0], r[1]));
      put_symbol(pivot_pair, pair(r[2], r[3]));
      for (std::size_t i = 4; i < predicted_; i += 2) put_symbol(row2_pair, pair(r[i], r[i + 1]));
    }
  }

  // The alphabets of a link's symbols, one after the other.
  static constexpr std::array<Alphabet, 10> order{choices,        exponents_row0, exponents_row0, exponents_row1,
                                                  exponents_row1, dropped_pair,   pivot_pair,     row2_pair,
                                                  row2_pair,      row2_pair};

  std::vector<std::byte> coded_symbols(std::vector<std::byte>& lengths_to) const {
    std::vector<PrefixEncoder> codes;
    for (const Counts& counts : counts_) {
      const CodeLengths lengths = lengths_for(counts);
      write_lengths(lengths, lengths_to);
      codes.emplace_back(lengths);
    }
    BitWriter to;
    const std::size_t of_link = predicted_ == predicted_numbers ? 10 : 7;
    for (std::size_t at = 0; at < symbols_.size();) {
      const std::size_t end = symbols_[at] == as_it_is ? 1 : of_link;
      for (std::size_t i = 0; i < end; ++i) codes[order[i]].put(to, symbols_[at + i]);
      at += end;
    }
    return to.take();
  }

  std::vector<std::byte> finish() {
    std::vector<std::byte> lengths;
    const std::array<std::vector<std::byte>, streams> all{coded_symbols(lengths), kept_.take(), low_.take(),
                                                          std::move(whole_)};
    std::size_t size = front_bytes + lengths.size();
    for (const auto& stream : all) size += stream.size();
    std::vector<std::byte> result(size);
    for (std::size_t group = 0; group < residual_groups; ++group) {
      result[group] = static_cast<std::byte>(low_bits_[group]);
    }
    for (std::size_t k = 0; k < streams; ++k) base::store_be<std::uint64_t>(&result[4 + 8 * k], all[k].size());
    auto to = std::ranges::copy(lengths, result.begin() + front_bytes).out;
    for (const auto& stream : all) to = std::ranges::copy(stream, to).out;
    return result;
  }

  base::Bytes links_;
  std::size_t reals_, predicted_, count_;
  std::vector<Taken> taken_;
  LinkBatch batch_;
  std::array<WordLane<T>, 18> exact_;
  WordLane<T> found_;
  std::array<bool, lanes> is_link_;
  LowBits low_bits_{};
  BitWriter kept_, low_;
  std::vector<std::byte> whole_;
  std::vector<std::uint8_t> symbols_;
  std::array<Counts, alphabets> counts_{};
};

inline std::vector<std::byte> encode(base::Bytes links, const Numbers& of) {
  if (of.bytes == 8) {
    return of.big_endian ? LinkEncoder<double, true>(links, of.reals).run()
                         : LinkEncoder<double, false>(links, of.reals).run();
  }
  return of.big_endian ? LinkEncoder<float, true>(links, of.reals).run()
                       : LinkEncoder<float, false>(links, of.reals).run();
}

#ifdef LQ_WIDE
LQ_WIDE std::vector<std::byte> encode_wide(base::Bytes links, const Numbers& of) { return encode(links, of); }
#endif

}  // namespace

std::vector<std::byte> encode_links(base::Bytes links, const Numbers& of) {
#ifdef LQ_WIDE
  if (is_wide()) return encode_wide(links, of);
#endif
  return encode(links, of);
}

}  // namespace lq::squeezed
