// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Links as bytes and as lanes of numbers.
#pragma once

#include <algorithm>
#include <array>

#include "archive/codec/link_batch.hpp"
#include "archive/codec/words.hpp"

namespace lq::archive {

// Numbers of one kind of this many links.
template <class T>
using WordLane = std::array<WordOf<T>, lanes>;

template <class T>
void to_numbers(const WordLane<T>& words, Lane& numbers) noexcept {
  for (std::size_t l = 0; l < lanes; ++l) numbers[l] = std::bit_cast<T>(words[l]);
}
template <class T>
void to_words(const Lane& numbers, WordLane<T>& words) noexcept {
  for (std::size_t l = 0; l < lanes; ++l) words[l] = std::bit_cast<WordOf<T>>(static_cast<T>(numbers[l]));
}

}  // namespace lq::archive
