// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The text that QUDA puts next to its vectors (formats/vectors.md 2): what each of them holds, which the description of
// the record follows.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <limequat/field.hpp>

#include "format/scidac/private_xml.hpp"

namespace lq::format::scidac {

struct QudaText {
  std::uint64_t colors = 0, spins = 0;

  std::uint64_t numbers() const noexcept { return 2 * colors * spins; }  // of a site of one vector, for one s
};

// Nothing: the text is another one, or no vector is like that.
std::optional<QudaText> quda_text_of(std::string_view record_xml);

// A field of such vectors is described as QUDA does: a datum for each of them.
void describe_as_quda(const QudaText& text, const FieldSpec& spec, RecordInfo& info);

}  // namespace lq::format::scidac
