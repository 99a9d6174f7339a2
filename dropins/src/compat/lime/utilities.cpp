// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The caller's FILE as positions of 64 bits, and the helpers that C-LIME exports, which programs use.
#include <sys/stat.h>
#include <sys/types.h>

#include <algorithm>
#include <bit>
#include <cstddef>

#include <lime_utils.h>

#include "compat/lime/stream.hpp"
#include "format/lime/header.hpp"

namespace lq::compat::lime {

bool move_to(std::FILE* fp, std::uint64_t position) noexcept {
  return position < position_limit && ::fseeko(fp, static_cast<off_t>(position), SEEK_SET) == 0;
}

bool move_to_if_elsewhere(std::FILE* fp, std::uint64_t position) noexcept {
  const off_t now = ::ftello(fp);
  return now < 0 || static_cast<std::uint64_t>(now) == position || move_to(fp, position);
}

std::uint64_t file_size(std::FILE* fp) noexcept {
  struct stat status {};
  const int descriptor = ::fileno(fp);
  if (descriptor < 0 || ::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return position_limit;
  return static_cast<std::uint64_t>(status.st_size);
}

Moved move_within(std::uint64_t position, std::int64_t offset, std::uint64_t bytes) noexcept {
  if (offset < 0) {
    const std::uint64_t back = 0 - static_cast<std::uint64_t>(offset);
    return back > position ? Moved{0, false} : Moved{position - back, true};
  }
  const std::uint64_t room = position < bytes ? bytes - position : 0;
  const auto ahead = static_cast<std::uint64_t>(offset);
  return ahead > room ? Moved{bytes, false} : Moved{position + ahead, true};
}

}  // namespace lq::compat::lime

extern "C" {

int lime_padding(size_t nbytes) { return static_cast<int>(lq::format::lime::padding(nbytes)); }

int lime_big_endian(void) { return std::endian::native == std::endian::big ? 1 : 0; }

void lime_byte_swap(void* ptr, size_t size, size_t nmemb) {
  if (ptr == nullptr || (size != 2 && size != 4 && size != 8)) return;
  auto* word = static_cast<std::byte*>(ptr);
  for (size_t i = 0; i < nmemb; ++i, word += size) std::reverse(word, word + size);
}

n_uint64_t big_endian_long_long(n_uint64_t value) {
  if (lime_big_endian() == 0) lime_byte_swap(&value, sizeof(value), 1);
  return value;
}

n_uint32_t big_endian_long(n_uint32_t value) {
  if (lime_big_endian() == 0) lime_byte_swap(&value, sizeof(value), 1);
  return value;
}

n_uint16_t big_endian_short(n_uint16_t value) {
  if (lime_big_endian() == 0) lime_byte_swap(&value, sizeof(value), 1);
  return value;
}

}  // extern "C"
