// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Answers about multifiles as JSON (docs/reference/json.md).
#include <limequat/json.hpp>
#include <limequat/multifile.hpp>

#include "base/json_writer.hpp"

namespace lq {
namespace {

using base::JsonWriter;

void put(JsonWriter& json, const std::vector<ChunkDamage>& damage) {
  json.begin_array();
  for (const ChunkDamage& one : damage) {
    json.begin_object()
        .member("path", one.path)
        .member("task", one.task)
        .member("chunk", one.chunk)
        .member("offset", one.offset)
        .member("bytes", one.bytes)
        .member("what", one.what)
        .member("field", one.field)
        .end_object();
  }
  json.end_array();
}

void put(JsonWriter& json, const MultifileInfo& info) {
  json.begin_object()
      .member("path", info.path)
      .member("tasks", info.tasks)
      .member("bytes", info.bytes)
      .member("stored_bytes", info.stored_bytes)
      .member("chunks", info.chunks)
      .key("files")
      .array(info.files)
      .member("records", info.has_records)
      .member("checksums", info.has_checksums)
      .member("compression", name(info.compression))
      .member("generation", info.generation)
      .member("fields", info.fields)
      .member("fields_file", info.fields_file)
      .key("findings")
      .raw(to_json(info.findings))
      .end_object();
}

void put(JsonWriter& json, const MultifileField& field) {
  json.begin_object()
      .member("name", field.name)
      .key("spec")
      .raw(to_json(field.spec))
      .key("lattice")
      .array(field.extents)
      .key("processes")
      .array(field.processes)
      .member("bytes", field.bytes)
      .key("checksum");
  field.checksum ? json.raw(to_json(*field.checksum)) : json.null();
  json.key("metadata").begin_array();
  for (const auto& [type, text] : field.metadata) {
    json.begin_object().member("name", type).member("text", text).end_object();
  }
  json.end_array().end_object();
}

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

std::string to_json(const MultifileInfo& info) {
  JsonWriter json;
  put(json, info);
  return json.take();
}

std::string to_json(const std::vector<MultifileField>& fields) {
  JsonWriter json;
  json.begin_array();
  for (const MultifileField& field : fields) put(json, field);
  return json.end_array().take();
}

std::string to_json(const MultifileCheck& check) {
  JsonWriter json;
  json.begin_object().key("set");
  put(json, check.info);
  json.member("sound", check.is_sound())
      .member("chunks_checked", check.chunks_checked)
      .member("fields_checked", check.fields_checked)
      .key("damage");
  put(json, check.damage);
  return json.end_object().take();
}

std::string to_json(const RepairReport& report) {
  JsonWriter json;
  json.begin_object()
      .member("path", report.path)
      .member("outcome", name_of(report.outcome))
      .member("tasks", report.tasks)
      .member("chunks", report.chunks)
      .member("stored_bytes", report.stored_bytes)
      .member("fields", report.fields)
      .key("lost");
  put(json, report.lost);
  json.key("unfinished");
  put(json, report.unfinished);
  json.key("mended").array(report.mended);
  return json.end_object().take();
}

}  // namespace lq
