// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "archive/codec/prefix_code.hpp"

#include <algorithm>
#include <queue>
#include <vector>

#include <limequat/error.hpp>

namespace lq::archive {
namespace {

constexpr std::uint32_t whole = std::uint32_t{1} << longest_code;  // what codes may take together

constexpr std::uint32_t part(std::uint8_t length) noexcept { return length == 0 ? 0 : whole >> length; }

// Depths of Huffman's tree, which may be larger than the longest code.
std::vector<unsigned> depths_of(const std::vector<std::uint64_t>& weights) {
  struct Node {
    std::uint64_t weight;
    std::size_t number;
    bool operator>(const Node& o) const noexcept { return weight != o.weight ? weight > o.weight : number > o.number; }
  };
  std::priority_queue<Node, std::vector<Node>, std::greater<>> open;
  for (std::size_t k = 0; k < weights.size(); ++k) open.push({weights[k], k});
  std::vector<std::size_t> parents(2 * weights.size(), 0);
  std::size_t next = weights.size();
  while (open.size() > 1) {
    const Node a = open.top();
    open.pop();
    const Node b = open.top();
    open.pop();
    parents[a.number] = parents[b.number] = next;
    open.push({a.weight + b.weight, next++});
  }
  std::vector<unsigned> depths(next, 0);
  for (std::size_t k = next - 1; k-- > 0;) depths[k] = depths[parents[k]] + 1;
  depths.resize(weights.size());
  return depths;
}

// Calls take(symbol, code with its first bit highest, length) in the order of the canonical code.
template <class Take>
void for_each_code(const CodeLengths& lengths, const Take& take) {
  std::uint32_t code = 0;
  for (unsigned length = 1; length <= longest_code; ++length) {
    for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol) {
      if (lengths[symbol] == length) take(symbol, code++, length);
    }
    code <<= 1;
  }
}

std::uint16_t reversed(std::uint32_t code, unsigned length) noexcept {
  std::uint32_t result = 0;
  for (unsigned i = 0; i < length; ++i) result |= ((code >> i) & 1) << (length - 1 - i);
  return static_cast<std::uint16_t>(result);
}

}  // namespace

CodeLengths lengths_for(const Counts& counts) {
  std::vector<std::size_t> symbols;
  for (std::size_t symbol = 0; symbol < counts.size(); ++symbol) {
    if (counts[symbol] > 0) symbols.push_back(symbol);
  }
  CodeLengths lengths{};
  if (symbols.empty()) return lengths;
  std::ranges::sort(
      symbols, [&](std::size_t a, std::size_t b) { return counts[a] != counts[b] ? counts[a] > counts[b] : a < b; });
  std::vector<std::uint64_t> weights;
  for (const std::size_t symbol : symbols) weights.push_back(counts[symbol]);
  const std::vector<unsigned> depths = depths_of(weights);
  std::uint32_t taken = 0;
  for (std::size_t k = 0; k < symbols.size(); ++k) {
    lengths[symbols[k]] = static_cast<std::uint8_t>(std::clamp(depths[k], 1U, longest_code));
    taken += part(lengths[symbols[k]]);
  }
  // Where codes were cut, rare symbols make room, and what is left over goes to frequent ones.
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
    if (lengths[symbol] == 0 || lengths[symbol] > longest_code) taken = whole;
    taken += part(lengths[symbol]);
    if (taken > whole) throw Error(Code::malformed, "the lengths do not form a prefix code");
  }
  return lengths;
}

PrefixEncoder::PrefixEncoder(const CodeLengths& lengths) noexcept : lengths_(lengths) {
  for_each_code(lengths, [&](std::size_t symbol, std::uint32_t code, unsigned length) {
    codes_[symbol] = reversed(code, length);
  });
}

PrefixDecoder::PrefixDecoder(const CodeLengths& lengths) noexcept {
  table_.fill(1U << 8);
  for_each_code(lengths, [&](std::size_t symbol, std::uint32_t code, unsigned length) {
    const auto entry = static_cast<std::uint16_t>((length << 8) | symbol);
    for (std::size_t at = reversed(code, length); at < table_.size(); at += std::size_t{1} << length) {
      table_[at] = entry;
    }
  });
}

}  // namespace lq::archive
