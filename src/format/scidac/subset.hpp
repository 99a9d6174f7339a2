// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Fields that hold the sites of one parity (formats/scidac.md 6.5). QIO has no word for them: the programs write
// lattices of half the size and say so in their own texts.
#pragma once

#include <optional>
#include <string>

#include <limequat/metadata.hpp>

namespace lq::format::scidac {

struct Subset {
  std::string sites;        // "the even sites", ...
  bool is_packed = false;   // in a lattice of half an extent; else the other sites are there and zero
  std::string halved = {};  // the extent that is halved: "t", "x"
};

// What the texts of the file and of the field say; nothing for a field of all sites.
std::optional<Subset> subset_of(const Metadata& file_texts, const Metadata& field_texts);

}  // namespace lq::format::scidac
