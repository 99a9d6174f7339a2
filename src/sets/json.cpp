// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Results about multifiles and partitioned files as JSON (docs/reference/json.md).
#include <limequat/json.hpp>
#include <limequat/multifile.hpp>

#include "base/json_writer.hpp"

namespace lq {

// Results about multifiles as JSON (docs/reference/json.md).

using base::JsonWriter;

void put(JsonWriter& json, const ChunkDamage& one) {
  json.begin_object().member("path", one.path).member("task", one.task).member("chunk", one.chunk);
  json.member("offset", one.offset).member("bytes", one.bytes).member("what", one.what);
  json.member("field", one.field).end_object();
}

void put(JsonWriter& json, const MultifileInfo& info) {
  json.begin_object().member("path", info.path).member("tasks", info.tasks).member("bytes", info.bytes);
  json.member("stored_bytes", info.stored_bytes).member("chunks", info.chunks).member("files", info.files);
  json.member("records", info.has_records).member("checksums", info.has_checksums);
  json.member("compression", name(info.compression)).member("generation", info.generation);
  json.member("fields", info.fields).member("fields_file", info.fields_file);
  json.key("findings").raw(to_json(info.findings)).end_object();
}

void put(JsonWriter& json, const MultifileField& field) {
  json.begin_object().member("name", field.name).key("spec").raw(to_json(field.spec));
  json.member("lattice", field.extents).member("processes", field.processes).member("bytes", field.bytes);
  json.key("checksum");
  field.checksum ? json.raw(to_json(*field.checksum)) : json.null();
  json.key("metadata").begin_array();
  for (const auto& [type, text] : field.metadata) {
    json.begin_object().member("name", type).member("text", text).end_object();
  }
  json.end_array().end_object();
}

namespace {

std::string_view name_of(RepairReport::Outcome outcome) {
  switch (outcome) {
    case RepairReport::Outcome::published:
      return "published";
    case RepairReport::Outcome::recovered:
      return "recovered";
    case RepairReport::Outcome::mended:
      return "mended";
    case RepairReport::Outcome::nothing_to_do:
      break;
  }
  return "nothing_to_do";
}

}  // namespace

std::string to_json(const MultifileInfo& info) { return JsonWriter().value(info).take(); }

std::string to_json(const std::vector<MultifileField>& fields) { return JsonWriter().value(fields).take(); }

std::string to_json(const MultifileCheck& check) {
  JsonWriter json;
  json.begin_object().member("set", check.info).member("sound", check.is_sound());
  json.member("chunks_checked", check.chunks_checked).member("fields_checked", check.fields_checked);
  return json.member("damage", check.damage).end_object().take();
}

std::string to_json(const RepairReport& report) {
  JsonWriter json;
  json.begin_object().member("path", report.path).member("outcome", name_of(report.outcome));
  json.member("tasks", report.tasks).member("chunks", report.chunks).member("stored_bytes", report.stored_bytes);
  json.member("fields", report.fields).member("lost", report.lost).member("unfinished", report.unfinished);
  return json.member("mended", report.mended).end_object().take();
}

std::string to_json(const PartitionedFile& file) {
  base::JsonWriter json;
  const FileArray& array = file.partition.array();
  json.begin_object().member("path", file.path).member("bytes", file.bytes).member("begin", array.begin);
  json.member("element_bytes", array.element_bytes).key("extents").array(array.extents);
  json.member("partition", file.partition.text()).member("parts", file.partition.parts());
  json.member("is_set", file.is_set).key("files").begin_array();
  for (const PartitionedFile::Subfile& subfile : file.files) {
    json.begin_object().member("path", subfile.path).member("offset", subfile.offset).end_object();
  }
  return json.end_array().end_object().take();
}

std::string to_json(const Matching& matching) {
  base::JsonWriter json;
  json.begin_object().member("bytes", matching.bytes).member("pairs", matching.pairs).member("runs", matching.runs);
  json.member("mean_run_bytes", matching.mean_run_bytes()).member("degree", matching.degree());
  return json.end_object().take();
}

}  // namespace lq
