// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Results as JSON: the schema is documented in docs/reference/json.md.
#include <limequat/json.hpp>

#include <algorithm>

#include "base/json_writer.hpp"
#include "base/text.hpp"

namespace lq {

using base::JsonWriter;

void put(JsonWriter& json, const Box& box) {
  json.begin_object().member("lower", box.lower).member("extents", box.extents).end_object();
}

void put(JsonWriter& json, const Checksum& sum) {
  json.begin_object().member("suma", base::hex32(sum.suma)).member("sumb", base::hex32(sum.sumb)).end_object();
}

void put(JsonWriter& json, const FieldSpec& spec) {
  json.begin_object().member("kind", name(spec.kind)).member("colors", spec.colors).member("spins", spec.spins);
  json.member("links", spec.links).member("numbers", spec.numbers).member("complex", spec.is_complex);
  json.member("precision", name(spec.precision)).member("site_bytes", spec.site_bytes()).end_object();
}

void put(JsonWriter& json, const Plaquette& plaquette) {
  json.begin_object().member("average", plaquette.average).member("spatial", plaquette.spatial);
  json.member("temporal", plaquette.temporal).end_object();
}

void put(JsonWriter& json, const Unitarity& unitarity) {
  json.begin_object().member("largest", unitarity.largest).member("mean", unitarity.mean);
  json.member("far_links", unitarity.far_links).member("largest_determinant", unitarity.largest_determinant);
  json.member("worst_site", unitarity.worst_site).member("worst_link", unitarity.worst_link).end_object();
}

void put(JsonWriter& json, const Physics& physics) {
  json.begin_object().member("plaquette", physics.plaquette).member("link_trace", physics.link_trace);
  json.member("unitarity", physics.unitarity).member("not_finite", physics.not_finite).end_object();
}

void put(JsonWriter& json, const WilsonLoop& loop) {
  json.begin_object().member("r", loop.r).member("s", loop.s).member("average", loop.average);
  json.member("spatial", loop.spatial).member("temporal", loop.temporal).end_object();
}

void put(JsonWriter& json, const FlowPoint& point) {
  json.begin_object().member("time", point.time).member("energy", point.energy);
  json.member("energy_plaquette", point.energy_plaquette).member("charge", point.charge).end_object();
}

void put(JsonWriter& json, const Observables& observables) {
  json.begin_object().member("open_boundary", observables.open_boundary);
  json.member("wilson_loops", observables.wilson_loops).key("polyakov_loop");
  if (const auto& loop = observables.polyakov_loop) {
    json.begin_object().member("re", loop->real()).member("im", loop->imag()).end_object();
  } else {
    json.null();
  }
  json.member("energy", observables.energy()).member("charge", observables.charge());
  json.member("flow", observables.flow).member("t0", observables.t0).member("w0", observables.w0);
  json.member("t0_plaquette", observables.t0_plaquette).member("w0_plaquette", observables.w0_plaquette).end_object();
}

void put(JsonWriter& json, const Metadata& metadata) {
  json.begin_array();
  for (const auto& [key, text] : metadata) json.begin_object().member("name", key).member("text", text).end_object();
  json.end_array();
}

void put(JsonWriter& json, const ZeroRegion& zeros) {
  json.begin_object().member("sites", zeros.sites).member("first_offset", zeros.first_offset);
  json.member("last_offset", zeros.last_offset).end_object();
}

void put(JsonWriter& json, const Finding& finding) {
  json.begin_object().member("severity", name(finding.severity)).member("code", static_cast<int>(finding.code));
  json.member("code_name", name(finding.code)).member("rule", finding.rule).member("message", finding.message);
  json.member("record", finding.record).member("offset", finding.offset).member("length", finding.length);
  json.member("expected", finding.expected).member("found", finding.found).end_object();
}

void put(JsonWriter& json, const Claim& claim) {
  json.begin_object().member("of", claim.of).member("name", claim.name).member("evidence", name(claim.evidence));
  json.member("outcome", name(claim.outcome)).member("offset", claim.offset);
  json.member("length", claim.length).end_object();
}

void put(JsonWriter& json, const Record& record) {
  json.begin_object().member("type", record.type).member("file", record.file).member("message", record.message);
  json.member("number", record.number).member("mb_flag", record.mb_flag).member("me_flag", record.me_flag);
  json.member("header_offset", record.header_offset).member("offset", record.offset);
  json.member("data_length", record.data_length).member("pieces", record.pieces).end_object();
}

// True if the numbers are stored as in an array [t, z, y, x, ...].
static bool lies_in_order(const Payload& payload) {
  return payload.is_in_one_piece() && payload.arrays == 1 && payload.encoding.empty() &&
         std::ranges::is_sorted(payload.order) && payload.codec == SiteCodec{};
}

void put(JsonWriter& json, const FieldEntry& entry) {
  const Payload& payload = entry.payload;
  json.begin_object().member("name", entry.name).member("spec", payload.spec).member("lattice", payload.extents);
  json.member("stored", payload.stored).member("record", entry.record).member("file", payload.file);
  json.member("offset", payload.offset).member("length", payload.length);
  json.member("byte_order", payload.byte_order == ByteOrder::big ? "big" : "little");
  json.member("in_order", lies_in_order(payload)).member("checksum", entry.sums.checksum());
  json.member("slices", std::uint64_t{entry.sums.slices().size()}).member("plaquette", entry.plaquette);
  json.member("link_trace", entry.link_trace).key("metadata");
  put(json, entry.metadata);
  json.end_object();
}

void put(JsonWriter& json, const FieldVerdict& verdict) {
  json.begin_object().member("name", verdict.name).member("index", verdict.index);
  json.member("checksum_status", name(verdict.status)).member("computed", verdict.computed);
  json.member("stored", verdict.stored).key("compared").begin_array();
  for (const SumName& name : verdict.compared) json.value(to_string(name));
  json.end_array().member("zeros", verdict.zeros).member("damaged_slices", verdict.damaged_slices);
  json.member("physics", verdict.physics);
  if (verdict.observables) json.member("observables", *verdict.observables);
  json.end_object();
}

void put(JsonWriter& json, const Annotation& annotation) {
  json.begin_object().member("offset", annotation.offset).member("length", annotation.length);
  json.member("name", annotation.name).member("value", annotation.value);
  json.member("section", annotation.section).end_object();
}

void put(JsonWriter& json, const FormatInfo& format) {
  json.begin_object().member("name", format.name).member("holds", format.holds);
  json.member("contents", name(format.contents)).member("suffixes", format.suffixes);
  json.member("begins", format.begins).end_object();
}

void put(JsonWriter& json, const BuildPart& part) {
  json.begin_object()
      .member("name", part.name)
      .member("is_present", part.is_present)
      .member("note", part.note)
      .end_object();
}

void put(JsonWriter& json, const StepSeconds& seconds) {
  json.begin_object().member("open", seconds.open).member("pack", seconds.pack).member("exchange", seconds.exchange);
  json.member("storage", seconds.storage).member("reserve", seconds.reserve).member("sync", seconds.sync);
  json.member("total", seconds.total).end_object();
}

void put(JsonWriter& json, const Catalog& catalog) {
  json.begin_object().member("path", catalog.path).member("format", catalog.format);
  json.member("file_bytes", catalog.file_bytes).member("complete", catalog.complete).member("files", catalog.files);
  json.member("records", catalog.records).member("fields", catalog.fields).key("metadata");
  put(json, catalog.metadata);
  json.member("findings", catalog.findings).end_object();
}

void put(JsonWriter& json, const RepackReport& report) {
  json.begin_object().member("format", report.format).member("files", report.files).member("streams", report.tasks);
  json.member("bytes", report.bytes).member("fields", report.fields).member("file_bytes", report.file_bytes);
  json.member("needed", report.needed);
  if (report.verdict) json.member("verdict", name(*report.verdict));
  json.member("findings", report.findings).end_object();
}

void put(JsonWriter& json, const CopyReport& report) {
  json.begin_object().member("files", report.files).member("bytes", report.bytes);
  json.member("moved_bytes", report.moved_bytes).member("present_files", report.present_files);
  json.member("seconds", report.seconds).member("findings", report.findings).end_object();
}

void put(JsonWriter& json, const RepartitionReport& report) {
  json.begin_object().member("from", report.from).member("to", report.to).member("files", report.files);
  json.member("bytes", report.bytes).member("moved_bytes", report.moved_bytes).member("was_there", report.was_there);
  json.member("seconds", report.seconds).member("findings", report.findings).end_object();
}

void put(JsonWriter& json, const SqueezeReport& report) {
  json.begin_object().member("format", report.format).member("original_bytes", report.original_bytes);
  json.member("archive_bytes", report.archive_bytes).member("squeezed_bytes", report.squeezed_bytes);
  json.member("tiles", report.tiles).member("seconds", report.seconds).end_object();
}

void put(JsonWriter& json, const ByteRange& range) {
  json.begin_object().member("offset", range.offset).member("length", range.length).end_object();
}

void put(JsonWriter& json, const ProtectedFile& file) {
  json.begin_object().member("path", file.path).member("sidecar", file.sidecar).member("bytes", file.bytes);
  json.member("state", name(file.state)).member("missing", file.is_missing);
  json.member("damaged", file.damaged).member("lost", file.lost).end_object();
}

void put(JsonWriter& json, const ProtectReport& report) {
  json.begin_object().member("sidecars", report.sidecars).member("files", report.files);
  json.member("bytes", report.bytes).member("sidecar_bytes", report.sidecar_bytes);
  json.member("stretch_bytes", report.stretch_bytes).member("window_bytes", report.window_bytes);
  json.member("lost_files", std::uint64_t{report.lost_files});
  json.member("ok", report.ok).member("seconds", report.seconds).member("findings", report.findings).end_object();
}

void put(JsonWriter& json, const StorageReport& storage) {
  json.begin_object().text_member("file_system", storage.file_system);
  json.member("block_bytes", storage.block_bytes).member("single_owner", storage.single_owner);
  json.key("stripes").raw(to_json(storage.stripes)).member("ranks", storage.ranks);
  json.member("call_bytes", storage.call_bytes).end_object();
}

void put(JsonWriter& json, const DeviceReport& device) {
  json.begin_object().member("computing_ranks", device.computing_ranks);
  json.member("copying_ranks", device.copying_ranks).text_member("reason", device.reason).end_object();
}

void put(JsonWriter& json, const Report& report) {
  json.begin_object().member("path", report.path).member("format", report.format).member("field", report.field);
  json.member("direction", report.written ? "write" : "read").member("spec", report.spec);
  json.member("lattice", report.extents).member("ranks", report.ranks).member("strategy", name(report.strategy));
  json.member("bytes", report.bytes).member("seconds", report.seconds).member("bytes_per_second", report.rate());
  json.member("checksum", report.checksum).member("stored", report.stored);
  json.member("checksum_status", name(report.status)).member("read_back", report.read_back);
  json.member("zeros", report.zeros).member("storage", report.storage);
  json.member("device", report.device).member("warnings", report.warnings);
  json.end_object();
}

void put(JsonWriter& json, const Verification& verification) {
  json.begin_object().member("path", verification.path).member("format", verification.format);
  json.member("ok", verification.ok).member("verdict", name(verification.verdict));
  json.member("claims", verification.claims).member("fields", verification.fields);
  json.member("findings", verification.findings);
  json.member("chunks_checked", verification.chunks_checked);
  json.member("fields_checked", verification.fields_checked).end_object();
}

void put(JsonWriter& json, const Difference& difference) {
  json.begin_object().member("same", difference.same).member("largest_absolute", difference.largest_absolute);
  json.member("largest_relative", difference.largest_relative).member("site", difference.site);
  json.member("number", difference.number).member("a", difference.a).member("b", difference.b);
  json.member("differing_numbers", difference.differing_numbers);
  json.member("compared_numbers", difference.compared_numbers).member("field", difference.field);
  json.member("fields", difference.fields).member("unpaired", difference.unpaired);
  json.member("metadata", difference.metadata).end_object();
}

void put(JsonWriter& json, const Error& error) {
  const ErrorFacts& facts = error.facts();
  json.begin_object().member("code", static_cast<int>(error.code())).member("name", name(error.code()));
  json.member("message", std::string_view(error.what())).member("path", facts.path).member("record", facts.record);
  json.member("offset", facts.offset).member("rank", facts.rank).member("expected", facts.expected);
  json.member("found", facts.found).member("errno", facts.system_errno).end_object();
}

namespace {

template <class T>
std::string json_text(const T& value) {
  JsonWriter json;
  return json.value(value).take();
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
std::string to_json(const ProtectReport& report) { return json_text(report); }
std::string to_json(const Verification& verification) { return json_text(verification); }
std::string to_json(const Difference& difference) { return json_text(difference); }
std::string to_json(const Physics& physics) { return json_text(physics); }
std::string to_json(const Plaquette& plaquette) { return json_text(plaquette); }
std::string to_json(const Observables& observables) { return json_text(observables); }
std::string to_json(const std::vector<Finding>& findings) { return json_text(findings); }
std::string to_json(const std::vector<FormatInfo>& formats) { return json_text(formats); }
std::string to_json(const std::vector<BuildPart>& parts) { return json_text(parts); }
std::string to_json(const std::vector<Annotation>& annotations) { return json_text(annotations); }
std::string to_json(const Error& error) { return json_text(error); }

}  // namespace lq
