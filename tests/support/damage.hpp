// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Another file out of a good one: bits, bytes, blocks and ends as storage, transfers and editors change them.
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <random>
#include <string>

namespace lq::testing {

class Damage {
 public:
  explicit Damage(unsigned seed) : random_(seed) {}

  // Never the bytes themselves, of which there are some. what() says what was done.
  std::string of(const std::string& good) {
    std::string bad = good;
    do {
      bad = good;
      change(bad);
    } while (bad == good);
    return bad;
  }
  const std::string& what() const noexcept { return what_; }
  std::size_t below(std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_); }

 private:
  char byte() { return static_cast<char>(below(256)); }
  // Headers stand in front in most formats.
  std::size_t place(const std::string& bytes) {
    return below(4) == 0 ? below(std::min<std::size_t>(bytes.size(), 512)) : below(bytes.size());
  }
  std::size_t length() { return 1 + below(std::size_t{1} << below(11)); }
  void flip(std::string& bytes) {
    const std::size_t at = place(bytes);
    bytes[at] = static_cast<char>(bytes[at] ^ 1 << below(8));
    say("a bit", at, 1);
  }
  void fill(std::string& bytes, std::size_t at, std::size_t count, char with) {
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), std::min(count, bytes.size() - at), with);
  }
  // A digit of a text becomes another one.
  void change_digit(std::string& bytes) {
    for (int trial = 0; trial < 200; ++trial) {
      const std::size_t at = place(bytes);
      const auto is_text = [&](std::size_t i) { return i < bytes.size() && bytes[i] >= ' ' && bytes[i] <= '~'; };
      if (std::isdigit(static_cast<unsigned char>(bytes[at])) == 0 || !is_text(at - 1) || !is_text(at + 1)) continue;
      bytes[at] = static_cast<char>('0' + below(10));
      return say("a digit", at, 1);
    }
    flip(bytes);
  }
  void exchange(std::string& bytes) {
    constexpr std::array<std::size_t, 6> lengths{2, 4, 8, 16, 64, 512};
    const std::size_t count = std::min(lengths[below(lengths.size())], bytes.size() / 2);
    const std::size_t one = below(bytes.size() / std::max<std::size_t>(count, 1)) * count;
    const std::size_t other = below(2) == 0 ? std::min(one + count, bytes.size() - count)
                                            : below(bytes.size() / std::max<std::size_t>(count, 1)) * count;
    if (std::max(one, other) + count > bytes.size() || (one < other ? other - one : one - other) < count) return;
    std::swap_ranges(bytes.begin() + static_cast<std::ptrdiff_t>(one),
                     bytes.begin() + static_cast<std::ptrdiff_t>(one + count),
                     bytes.begin() + static_cast<std::ptrdiff_t>(other));
    say("exchanged", one, count);
    what_ += " with " + std::to_string(other);
  }

  void change(std::string& bytes) {
    const std::size_t at = place(bytes), count = length();
    switch (below(14)) {
      case 0:
        for (std::size_t i = 1 + below(4); i-- > 0;) flip(bytes);
        return;
      case 1:
        bytes[at] = byte();
        return say("a byte", at, 1);
      case 2: {
        const std::size_t end = std::min(bytes.size(), at + std::min<std::size_t>(count, 64));
        for (std::size_t i = at; i < end; ++i) bytes[i] = byte();
        return say("overwritten", at, end - at);
      }
      case 3:
        fill(bytes, at, count, '\0');
        return say("zeros", at, count);
      case 4:
        fill(bytes, at / 8 * 8, 8, '\xff');
        return say("a NaN", at / 8 * 8, 8);
      case 5:
        exchange(bytes);
        return;
      case 6:
        bytes.insert(at, std::min<std::size_t>(count, 64), byte());
        return say("inserted", at, std::min<std::size_t>(count, 64));
      case 7:
        bytes.erase(at, count);
        return say("removed", at, count);
      case 8:
        bytes.resize(at);
        return say("cut", at, 0);
      case 9:
        bytes.append(count, below(2) == 0 ? '\0' : byte());
        return say("extended", bytes.size(), count);
      case 10:
      case 11:
        return change_digit(bytes);
      case 12: {
        const std::string copied = bytes.substr(below(bytes.size()), count);
        bytes.replace(at, std::min(copied.size(), bytes.size() - at), copied, 0, bytes.size() - at);
        return say("a copy of other bytes", at, count);
      }
      default:
        flip(bytes);
    }
  }
  void say(const char* what, std::size_t at, std::size_t count) {
    what_ = std::string(what) + " at " + std::to_string(at) + ", " + std::to_string(count);
  }

  std::mt19937 random_;
  std::string what_;
};

}  // namespace lq::testing
