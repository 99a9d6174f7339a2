// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/lime/rules.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "format/lime/header.hpp"
#include "format/read_ahead.hpp"

namespace lq::format::lime {
namespace {

void check_header(const Record& record, const Header& header, Findings& findings) {
  if (header.reserved_flags != 0 || header.reserved != 0) {
    findings.warning("lime-reserved-bits", record, "reserved bits of the header are set", "0000",
                     fmt::format("{:02x}{:02x}", header.reserved_flags, header.reserved));
  }
  if (!header.type_tail_is_zero) {
    findings.warning("lime-type-tail", record, "bytes other than NUL follow the end of the type");
  }
  const bool ascii = std::ranges::all_of(header.type, [](char c) { return c >= ' ' && c < 0x7f; });
  if (!ascii) findings.warning("lime-type-ascii", record, "the type holds characters that are not printable ASCII");
}

void check_padding(ReadAhead& window, const Record& record, Findings& findings) {
  const std::uint64_t behind = record.offset + record.data_length;
  const base::Bytes pad = window.view(behind, padding(record.data_length));
  const bool zero = std::ranges::all_of(pad, [](std::byte b) { return b == std::byte{0}; });
  if (!zero) findings.warning("lime-padding-nonzero", record, "the padding holds bytes other than zero");
}

}  // namespace

void check_headers(base::ByteSource& file, const Catalog& catalog, Findings& findings) {
  ReadAhead window(file);
  for (const Record& record : catalog.records) {
    const base::Bytes bytes = window.view(record.header_offset, header_bytes);
    if (bytes.size() < header_bytes) return;
    check_header(record, decode(bytes.first<header_bytes>()), findings);
    if (record.data_length > window.size() - record.offset) return;
    check_padding(window, record, findings);
  }
}

}  // namespace lq::format::lime
