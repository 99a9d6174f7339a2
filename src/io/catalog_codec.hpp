// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A catalog as bytes: one rank scans a file, and the others receive the result. The same for a layout, planned by one
// rank, and for the results of examinations.
#pragma once

#include <tuple>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/inspect.hpp>

#include "base/bytes.hpp"
#include "base/function_ref.hpp"
#include "comm/comm.hpp"
#include "format/format.hpp"

namespace lq {

// The serialised members of each type (comm/pack.hpp).
inline auto members(Box& v) { return std::tie(v.lower, v.extents); }
inline auto members(SumName& v) { return std::tie(v.kind, v.of); }
inline auto members(Sum& v) { return std::tie(v.name, v.words); }
inline auto members(FieldSpec& v) {
  return std::tie(v.kind, v.colors, v.spins, v.links, v.numbers, v.is_complex, v.precision);
}
inline auto members(SiteCodec& v) {
  return std::tie(v.order, v.third_rows_missing, v.second_columns_missing, v.fixed16);
}
inline auto members(Tile& v) { return std::tie(v.file, v.offset, v.bytes); }
inline auto members(Payload& v) {
  return std::tie(v.file, v.offset, v.length, v.spec, v.extents, v.stored, v.order, v.byte_order, v.codec, v.tile_sites,
                  v.tiles, v.encoding, v.arrays, v.block, v.at_odd_points);
}
inline auto members(Record& v) {
  return std::tie(v.type, v.file, v.message, v.number, v.mb_flag, v.me_flag, v.header_offset, v.offset, v.data_length,
                  v.pieces);
}
inline auto members(FieldEntry& v) {
  return std::tie(v.name, v.payload, v.record, v.sums.all, v.metadata, v.plaquette, v.link_trace);
}
inline auto members(Finding& v) {
  return std::tie(v.severity, v.code, v.rule, v.message, v.record, v.offset, v.length, v.expected, v.found);
}
inline auto members(Claim& v) { return std::tie(v.of, v.name, v.evidence, v.outcome, v.offset, v.length); }
inline auto members(Catalog& v) {
  return std::tie(v.path, v.format, v.file_bytes, v.files, v.records, v.fields, v.metadata, v.findings, v.complete);
}

}  // namespace lq

namespace lq::io {

std::vector<std::byte> encode(const Catalog& catalog);
Catalog decode(base::Bytes bytes);
// Without head and tail, which only rank 0 needs.
std::vector<std::byte> encode(const format::Layout& layout);
// Returns the bytes after the value.
base::Bytes decode(base::Bytes bytes, Catalog& catalog);
base::Bytes decode(base::Bytes bytes, format::Layout& layout);

// Collective. Copies rank 0's catalog to all ranks, into the object that `make` returns (and fills on rank 0); its
// failure is thrown on all.
void broadcast(comm::Comm& comm, base::FunctionRef<Catalog&()> make);

}  // namespace lq::io
