// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/mod/map.hpp"

#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "kernels/crc32.hpp"

namespace lq::format::mod {
namespace {

constexpr std::size_t place_bytes = 16, word_bytes = 4;  // of a place the first 8 bytes mean nothing
constexpr std::size_t longest_key = 4096;
constexpr std::uint64_t least_entry = word_bytes + place_bytes;

// The bytes of a file one after the other.
class Walker {
 public:
  Walker(base::ByteSource& file, std::uint64_t at) : file_(file), at_(at) {}
  std::uint64_t at() const noexcept { return at_; }
  std::uint32_t crc() const noexcept { return crc_; }

  std::string take(std::size_t length, std::string_view what) {
    std::string bytes(length, '\0');
    if (length > file_.size() || file_.read_at(at_, std::as_writable_bytes(std::span(bytes))) < length) {
      base::fail(Code::truncated, {}, "the file ends at byte {} within {}; copy it again from its source", file_.size(),
                 what);
    }
    crc_ = kernels::crc32(crc_, base::as_bytes(bytes));
    at_ += length;
    return bytes;
  }
  std::uint32_t word(std::string_view what) {
    return base::load_be<std::uint32_t>(base::as_bytes(take(word_bytes, what)).data());
  }
  std::string text(std::uint64_t most, std::string_view what) {
    const std::uint32_t length = word(what);
    if (length > most) {
      base::fail(Code::malformed, {.offset = at_ - word_bytes, .found = fmt::format("{}", length)},
                 "{} of {} bytes, expected at most {}", what, length, most);
    }
    return take(length, what);
  }
  std::uint64_t place(std::string_view what) {
    const std::string bytes = take(place_bytes, what);
    return base::load_be<std::uint64_t>(base::as_bytes(bytes).data() + 8);
  }

 private:
  base::ByteSource& file_;
  std::uint64_t at_;
  std::uint32_t crc_ = 0;
};

void put_word(std::string& bytes, std::uint32_t value) {
  std::array<std::byte, word_bytes> word{};
  base::store_be(word.data(), value);
  bytes += base::as_text(word);
}

void put_place(std::string& bytes, std::uint64_t value) {
  std::array<std::byte, place_bytes> place{};
  base::store_be(place.data() + 8, value);
  bytes += base::as_text(place);
}

void put_text(std::string& bytes, std::string_view text) {
  put_word(bytes, static_cast<std::uint32_t>(text.size()));
  bytes += text;
}

void read_entries(base::ByteSource& file, const Limits& limits, Map& map) {
  Walker walker(file, map.begin);
  const std::uint64_t count = walker.word("the map");
  if (count > limits.records || count > (file.size() - map.begin) / least_entry) {
    base::fail(Code::malformed, {.offset = map.begin, .found = fmt::format("{}", count)},
               "the map at byte {} has {} keys, which have no room there", map.begin, count);
  }
  map.entries.reserve(static_cast<std::size_t>(count));
  for (std::uint64_t k = 0; k < count; ++k) {
    std::string key = walker.text(longest_key, "a key of the map");
    map.entries.push_back({std::move(key), walker.place("the map")});
  }
  map.computed_crc = walker.crc();
  map.stated_crc = walker.word("the checksum of the map");
  map.end = walker.at();
  std::ranges::sort(map.entries, {}, &Entry::offset);
}

}  // namespace

bool begins_with_magic(base::ByteSource& file) {
  std::array<std::byte, word_bytes + magic.size()> start{};
  if (file.read_at(0, start) < start.size()) return false;
  return base::load_be<std::uint32_t>(start.data()) == magic.size() && base::as_text(start).substr(word_bytes) == magic;
}

Map read_map(base::ByteSource& file, const Limits& limits) {
  Walker walker(file, word_bytes + magic.size());
  Map map;
  map.version = walker.word("the header");
  map.text = walker.text(limits.text_bytes, "the text of the header");
  map.text_at = walker.at() - map.text.size();
  map.link_at = walker.at();
  map.begin = walker.place("the header");
  // The writer puts some other place there until it closes the file.
  if (map.begin < map.header_end() || map.begin >= file.size()) {
    base::fail(Code::truncated, {.offset = map.link_at, .found = fmt::format("{}", map.begin)},
               "the header states that the map is at byte {} of {}, which is impossible: the program that wrote the "
               "file ended before it wrote the map; let it write the file again",
               map.begin, file.size());
  }
  read_entries(file, limits, map);
  return map;
}

bool is_slice_key(std::string_view key) noexcept { return key.size() == 2 * word_bytes; }

SliceKey slice_key(std::string_view key) noexcept {
  const std::byte* const bytes = base::as_bytes(key).data();
  return {static_cast<std::int32_t>(base::load_be<std::uint32_t>(bytes)),
          static_cast<std::int32_t>(base::load_be<std::uint32_t>(bytes + word_bytes))};
}

std::string header_and_map(std::string_view text, std::uint64_t vectors, std::uint64_t slices,
                           std::uint64_t record_bytes) {
  std::string bytes;
  put_text(bytes, magic);
  put_word(bytes, 1);
  put_text(bytes, text);
  const std::uint64_t count = base::multiply_or_throw(vectors, slices, "the map");
  put_place(bytes, bytes.size() + place_bytes);
  const std::size_t begin = bytes.size();
  const std::uint64_t map_bytes = base::multiply_or_throw(count, least_entry + 2 * word_bytes, "the map");
  std::uint64_t record = begin + word_bytes + map_bytes + word_bytes;
  put_word(bytes, static_cast<std::uint32_t>(count));
  for (std::uint64_t vector = 0; vector < vectors; ++vector) {
    for (std::uint64_t slice = 0; slice < slices; ++slice) {
      std::string key;
      put_word(key, static_cast<std::uint32_t>(slice));
      put_word(key, static_cast<std::uint32_t>(vector));
      put_text(bytes, key);
      put_place(bytes, record);
      record = base::add_or_throw(record, record_bytes, "the size of the file");
    }
  }
  put_word(bytes, kernels::crc32(0, base::as_bytes(std::string_view(bytes).substr(begin))));
  return bytes;
}

}  // namespace lq::format::mod
