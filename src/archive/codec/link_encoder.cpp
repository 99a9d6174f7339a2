// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include <bit>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <span>
#include <utility>

#include "archive/codec/link_batch.hpp"
#include "archive/codec/link_symbols.hpp"
#include "archive/codec/prefix_code.hpp"
#include "archive/codec/tile.hpp"

namespace lq::archive {
namespace {

// No number of a matrix of the group is as large; not-a-number is not below it either.
constexpr double most_in_group = 1.5;
// Of a residual, with some to spare.
constexpr std::size_t usual_low_bits = 4;

template <class T, bool big>
class LinkEncoder {
 public:
  using Word = WordOf<T>;
  LinkEncoder(base::Bytes links, std::size_t reals)
      : links_(links),
        reals_(reals),
        predicted_(reals == 18 ? predicted_numbers : 4),
        count_(links.size() / (reals * sizeof(T))),
        taken_(std::make_unique_for_overwrite<Taken[]>(batches())),
        kept_(count_ * kept_numbers * (mantissa_bits<T> + 1)),
        low_(count_ * predicted_ * usual_low_bits),
        symbols_(count_ * order.size()) {}

  std::vector<std::byte> run() {
    for (std::size_t at = 0; at < count_; at += lanes) take_batch(at, std::min(lanes, count_ - at));
    choose_low_bits();
    for (std::size_t at = 0; at < count_; at += lanes) put_batch(at, std::min(lanes, count_ - at));
    return finish();
  }

 private:
  // What is known of links that are computed together, before they are coded.
  struct Taken {
    std::array<WordLane<T>, kept_numbers> kept;
    std::array<std::array<std::int64_t, lanes>, predicted_numbers> residuals;
    std::array<std::array<std::uint8_t, lanes>, predicted_numbers> steps;  // below one half
    std::array<std::uint8_t, lanes> choice;
    std::size_t count;
  };

  std::size_t batches() const noexcept { return (count_ + lanes - 1) / lanes; }
  const std::byte* bytes_of(std::size_t link) const noexcept { return links_.data() + link * reals_ * sizeof(T); }

  // --- which numbers are kept, and by how much the others differ from what is predicted

  void load(std::size_t begin, std::size_t count) {
    for (auto& lane : words_) lane.fill(0);
    is_link_.fill(false);
    for (std::size_t l = 0; l < count; ++l) {
      const std::byte* from = bytes_of(begin + l);
      bool fits = true;
      for (std::size_t i = 0; i < reals_; ++i, from += sizeof(T)) {
        words_[i][l] = load_word<Word, big>(from);
        fits = fits && std::fabs(std::bit_cast<T>(words_[i][l])) < most_in_group;
      }
      is_link_[l] = fits;
    }
    for (std::size_t i = 0; i < 6; ++i) {
      to_numbers<T>(words_[i], batch_.row0[i]);
      to_numbers<T>(words_[6 + i], batch_.row1[i]);
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
    Taken& taken = taken_[begin / lanes];
    taken.count = count;
    batch_.choose_first();
    batch_.choose_second();
    batch_.predict_first();
    for (std::size_t l = 0; l < lanes; ++l) exact_[l] = batch_.row0[batch_.dropped.first[l]][l];
    take_residuals(taken, 0, batch_.first);
    batch_.first = exact_;
    batch_.predict_second();
    for (std::size_t l = 0; l < lanes; ++l) {
      const std::size_t at = LinkBatch::column_of_second(batch_.column[l], batch_.dropped.second[l]);
      exact_[l] = batch_.row1[2 * at + (batch_.dropped.second[l] & 1)][l];
    }
    take_residuals(taken, 1, batch_.second);
    batch_.second = exact_;
    batch_.predict_pivot();
    for (std::size_t part = 0; part < 2; ++part) {
      for (std::size_t l = 0; l < lanes; ++l) exact_[l] = batch_.row1[2 * std::size_t{batch_.column[l]} + part][l];
      take_residuals(taken, 2 + part, batch_.pivot[part]);
    }
    if (predicted_ == predicted_numbers) {
      batch_.predict_row2();
      for (std::size_t i = 0; i < 6; ++i) {
        to_numbers<T>(words_[12 + i], exact_);
        take_residuals(taken, 4 + i, batch_.row2[i]);
      }
    }
    for (std::size_t i = 0; i < kept_numbers; ++i) to_words<T>(batch_.kept[i], taken.kept[i]);
    take_choices(taken);
  }

  void take_residuals(Taken& taken, std::size_t predicted, const Lane& found) {
    WordLane<T> theirs, ours;
    to_words<T>(found, theirs);
    to_words<T>(exact_, ours);
    for (std::size_t l = 0; l < lanes; ++l) {
      taken.residuals[predicted][l] = difference(ordinal<T>(ours[l]), ordinal<T>(theirs[l]));
    }
    for (std::size_t l = 0; l < lanes; ++l) {
      taken.steps[predicted][l] = static_cast<std::uint8_t>(steps_below_half<T>(theirs[l]));
    }
  }

  // Links with several numbers far from what is predicted are cheaper as they are.
  void take_choices(Taken& taken) {
    std::array<std::uint64_t, lanes> far{}, all{};
    for (std::size_t i = 0; i < predicted_; ++i) {
      for (std::size_t l = 0; l < lanes; ++l) {
        const std::uint64_t size = zigzag(taken.residuals[i][l]) >> taken.steps[i][l];
        far[l] += size >= 64 * escape ? 1 : 0;
        all[l] |= size;
      }
    }
    const Dropped& dropped = batch_.dropped;
    for (std::size_t l = 0; l < lanes; ++l) {
      const bool fits = is_link_[l] && far[l] <= 3 && all[l] >> (most_escaped_bits - most_low_bits) == 0;
      const int choice = ((dropped.first[l] * 4 + dropped.second[l]) * 2 + (dropped.first_sign[l] < 0 ? 1 : 0)) * 2 +
                         (dropped.root_sign[l] < 0 ? 1 : 0);
      taken.choice[l] = fits ? static_cast<std::uint8_t>(choice) : as_it_is;
    }
  }

  // --- how they are coded

  // Numbers that are predicted exactly have no low bits worth a place.
  void choose_low_bits() {
    for (std::size_t group = 0; group < residual_groups; ++group) low_bits_[group] = most_low_bits;
    std::array<std::uint64_t, residual_groups> exact{}, all{};
    for (const Taken& taken : std::span(taken_.get(), batches())) {
      for (std::size_t i = 0; i < predicted_; ++i) {
        for (std::size_t l = 0; l < taken.count; ++l) {
          exact[group_of(i)] += taken.residuals[i][l] == 0 ? 1 : 0;
          ++all[group_of(i)];
        }
      }
    }
    for (std::size_t group = 0; group < residual_groups; ++group) {
      if (2 * exact[group] > all[group]) low_bits_[group] = 0;
    }
  }

  // The symbol of a number's residual; its low bits, and what is too large for a symbol, go elsewhere.
  static std::uint8_t put_residual(std::int64_t residual, unsigned steps, unsigned most, BitWriter::Cursor& to) {
    const unsigned low = std::min(steps, most);
    const std::uint64_t high = zigzag(residual >> low);
    to.put(low_bits(static_cast<std::uint64_t>(residual), low), low);
    if (high < escape) return static_cast<std::uint8_t>(high);
    const auto bits = static_cast<unsigned>(std::bit_width(high));
    to.put(bits, 6);
    to.put(high, bits);
    return escape;
  }

  // The symbol of a number's exponent; sign and mantissa go elsewhere.
  static std::uint8_t put_kept(Word word, BitWriter::Cursor& kept, BitWriter::Cursor& low) {
    constexpr unsigned mantissa = mantissa_bits<T>;
    kept.put((word >> (8 * sizeof(T) - 1) << mantissa) | low_bits(word, mantissa), mantissa + 1);
    const std::int32_t exponent = exponent_of<T>(word), steps = half_exponent<T> - exponent;
    if (steps >= 0 && steps < static_cast<std::int32_t>(escape)) return static_cast<std::uint8_t>(steps);
    low.put(static_cast<std::uint64_t>(exponent), exponent_bits<T>);
    return escape;
  }

  static std::uint8_t pair(std::uint8_t first, std::uint8_t second) noexcept {
    return static_cast<std::uint8_t>(first | (second << 4));
  }

  void put_symbol(Alphabet alphabet, std::uint8_t symbol) noexcept {
    ++counts_[alphabet][symbol];
    *symbols_end_++ = symbol;
  }

  // Low bits stand in the order in which a decoder comes to need them.
  void put_batch(std::size_t begin, std::size_t count) {
    std::array<std::array<std::uint8_t, kept_numbers>, lanes> exponents;
    std::array<std::array<std::uint8_t, predicted_numbers>, lanes> residuals;
    const Taken& taken = taken_[begin / lanes];
    const auto for_each_link = [&](const auto& put) {
      for (std::size_t l = 0; l < count; ++l) {
        if (taken.choice[l] != as_it_is) put(l);
      }
    };
    constexpr std::size_t most =
        exponent_bits<T> * kept_numbers + (most_low_bits + 6 + most_escaped_bits) * predicted_numbers;
    BitWriter::Cursor kept = kept_.begin(count * kept_numbers * (mantissa_bits<T> + 1)), low = low_.begin(count * most);
    for_each_link([&](std::size_t l) {
      for (std::size_t i = 0; i < kept_numbers; ++i) exponents[l][i] = put_kept(taken.kept[i][l], kept, low);
    });
    for (std::size_t i = 0; i < predicted_; ++i) {
      const unsigned low_most = low_bits_[group_of(i)];
      for_each_link([&](std::size_t l) {
        residuals[l][i] = put_residual(taken.residuals[i][l], taken.steps[i][l], low_most, low);
      });
    }
    kept_.end(kept);
    low_.end(low);
    for (std::size_t l = 0; l < count; ++l) {
      put_symbol(choices, taken.choice[l]);
      if (taken.choice[l] == as_it_is) {
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
    BitWriter bits;
    const std::uint8_t* const all_end = symbols_end_;
    BitWriter::Cursor to = bits.begin(static_cast<std::size_t>(all_end - symbols_.data()) * longest_code);
    const std::size_t of_link = predicted_ == predicted_numbers ? order.size() : order.size() - 3;
    for (const std::uint8_t* at = symbols_.data(); at < all_end;) {
      const std::size_t end = *at == as_it_is ? 1 : of_link;
      for (std::size_t i = 0; i < end; ++i) codes[order[i]].put(to, *at++);
    }
    bits.end(to);
    return bits.take();
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
  std::unique_ptr<Taken[]> taken_;
  LinkBatch batch_;
  std::array<WordLane<T>, 18> words_;
  Lane exact_;
  std::array<bool, lanes> is_link_;
  LowBits low_bits_{};
  BitWriter kept_, low_;
  std::vector<std::byte> whole_;
  std::vector<std::uint8_t> symbols_;
  std::uint8_t* symbols_end_ = symbols_.data();
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

}  // namespace lq::archive
