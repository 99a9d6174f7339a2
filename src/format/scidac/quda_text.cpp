// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/scidac/quda_text.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "format/scidac/record_types.hpp"
#include "format/scidac/subset.hpp"

namespace lq::format::scidac {

std::optional<QudaText> quda_text_of(std::string_view record_xml) {
  if (record_xml.find("ColorSpinorField>") == std::string_view::npos) return {};
  const Metadata texts{{std::string(type::record_xml), std::string(record_xml)}};
  const auto colors = base::parse_u64(fact_of(texts, type::record_xml, "nColor"));
  const auto spins = base::parse_u64(fact_of(texts, type::record_xml, "nSpin"));
  constexpr std::uint64_t most = 4096;
  if (!colors || !spins || *colors < 1 || *spins < 1 || *colors > most || *spins > most) return {};
  return QudaText{*colors, *spins};
}

void describe_as_quda(const QudaText& text, const FieldSpec& spec, RecordInfo& info) {
  if (spec.kind != FieldKind::generic || spec.numbers % text.numbers() != 0) return;
  info.datatype = fmt::format("QUDA_{}Ns{}Nc{}_ColorSpinorField", info.precision, text.spins, text.colors);
  info.colors = text.colors;
  info.spins = text.spins;
  info.typesize = text.numbers() * spec.number_bytes();
  info.datacount = spec.numbers / text.numbers();
}

}  // namespace lq::format::scidac
