// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Checks documents against their schema, and against the file that they describe.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include <fmt/format.h>
#include <limequat/file.hpp>
#include <limequat/inspect.hpp>
#include <limequat/qcdml.hpp>

#include "base/function_ref.hpp"
#include "base/text.hpp"
#include "base/xml.hpp"
#include "ensemble/cksum.hpp"
#include "ensemble/qcdml.hpp"
#include "io/verdict.hpp"
#include "io/verify.hpp"
#include "sets/checkpoint/repair.hpp"
#include "storage/transport.hpp"

namespace lq::ensemble::qcdml {
namespace {

using base::xml::Element;

constexpr double plaquette_tolerance = 1e-5;  // printed with six digits and more

std::string read_text(const std::string& path, std::uint64_t most) {
  const auto file = storage::resolve(path).open_read(path);
  if (file->size() > most) {
    throw Error(Code::too_large,
                fmt::format("{}: {} bytes, more than a document may have ({})", path, file->size(), most),
                {.path = path});
  }
  std::string text(static_cast<std::size_t>(file->size()), '\0');
  text.resize(file->read_at(0, std::as_writable_bytes(std::span(text))));
  return text;
}

// The attribute xmlns of the root.
std::string_view namespace_in(std::string_view document) {
  const std::size_t root = document.find("gaugeConfiguration");
  const std::size_t end = std::min(document.find('>', root), document.size());
  const std::size_t name = document.find("xmlns", root);
  if (root == std::string_view::npos || name >= end) return {};
  const std::size_t open = document.find_first_of("\"'", name);
  if (open >= end) return {};
  const std::size_t close = document.find(document[open], open + 1);
  return close >= end ? std::string_view() : document.substr(open + 1, close - open - 1);
}

class Rules {
 public:
  explicit Rules(std::vector<Finding>& findings) : findings_(findings) {}

  // The children of an element in the order of the schema.
  void check(const Element& element, std::span<const Node> nodes, bool is_open, const std::string& path) {
    std::size_t at = 0;
    const auto& children = element.children;
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      const Node& node = nodes[k];
      // Unexpected elements from here on are reported once, and skipped.
      const std::span<const Node> rest = nodes.subspan(k);
      while (!is_open && at < children.size() && !is_among(children[at].name, rest)) unexpected(children[at++], path);
      const std::string below = path.empty() ? std::string(node.name) : path + '/' + std::string(node.name);
      std::size_t count = 0;
      while (at < children.size() && children[at].name == node.name && (count == 0 || node.repeats)) {
        check_one(children[at++], node, below);
        ++count;
      }
      if (count == 0 && !node.is_optional) missing(element, node, below);
    }
    while (!is_open && at < children.size()) unexpected(children[at++], path);
  }

 private:
  static bool is_among(const std::string& name, std::span<const Node> nodes) {
    return std::ranges::find(nodes, name, &Node::name) != nodes.end();
  }

  void error(std::string rule, std::string message, std::string expected = {}, std::string found = {}) {
    findings_.push_back(
        finding(Severity::error, std::move(rule), std::move(message), std::move(expected), std::move(found)));
  }

  void missing(const Element& element, const Node& node, const std::string& path) {
    const bool is_elsewhere = element.child(node.name) != nullptr;
    error(is_elsewhere ? "qcdml-order" : "qcdml-missing",
          is_elsewhere ? fmt::format("the element {} is out of order: elements come in the order of the schema", path)
                       : fmt::format("the element {} is missing", path));
  }

  void unexpected(const Element& child, const std::string& path) {
    error("qcdml-unexpected", fmt::format("in {}: the element {} is not allowed here", path.empty() ? "the root" : path,
                                          base::printable(child.name)));
  }

  void check_one(const Element& element, const Node& node, const std::string& path) {
    switch (node.type) {
      case Type::group:
      case Type::open:
        return check(element, node.children, node.type == Type::open, path);
      case Type::participant:
        check(element, node.children, false, path);
        if (element.child("orcid") == nullptr &&
            (element.child("name") == nullptr || element.child("institution") == nullptr)) {
          error("qcdml-missing", fmt::format("{} needs an orcid, or name and institution", path));
        }
        return;
      case Type::parameters:
        return check_parameters(element, path);
      default:
        check_value(element, node, path);
    }
  }

  void check_value(const Element& element, const Node& node, const std::string& path) {
    if (!element.children.empty()) return unexpected(element.children.front(), path);
    const std::string_view expected = expected_of(node.type, element.text);
    if (expected.empty()) return;
    const std::string found = base::printable(element.text);
    error("qcdml-value", fmt::format("{} is \"{}\", expected {}", path, found, expected), std::string(expected), found);
  }

  void check_parameters(const Element& element, const std::string& path) {
    for (std::size_t k = 0; k < element.children.size(); ++k) {
      const Element& child = element.children[k];
      const bool is_name = k % 2 == 0;
      if (child.name != (is_name ? "name" : "value")) return unexpected(child, path);
      if (is_name) check_value(child, {"name", Type::name}, path + "/name");
    }
    if (element.children.size() % 2 != 0) error("qcdml-missing", fmt::format("{}: the last name has no value", path));
  }

  std::vector<Finding>& findings_;
};

// All elements of that name, at any depth, in document order.
void collect(const Element& element, std::string_view name, std::vector<const Element*>& found) {
  if (element.name == name) found.push_back(&element);
  for (const Element& child : element.children) collect(child, name, found);
}

std::vector<const Element*> all_of(const Element& root, std::string_view name) {
  std::vector<const Element*> found;
  collect(root, name, found);
  return found;
}

class Comparison {
 public:
  Comparison(const Element& root, const FileFacts& facts, bool is_1_3, std::vector<Finding>& findings)
      : root_(root), facts_(facts), is_1_3_(is_1_3), findings_(findings) {}

  void run() {
    sums();
    texts("precision", facts_.precision, "qcdml-precision", "precision");
    texts("dataLFN", facts_.lfn, "qcdml-lfn", "logical file name");
    texts("update", facts_.update, "qcdml-update", "trajectory");
    plaquette();
    history();
    for (const Element* uri : all_of(root_, "markovChainURI")) {
      if (!uri->text.starts_with("mc://")) {
        add(Severity::warning, "qcdml-uri",
            fmt::format("markovChainURI is \"{}\", expected one that begins with mc://", base::printable(uri->text)));
      }
    }
  }

 private:
  void add(Severity severity, std::string rule, std::string message, std::string expected = {},
           std::string found = {}) {
    findings_.push_back(finding(severity, std::move(rule), std::move(message), std::move(expected), std::move(found)));
  }

  void sums() {
    const std::vector<const Element*> stated = all_of(root_, "crcCheckSum");
    for (std::size_t k = 0; k < stated.size(); ++k) {
      if (k >= facts_.field_sums.size()) {
        add(Severity::error, "qcdml-records", "the document has more sums than the file has gauge fields");
        return;
      }
      sum(stated[k]->text, facts_.field_sums[k]);
    }
  }

  void sum(const std::string& stated, const std::optional<std::uint32_t>& data) {
    const auto number = base::parse_u64(stated);
    if (number && data && *number == *data) return;
    if (number && *number == facts_.sums.file) {
      add(is_1_3_ ? Severity::note : Severity::error, "qcdml-crc-of-file",
          "crcCheckSum is the cksum of the whole file; schema 2.0 requires the cksum of the record with the links",
          data ? std::to_string(*data) : std::string(), stated);
      return;
    }
    add(Severity::error, "qcdml-crc",
        fmt::format("crcCheckSum is {}, but the cksum of the data is {} and the cksum of the file is {}",
                    base::printable(stated), data ? std::to_string(*data) : "not known", facts_.sums.file),
        data ? std::to_string(*data) : std::string(), stated);
  }

  void texts(std::string_view name, const std::string& of_file, const char* rule, const char* what) {
    if (of_file.empty()) return;
    for (const Element* element : all_of(root_, name)) {
      if (element->text == of_file || (name == "precision" && element->text == "mixed")) continue;
      add(name == "update" ? Severity::warning : Severity::error, rule,
          fmt::format("{} is \"{}\", but the {} of the file is \"{}\"", name, base::printable(element->text), what,
                      base::printable(of_file)),
          of_file, element->text);
    }
  }

  void plaquette() {
    const std::vector<const Element*> stated = all_of(root_, "avePlaquette");
    if (stated.empty() || !facts_.plaquette) return;
    const auto number = base::parse_double(stated.front()->text);
    if (!number || std::abs(*number - *facts_.plaquette) <= plaquette_tolerance) return;
    add(Severity::error, "qcdml-plaquette",
        fmt::format("avePlaquette is {}, but the plaquette of the file is {}", stated.front()->text, *facts_.plaquette),
        fmt::format("{}", *facts_.plaquette), stated.front()->text);
  }

  // "generate" is revision 0, "add" is revision 1.
  void history() {
    for (const Element* action : all_of(root_, "archiveHistory")) {
      for (const Element& event : action->children) {
        const auto revision = event.text_of("revision");
        const auto what = event.text_of("revisionAction");
        if (!revision || !what) continue;
        const bool is_wrong = (*revision == "0") != (*what == "generate") || (*revision == "1" && *what != "add");
        if (is_wrong) {
          add(Severity::error, "qcdml-revision",
              fmt::format("revision {} is \"{}\": generate has number 0, and add number 1", base::printable(*revision),
                          base::printable(*what)));
        }
      }
    }
  }

  const Element& root_;
  const FileFacts& facts_;
  bool is_1_3_;
  std::vector<Finding>& findings_;
};

}  // namespace

RuledDocument checked_by_rules(std::string_view text, std::vector<Finding>& findings) {
  RuledDocument document;
  try {
    document.root = base::xml::parse(text, {.bytes = text.size() + 1});
  } catch (const Error& error) {
    findings.push_back(finding(Severity::error, "qcdml-xml", fmt::format("the document is not XML: {}", error.what())));
    return document;
  }
  const std::string_view uri = namespace_in(text);
  const Schema* schema = schema_of(uri);
  if (document.root.name != "gaugeConfiguration" || schema == nullptr) {
    findings.push_back(finding(Severity::error, "qcdml-root",
                               fmt::format("the root is {} of \"{}\", expected gaugeConfiguration of "
                                           "http://www.lqcd.org/ildg/QCDml/config1.3 or config2.0",
                                           base::printable(document.root.name), base::printable(uri))));
    return document;
  }
  document.schema = schema;
  Rules(findings).check(document.root, schema->root, false, {});
  return document;
}

namespace {

// Without `facts`, against its schema only.
void check_document(const std::string& path, const ildg::QcdmlOptions& options, const FileFacts* facts,
                    ildg::Check& check) {
  const RuledDocument document = checked_by_rules(read_text(path, options.limits.text_bytes), check.findings);
  if (document.schema == nullptr) return;
  check.schema = document.schema->name;
  if (facts == nullptr) return;
  Comparison(document.root, *facts, document.schema->name == "1.3", check.findings).run();
}

}  // namespace
}  // namespace lq::ensemble::qcdml

namespace lq::ildg {

bool Check::ok() const noexcept { return !io::has_errors(findings); }

namespace {

// A damaged file may be unreadable, which the findings report. Returns whether it could be read.
bool look_into(Verdict verdict, base::FunctionRef<void()> look) {
  try {
    look();
    return true;
  } catch (const Error&) {
    if (is_ok(verdict)) throw;
    return false;
  }
}

}  // namespace

Check check(const std::string& path, const std::string& document, const QcdmlOptions& options) {
  namespace qcdml = ensemble::qcdml;
  Check result;
  result.path = path;
  const Catalog catalog = inspect(path, {}, options.limits);
  if (catalog.format != "ildg") {
    result.findings.push_back(qcdml::finding(
        Severity::error, "ildg-format",
        fmt::format("the file has the format {}; ILDG accepts only its own format (`lq convert IN OUT --format ildg`)",
                    catalog.format),
        "ildg", catalog.format));
  }
  // The sums of a document cover all bytes; the file they describe should be intact.
  const Verification verification = verify(path, {}, {.limits = options.limits});
  result.verdict = verification.verdict;
  look_into(result.verdict,
            [&] { std::ranges::move(io::broken_rules(path, options.limits), std::back_inserter(result.findings)); });
  io::add_new_errors(result.findings, verification);
  io::require_error(
      result.findings, verification,
      qcdml::finding(Severity::error, "verdict", fmt::format("{}: the file is {}", path, name(verification.verdict))));
  qcdml::check_lfn(qcdml::lfn_in(catalog), result.findings);
  qcdml::FileFacts facts;
  const bool has_facts = look_into(result.verdict, [&] { facts = qcdml::facts_of(path, options.limits); });
  if (!has_facts) facts.sums.file = ensemble::cksum_of(path);
  result.sums = facts.sums;
  if (!document.empty()) qcdml::check_document(document, options, has_facts ? &facts : nullptr, result);
  return result;
}

}  // namespace lq::ildg
