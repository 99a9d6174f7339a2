// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Foreign bytes as they are shown (printable(), in text.hpp, is for short ones in messages). UTF-8 stays; what a
// terminal obeys or does not show (controls, marks of direction, separators of lines), and what is no UTF-8, become
// \xNN.
#pragma once

#include <string>
#include <string_view>

#include "base/inner.hpp"

namespace lq::base {

// A whole text on a terminal, with its ends of lines, tabs and backslashes.
LQ_INNER std::string printable_text(std::string_view text);
// `bytes` of the beginning of something, without the character that their end cuts.
std::string_view whole_characters(std::string_view bytes) noexcept;

}  // namespace lq::base
