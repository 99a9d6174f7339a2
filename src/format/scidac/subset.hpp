// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Fields that hold the sites of one parity (formats/scidac.md 6.5). QIO has no word for them: the programs write
// lattices of half the size and say so in their own texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <limequat/metadata.hpp>

namespace lq::format::scidac {

struct Subset {
  bool is_odd = false;
  std::optional<std::size_t> halved = {};  // the dimension of half the extent; nothing: the other sites are there, zero
};

// What the texts of the file and of the field say; nothing for a field of all sites.
std::optional<Subset> subset_of(const Metadata& file_texts, const Metadata& field_texts);

// The first fact of that name in the text of that name; empty: there is none.
std::string_view fact_of(const Metadata& texts, std::string_view text, std::string_view key);

// How many vectors there are, where a text of the file tells.
std::optional<std::uint64_t> stated_vectors(const Metadata& file_texts);

}  // namespace lq::format::scidac
