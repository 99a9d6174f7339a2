// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <bit>
#include <memory>
#include <span>
#include <vector>

#include <limequat/error.hpp>

#include "archive/codec/link_batch.hpp"
#include "archive/codec/link_lanes.hpp"
#include "archive/codec/link_symbols.hpp"
#include "archive/codec/prefix_code.hpp"
#include "archive/codec/tile.hpp"

namespace lq::archive {
namespace {

[[noreturn]] void throw_damaged(const char* what) { throw Error(Code::malformed, what); }

// Removes the given number of bytes from the front.
base::Bytes take(base::Bytes& from, std::uint64_t bytes) {
  if (bytes > from.size()) throw_damaged("a stream of a tile is cut short");
  const base::Bytes result = from.first(static_cast<std::size_t>(bytes));
  from = from.subspan(static_cast<std::size_t>(bytes));
  return result;
}

// The parts of an encoded tile.
struct Parts {
  Parts(base::Bytes encoded, LinkMethod of) : method(of) {
    const bool has_runs = method == LinkMethod::by_column;
    const base::Bytes front = take(encoded, has_runs ? column_front_bytes : front_bytes);
    for (std::size_t group = 0; group < residual_groups; ++group) {
      low_bits[group] = std::to_integer<std::uint8_t>(front[group]);
      if (low_bits[group] > most_low_bits) throw_damaged("a tile has more low bits than there are");
    }
    for (auto& one : lengths) one = read_lengths(encoded);
    std::size_t stream = 0;
    const auto next = [&] {
      const std::byte* const size = &front[4 + (has_runs ? 4 : 8) * stream++];
      return take(encoded, has_runs ? base::load_be<std::uint32_t>(size) : base::load_be<std::uint64_t>(size));
    };
    if (has_runs) {
      for (auto& code : symbols) {
        for (base::Bytes& run : code) run = next();
      }
    } else {
      symbols[0][0] = next();
    }
    kept = next();
    low = next();
    whole = next();
    if (!encoded.empty()) throw_damaged("bytes follow the last stream of a tile");
  }

  LinkMethod method;
  LowBits low_bits{};
  std::array<CodeLengths, alphabets> lengths{};
  std::array<std::array<base::Bytes, runs>, alphabets> symbols;  // method 1: everything in the first one
  base::Bytes kept, low, whole;
};

// Links that are rebuilt together; links stored unchanged are already in place.
struct Batch {
  std::size_t count = 0;
  std::array<std::byte*, lanes> to;
  std::array<std::uint8_t, lanes> choice{};
  std::array<const std::uint8_t*, link_columns> symbols{};  // symbols of `count` links, at least `lanes` bytes
};

class WholeLinks {
 public:
  WholeLinks(base::Bytes bytes, std::size_t each) : bytes_(bytes), each_(each) {}
  void take_one(std::byte* to) { std::ranges::copy(take(bytes_, each_), to); }
  bool empty() const noexcept { return bytes_.empty(); }

 private:
  base::Bytes bytes_;
  std::size_t each_;
};

// Sources of the links of a tile, their symbols and kept bits.

// Method 1: the symbols of a link are contiguous, and 64 links of the tile form a batch, including links stored
// unchanged.
template <class T>
class LinkByLink {
 public:
  LinkByLink(const Parts& parts, base::MutableBytes links, std::size_t reals)
      : links_(links),
        link_bytes_(reals * sizeof(T)),
        used_(columns_of(reals)),
        codes_{PrefixDecoder(parts.lengths[0]), PrefixDecoder(parts.lengths[1]), PrefixDecoder(parts.lengths[2]),
               PrefixDecoder(parts.lengths[3]), PrefixDecoder(parts.lengths[4]), PrefixDecoder(parts.lengths[5])},
        symbols_(parts.symbols[0][0]),
        kept_(parts.kept) {}

  bool next(Batch& batch, WholeLinks& whole) {
    if (at_ == links_.size()) return false;
    const std::size_t links = std::min(lanes, (links_.size() - at_) / link_bytes_);
    BitReader symbols = symbols_;  // local, to stay in registers: stores of bytes might alias a member
    batch.count = 0;
    for (std::size_t k = 0; k < links; ++k, at_ += link_bytes_) {
      const std::size_t l = batch.count;
      std::uint8_t choice = 0;
      look_up<0, 1>(symbols, &choice, 0);
      if (choice >= as_it_is) {
        whole.take_one(&links_[at_]);
        continue;
      }
      batch.choice[l] = choice;
      batch.to[l] = &links_[at_];
      look_up<1, 5>(symbols, columns_[0].data(), l);
      look_up<5, 7>(symbols, columns_[0].data(), l);
      if (used_ == link_columns) look_up<7, link_columns>(symbols, columns_[0].data(), l);
      ++batch.count;
    }
    symbols_ = symbols;
    for (std::size_t column = 0; column < link_columns; ++column) batch.symbols[column] = columns_[column].data();
    if (symbols_.is_past_end()) throw_damaged("a stream of a tile is shorter than what it should hold");
    return true;
  }

  template <class Lanes>
  void take_kept(std::size_t count, std::array<Integers, kept_numbers>& to) {
    BitReader kept = kept_;
    for (std::size_t l = 0; l < count; ++l) {
      for (Integers& number : to) number[l] = kept.take(mantissa_bits<T> + 1);
    }
    kept_ = kept;
    if (kept.is_past_end()) throw_damaged("a stream of a tile is shorter than what it should hold");
  }

 private:
  static constexpr std::array<Alphabet, link_columns> code_of{
      choices,      exponents_row0, exponents_row0, exponents_row1, exponents_row1,
      dropped_pair, pivot_pair,     row2_pair,      row2_pair,      row2_pair};
  // Symbols of a link from one column to another; five codes fit into one peek.
  template <std::size_t begin, std::size_t end>
  void look_up(BitReader& symbols, std::uint8_t* to, std::size_t l) const noexcept {
    static_assert((end - begin) * longest_code <= bits_at_hand);
    std::uint64_t bits = symbols.peek();
    unsigned used = 0;
    for (std::size_t column = begin; column < end; ++column) {
      const std::uint32_t entry = codes_[code_of[column]].look_up(bits);
      to[column * lanes + l] = static_cast<std::uint8_t>(entry);
      bits >>= entry >> 8;
      used += entry >> 8;
    }
    symbols.skip(used);
  }

  base::MutableBytes links_;
  std::size_t link_bytes_, used_;
  std::size_t at_ = 0;
  std::array<PrefixDecoder, alphabets> codes_;
  BitReader symbols_, kept_;
  std::array<std::array<std::uint8_t, lanes>, link_columns> columns_{};
};

// Method 3: symbols are columns; links stored unchanged have only the first one.
template <class T>
class ColumnByColumn {
 public:
  ColumnByColumn(const Parts& parts, base::MutableBytes links, std::size_t reals)
      : links_(links), link_bytes_(reals * sizeof(T)), kept_(parts.kept), choices_(links.size() / link_bytes_) {
    decode(parts, choices, choices_);
    for (const std::uint8_t choice : choices_) count_ += choice < as_it_is ? 1 : 0;
    symbols_ = std::make_unique_for_overwrite<std::uint8_t[]>(count_ * (link_columns - 1) + lanes);
    std::fill_n(&symbols_[count_ * (columns_of(reals) - 1)], lanes, std::uint8_t{0});
    for (std::size_t code = 1; code < alphabets; ++code) {
      const std::size_t begin = first_column[code], end = std::min(first_column[code + 1], columns_of(reals));
      if (begin < end) decode(parts, code, {column(begin), (end - begin) * count_});
    }
  }

  bool next(Batch& batch, WholeLinks& whole) {
    batch.count = 0;
    for (; at_ < choices_.size() && batch.count < lanes; ++at_) {
      std::byte* const to = &links_[at_ * link_bytes_];
      if (choices_[at_] >= as_it_is) {
        whole.take_one(to);
        continue;
      }
      batch.choice[batch.count] = choices_[at_];
      batch.to[batch.count++] = to;
    }
    for (std::size_t number = 1; number < link_columns; ++number) batch.symbols[number] = column(number) + done_;
    done_ += batch.count;
    return batch.count > 0;
  }

  template <class Lanes>
  void take_kept(std::size_t count, std::array<Integers, kept_numbers>& to) {
    constexpr std::size_t bits = mantissa_bits<T> + 1;  // bits of each number, and bytes of eight numbers
    const std::size_t full = count / kept_together * kept_together;
    const base::Bytes kept = take(kept_, full * kept_numbers * bits / 8);
    const std::byte* from = kept.data();
    for (std::size_t l = 0; l < full; l += kept_together) {
      for (Integers& number : to) {
        Lanes::template take_kept<T>(from, &number[l]);
        from += bits;
      }
    }
    if (full == count) return;
    BitReader last(take(kept_, ((count - full) * kept_numbers * bits + 7) / 8));
    for (Integers& number : to) {
      for (std::size_t l = full; l < count; ++l) number[l] = last.take(bits);
    }
  }

 private:
  // Links of two rows have no symbols of a third one: whatever is read in their place is not used.
  const std::uint8_t* column(std::size_t number) const noexcept { return &symbols_[count_ * (number - 1)]; }
  std::uint8_t* column(std::size_t number) noexcept { return &symbols_[count_ * (number - 1)]; }

  static void decode(const Parts& parts, std::size_t code, std::span<std::uint8_t> to) {
    if (const auto symbol = only_symbol_of(parts.lengths[code])) {
      const auto is_empty = [](base::Bytes run) { return run.empty(); };
      if (!std::ranges::all_of(parts.symbols[code], is_empty))
        throw_damaged("a tile has codes for symbols that need no bits");
      return void(std::ranges::fill(to, *symbol));
    }
    const PrefixDecoder decoder(parts.lengths[code]);
    if (!decoder.take_all(parts.symbols[code], to)) {
      throw_damaged("a stream of a tile is shorter than what it should hold");
    }
  }

  base::MutableBytes links_;
  std::size_t link_bytes_;
  base::Bytes kept_;
  std::vector<std::uint8_t> choices_;
  std::size_t at_ = 0, count_ = 0, done_ = 0;  // position in links; links to rebuild, and how many were returned
  std::unique_ptr<std::uint8_t[]> symbols_;
};

template <class T, class Lanes, class Source>
class LinkDecoder {
 public:
  LinkDecoder(const Parts& parts, base::MutableBytes links, const Numbers& of)
      : reals_(of.reals),
        big_(of.big_endian),
        is_whole_(reals_ == 18),
        most_low_(parts.low_bits),
        source_(parts, links, reals_),
        low_(parts.low),
        whole_(parts.whole, reals_ * sizeof(T)) {}

  void run() {
    while (source_.next(batch_of_tile_, whole_)) {
      if (batch_of_tile_.count == 0) continue;
      take_choices();
      take_kept();
      rebuild();
      Lanes::template store<T>(batch_.reals.data(), reals_, big_, batch_of_tile_.to.data(), batch_of_tile_.count);
      if (low_.is_past_end()) throw_damaged("a stream of a tile is shorter than what it should hold");
    }
    if (!whole_.empty()) throw_damaged("a tile holds more whole links than it states");
  }

 private:
  using Word = WordOf<T>;

  void take_choices() noexcept {
    DroppedNumbers& dropped = batch_.dropped;
    for (std::size_t l = 0; l < lanes; ++l) {
      const int choice = batch_of_tile_.choice[l];
      dropped.first[l] = choice >> 4;
      dropped.column[l] = (choice >> 3) & 1;
      dropped.imaginary[l] = (choice >> 2) & 1;
      dropped.first_sign[l] = 1 - (choice & 2);
      dropped.root_sign[l] = 1 - 2 * (choice & 1);
    }
  }

  // The four bits of number i of pairs that begin in a column.
  std::uint64_t half_of_pair(std::size_t column, std::size_t i, std::size_t l) const noexcept {
    return (batch_of_tile_.symbols[column + i / 2][l] >> (4 * (i % 2))) & 15U;
  }

  void take_kept() {
    source_.template take_kept<Lanes>(batch_of_tile_.count, kept_);
    constexpr std::uint64_t mantissa = (std::uint64_t{1} << mantissa_bits<T>)-1;
    std::uint64_t escapes = 0;
    for (std::size_t i = 0; i < kept_numbers; ++i) {
      Integers& number = kept_[i];
      const std::uint8_t* const pairs = batch_of_tile_.symbols[exponent_columns + i / 2];
      const unsigned shift = 4 * (i % 2);
      for (std::size_t l = 0; l < lanes; ++l) {
        const std::uint64_t steps = (std::uint64_t{pairs[l]} >> shift) & 15;
        const std::uint64_t sign = number[l] >> mantissa_bits<T>, field = std::uint64_t{half_exponent<T>} - steps;
        escapes |= (steps + 1) >> 4;
        number[l] = sign << (8 * sizeof(T) - 1) | field << mantissa_bits<T> | (number[l] & mantissa);
      }
    }
    if (escapes != 0) take_escapes();
    for (std::size_t i = 0; i < kept_numbers; ++i) {
      for (std::size_t l = 0; l < lanes; ++l) {
        batch_.kept[i][l] = std::bit_cast<T>(static_cast<Word>(kept_[i][l]));
      }
    }
  }

  void take_escapes() noexcept {
    constexpr std::uint64_t field = (std::uint64_t{1} << exponent_bits<T>)-1;
    for (std::size_t l = 0; l < batch_of_tile_.count; ++l) {
      for (std::size_t i = 0; i < kept_numbers; ++i) {
        if (half_of_pair(exponent_columns, i, l) != escape) continue;
        kept_[i][l] = (kept_[i][l] & ~(field << mantissa_bits<T>)) | low_.take(exponent_bits<T>) << mantissa_bits<T>;
      }
    }
  }

  // Corrects number `predicted` of all links by its residual.
  void correct(std::size_t predicted, Lane& numbers) noexcept {
    Integers ordinals, low, high;
    std::array<std::uint8_t, lanes> counts, symbols;
    const std::uint8_t* const pairs = batch_of_tile_.symbols[residual_columns + predicted / 2];
    const unsigned shift = 4 * (predicted % 2);
    const std::int64_t most = most_low_[group_of(predicted)];
    for (std::size_t l = 0; l < lanes; ++l) {
      const Word word = std::bit_cast<Word>(static_cast<T>(numbers[l]));
      ordinals[l] = static_cast<std::uint64_t>(ordinal<T>(word));
      counts[l] = static_cast<std::uint8_t>(low_bits_of<T>(word, most));
    }
    for (std::size_t l = 0; l < lanes; ++l) symbols[l] = (pairs[l] >> shift) & 15;
    for (std::size_t l = 0; l < lanes; ++l) high[l] = symbols[l];
    BitReader lows = low_;
    const std::size_t count = batch_of_tile_.count;
    for (std::size_t l = 0; l < count; l += fields) {
      const bool has_escape = ((eight_bytes(&symbols[l]) + 0x0101010101010101U) & 0x1010101010101010U) != 0;
      if (l + fields <= count && !has_escape) {
        Lanes::take_fields(lows, &counts[l], &low[l]);
      } else {
        take_with_escapes(lows, l, std::min(l + fields, count), counts, low, high);
      }
    }
    low_ = lows;
    for (std::size_t l = 0; l < lanes; ++l) {
      const auto above = static_cast<std::uint64_t>(unzigzag(high[l]));
      const std::uint64_t residual = above << counts[l] | low[l];
      numbers[l] = std::bit_cast<T>(from_ordinal<T>(static_cast<std::int64_t>(ordinals[l] + residual)));
    }
  }
  static void take_with_escapes(BitReader& lows, std::size_t begin, std::size_t end,
                                const std::array<std::uint8_t, lanes>& counts, Integers& low, Integers& high) noexcept {
    for (std::size_t l = begin; l < end; ++l) {
      low[l] = lows.take(counts[l]);
      if (high[l] != escape) continue;
      high[l] = lows.take(std::min(static_cast<unsigned>(lows.take(6)), most_escaped_bits));
    }
  }

  void rebuild() noexcept {
    batch_.predict_first();
    correct(0, batch_.first);
    batch_.assemble_row0();
    batch_.predict_second();
    correct(1, batch_.second);
    batch_.predict_pivot();
    for (std::size_t part = 0; part < 2; ++part) correct(2 + part, batch_.pivot[part]);
    batch_.assemble_row1();
    if (!is_whole_) return;
    batch_.predict_row2();
    for (std::size_t i = 0; i < 6; ++i) correct(4 + i, batch_.row2(i));
  }

  std::size_t reals_;
  bool big_, is_whole_;
  LowBits most_low_;
  Source source_;
  BitReader low_;
  WholeLinks whole_;
  Batch batch_of_tile_;
  LinkBatch batch_;
  std::array<Integers, kept_numbers> kept_{};
};

template <class T, class Lanes, template <class> class Source>
inline void decode_as(const Parts& parts, base::MutableBytes links, const Numbers& of) {
  std::make_unique<LinkDecoder<T, Lanes, Source<T>>>(parts, links, of)->run();
}

template <class Lanes, template <class> class Source>
inline void decode(const Parts& parts, base::MutableBytes links, const Numbers& of) {
  of.bytes == 8 ? decode_as<double, Lanes, Source>(parts, links, of)
                : decode_as<float, Lanes, Source>(parts, links, of);
}

inline void decode(const Parts& parts, base::MutableBytes links, const Numbers& of) {
  parts.method == LinkMethod::by_column ? decode<PlainLanes, ColumnByColumn>(parts, links, of)
                                        : decode<PlainLanes, LinkByLink>(parts, links, of);
}

#if defined(LQ_X86_64)
LQ_FOR_AVX2 void decode_avx2(const Parts& parts, base::MutableBytes links, const Numbers& of) {
  decode(parts, links, of);
}
LQ_FOR_AVX512 void decode_avx512(const Parts& parts, base::MutableBytes links, const Numbers& of) {
  decode<Avx512Lanes, ColumnByColumn>(parts, links, of);
}
#endif

}  // namespace

// In old archives the latency of the next symbol dominates, so wider vectors do not help.
void decode_links(base::Bytes encoded, base::MutableBytes links, const Numbers& of, LinkMethod method) {
  const Parts parts(encoded, method);
#if defined(LQ_X86_64)
  const Vectors widest = widest_vectors();
  if (widest == Vectors::avx512 && method == LinkMethod::by_column) return decode_avx512(parts, links, of);
  if (widest >= Vectors::avx2) return decode_avx2(parts, links, of);
#endif
  decode(parts, links, of);
}

}  // namespace lq::archive
