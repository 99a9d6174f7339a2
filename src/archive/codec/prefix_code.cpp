// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "archive/codec/prefix_code.hpp"

#include <functional>

#include <limequat/error.hpp>

namespace lq::archive {
namespace {

constexpr std::uint32_t whole = std::uint32_t{1} << longest_code;  // total capacity of the codes

constexpr std::uint32_t part(std::uint8_t length) noexcept { return length == 0 ? 0 : whole >> length; }

// Depths of a Huffman tree, which may exceed the longest code. Weights are in descending order; joined nodes are
// created in ascending order, so that the two lightest are always at the ends of two queues.
std::vector<unsigned> depths_of(const std::vector<std::uint64_t>& weights) {
  const std::size_t leaves = weights.size();
  std::vector<std::uint64_t> joined;
  joined.reserve(leaves);
  std::vector<std::size_t> parents(2 * leaves, 0);
  std::size_t leaf = leaves, inner = 0;  // leaves from `leaf` on are joined, and the first `inner` inner nodes
  const auto lightest = [&] {
    if (leaf > 0 && (inner == joined.size() || weights[leaf - 1] <= joined[inner])) {
      --leaf;
      return std::pair(weights[leaf], leaf);
    }
    ++inner;
    return std::pair(joined[inner - 1], leaves + inner - 1);
  };
  while (joined.size() + 1 < leaves) {
    const auto [weight, number] = lightest();
    const auto [other_weight, other_number] = lightest();
    parents[number] = parents[other_number] = leaves + joined.size();
    joined.push_back(weight + other_weight);
  }
  std::vector<unsigned> depths(leaves + joined.size(), 0);
  for (std::size_t k = depths.size() - 1; k-- > 0;) depths[k] = depths[parents[k]] + 1;
  depths.resize(leaves);
  return depths;
}

// Calls take(symbol, code with its first bit highest, length) in the order of the canonical code.
template <class Take>
void for_each_code(const CodeLengths& lengths, const Take& take) {
  std::array<std::uint32_t, longest_code + 2> next{};  // code of each length
  for (const std::uint8_t length : lengths) next[length + 1U] += length == 0 ? 0U : 1U;
  std::array<std::size_t, longest_code + 2> begin{};  // of the symbols of each length
  for (unsigned length = 2; length <= longest_code; ++length) {
    begin[length] = begin[length - 1] + next[length];
    next[length] = (next[length - 1] + next[length]) << 1;
  }
  std::array<std::uint8_t, 256> symbols;
  std::array<std::size_t, longest_code + 2> end = begin;
  for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol) {
    if (lengths[symbol] != 0) symbols[end[lengths[symbol]]++] = static_cast<std::uint8_t>(symbol);
  }
  for (unsigned length = 1; length <= longest_code; ++length) {
    for (std::size_t k = begin[length]; k < end[length]; ++k) take(std::size_t{symbols[k]}, next[length]++, length);
  }
}

// Swaps neighbouring bits, then pairs of them, and so on.
std::uint16_t reversed(std::uint32_t code, unsigned length) noexcept {
  code = ((code & 0x5555) << 1) | ((code >> 1) & 0x5555);
  code = ((code & 0x3333) << 2) | ((code >> 2) & 0x3333);
  code = ((code & 0x0f0f) << 4) | ((code >> 4) & 0x0f0f);
  code = ((code & 0x00ff) << 8) | ((code >> 8) & 0x00ff);
  return static_cast<std::uint16_t>(code >> (16 - length));
}

}  // namespace

// Uses several tables, because consecutive symbols are often equal, and an increment must wait for the previous store.
Counts counts_of(std::span<const std::uint8_t> symbols) {
  constexpr std::size_t tables = 4;
  std::array<Counts, tables> counts{};
  std::size_t i = 0;
  for (; i + tables <= symbols.size(); i += tables) {
    for (std::size_t k = 0; k < tables; ++k) ++counts[k][symbols[i + k]];
  }
  for (; i < symbols.size(); ++i) ++counts[0][symbols[i]];
  for (std::size_t k = 1; k < tables; ++k) {
    for (std::size_t symbol = 0; symbol < counts[k].size(); ++symbol) counts[0][symbol] += counts[k][symbol];
  }
  return counts[0];
}

CodeLengths lengths_for(const Counts& counts) {
  // The most frequent first, equal ones by symbol: the count is in the high bits, so that integers can be sorted.
  std::vector<std::uint64_t> keys;
  for (std::size_t symbol = 0; symbol < counts.size(); ++symbol) {
    if (counts[symbol] > 0) keys.push_back(std::uint64_t{counts[symbol]} << 8 | (255 - symbol));
  }
  CodeLengths lengths{};
  if (keys.empty()) return lengths;
  std::sort(keys.begin(), keys.end(), std::greater<>());
  std::vector<std::size_t> symbols;
  std::vector<std::uint64_t> weights;
  for (const std::uint64_t key : keys) {
    symbols.push_back(255 - (key & 255));
    weights.push_back(key >> 8);
  }
  const std::vector<unsigned> depths = depths_of(weights);
  std::uint32_t taken = 0;
  for (std::size_t k = 0; k < symbols.size(); ++k) {
    lengths[symbols[k]] = static_cast<std::uint8_t>(std::clamp(depths[k], 1U, longest_code));
    taken += part(lengths[symbols[k]]);
  }
  // If codes were shortened, rare symbols get longer codes, and the remaining capacity goes to frequent ones.
  for (std::size_t k = symbols.size(); taken > whole; k = k == 0 ? symbols.size() : k) {
    std::uint8_t& length = lengths[symbols[--k]];
    if (length == longest_code) continue;
    taken -= part(length) - part(static_cast<std::uint8_t>(length + 1));
    ++length;
  }
  for (const std::size_t symbol : symbols) {
    std::uint8_t& length = lengths[symbol];
    while (length > 1 && taken + part(length) <= whole) {
      taken += part(length);
      --length;
    }
  }
  return lengths;
}

std::optional<std::uint8_t> only_symbol_of(const CodeLengths& lengths) noexcept {
  const auto is_used = [](std::uint8_t length) { return length != 0; };
  if (std::ranges::count_if(lengths, is_used) != 1) return {};
  return static_cast<std::uint8_t>(std::ranges::find_if(lengths, is_used) - lengths.begin());
}

void write_lengths(const CodeLengths& lengths, std::vector<std::byte>& to) {
  for (std::size_t k = 0; k < lengths.size(); k += 8) {
    unsigned used = 0;
    for (std::size_t i = 0; i < 8; ++i) used |= (lengths[k + i] != 0 ? 1U : 0U) << i;
    to.push_back(static_cast<std::byte>(used));
  }
  BitWriter nibbles;
  for (const std::uint8_t length : lengths) {
    if (length != 0) nibbles.put(length, 4);
  }
  const std::vector<std::byte> bytes = nibbles.take();
  to.insert(to.end(), bytes.begin(), bytes.end());
}

CodeLengths read_lengths(base::Bytes& from) {
  const auto require = [&](std::size_t bytes) {
    if (from.size() < bytes) throw Error(Code::malformed, "the lengths of a code are cut short");
  };
  constexpr std::size_t map_bytes = 256 / 8;
  require(map_bytes);
  std::array<bool, 256> used{};
  std::size_t count = 0;
  for (std::size_t symbol = 0; symbol < used.size(); ++symbol) {
    used[symbol] = ((std::to_integer<unsigned>(from[symbol / 8]) >> (symbol % 8)) & 1) != 0;
    count += used[symbol] ? 1 : 0;
  }
  from = from.subspan(map_bytes);
  const std::size_t bytes = (count + 1) / 2;
  require(bytes);
  BitReader nibbles(from.first(bytes));
  from = from.subspan(bytes);
  CodeLengths lengths{};
  std::uint32_t taken = 0;
  for (std::size_t symbol = 0; symbol < used.size(); ++symbol) {
    if (!used[symbol]) continue;
    lengths[symbol] = static_cast<std::uint8_t>(nibbles.take(4));
    taken += part(lengths[symbol]);
    const bool is_length = lengths[symbol] > 0 && lengths[symbol] <= longest_code;
    if (!is_length || taken > whole) throw Error(Code::malformed, "the lengths do not form a prefix code");
  }
  return lengths;
}

PrefixEncoder::PrefixEncoder(const CodeLengths& lengths) noexcept {
  for_each_code(lengths, [&](std::size_t symbol, std::uint32_t code, unsigned length) {
    entries_[symbol] = std::uint32_t{reversed(code, length)} << 8 | length;
  });
}

// Codes of the same length fill a table of that many bits; the table of one bit more begins with two copies of it.
PrefixDecoder::PrefixDecoder(const CodeLengths& lengths) noexcept {
  std::size_t size = 2;
  std::fill_n(table_.begin(), size, std::uint16_t{1U << 8});
  for_each_code(lengths, [&](std::size_t symbol, std::uint32_t code, unsigned length) {
    for (; size < std::size_t{1} << length; size *= 2) std::copy_n(table_.begin(), size, table_.begin() + size);
    table_[reversed(code, length)] = static_cast<std::uint16_t>((length << 8) | symbol);
  });
  for (; size < table_.size(); size *= 2) std::copy_n(table_.begin(), size, table_.begin() + size);
}

}  // namespace lq::archive
