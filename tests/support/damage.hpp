// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Another file out of a good one: bits, bytes, blocks and ends as storage, transfers and editors change them; sites and
// slices that are exchanged, pages of an older file, records and lines of texts.
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace lq::testing {

// What is known of a good file.
struct DamageHints {
  // Pieces of one size, such as sites or slices, one after the other.
  struct Pieces {
    std::size_t begin = 0, size = 1, count = 0;
  };
  std::vector<Pieces> pieces = {};
  std::string older = {};  // what the file was once; empty: nothing is known
};

class Damage {
 public:
  explicit Damage(unsigned seed) : random_(seed) {}

  // Never the bytes themselves, of which there are some. what() says what was done.
  std::string of(const std::string& good, const DamageHints& hints = {}) {
    std::string bad = good;
    do {
      bad = good;
      if (below(3) != 0) {
        change(bad);
      } else {
        change_structure(bad, hints);
      }
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

  // Two pieces change places, or one is there twice.
  void move_pieces(std::string& bytes, const std::vector<DamageHints::Pieces>& all) {
    if (all.empty()) return exchange(bytes);
    const DamageHints::Pieces& pieces = all[below(all.size())];
    if (pieces.count < 2 || pieces.begin + pieces.size * pieces.count > bytes.size()) return exchange(bytes);
    const std::size_t one = pieces.begin + below(pieces.count) * pieces.size;
    const std::size_t other = pieces.begin + below(pieces.count) * pieces.size;
    const std::string first = bytes.substr(one, pieces.size), second = bytes.substr(other, pieces.size);
    bytes.replace(one, pieces.size, second);
    const bool is_twice = below(4) == 0;
    if (!is_twice) bytes.replace(other, pieces.size, first);
    say(is_twice ? "a piece again" : "exchanged pieces", one, pieces.size);
    what_ += " with " + std::to_string(other);
  }
  void bring_back_page(std::string& bytes, const std::string& older) {
    const std::size_t page = below(2) == 0 ? 512 : 4096, at = place(bytes) / page * page;
    const std::size_t count = std::min(page * (1 + below(2)), bytes.size() - at);
    if (2 * count > bytes.size()) return flip(bytes);  // most of a good file, if an older one
    std::string old = older.substr(std::min(at, older.size()), count);
    old.resize(count, '\0');
    bytes.replace(at, count, old);
    say(older.empty() ? "a page of zeros" : "an older page", at, count);
  }
  // A record of LIME: its header, or all of it.
  void change_record(std::string& bytes) {
    constexpr std::string_view magic("\x45\x67\x89\xab", 4);
    std::vector<std::size_t> begins;
    for (std::size_t at = bytes.find(magic); at != std::string::npos; at = bytes.find(magic, at + 8)) {
      if (at % 8 == 0 && at + 144 <= bytes.size()) begins.push_back(at);
    }
    if (begins.empty()) return change_word(bytes);
    const std::size_t k = below(begins.size()), begin = begins[k];
    const std::size_t end = k + 1 < begins.size() ? begins[k + 1] : bytes.size();
    switch (below(7)) {
      case 0: {
        const std::size_t letters = std::min<std::size_t>(bytes.find('\0', begin + 16) - (begin + 16), 127);
        const std::size_t at = begin + 16 + below(letters + 1);
        bytes[at] = static_cast<char>(below(2) == 0 ? bytes[at] + 1 : 'a' + static_cast<char>(below(26)));
        return say("a letter of a type", at, 1);
      }
      case 1: {
        const std::size_t at = begin + 15 - below(below(8) + 1);
        bytes[at] = static_cast<char>(bytes[at] + (below(2) == 0 ? 8 : -8));
        return say("a length", at, 1);
      }
      case 2:
        bytes[begin + 6] = static_cast<char>(bytes[begin + 6] ^ (below(2) == 0 ? '\x80' : '\x40'));
        return say("a flag", begin + 6, 1);
      case 3:
      case 4:
        bytes.erase(begin, end - begin);
        return say("a record removed", begin, end - begin);
      case 5:
        bytes.insert(begin, bytes.substr(begin, end - begin));
        return say("a record twice", begin, end - begin);
      default: {
        const std::string record = bytes.substr(begin, end - begin);
        bytes.erase(begin, end - begin);
        const std::size_t to = begins[below(begins.size())];
        bytes.insert(std::min(to, bytes.size()), record);
        return say("a record moved", begin, end - begin);
      }
    }
  }
  // A small change of a number of the header.
  void change_word(std::string& bytes) {
    const std::size_t size = below(2) == 0 ? 4 : 8, at = below(std::min<std::size_t>(bytes.size(), 512)) / size * size;
    if (at + size > bytes.size()) return flip(bytes);
    const std::size_t end = at + (below(2) == 0 ? 0 : size - 1);
    bytes[end] = static_cast<char>(bytes[end] + static_cast<int>(below(9)) - 4);
    say("a word", at, size);
  }
  // A line of a text header, or an element of XML: gone, there twice, or after the next one.
  void change_line(std::string& bytes) {
    for (int trial = 0; trial < 100; ++trial) {
      const std::size_t at = place(bytes);
      const auto is_text = [&](std::size_t i) {
        return i < bytes.size() && ((bytes[i] >= ' ' && bytes[i] <= '~') || bytes[i] == '\n');
      };
      if (!is_text(at) || !is_text(at + 1) || !is_text(at + 2) || !is_text(at + 3)) continue;
      std::size_t begin = at, end = at;
      while (begin > 0 && is_text(begin - 1) && bytes[begin] != '<' && bytes[begin - 1] != '\n') --begin;
      while (end < bytes.size() && is_text(end) && bytes[end] != '\n' && (end == begin || bytes[end] != '<')) ++end;
      if (end < bytes.size() && bytes[end] == '\n') ++end;
      const std::string line = bytes.substr(begin, end - begin);
      switch (below(3)) {
        case 0:
          // What follows stays where it is, as an editor of records would have it, or it moves.
          if (below(2) == 0)
            return bytes.replace(begin, line.size(), line.size(), ' '), say("a blank", begin, end - begin);
          bytes.erase(begin, line.size());
          return say("a line removed", begin, line.size());
        case 1:
          bytes.insert(begin, line);
          return say("a line twice", begin, line.size());
        default: {
          const std::size_t letter = begin + below(line.size());
          bytes[letter] = static_cast<char>(bytes[letter] + (below(2) == 0 ? 1 : -1));
          return say("a letter", letter, 1);
        }
      }
    }
    flip(bytes);
  }

  void change_structure(std::string& bytes, const DamageHints& hints) {
    switch (below(7)) {
      case 0:
      case 1:
        return move_pieces(bytes, hints.pieces);
      case 2:
        return bring_back_page(bytes, hints.older);
      case 3:
      case 4:
        return change_record(bytes);
      case 5:
        return change_line(bytes);
      default:
        return change_word(bytes);
    }
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
