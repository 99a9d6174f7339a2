// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Structured answers as JSON: the schema is documented in docs/reference/json.md.
#include <limequat/json.hpp>

#include <algorithm>

#include "base/json_writer.hpp"
#include "base/text.hpp"

namespace lq {

namespace {

using base::JsonWriter;

void put(JsonWriter& json, const Coord& coord) {
  json.begin_array();
  for (std::int64_t value : coord) json.value(value);
  json.end_array();
}

void put(JsonWriter& json, const Checksum& sum) {
  json.begin_object().member("suma", base::hex32(sum.suma)).member("sumb", base::hex32(sum.sumb)).end_object();
}

void put(JsonWriter& json, const FieldSpec& spec) {
  json.begin_object()
      .member("kind", name(spec.kind))
      .member("colors", spec.colors)
      .member("spins", spec.spins)
      .member("links", spec.links)
      .member("numbers", spec.numbers)
      .member("complex", spec.is_complex)
      .member("precision", name(spec.precision))
      .member("site_bytes", spec.site_bytes())
      .end_object();
}

void put(JsonWriter& json, const Plaquette& plaquette) {
  json.begin_object()
      .member("average", plaquette.average)
      .member("spatial", plaquette.spatial)
      .member("temporal", plaquette.temporal)
      .end_object();
}

void put(JsonWriter& json, const Physics& physics) {
  json.begin_object().key("plaquette");
  put(json, physics.plaquette);
  json.member("link_trace", physics.link_trace).key("unitarity").begin_object();
  json.member("largest", physics.unitarity.largest)
      .member("mean", physics.unitarity.mean)
      .member("far_links", physics.unitarity.far_links)
      .member("largest_determinant", physics.unitarity.largest_determinant)
      .key("worst_site");
  put(json, physics.unitarity.worst_site);
  json.member("worst_link", physics.unitarity.worst_link).end_object();
  json.member("not_finite", physics.not_finite).end_object();
}

template <class T>
void put_or_null(JsonWriter& json, const std::optional<T>& value) {
  if (value) {
    put(json, *value);
  } else {
    json.null();
  }
}

void put(JsonWriter& json, const Metadata& metadata) {
  json.begin_array();
  for (const auto& [key, text] : metadata) json.begin_object().member("name", key).member("text", text).end_object();
  json.end_array();
}

void put(JsonWriter& json, const ZeroRegion& zeros) {
  json.begin_object()
      .member("sites", zeros.sites)
      .member("first_offset", zeros.first_offset)
      .member("last_offset", zeros.last_offset)
      .end_object();
}

void put(JsonWriter& json, const Finding& finding) {
  json.begin_object()
      .member("severity", name(finding.severity))
      .member("code", static_cast<int>(finding.code))
      .member("code_name", name(finding.code))
      .member("rule", finding.rule)
      .member("message", finding.message)
      .member("record", finding.record)
      .member("offset", finding.offset)
      .member("length", finding.length)
      .member("expected", finding.expected)
      .member("found", finding.found)
      .end_object();
}

void put(JsonWriter& json, const Record& record) {
  json.begin_object()
      .member("type", record.type)
      .member("file", record.file)
      .member("message", record.message)
      .member("number", record.number)
      .member("mb_flag", record.mb_flag)
      .member("me_flag", record.me_flag)
      .member("header_offset", record.header_offset)
      .member("offset", record.offset)
      .member("data_length", record.data_length)
      .member("pieces", record.pieces)
      .end_object();
}

// The numbers lie in the file one after another as in an array [t, z, y, x, ...].
bool lies_in_order(const Payload& payload) {
  return payload.is_in_one_piece() && payload.arrays == 1 && payload.encoding.empty() &&
         std::ranges::is_sorted(payload.order) && payload.codec == SiteCodec{};
}

void put(JsonWriter& json, const FieldEntry& entry) {
  const Payload& payload = entry.payload;
  json.begin_object().member("name", entry.name).key("spec");
  put(json, payload.spec);
  json.key("lattice");
  put(json, payload.extents);
  json.key("stored").begin_object().key("lower");
  put(json, payload.stored.lower);
  json.key("extents");
  put(json, payload.stored.extents);
  json.end_object();
  json.member("record", entry.record)
      .member("file", payload.file)
      .member("offset", payload.offset)
      .member("length", payload.length)
      .member("byte_order", payload.byte_order == ByteOrder::big ? "big" : "little")
      .member("in_order", lies_in_order(payload));
  json.key("checksum");
  put_or_null(json, entry.sums.checksum());
  json.member("slices", std::uint64_t{entry.sums.slices().size()})
      .member("plaquette", entry.plaquette)
      .member("link_trace", entry.link_trace)
      .key("metadata");
  put(json, entry.metadata);
  json.end_object();
}

void put(JsonWriter& json, const FieldVerdict& verdict) {
  json.begin_object()
      .member("name", verdict.name)
      .member("index", verdict.index)
      .member("checksum_status", name(verdict.status))
      .key("computed");
  put(json, verdict.computed);
  json.key("stored");
  put_or_null(json, verdict.stored);
  json.key("compared").begin_array();
  for (const SumName& name : verdict.compared) json.value(to_string(name));
  json.end_array().key("zeros");
  put(json, verdict.zeros);
  json.key("damaged_slices").begin_array();
  for (std::int64_t slice : verdict.damaged_slices) json.value(slice);
  json.end_array().key("physics");
  put_or_null(json, verdict.physics);
  json.end_object();
}

void put(JsonWriter& json, const Annotation& annotation) {
  json.begin_object()
      .member("offset", annotation.offset)
      .member("length", annotation.length)
      .member("name", annotation.name)
      .member("value", annotation.value)
      .member("section", annotation.section)
      .end_object();
}

void put(JsonWriter& json, const FormatInfo& format) {
  json.begin_object()
      .member("name", format.name)
      .member("holds", format.holds)
      .member("contents", name(format.contents));
  json.key("suffixes").begin_array();
  for (const std::string_view suffix : format.suffixes) json.value(suffix);
  json.end_array().member("begins", format.begins).end_object();
}

template <class T>
void put(JsonWriter& json, const std::vector<T>& values) {
  json.begin_array();
  for (const T& value : values) put(json, value);
  json.end_array();
}

void put(JsonWriter& json, const StepSeconds& seconds) {
  json.begin_object()
      .member("open", seconds.open)
      .member("pack", seconds.pack)
      .member("exchange", seconds.exchange)
      .member("storage", seconds.storage)
      .member("reserve", seconds.reserve)
      .member("sync", seconds.sync)
      .member("total", seconds.total)
      .end_object();
}

void put(JsonWriter& json, const Catalog& catalog) {
  json.begin_object()
      .member("path", catalog.path)
      .member("format", catalog.format)
      .member("file_bytes", catalog.file_bytes)
      .member("complete", catalog.complete)
      .key("files")
      .array(catalog.files)
      .key("records");
  put(json, catalog.records);
  json.key("fields");
  put(json, catalog.fields);
  json.key("metadata");
  put(json, catalog.metadata);
  json.key("findings");
  put(json, catalog.findings);
  json.end_object();
}

void put(JsonWriter& json, const RepackReport& report) {
  json.begin_object().member("format", report.format).key("files").array(report.files);
  json.member("streams", report.tasks).member("bytes", report.bytes);
  json.member("fields", report.fields).member("file_bytes", report.file_bytes);
  json.key("findings");
  put(json, report.findings);
  json.end_object();
}

void put(JsonWriter& json, const CopyReport& report) {
  json.begin_object().key("files").array(report.files).member("bytes", report.bytes);
  json.member("moved_bytes", report.moved_bytes).member("present_files", report.present_files);
  json.member("seconds", report.seconds).key("findings");
  put(json, report.findings);
  json.end_object();
}

void put(JsonWriter& json, const RepartitionReport& report) {
  json.begin_object().member("from", report.from).member("to", report.to).key("files").array(report.files);
  json.member("bytes", report.bytes)
      .member("moved_bytes", report.moved_bytes)
      .member("was_there", report.was_there)
      .member("seconds", report.seconds)
      .key("findings");
  put(json, report.findings);
  json.end_object();
}

void put(JsonWriter& json, const SqueezeReport& report) {
  json.begin_object().member("format", report.format).member("original_bytes", report.original_bytes);
  json.member("archive_bytes", report.archive_bytes).member("squeezed_bytes", report.squeezed_bytes);
  json.member("tiles", report.tiles).member("seconds", report.seconds).end_object();
}

void put(JsonWriter& json, const StorageReport& storage) {
  json.begin_object().key("file_system");
  storage.file_system.empty() ? json.null() : json.value(storage.file_system);
  json.member("block_bytes", storage.block_bytes).member("single_owner", storage.single_owner);
  json.key("stripes").raw(to_json(storage.stripes)).member("ranks", storage.ranks).end_object();
}

void put(JsonWriter& json, const DeviceReport& device) {
  json.begin_object().member("computing_ranks", device.computing_ranks);
  json.member("copying_ranks", device.copying_ranks).key("reason");
  device.reason.empty() ? json.null() : json.value(device.reason);
  json.end_object();
}

void put(JsonWriter& json, const Report& report) {
  json.begin_object()
      .member("path", report.path)
      .member("format", report.format)
      .member("field", report.field)
      .member("direction", report.written ? "write" : "read")
      .key("spec");
  put(json, report.spec);
  json.key("lattice");
  put(json, report.extents);
  json.member("ranks", report.ranks).member("strategy", name(report.strategy));
  json.member("bytes", report.bytes).key("seconds");
  put(json, report.seconds);
  json.member("bytes_per_second", report.rate()).key("checksum");
  put(json, report.checksum);
  json.key("stored");
  put_or_null(json, report.stored);
  json.member("checksum_status", name(report.status)).member("read_back", report.read_back).key("zeros");
  put(json, report.zeros);
  json.key("storage");
  put(json, report.storage);
  json.key("device");
  put(json, report.device);
  json.key("warnings");
  json.array(report.warnings);
  json.end_object();
}

void put(JsonWriter& json, const Verification& verification) {
  json.begin_object()
      .member("path", verification.path)
      .member("format", verification.format)
      .member("ok", verification.ok)
      .key("fields");
  put(json, verification.fields);
  json.key("findings");
  put(json, verification.findings);
  json.member("chunks_checked", verification.chunks_checked)
      .member("fields_checked", verification.fields_checked)
      .end_object();
}

void put(JsonWriter& json, const Difference& difference) {
  json.begin_object()
      .member("same", difference.same)
      .member("largest_absolute", difference.largest_absolute)
      .member("largest_relative", difference.largest_relative)
      .key("site");
  put(json, difference.site);
  json.member("number", difference.number)
      .member("a", difference.a)
      .member("b", difference.b)
      .member("differing_numbers", difference.differing_numbers)
      .member("compared_numbers", difference.compared_numbers)
      .key("metadata")
      .begin_array();
  for (const std::string& sentence : difference.metadata) json.value(std::string_view(sentence));
  json.end_array().end_object();
}

void put(JsonWriter& json, const Error& error) {
  const ErrorFacts& facts = error.facts();
  json.begin_object()
      .member("code", static_cast<int>(error.code()))
      .member("name", name(error.code()))
      .member("message", std::string_view(error.what()))
      .member("path", facts.path)
      .member("record", facts.record)
      .member("offset", facts.offset)
      .member("rank", facts.rank)
      .member("expected", facts.expected)
      .member("found", facts.found)
      .member("errno", facts.system_errno)
      .end_object();
}

template <class T>
std::string json_text(const T& value) {
  JsonWriter json;
  put(json, value);
  return json.take();
}

}  // namespace

std::string to_json(const Catalog& catalog) { return json_text(catalog); }
std::string to_json(const FieldSpec& spec) { return json_text(spec); }
std::string to_json(const Checksum& checksum) { return json_text(checksum); }
std::string to_json(const Report& report) { return json_text(report); }
std::string to_json(const RepackReport& report) { return json_text(report); }
std::string to_json(const CopyReport& report) { return json_text(report); }
std::string to_json(const RepartitionReport& report) { return json_text(report); }
std::string to_json(const SqueezeReport& report) { return json_text(report); }
std::string to_json(const Verification& verification) { return json_text(verification); }
std::string to_json(const Difference& difference) { return json_text(difference); }
std::string to_json(const Physics& physics) { return json_text(physics); }
std::string to_json(const Plaquette& plaquette) { return json_text(plaquette); }
std::string to_json(const std::vector<Finding>& findings) { return json_text(findings); }
std::string to_json(const std::vector<FormatInfo>& formats) { return json_text(formats); }
std::string to_json(const std::vector<Annotation>& annotations) { return json_text(annotations); }
std::string to_json(const Error& error) { return json_text(error); }

}  // namespace lq
