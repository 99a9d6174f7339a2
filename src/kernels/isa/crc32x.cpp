// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The CRC instructions of ARMv8, eight bytes each. A64FX has them, but no carry-less multiplication. An instruction
// waits for the previous one of the same site; interleaved sites fill the time.
#include "kernels/isa/loops.hpp"

#if defined(LQ_AARCH64)
#include "kernels/isa/crc_words.hpp"
#include "kernels/isa/site_loops.hpp"

namespace lq::kernels::isa {
namespace {

struct Crc32x;

template <std::size_t turn, Summed summed, bool writes>
struct WordPass {
  template <class Word>
  static Word turned(Word word) noexcept {
    if constexpr (turn == 0) return word;
    if constexpr (sizeof(Word) == 4) return __builtin_bswap32(word);
    const std::uint64_t swapped = __builtin_bswap64(word);
    return static_cast<Word>(turn == 8 ? swapped : swapped << 32 | swapped >> 32);
  }

  // Copies the word at `from` to `to` and returns the word whose CRC is taken.
  template <class Word>
  static Word moved(const std::byte* from, std::byte* to) noexcept {
    const Word read = load_word<Word>(from);
    const Word written = turned(read);
    if constexpr (writes) std::memcpy(to, &written, sizeof written);
    return summed == Summed::read ? read : written;
  }

  // The rest of a site after its last whole word: half a word, and bytes if the byte order stays.
  static std::uint32_t end(std::uint32_t remainder, const std::byte* from, std::byte* to, std::size_t bytes) noexcept {
    if (bytes >= 4) {
      remainder = __crc32w(remainder, moved<std::uint32_t>(from, to));
      from += 4;
      if constexpr (writes) to += 4;
      bytes -= 4;
    }
    if constexpr (writes) std::memmove(to, from, bytes);
    return add_bytes(remainder, from, bytes);
  }

  template <std::size_t count>
  static void group(std::size_t site_bytes, const SiteRun& run, std::size_t first, std::uint32_t* crcs) noexcept {
    const std::byte* from[count];
    std::byte* to[count];
    std::uint32_t remainders[count];
    for (std::size_t s = 0; s < count; ++s) {
      const auto site = static_cast<std::ptrdiff_t>(first + s);
      from[s] = run.from + site * run.from_stride;
      to[s] = writes ? run.to + site * run.to_stride : nullptr;
      remainders[s] = ~std::uint32_t{0};
    }
    std::size_t at = 0;
    for (; at + 8 <= site_bytes; at += 8) {
      for (std::size_t s = 0; s < count; ++s) {
        remainders[s] = __crc32d(remainders[s], moved<std::uint64_t>(from[s] + at, writes ? to[s] + at : nullptr));
      }
    }
    for (std::size_t s = 0; s < count; ++s) {
      crcs[s] = ~end(remainders[s], from[s] + at, writes ? to[s] + at : nullptr, site_bytes - at);
    }
  }

  static void run(const SiteTable& table, const SiteRun& run, std::uint32_t* crcs) noexcept {
    const std::size_t site_bytes = table.site_bytes;
    std::size_t site = 0;
    for (; site + together <= run.sites; site += together) group<together>(site_bytes, run, site, crcs + site);
    for (; site < run.sites; ++site) group<1>(site_bytes, run, site, crcs + site);
  }
};

constexpr Loops word_loops() noexcept {
  Loops loops = number_loops<Crc32x>();
  loops.sum = WordPass<0, Summed::read, false>::run;
  loops.copy_sum = WordPass<0, Summed::read, true>::run;
  loops.turn_sum[0] = WordPass<4, Summed::written, true>::run;
  loops.turn_sum[1] = WordPass<8, Summed::written, true>::run;
  loops.sum_turn[0] = WordPass<4, Summed::read, true>::run;
  loops.sum_turn[1] = WordPass<8, Summed::read, true>::run;
  loops.stream = stream_crc32;
  return loops;
}

}  // namespace

constinit const Loops crc32x_loops = word_loops();

}  // namespace lq::kernels::isa
#endif
