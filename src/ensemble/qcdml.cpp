// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Writes documents, and collects the facts they need from the file.
#include <limequat/qcdml.hpp>

#include <algorithm>

#include <fmt/format.h>
#include <limequat/file.hpp>
#include <limequat/inspect.hpp>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "base/text_facts.hpp"
#include "base/xml.hpp"
#include "ensemble/cksum.hpp"
#include "ensemble/files.hpp"
#include "ensemble/qcdml.hpp"
#include "io/replaceable.hpp"

namespace lq::ensemble::qcdml {
namespace {

constexpr std::string_view no_lfn = "lfn://unregistered/";  // formats/ildg.md

// Both spellings occur.
bool is_lfn_record(std::string_view name) { return name == "ildg-data-lfn" || name == "ildg-data-LFN"; }

bool is_gauge(const FieldEntry& field) { return field.payload.spec.kind == FieldKind::gauge; }

std::string property_of(const Catalog& catalog, std::string_view key) {
  Metadata texts = catalog.metadata;
  for (const FieldEntry& field : catalog.fields)
    texts.insert(texts.end(), field.metadata.begin(), field.metadata.end());
  for (const base::Property& property : base::properties_of(texts)) {
    if (property.key == key) return property.value;
  }
  return {};
}

// Measured if possible: a value stated by the file proves nothing.
std::optional<double> plaquette_of(const std::string& path, const FieldEntry& entry, const Limits& limits) {
  const Verification verification = verify(path, {}, {.limits = limits});
  const auto measured = std::ranges::find(verification.fields, entry.name, &FieldVerdict::name);
  if (measured != verification.fields.end() && measured->physics) return measured->physics->plaquette.average;
  return entry.plaquette;
}

}  // namespace

Finding finding(Severity severity, std::string rule, std::string message, std::string expected, std::string found) {
  Finding made;
  made.severity = severity;
  made.code = severity == Severity::error ? Code::malformed : Code::ok;
  made.rule = std::move(rule);
  made.message = std::move(message);
  made.expected = std::move(expected);
  made.found = std::move(found);
  return made;
}

std::string lfn_in(const Catalog& catalog) {
  for (const auto& [name, text] : catalog.metadata) {
    if (is_lfn_record(name)) return std::string(base::trim(text));
  }
  for (const FieldEntry& field : catalog.fields) {
    for (const auto& [name, text] : field.metadata) {
      if (is_lfn_record(name)) return std::string(base::trim(text));
    }
  }
  return {};
}

void check_lfn(const std::string& lfn, std::vector<Finding>& findings) {
  if (lfn.empty()) {
    findings.push_back(finding(Severity::warning, "ildg-lfn-missing",
                               "there is no logical file name (a record ildg-data-lfn); catalogues require one"));
    return;
  }
  if (lfn.starts_with(no_lfn)) {
    findings.push_back(finding(
        Severity::warning, "ildg-lfn-unregistered",
        fmt::format(
            "the logical file name \"{}\" is a placeholder; `lq ildg lfn FILE --set LFN -o OUT` sets a real one",
            base::printable(lfn))));
    return;
  }
  const std::string shown = base::printable(lfn, 160);
  if (!lfn.starts_with("lfn://")) {
    findings.push_back(finding(Severity::error, "ildg-lfn-form",
                               fmt::format("the logical file name \"{}\" does not begin with lfn://", shown),
                               "lfn://GRID/...", shown));
  } else if (lfn.find('/', 6) == std::string::npos || lfn.find('/', 6) == 6) {
    findings.push_back(finding(Severity::error, "ildg-lfn-form",
                               fmt::format("the logical file name \"{}\" names no grid and file", shown),
                               "lfn://GRID/...", shown));
  }
  if (!expected_of(Type::uri, lfn).empty()) {
    findings.push_back(finding(
        Severity::error, "ildg-lfn-form",
        fmt::format("the logical file name \"{}\" is not a URI: it has blanks or brackets", shown), "a URI", shown));
  }
}

FileFacts facts_of(const std::string& path, const Limits& limits) {
  const Catalog catalog = inspect(path, {}, limits);
  catalog.require_sound();
  const auto first = std::ranges::find_if(catalog.fields, is_gauge);
  if (first == catalog.fields.end()) {
    throw Error(Code::unsupported,
                fmt::format("{}: holds no gauge field, but QCDml documents describe gauge fields", path),
                {.path = path});
  }
  FileFacts facts;
  facts.sums.file = whole_cksum_of(path);
  for (const FieldEntry& field : catalog.fields) {
    if (!is_gauge(field)) continue;
    const Payload& payload = field.payload;
    std::optional<std::uint32_t> sum;
    if (payload.tile_sites == 0 && payload.file == 0) sum = whole_cksum_of(path, payload.offset, payload.length);
    facts.field_sums.push_back(sum);
  }
  facts.sums.data = facts.field_sums.front();
  facts.field = fmt::format("su{}gauge", first->payload.spec.colors);
  facts.precision = name(first->payload.spec.precision);
  facts.plaquette = plaquette_of(path, *first, limits);
  facts.lfn = lfn_in(catalog);
  if (facts.lfn.starts_with(no_lfn)) facts.lfn.clear();
  facts.update = property_of(catalog, "trajectory");
  facts.beta = property_of(catalog, "beta");
  FileStatus status;
  if (status_of(path, status)) facts.modified = base::utc_text(status.modified / 1'000'000'000);
  return facts;
}

namespace {

class Writer {
 public:
  Writer(const Schema& schema, const FileFacts& facts, const ildg::QcdmlOptions& options)
      : schema_(schema), facts_(facts), options_(options), uses_(options.metadata.size(), 0) {}

  ildg::Document write() {
    document_.schema = schema_.name;
    document_.sums = facts_.sums;
    document_.text =
        fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<gaugeConfiguration xmlns=\"{}\">\n", schema_.uri);
    for (const Node& node : schema_.root) put(node, {}, 1);
    document_.text += "</gaugeConfiguration>\n";
    for (std::size_t k = 0; k < uses_.size(); ++k) require_used(options_.metadata[k].first, uses_[k]);
    return std::move(document_);
  }

 private:
  static constexpr std::string_view parameters = "algorithm/parameters/";

  void require_used(const std::string& key, int uses) const {
    if (uses == 1) return;
    throw Error(Code::invalid_argument,
                fmt::format("metadata \"{}\": schema {} has {} of that name; name it by its path, such as {}",
                            base::printable(key), schema_.name, uses == 0 ? "no element" : "several elements",
                            schema_.name == "1.3" ? "markovStep/series" : "markovSequence/series"),
                {.found = key});
  }

  // The text that the user gave for it.
  const std::string* given(const std::string& path) {
    const std::string* found = nullptr;
    for (std::size_t k = 0; k < uses_.size(); ++k) {
      const auto& [key, text] = options_.metadata[k];
      if (path != key && !path.ends_with('/' + key)) continue;
      ++uses_[k];
      found = &text;
    }
    return found;
  }

  // True if the user gave a text for an element in it.
  bool is_given_within(const Node& node, const std::string& path) const {
    for (const Node& child : node.children) {
      const std::string below = path + '/' + std::string(child.name);
      for (const auto& [key, text] : options_.metadata) {
        if (below == key || below.ends_with('/' + key)) return true;
      }
      if (is_given_within(child, below)) return true;
    }
    return false;
  }

  void line(int depth, const std::string& text) { document_.text += fmt::format("{:{}}{}\n", "", 2 * depth, text); }

  void put(const Node& node, const std::string& parent, int depth) {
    const std::string path = parent.empty() ? std::string(node.name) : parent + '/' + std::string(node.name);
    if (node.name == "parameters") return put_parameters(depth);
    if (node.children.empty()) return put_leaf(node, path, depth);
    if (node.is_optional && !is_given_within(node, path)) return;
    line(depth, fmt::format("<{}>", node.name));
    for (const Node& child : node.children) put(child, path, depth + 1);
    line(depth, fmt::format("</{}>", node.name));
  }

  void put_leaf(const Node& node, const std::string& path, int depth) {
    const std::string* text = given(path);
    // Name and institution are required for a participant without ORCID.
    const bool is_demanded =
        !node.is_optional || (path.ends_with("participant/name") || path.ends_with("participant/institution"));
    if (text == nullptr && !is_demanded) return;
    std::string value = text != nullptr ? *text : known(path);
    if (value.empty()) {
      value = placeholder(node.type, path);
      document_.missing.push_back(path);
    }
    if (const std::string_view expected = expected_of(node.type, value); !expected.empty()) {
      throw Error(Code::invalid_argument,
                  fmt::format("{} is \"{}\", expected {}", path, base::printable(value), expected),
                  {.expected = std::string(expected), .found = value});
    }
    line(depth, base::xml::element(node.name, value));
    if (node.name == "crcCheckSum") {
      const bool is_data = options_.crc != "file";
      const std::string other = is_data            ? fmt::format("file {}", facts_.sums.file)
                                : facts_.sums.data ? fmt::format("data {}", *facts_.sums.data)
                                                   : std::string("data in pieces");
      line(depth, fmt::format("<!-- cksum of the {}; of the {} -->", is_data ? "data" : "file", other));
    }
  }

  // The value from the file.
  std::string known(const std::string& path) const {
    if (path.ends_with("crcCheckSum")) {
      if (options_.crc == "file") return std::to_string(facts_.sums.file);
      return facts_.sums.data ? std::to_string(*facts_.sums.data) : std::string();
    }
    if (path.ends_with("avePlaquette")) return facts_.plaquette ? fmt::format("{}", *facts_.plaquette) : std::string();
    if (path.ends_with("revisionAction")) return "generate";
    if (path.ends_with("dataLFN")) return facts_.lfn;
    if (path.ends_with("/update")) return facts_.update;
    if (path.ends_with("record/field")) return facts_.field;
    return path == "precision" ? facts_.precision : std::string();
  }

  std::string placeholder(Type type, const std::string& path) const {
    if (path.ends_with("dataLFN")) return "lfn://unknown/unknown";
    if (path.ends_with("markovChainURI")) return "mc://unknown/unknown";
    if (type == Type::date_time) return facts_.modified;
    return type == Type::real || type == Type::whole ? "0" : "unknown";
  }

  void put_parameters(int depth) {
    Metadata all;
    if (!facts_.beta.empty()) all.emplace_back("beta", facts_.beta);
    for (std::size_t k = 0; k < uses_.size(); ++k) {
      const auto& [key, text] = options_.metadata[k];
      if (!key.starts_with(parameters)) continue;
      ++uses_[k];
      const std::string name = key.substr(parameters.size());
      std::erase_if(all, [&](const auto& entry) { return entry.first == name; });
      all.emplace_back(name, text);
    }
    if (all.empty()) return;
    line(depth, "<parameters>");
    const bool has_groups = schema_.name != "1.3";
    for (const auto& [name, text] : all) put_parameter(name, text, has_groups, depth + 1);
    line(depth, "</parameters>");
  }

  void put_parameter(const std::string& name, const std::string& text, bool is_group, int depth) {
    if (const std::string_view expected = expected_of(Type::name, name); !expected.empty()) {
      throw Error(Code::invalid_argument, fmt::format("parameter \"{}\": expected {}", base::printable(name), expected),
                  {.expected = std::string(expected), .found = name});
    }
    if (is_group) line(depth, "<parameter>");
    line(depth + (is_group ? 1 : 0), base::xml::element("name", name));
    line(depth + (is_group ? 1 : 0), base::xml::element("value", text));
    if (is_group) line(depth, "</parameter>");
  }

  const Schema& schema_;
  const FileFacts& facts_;
  const ildg::QcdmlOptions& options_;
  std::vector<int> uses_;
  ildg::Document document_;
};

}  // namespace
}  // namespace lq::ensemble::qcdml

namespace lq::ildg {

Document document(const std::string& path, const QcdmlOptions& options) {
  namespace qcdml = ensemble::qcdml;
  const qcdml::Schema& schema = qcdml::schema_named(options.schema);
  if (!options.crc.empty() && options.crc != "data" && options.crc != "file") {
    throw Error(Code::invalid_argument,
                fmt::format("crc is \"{}\", expected data or file", base::printable(options.crc)),
                {.expected = "data, file", .found = options.crc});
  }
  const qcdml::FileFacts facts = qcdml::facts_of(path, options.limits);
  Document made = qcdml::Writer(schema, facts, options).write();
  made.path = path;
  return made;
}

void save(const Document& document, const std::string& path, bool overwrite) {
  std::vector<std::string> described;
  if (!document.path.empty()) described.push_back(document.path);
  io::write_text(path, document.text, overwrite, described);
}

LogicalName lfn(const std::string& path, const QcdmlOptions& options) {
  LogicalName name;
  name.lfn = ensemble::qcdml::lfn_in(inspect(path, {}, options.limits));
  ensemble::qcdml::check_lfn(name.lfn, name.findings);
  return name;
}

}  // namespace lq::ildg
