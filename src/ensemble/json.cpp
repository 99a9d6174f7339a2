// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Results as JSON: the schema is documented in docs/reference/json.md.
#include <limequat/json.hpp>

#include <algorithm>

#include <limequat/ensemble.hpp>
#include <limequat/qcdml.hpp>

#include "base/json_writer.hpp"

namespace lq {
namespace {

using base::JsonWriter;

void put(JsonWriter& json, const ensemble::Assessment& assessment) {
  json.begin_object().key("duplicates").begin_array();
  for (const ensemble::Duplicates& same : assessment.duplicates) {
    json.begin_object().member("checksum", same.checksum).key("paths").array(same.paths).end_object();
  }
  json.end_array().key("gaps").begin_array();
  for (const ensemble::Gaps& gaps : assessment.gaps) {
    json.begin_object().member("series", gaps.series).member("first", gaps.first).member("last", gaps.last);
    json.member("step", gaps.step).member("count", gaps.count).key("missing").array(gaps.missing).end_object();
  }
  json.end_array().key("outliers").begin_array();
  for (const ensemble::Outlier& outlier : assessment.outliers) {
    json.begin_object().member("path", outlier.path).member("series", outlier.series);
    json.member("plaquette", outlier.plaquette).member("median", outlier.median);
    json.member("deviation", outlier.deviation).end_object();
  }
  json.end_array().key("remarks").begin_array();
  for (const ensemble::Remark& remark : assessment.remarks) {
    json.begin_object().member("rule", remark.rule).member("series", remark.series);
    json.key("paths").array(remark.paths).member("sentence", remark.sentence).end_object();
  }
  json.end_array().end_object();
}

void put(JsonWriter& json, const ensemble::Entry& entry) {
  json.begin_object().member("path", entry.path).text_member("format", entry.format);
  json.text_member("kind", entry.kind).text_member("lattice", entry.lattice);
  json.text_member("precision", entry.precision).text_member("group", entry.group);
  json.member("size", entry.size).member("fields", entry.fields).text_member("checksum", entry.checksum);
  json.member("cksum", entry.cksum).member("plaquette", entry.plaquette).member("link_trace", entry.link_trace);
  json.member("trajectory", entry.trajectory).member("series", entry.series).member("state", entry.state);
  json.member("modified", entry.modified).member("indexed", entry.indexed);
  json.text_member("verified", entry.verified);
  json.key("properties").begin_array();
  for (const auto& [name, value] : entry.properties) {
    json.begin_object().member("name", name).member("value", value).end_object();
  }
  json.end_array();
  if (!entry.observables.empty()) {
    json.key("observables").begin_object();
    for (const auto& [name, value] : entry.observables) json.member(name, value);
    json.end_object();
  }
  json.end_object();
}

void put(JsonWriter& json, const ildg::Cksums& sums) {
  json.begin_object().member("file", std::uint64_t{sums.file}).key("data");
  sums.data ? json.value(std::uint64_t{*sums.data}) : json.null();
  json.end_object();
}

}  // namespace

namespace ensemble {

std::string to_json(const IndexReport& report) {
  JsonWriter json;
  json.begin_object().member("db", report.db).member("files", report.files).member("added", report.added);
  json.member("changed", report.changed).member("unchanged", report.unchanged).member("missing", report.missing);
  json.member("left_out", report.left_out)
      .member("forgotten", report.forgotten)
      .member("others", report.others)
      .member("damaged", report.damaged);
  json.member("incomplete", report.incomplete).member("unreadable", report.unreadable).member("bytes", report.bytes);
  json.member("being_written", report.being_written).member("leftovers", report.leftovers);
  if (report.measured > 0) json.member("measured", report.measured);
  json.member("seconds", report.seconds).key("warnings").array(report.warnings).key("strangers").begin_array();
  for (const Stranger& stranger : report.strangers) {
    json.begin_object().member("path", stranger.path).member("what", stranger.what).end_object();
  }
  json.end_array().key("problems").begin_array();
  for (const Problem& one : report.problems) {
    json.begin_object().member("path", one.path).member("state", one.state);
    json.text_member("problem", one.problem).end_object();
  }
  json.end_array().key("assessment");
  put(json, report.assessment);
  return json.end_object().take();
}

std::string to_json(const Entry& entry) {
  JsonWriter json;
  put(json, entry);
  return json.take();
}

std::string to_json(const Found& found) {
  JsonWriter json;
  json.begin_object().key("files").begin_array();
  for (const Entry& entry : found.files) put(json, entry);
  json.end_array().key("warnings").array(found.warnings).end_object();
  return json.take();
}

std::string to_json(const ScrubReport& report) {
  JsonWriter json;
  json.begin_object().member("db", report.db).member("ok", report.ok()).member("due", report.due);
  json.member("sound", report.sound).member("consistent", report.consistent).member("replaced", report.replaced);
  json.member("bit_rot", report.bit_rot).member("damaged", report.damaged).member("unproven", report.unproven);
  json.member("incomplete", report.incomplete).member("missing", report.missing);
  json.member("unreadable", report.unreadable);
  json.member("seconds", report.seconds).key("failed").begin_array();
  for (const Scrubbed& file : report.failed) {
    json.begin_object().member("path", file.path).member("verdict", file.verdict).member("sentence", file.sentence);
    json.key("verification").raw(lq::to_json(file.verification)).end_object();
  }
  return json.end_array().end_object().take();
}

std::string to_json(const VerifiedFile& file) {
  if (file.verification) return lq::to_json(*file.verification);
  JsonWriter json;
  json.begin_object().member("path", file.path).member("ok", false).member("verdict", name(file.verdict));
  json.member("problem", file.problem);
  if (file.error) json.key("error").raw(lq::to_json(*file.error));
  return json.end_object().take();
}

std::string to_json(const VerdictCounts& counts) {
  JsonWriter json;
  json.begin_object();
  for (const Verdict verdict : {Verdict::sound, Verdict::consistent, Verdict::unproven, Verdict::damaged,
                                Verdict::incomplete, Verdict::being_written, Verdict::unreadable, Verdict::foreign}) {
    std::string key(name(verdict));
    std::ranges::replace(key, ' ', '_');
    json.member(key, counts[verdict]);
  }
  return json.end_object().take();
}

std::string to_json(const VerifiedFiles& files) {
  JsonWriter json;
  const auto list = [&](std::string_view key, const std::vector<VerifiedFile>& all) {
    json.key(key).begin_array();
    for (const VerifiedFile& file : all) json.raw(to_json(file));
    json.end_array();
  };
  json.begin_object().member("ok", files.ok).key("summary").raw(to_json(files.counts));
  list("files", files.files);
  list("strangers", files.strangers);
  return json.end_object().take();
}

std::string to_json(const Assessment& assessment) {
  JsonWriter json;
  put(json, assessment);
  return json.take();
}

std::string to_json(const PageReport& report) {
  JsonWriter json;
  json.begin_object().member("path", report.path).member("files", report.files).member("bytes", report.bytes);
  return json.member("seconds", report.seconds).end_object().take();
}

}  // namespace ensemble

namespace ildg {

std::string to_json(const Document& document) {
  JsonWriter json;
  json.begin_object().member("schema", document.schema).member("text", document.text).key("cksum");
  put(json, document.sums);
  return json.key("missing").array(document.missing).end_object().take();
}

std::string to_json(const Check& check) {
  JsonWriter json;
  json.begin_object().member("path", check.path).text_member("schema", check.schema);
  json.member("ok", check.ok()).member("verdict", name(check.verdict)).key("cksum");
  put(json, check.sums);
  return json.key("findings").raw(lq::to_json(check.findings)).end_object().take();
}

std::string to_json(const LogicalName& name) {
  JsonWriter json;
  json.begin_object().text_member("lfn", name.lfn);
  return json.key("findings").raw(lq::to_json(name.findings)).end_object().take();
}

}  // namespace ildg
}  // namespace lq
