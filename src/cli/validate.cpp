// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq validate: conformance to the specification, rule by rule.
#include <algorithm>
#include <memory>
#include <span>

#include <fmt/format.h>
#include <limequat/file.hpp>
#include <limequat/inspect.hpp>
#include <limequat/json.hpp>

#include "base/json_writer.hpp"
#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/exit_code.hpp"
#include "cli/text.hpp"
#include "storage/transport.hpp"

namespace lq::cli {
namespace {

std::uint64_t number_of(const std::vector<Finding>& findings, Severity severity) {
  return static_cast<std::uint64_t>(
      std::count_if(findings.begin(), findings.end(), [&](const Finding& f) { return f.severity == severity; }));
}

struct Validate {
  std::vector<std::string> files;
  Limits limits;
  bool strict = false;

  int check(Session& session, const std::string& path) const {
    const Catalog catalog = inspect(path, session.communicator, limits);
    return at_root(session, [&] { return check_at_root(session, path, catalog); });
  }

  int check_at_root(Session& session, const std::string& path, const Catalog& catalog) const {
    const std::vector<Finding> findings = lq::validate(path, limits);
    const std::uint64_t errors = number_of(findings, Severity::error);
    const std::uint64_t warnings = number_of(findings, Severity::warning);
    const bool conforms = errors == 0 && (warnings == 0 || !strict);
    if (session.json) {
      base::JsonWriter json;
      json.begin_object().member("path", path).member("format", catalog.format).member("conforms", conforms);
      json.member("strict", strict).member("errors", errors).member("warnings", warnings);
      session.out.line(json.key("findings").raw(to_json(findings)).end_object().take());
    } else if (!session.quiet || !conforms) {
      session.out.line(
          {{path + ": "},
           {conforms ? "conforms" : "DOES NOT CONFORM", conforms ? Style::good : Style::bad},
           {fmt::format(" to {} ({}, {})", catalog.format, count(errors, "error"), count(warnings, "warning"))}});
      for (const Finding& finding : findings) {
        const std::string rule = finding.rule.empty() ? "" : fmt::format("[{}] ", finding.rule);
        session.out.line(fmt::format("  {}{}", rule, finding_line(path, finding)));
      }
    }
    return conforms ? fine : worse(differs, exit_code_of(catalog));
  }
};

}  // namespace

Run declare_validate(Arguments& arguments) {
  const auto validate = std::make_shared<Validate>();
  arguments.files("FILE", validate->files, "files to check");
  arguments.reads_contents();
  declare_options(arguments, "validate", "Limits", validate->limits);
  arguments.flag("--strict", validate->strict, "warnings count as errors");
  return [validate](Session& session) {
    return for_each_file(session, validate->files,
                         [&](const std::string& path) { return validate->check(session, path); });
  };
}

// lq explain: every header byte, with its field name and the section of the format page that describes it.

namespace {

constexpr std::uint64_t most_bytes_shown = 8;

std::string hex_of(base::ByteSource& file, const Annotation& annotation) {
  std::string bytes(static_cast<std::size_t>(std::min(annotation.length, most_bytes_shown)), '\0');
  bytes.resize(file.read_at(annotation.offset, std::as_writable_bytes(std::span(bytes))));
  std::string text;
  for (const char byte : bytes) {
    text += fmt::format("{}{:02x}", text.empty() ? "" : " ", static_cast<unsigned char>(byte));
  }
  return annotation.length > bytes.size() ? text + " ..." : text;
}

struct Explain {
  std::string file;
  Limits limits;

  int print(Session& session) const {
    const std::vector<Annotation> annotations = lq::explain(file, limits);
    if (session.json) {
      base::JsonWriter json;
      json.begin_object().member("path", file).key("annotations").raw(to_json(annotations));
      session.out.line(json.end_object().take());
      return fine;
    }
    const auto bytes = storage::resolve(file).open_read(file);
    Table table({">OFFSET", ">LENGTH", "BYTES", "FIELD", "VALUE", "SECTION"});
    for (const Annotation& annotation : annotations) {
      table.row({std::to_string(annotation.offset), std::to_string(annotation.length), hex_of(*bytes, annotation),
                 annotation.name, annotation.value, annotation.section});
    }
    session.out.write(table.text());
    return fine;
  }
};

}  // namespace

Run declare_explain(Arguments& arguments) {
  const auto explain = std::make_shared<Explain>();
  arguments.file("FILE", explain->file, "file to explain");
  arguments.reads_contents();
  declare_options(arguments, "explain", "Limits", explain->limits);
  return [explain](Session& session) {
    return for_each_file(session, {explain->file}, [&](const std::string& path) {
      const Catalog catalog = inspect(path, session.communicator, explain->limits);
      at_root(session, [&] { return explain->print(session); });
      tell(session, path, catalog.findings);
      return exit_code_of(catalog);
    });
  };
}

}  // namespace lq::cli
