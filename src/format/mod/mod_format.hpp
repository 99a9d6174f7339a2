// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Vectors in object files of QDP++ (docs/formats/mod.md): a record for each time slice of each vector.
#pragma once

#include "base/xml.hpp"
#include "format/format.hpp"

namespace lq::format::mod {

const Format& format();

// Of the text: numbers for each time slice of each vector.
inline constexpr base::xml::Limits text_limits{.bytes = 16 << 20, .depth = 16, .elements = 200'000};

// The record of the text that a file begins with.
inline constexpr std::string_view text_name = "mod-metadata";

}  // namespace lq::format::mod
