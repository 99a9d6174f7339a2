// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The schema is documented in docs/reference/json.md.
#include <limequat/diagnose.hpp>
#include <limequat/json.hpp>

#include "base/json_writer.hpp"

namespace lq {

using base::JsonWriter;

void put(JsonWriter& json, const Reading& reading) {
  json.begin_object().member("offset", reading.offset).member("precision", name(reading.precision));
  json.member("byte_order", reading.byte_order == ByteOrder::big ? "big" : "little");
  json.member("halves_exchanged", reading.halves_exchanged).member("parts", name(reading.parts));
  json.member("third_rows_missing", reading.third_rows_missing).member("transposed", reading.is_transposed);
  json.member("colors", reading.colors).key("lattice").array(reading.lattice);
  json.member("axes", reading.axes).member("parity", reading.parity).member("record_marks", reading.record_marks);
  json.member("proven", reading.is_proven).member("single_in_double", reading.is_single_in_double);
  json.key("sites").array(reading.sites).key("links").array(reading.links);
  json.member("declared", reading.is_declared).member("unitarity", reading.unitarity);
  json.member("determinant", reading.determinant).member("plaquette", reading.plaquette);
  json.member("plaquette_error", reading.plaquette_error).member("factor", reading.factor).end_object();
}

void put(JsonWriter& json, const WriterGrid& grid) {
  json.begin_object().member("tried", grid.tried).member("grids", grid.grids).member("complete", grid.is_complete);
  json.member("found", grid.is_found).member("processes", grid.processes);
  json.member("ranks_last_fastest", grid.ranks_last_fastest).member("sites", grid.sites);
  json.member("seconds", grid.seconds).end_object();
}

namespace {

template <class T>
void member_or_null(JsonWriter& json, std::string_view key, const std::optional<T>& value) {
  json.key(key);
  value ? json.raw(to_json(*value)) : json.null();
}

}  // namespace

std::string to_json(const Diagnosis& diagnosis) {
  JsonWriter json;
  json.begin_object().member("path", diagnosis.path).member("format", diagnosis.format);
  json.member("field", diagnosis.field).key("lattice").array(diagnosis.extents);
  json.member("ok", diagnosis.ok).member("verdict", diagnosis.verdict).member("remedy", diagnosis.remedy);
  json.member("plaquette", diagnosis.plaquette).member("readings", diagnosis.readings);
  json.member("sampled_sites", diagnosis.sampled_sites).member("whole_read", diagnosis.is_whole_read);
  member_or_null(json, "stored", diagnosis.stored);
  member_or_null(json, "computed", diagnosis.computed);
  json.member("grid", diagnosis.grid).member("basis", diagnosis.basis);
  member_or_null(json, "rewritten", diagnosis.rewritten);
  json.key("findings").raw(to_json(diagnosis.findings)).end_object();
  return json.take();
}

}  // namespace lq
