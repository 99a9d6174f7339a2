// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Integers of fixed byte order put behind bytes that grow.
#pragma once

#include <concepts>
#include <vector>

#include "base/bytes.hpp"

namespace lq::base {

template <std::unsigned_integral T>
void append_le(std::vector<std::byte>& bytes, T value) {
  bytes.resize(bytes.size() + sizeof(T));
  store_le<T>(bytes.data() + bytes.size() - sizeof(T), value);
}

template <std::unsigned_integral T>
void append_be(std::vector<std::byte>& bytes, T value) {
  bytes.resize(bytes.size() + sizeof(T));
  store_be<T>(bytes.data() + bytes.size() - sizeof(T), value);
}

}  // namespace lq::base
