// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Marks that a repair leaves. The first is that of data that nothing proves since they were repaired: a text of the
// field or of the file, which makes every examination call them unproven (io/judgement.hpp). FieldFormat::store_sums()
// without any sums puts it in their place. Conversions carry it like other texts.
#pragma once

#include <string_view>

namespace lq::format {

inline constexpr std::string_view unproven_text = "limequat-unproven";
// The text of a part that was rescued of a field whose data ended early: which part it is.
inline constexpr std::string_view rescued_text = "limequat-rescued";

}  // namespace lq::format
