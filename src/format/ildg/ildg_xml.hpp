// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The ildg-format document (formats/ildg.md 3), on one line as QIO writes it; scidac/lattice_xml.hpp reads it.
#pragma once

#include <string>

#include <limequat/field.hpp>
#include <limequat/lattice.hpp>

namespace lq::format::ildg {

// With the terminating NUL that QIO counts in the length. `extents` has four dimensions.
std::string encode_format(const FieldSpec& spec, const Extents& extents);

}  // namespace lq::format::ildg
