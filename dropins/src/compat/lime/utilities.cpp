// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The helpers that C-LIME exports, which programs have come to use.
#include <lime_utils.h>

#include <algorithm>
#include <bit>
#include <cstddef>

#include "format/lime/header.hpp"

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
