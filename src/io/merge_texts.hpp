// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Texts of a field that is converted: those of its file, and what the user gives beside or instead of them.
#pragma once

#include <string_view>

#include <limequat/catalog.hpp>
#include <limequat/inspect.hpp>
#include <limequat/metadata.hpp>
#include <limequat/options.hpp>

#include "format/format.hpp"

namespace lq::io {

// The source's texts that the target can hold, with the user's: a text in the place of one of the same name, a value
// in the place of one that a text gives under that name ("beta = 6.0" in xlf-info), or else a text of its own.
// Of a part of the lattice those are left out that speak of all of it.
// unsupported: something would be lost that was not allowed to be.
Metadata merge_texts(const Catalog& catalog, const FieldEntry& entry, bool is_whole, const format::Format& target,
                     const ConvertOptions& options);

// Whether a text states what was measured of all sites, or names the whole file: of a part of it that is wrong.
bool speaks_of_all_sites(std::string_view name, std::string_view text);

}  // namespace lq::io
