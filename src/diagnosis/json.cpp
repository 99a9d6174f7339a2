// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The schema is documented in docs/reference/json.md.
#include <limequat/diagnose.hpp>
#include <limequat/json.hpp>

#include "base/json_writer.hpp"

namespace lq {
namespace {

using base::JsonWriter;

template <class T>
void member_or_null(JsonWriter& json, std::string_view key, const std::optional<T>& value) {
  json.key(key);
  value ? json.raw(to_json(*value)) : json.null();
}

void write(JsonWriter& json, const Reading& reading) {
  json.begin_object().member("offset", reading.offset).member("precision", name(reading.precision));
  json.member("byte_order", reading.byte_order == ByteOrder::big ? "big" : "little");
  json.member("halves_exchanged", reading.halves_exchanged).member("parts", name(reading.parts));
  json.member("third_rows_missing", reading.third_rows_missing).member("transposed", reading.is_transposed);
  json.key("sites").array(reading.sites).key("links").array(reading.links);
  json.member("declared", reading.is_declared).member("unitarity", reading.unitarity);
  json.member("determinant", reading.determinant).member("plaquette", reading.plaquette);
  json.member("plaquette_error", reading.plaquette_error).member("factor", reading.factor).end_object();
}

void write(JsonWriter& json, const WriterGrid& grid) {
  json.begin_object()
      .member("tried", grid.tried)
      .member("grids", grid.grids)
      .member("complete", grid.is_complete)
      .member("found", grid.is_found);
  json.key("processes").array(grid.processes).member("ranks_last_fastest", grid.ranks_last_fastest);
  json.key("sites").array(grid.sites).member("seconds", grid.seconds).end_object();
}

}  // namespace

std::string to_json(const Diagnosis& diagnosis) {
  JsonWriter json;
  json.begin_object().member("path", diagnosis.path).member("format", diagnosis.format);
  json.member("field", diagnosis.field).key("lattice").array(diagnosis.extents);
  json.member("ok", diagnosis.ok).member("verdict", diagnosis.verdict).member("remedy", diagnosis.remedy);
  json.member("plaquette", diagnosis.plaquette).key("readings").begin_array();
  for (const Reading& reading : diagnosis.readings) write(json, reading);
  json.end_array().member("sampled_sites", diagnosis.sampled_sites).member("whole_read", diagnosis.is_whole_read);
  member_or_null(json, "stored", diagnosis.stored);
  member_or_null(json, "computed", diagnosis.computed);
  json.key("grid");
  if (diagnosis.grid) {
    write(json, *diagnosis.grid);
  } else {
    json.null();
  }
  json.member("basis", diagnosis.basis);
  member_or_null(json, "rewritten", diagnosis.rewritten);
  json.key("findings").raw(to_json(diagnosis.findings)).end_object();
  return json.take();
}

}  // namespace lq
