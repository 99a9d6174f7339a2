// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Header objects of C-LIME and Lemon, which have the same parts. They come from malloc because C programs
// sometimes free their parts.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace lq::compat {

// Null if memory or the type is missing.
template <class Header>
Header* create_header(unsigned version, int mb_flag, int me_flag, const char* type, std::uint64_t length) noexcept {
  if (type == nullptr) return nullptr;
  auto* header = static_cast<Header*>(std::malloc(sizeof(Header)));
  char* copy = ::strdup(type);
  if (header == nullptr || copy == nullptr) {
    std::free(header);
    std::free(copy);
    return nullptr;
  }
  *header = {version, mb_flag, me_flag, copy, length};
  return header;
}

template <class Header>
void destroy_header(Header* header) noexcept {
  if (header == nullptr) return;
  std::free(header->type);
  std::free(header);
}

}  // namespace lq::compat
