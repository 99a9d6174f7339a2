// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Texts that travel with a field, as lines of a NERSC header (formats/nersc.md 3).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <limequat/metadata.hpp>

#include "format/flat/text_header.hpp"

namespace lq::format::nersc {

// The text that is the header of another NERSC file, whose lines a new file gets again.
inline constexpr std::string_view header_text = "nersc-header";

// The keys of lines that say what the numbers are.
std::span<const std::string_view> keys_of_numbers() noexcept;

// Those of a header: its own lines as one text, and the texts that we put there.
Metadata texts_of(const flat::TextHeader& header);

// Those that have a place in a header.
Metadata held_texts(const Metadata& texts);

// The lines for them, but not those that say what the numbers are.
std::string lines_of(const Metadata& texts);

}  // namespace lq::format::nersc
