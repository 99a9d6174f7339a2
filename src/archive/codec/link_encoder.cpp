// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include <bit>
#include <cmath>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "archive/codec/link_batch.hpp"
#include "archive/codec/link_lanes.hpp"
#include "archive/codec/link_symbols.hpp"
#include "archive/codec/prefix_code.hpp"
#include "archive/codec/tile.hpp"

namespace lq::archive {
namespace {

// No number of a matrix of the group is that large; NaNs also fail the comparison.
constexpr double most_in_group = 1.5;
// Low bits of a residual, with some margin.
constexpr std::size_t usual_low_bits = 4;

// Encodes by method 3 of formats/squeezed.md. First all links are predicted, then their residuals are coded, because
// the codes depend on all of them.
template <class T, class Lanes>
class LinkEncoder {
 public:
  LinkEncoder(base::Bytes links, std::size_t reals, bool big)
      : links_(links),
        reals_(reals),
        big_(big),
        predicted_(reals == 18 ? predicted_numbers : 4),
        all_(links.size() / (reals * sizeof(T))),
        taken_(std::make_unique_for_overwrite<EncodedBatch[]>((all_ + lanes - 1) / lanes)),
        choice_(all_ + lanes),
        symbols_(all_ * (columns_of(reals) - 1) + lanes),
        kept_(std::make_unique_for_overwrite<std::byte[]>(all_ * kept_numbers * kept_bits / 8 + lanes)),
        low_(all_ * predicted_ * usual_low_bits) {}

  std::vector<std::byte> run() {
    std::vector<std::uint32_t> chosen(all_);
    std::iota(chosen.begin(), chosen.end(), 0U);
    take(chosen);
    // Processes the other links again, without these.
    const auto is_whole = [&](std::uint32_t link) { return choice_[link] == as_it_is; };
    if (std::erase_if(chosen, is_whole) > 0) take(chosen);
    choose_low_bits();
    put();
    return finish();
  }

 private:
  static constexpr unsigned kept_bits = mantissa_bits<T> + 1;
  using Word = WordOf<T>;

  // Results for links that are computed together, before they are coded.
  struct EncodedBatch {
    std::array<Integers, predicted_numbers> residuals;
    std::array<std::array<std::uint8_t, lanes>, predicted_numbers> low;  // maximum number of low bits
    std::size_t count, first_escape, escapes;
  };

  std::size_t batches() const noexcept { return (count_ + lanes - 1) / lanes; }
  const std::byte* bytes_of(std::size_t link) const noexcept { return links_.data() + link * reals_ * sizeof(T); }
  std::uint8_t* column(std::size_t number) noexcept { return symbols_.data() + (number - 1) * count_; }

  // --- which numbers are kept, and by how much the others differ from what is predicted

  void take(const std::vector<std::uint32_t>& chosen) {
    count_ = chosen.size();
    escapes_.clear();
    kept_end_ = kept_.get();
    for (std::size_t at = 0; at < count_; at += lanes) {
      take_batch(at, std::span(chosen).subspan(at, std::min(lanes, count_ - at)));
    }
  }

  void load(std::span<const std::uint32_t> chosen) noexcept {
    const std::byte* from[lanes];
    for (std::size_t l = 0; l < chosen.size(); ++l) from[l] = bytes_of(chosen[l]);
    Lanes::template load<T>(from, chosen.size(), reals_, big_, batch_.reals.data());
    for (std::size_t l = chosen.size(); l < lanes; ++l) {
      for (Lane& number : batch_.reals) number[l] = 0;
    }
    Lane largest{};
    for (std::size_t i = 0; i < reals_; ++i) {
      const Lane& number = batch_.reals[i];
      for (std::size_t l = 0; l < lanes; ++l) {
        const double size = std::fabs(number[l]);
        largest[l] = size < most_in_group ? largest[l] : 1.0;
      }
    }
    is_none_ = false;
    for (std::size_t l = 0; l < lanes; ++l) {
      is_link_[l] = largest[l] == 0;
      is_none_ = is_none_ || !is_link_[l];
    }
    for (std::size_t i = 0; is_none_ && i < reals_; ++i) {  // any link suffices
      for (std::size_t l = 0; l < lanes; ++l)
        batch_.reals[i][l] = is_link_[l] ? batch_.reals[i][l] : i % 8 == 0 ? 1 : 0;
    }
  }

  void take_batch(std::size_t begin, std::span<const std::uint32_t> chosen) {
    load(chosen);
    EncodedBatch& taken = taken_[begin / lanes];
    taken.count = chosen.size();
    std::array<Lane, 6> row2;
    std::copy_n(batch_.reals.begin() + 12, row2.size(), row2.begin());
    batch_.choose();
    batch_.predict_first();
    take_residuals(taken, 0, batch_.first, batch_.exact[0]);
    batch_.first = batch_.exact[0];
    batch_.predict_second();
    take_residuals(taken, 1, batch_.second, batch_.exact[1]);
    batch_.second = batch_.exact[1];
    batch_.predict_pivot();
    for (std::size_t part = 0; part < 2; ++part) {
      take_residuals(taken, 2 + part, batch_.pivot[part], batch_.exact[2 + part]);
    }
    if (predicted_ == predicted_numbers) {
      batch_.predict_row2();
      for (std::size_t i = 0; i < 6; ++i) take_residuals(taken, 4 + i, batch_.row2(i), row2[i]);
    }
    take_choices(taken, chosen);
    take_kept(taken, begin);
  }

  void take_residuals(EncodedBatch& taken, std::size_t predicted, const Lane& found, const Lane& exact) noexcept {
    Integers& residuals = taken.residuals[predicted];
    for (std::size_t l = 0; l < lanes; ++l) {
      const Word theirs = std::bit_cast<Word>(static_cast<T>(found[l]));
      const Word ours = std::bit_cast<Word>(static_cast<T>(exact[l]));
      residuals[l] = static_cast<std::uint64_t>(difference(ordinal<T>(ours), ordinal<T>(theirs)));
      taken.low[predicted][l] = static_cast<std::uint8_t>(low_bits_of<T>(theirs, most_low_bits));
    }
  }

  // Links with several numbers far from their predictions are cheaper unchanged.
  void take_choices(const EncodedBatch& taken, std::span<const std::uint32_t> chosen) noexcept {
    Integers far{}, all{};
    for (std::size_t i = 0; i < predicted_; ++i) {
      for (std::size_t l = 0; l < lanes; ++l) {
        const std::uint64_t size = zigzag(static_cast<std::int64_t>(taken.residuals[i][l])) >> taken.low[i][l];
        far[l] += size >= 64 * escape ? 1 : 0;
        all[l] |= size;
      }
    }
    const DroppedNumbers& dropped = batch_.dropped;
    std::array<std::uint8_t, lanes> choice;
    for (std::size_t l = 0; l < lanes; ++l) {
      const double number = 16 * dropped.first[l] + 8 * dropped.column[l] + 4 * dropped.imaginary[l] +
                            (1 - dropped.first_sign[l]) + (1 - dropped.root_sign[l]) / 2;
      const bool fits = far[l] <= 3 && all[l] >> (most_escaped_bits - most_low_bits) == 0;
      choice[l] = fits && is_link_[l] ? static_cast<std::uint8_t>(number) : as_it_is;
    }
    for (std::size_t l = 0; l < chosen.size(); ++l) choice_[chosen[l]] = choice[l];
  }

  // Signs and mantissas, number by number for eight links at a time; and the symbols of exponents.
  void take_kept(EncodedBatch& taken, std::size_t begin) {
    std::array<Integers, kept_numbers> bits;
    std::array<std::array<std::uint8_t, lanes>, kept_numbers> steps;
    constexpr std::uint64_t mantissa = (std::uint64_t{1} << mantissa_bits<T>)-1;
    constexpr std::uint64_t field = (std::uint64_t{1} << exponent_bits<T>)-1;
    std::uint8_t most = 0;
    for (std::size_t i = 0; i < kept_numbers; ++i) {
      const Lane& number = batch_.kept[i];
      for (std::size_t l = 0; l < lanes; ++l) {
        const std::uint64_t word = std::bit_cast<Word>(static_cast<T>(number[l]));
        bits[i][l] = (word >> (8 * sizeof(T) - 1) << mantissa_bits<T>) | (word & mantissa);
        // Exponents above that of one half become large here.
        const std::uint64_t below = std::uint64_t{half_exponent<T>} - ((word >> mantissa_bits<T>)&field);
        steps[i][l] = static_cast<std::uint8_t>(below < escape ? below : escape);
      }
      for (std::size_t l = 0; l < lanes; ++l) most = std::max(most, steps[i][l]);
    }
    taken.first_escape = escapes_.size();
    if (most == escape) take_escapes(taken.count, steps);
    taken.escapes = escapes_.size() - taken.first_escape;
    for (std::size_t i = 0; i < kept_numbers; i += 2)
      put_pairs(exponent_columns + i / 2, begin, steps[i], steps[i + 1]);
    put_kept(taken.count, bits);
  }

  void take_escapes(std::size_t count, const std::array<std::array<std::uint8_t, lanes>, kept_numbers>& steps) {
    for (std::size_t l = 0; l < count; ++l) {
      for (std::size_t i = 0; i < kept_numbers; ++i) {
        if (steps[i][l] != escape) continue;
        const Word word = std::bit_cast<Word>(static_cast<T>(batch_.kept[i][l]));
        escapes_.push_back(static_cast<std::uint16_t>(exponent_of<T>(word)));
      }
    }
  }

  void put_kept(std::size_t count, const std::array<Integers, kept_numbers>& bits) noexcept {
    for (std::size_t l = 0; l + kept_together <= count; l += kept_together) {
      for (const Integers& number : bits) {
        Lanes::template put_kept<T>(&number[l], kept_end_);
        kept_end_ += kept_bits;  // bits of one link are bytes of eight
      }
    }
    if (count % kept_together != 0) put_last_kept(count, bits);
  }
  void put_last_kept(std::size_t count, const std::array<Integers, kept_numbers>& bits) {
    BitWriter last;
    for (const Integers& number : bits) {
      for (std::size_t l = count / kept_together * kept_together; l < count; ++l) last.put(number[l], kept_bits);
    }
    kept_end_ = std::ranges::copy(last.take(), kept_end_).out;
  }

  void put_pairs(std::size_t into, std::size_t begin, const std::array<std::uint8_t, lanes>& first,
                 const std::array<std::uint8_t, lanes>& second) noexcept {
    std::array<std::uint8_t, lanes> pairs;
    for (std::size_t l = 0; l < lanes; ++l) pairs[l] = static_cast<std::uint8_t>(first[l] | second[l] << 4);
    std::copy_n(pairs.begin(), std::min(lanes, count_ - begin), column(into) + begin);
  }

  // --- how they are coded

  // Numbers that are predicted exactly need no low bits.
  void choose_low_bits() noexcept {
    std::array<std::uint64_t, residual_groups> exact{}, all{};
    for (const EncodedBatch& taken : std::span(taken_.get(), batches())) {
      for (std::size_t i = 0; i < predicted_; ++i) {
        std::uint64_t zeros = 0;
        for (std::size_t l = 0; l < lanes; ++l) zeros += l < taken.count && taken.residuals[i][l] == 0 ? 1U : 0U;
        exact[group_of(i)] += zeros;
        all[group_of(i)] += taken.count;
      }
    }
    for (std::size_t group = 0; group < residual_groups; ++group) {
      low_bits_[group] = 2 * exact[group] > all[group] ? 0 : most_low_bits;
    }
  }

  // Low bits are stored in the order in which a decoder needs them.
  void put() {
    constexpr std::size_t most =
        exponent_bits<T> * kept_numbers + (most_low_bits + 6 + most_escaped_bits) * predicted_numbers;
    std::array<std::array<std::uint8_t, lanes>, 2> symbols;
    for (std::size_t begin = 0; begin < count_; begin += lanes) {
      const EncodedBatch& taken = taken_[begin / lanes];
      BitWriter::Cursor low = low_.begin(lanes * most);
      for (std::size_t k = 0; k < taken.escapes; ++k) low.put(escapes_[taken.first_escape + k], exponent_bits<T>);
      for (std::size_t i = 0; i < predicted_; ++i) {
        put_residuals(taken, i, symbols[i % 2], low);
        if (i % 2 == 1) put_pairs(residual_columns + i / 2, begin, symbols[0], symbols[1]);
      }
      low_.end(low);
    }
  }

  // Clamped to the escape without a branch, so that the narrowing is vectorised.
  static std::uint8_t symbol_of(std::uint64_t high) noexcept {
    const std::uint64_t is_escape = 0 - static_cast<std::uint64_t>(high >= escape);
    return static_cast<std::uint8_t>((high | is_escape) & escape);
  }

  // The symbols of a number's residuals; low bits and values too large for a symbol are stored elsewhere.
  void put_residuals(const EncodedBatch& taken, std::size_t predicted, std::array<std::uint8_t, lanes>& symbols,
                     BitWriter::Cursor& to) noexcept {
    Integers low, high;
    std::array<std::uint8_t, lanes> counts;
    const std::uint8_t most = low_bits_[group_of(predicted)];
    for (std::size_t l = 0; l < lanes; ++l) {
      counts[l] = std::min(taken.low[predicted][l], most);
    }
    const Integers residuals = taken.residuals[predicted];
    Integers widths;
    for (std::size_t l = 0; l < lanes; ++l) widths[l] = counts[l];
    for (std::size_t l = 0; l < lanes; ++l) {
      low[l] = residuals[l] ^ (residuals[l] >> widths[l] << widths[l]);
      // zigzag(residual >> count) without an arithmetic shift, which narrower vectors lack.
      const std::uint64_t sign = residuals[l] >> 63, size = residuals[l] ^ (0 - sign);
      high[l] = (size >> widths[l]) << 1 | sign;
    }
    for (std::size_t l = 0; l < lanes; ++l) symbols[l] = symbol_of(high[l]);
    for (std::size_t l = 0; l < taken.count; l += fields) {
      const std::uint64_t eight = eight_bytes(&symbols[l]);
      const bool has_escape = ((eight + 0x0101010101010101U) & 0x1010101010101010U) != 0;
      if (l + fields <= taken.count && !has_escape) {
        Lanes::put_fields(to, &counts[l], &low[l]);
      } else {
        put_with_escapes(l, std::min(l + fields, taken.count), low, high, counts, to);
      }
    }
  }
  static void put_with_escapes(std::size_t begin, std::size_t end, const Integers& low, const Integers& high,
                               const std::array<std::uint8_t, lanes>& counts, BitWriter::Cursor& to) noexcept {
    for (std::size_t l = begin; l < end; ++l) {
      to.put(low[l], counts[l]);
      if (high[l] < escape) continue;
      const auto bits = static_cast<unsigned>(std::bit_width(high[l]));
      to.put(bits, 6);
      to.put(high[l], bits);
    }
  }

  std::vector<std::byte> finish() {
    std::vector<std::byte> lengths;
    BitWriter coded(symbols_.size() * 6 + all_ * longest_code);
    std::array<std::uint64_t, column_streams> sizes{};
    for (std::size_t code = 0; code < alphabets; ++code) {
      const std::span<const std::uint8_t> symbols = symbols_of(code);
      const CodeLengths of_code = lengths_for(counts_of(symbols));
      write_lengths(of_code, lengths);
      if (only_symbol_of(of_code)) continue;
      const PrefixEncoder encoder(of_code);
      for (std::size_t run = 0; run < runs; ++run) {
        const Run part = run_of(symbols.size(), run);
        const std::size_t before = coded.bytes();
        encoder.put_all(coded, symbols.subspan(part.begin, part.end - part.begin));
        coded.fill_byte();
        sizes[code * runs + run] = coded.bytes() - before;
      }
    }
    const std::vector<std::byte> low = low_.take(), coded_symbols = coded.take();
    const base::Bytes kept(kept_.get(), static_cast<std::size_t>(kept_end_ - kept_.get()));
    const std::size_t whole_bytes = (all_ - count_) * reals_ * sizeof(T);
    sizes[alphabets * runs] = kept.size();
    sizes[alphabets * runs + 1] = low.size();
    sizes[alphabets * runs + 2] = whole_bytes;

    std::vector<std::byte> result;
    result.reserve(column_front_bytes + lengths.size() + coded_symbols.size() + kept.size() + low.size() + whole_bytes);
    for (const std::uint8_t most : low_bits_) result.push_back(std::byte{most});
    result.push_back(std::byte{0});
    for (const std::uint64_t size : sizes) base::append_be(result, static_cast<std::uint32_t>(size));
    for (const base::Bytes part : {base::Bytes(lengths), base::Bytes(coded_symbols), kept, base::Bytes(low)}) {
      result.insert(result.end(), part.begin(), part.end());
    }
    for (std::size_t link = 0; count_ < all_ && link < all_; ++link) {
      if (choice_[link] == as_it_is) result.insert(result.end(), bytes_of(link), bytes_of(link + 1));
    }
    return result;
  }

  std::span<const std::uint8_t> symbols_of(std::size_t code) noexcept {
    if (code == choices) return std::span(choice_).first(all_);
    const std::size_t end = std::min(first_column[code + 1], columns_of(reals_));
    if (end <= first_column[code]) return {};
    return {column(first_column[code]), (end - first_column[code]) * count_};
  }

  base::Bytes links_;
  std::size_t reals_;
  bool big_;
  std::size_t predicted_, all_;
  std::size_t count_ = 0;  // links that are not stored unchanged
  std::unique_ptr<EncodedBatch[]> taken_;
  LinkBatch batch_;
  std::array<bool, lanes> is_link_{};
  bool is_none_ = false;                        // one of them
  std::vector<std::uint8_t> choice_, symbols_;  // columns contiguous
  std::unique_ptr<std::byte[]> kept_;
  std::byte* kept_end_ = nullptr;
  std::vector<std::uint16_t> escapes_;  // exponents
  LowBits low_bits_{};
  BitWriter low_;
};

template <class Lanes>
inline std::vector<std::byte> encode(base::Bytes links, const Numbers& of) {
  return of.bytes == 8 ? std::make_unique<LinkEncoder<double, Lanes>>(links, of.reals, of.big_endian)->run()
                       : std::make_unique<LinkEncoder<float, Lanes>>(links, of.reals, of.big_endian)->run();
}

#if defined(LQ_X86_64)
LQ_FOR_AVX2 std::vector<std::byte> encode_avx2(base::Bytes links, const Numbers& of) {
  return encode<PlainLanes>(links, of);
}
LQ_FOR_AVX512 std::vector<std::byte> encode_avx512(base::Bytes links, const Numbers& of) {
  return encode<Avx512Lanes>(links, of);
}
#endif

}  // namespace

std::vector<std::byte> encode_links(base::Bytes links, const Numbers& of) {
#if defined(LQ_X86_64)
  const Vectors widest = widest_vectors();
  if (widest == Vectors::avx512) return encode_avx512(links, of);
  if (widest == Vectors::avx2) return encode_avx2(links, of);
#endif
  return encode<PlainLanes>(links, of);
}

}  // namespace lq::archive
