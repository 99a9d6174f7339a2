// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files of openQCD's family as they are written: one, or a set of blocks.
#pragma once

#include <optional>
#include <string_view>

#include "format/format.hpp"
#include "format/openqcd/kinds.hpp"

namespace lq::format::openqcd {

inline constexpr std::string_view openqcd_name = "openqcd";
inline constexpr std::string_view contents_of_files =
    "one SU(3) gauge field or spinor field, momenta (32 real numbers per site), or U(1) links (4 real numbers per "
    "site), these also after a gauge field, in four dimensions of even extents";
inline constexpr SumName square_norm{SumKind::norm, SumOf::field};
inline constexpr SumName momentum_action{SumKind::momentum_action, SumOf::field};

// The kind that holds such a field; nothing: there is none.
std::optional<Kind> kind_for(const FieldSpec& spec, const Extents& extents) noexcept;

Layout plan_file(const FieldRequest& request);

}  // namespace lq::format::openqcd
