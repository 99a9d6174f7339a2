// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The first record of a set of modes: what all its vectors have in common (formats/modes.md 3).
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/modes.hpp>

namespace lq::format::modes {

using lq::modes::Description;
using lq::modes::Mode;

namespace type {
inline constexpr std::string_view head = "limequat-modes";
inline constexpr std::string_view index = "limequat-modes-index";
inline constexpr std::string_view data = "limequat-mode-data";
inline constexpr std::string_view coefficients = "limequat-mode-coefficients";
inline constexpr std::string_view mode = "limequat-mode";

inline constexpr std::array<std::string_view, 5> all{head, index, data, coefficients, mode};
}  // namespace type

// invalid_argument: what cannot be a set.
void check(const Description& description);

std::string encode(const Description& description);
// malformed: it is none. The room is that of the index, which this record does not tell.
Description decode_description(std::string_view document);

// What the document says of modes that a repair could not save (format/format.hpp); and the same document with one
// such text more.
std::vector<std::string> unproven_texts(std::string_view document);
std::string with_unproven(std::string_view document, std::string_view text);

// Where a vector is whose data begin at `offset`, or the coefficients of one.
Payload payload_at(const Description& description, std::uint64_t offset, bool is_whole = true);
// Slices of the slowest dimension, each of which has sums of its own.
std::uint64_t slices_of(const Description& description, bool is_whole = true);

// What is known of a vector as texts of its field, and back; texts of other names are left alone. invalid_argument: a
// text is no number.
Metadata texts_of(const Mode& mode);
Mode mode_of(const Metadata& texts);

}  // namespace lq::format::modes
