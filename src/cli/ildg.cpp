// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq ildg: documents, rules and logical file names of the International Lattice Data Grid.
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <limequat/inspect.hpp>
#include <limequat/json.hpp>
#include <limequat/qcdml.hpp>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/exit_code.hpp"
#include "cli/text.hpp"

namespace lq::cli {
namespace {

struct Ildg {
  std::string what;
  std::vector<std::string> files;
  std::string document, output, name;
  bool overwrite = false;
  ildg::QcdmlOptions options;

  int run(Session& session) const {
    if (files.size() > 1 && !(output.empty() && document.empty())) {
      throw UsageError("--document and --output apply to one FILE");
    }
    if (what == "lfn" && !name.empty()) return set_name(session);
    return for_each_file(session, files, [&](const std::string& path) {
      return at_root(session, [&] {
        return what == "document" ? write(session, path) : what == "check" ? check(session, path) : show(session, path);
      });
    });
  }

  int write(Session& session, const std::string& path) const {
    const ildg::Document made = ildg::document(path, options);
    if (!output.empty()) save(made, output, overwrite);
    if (session.json) {
      session.out.object("path", path, made);
    } else if (output.empty()) {
      session.out.write(made.text);
    }
    const std::string data = made.sums.data ? std::to_string(*made.sums.data) : "in several pieces";
    session.note(fmt::format("{}: cksum of the data {}, of the file {}", path, data, made.sums.file));
    if (!made.missing.empty()) {
      session.note(fmt::format("{}: placeholders stand for {}; --metadata NAME=TEXT gives them", path,
                               fmt::join(made.missing, ", ")));
    }
    return fine;
  }

  int check(Session& session, const std::string& path) const {
    const ildg::Check checked = ildg::check(path, document, options);
    if (session.json) {
      session.out.line(to_json(checked));
    } else if (!session.quiet || !checked.ok()) {
      const std::string against = checked.schema.empty() ? "" : fmt::format(", document of schema {}", checked.schema);
      session.out.line(fmt::format("{}: {}{}", printable(path), checked.ok() ? "OK" : "FAILED", against));
      session.out.line(fmt::format("  cksum of the data {}, of the file {}",
                                   checked.sums.data        ? std::to_string(*checked.sums.data)
                                   : is_ok(checked.verdict) ? "in several pieces"
                                                            : "not known",
                                   checked.sums.file));
      for (const Finding& finding : checked.findings) session.out.line("  " + finding_line(path, finding));
    }
    return checked.ok() ? fine : differs;
  }

  int show(Session& session, const std::string& path) const {
    const ildg::LogicalName found = ildg::lfn(path, options);
    if (session.json) {
      session.out.object("path", path, found);
    } else if (!found.lfn.empty()) {
      session.out.line(files.size() > 1 ? fmt::format("{}: {}", printable(path), printable(found.lfn))
                                        : printable(found.lfn));
    }
    for (const Finding& finding : found.findings) {
      session.complain(fmt::format("{}: {}", path, finding_line(path, finding)));
    }
    return found.lfn.empty() ? differs : exit_code_of(found.findings);
  }

  // Rewrites the file with another name in it.
  int set_name(Session& session) const {
    if (output.empty() || files.size() != 1) throw UsageError("--set NAME rewrites one FILE: --output OUT");
    ConvertOptions how{.limits = options.limits};
    how.write.format = "ildg";
    how.write.overwrite = overwrite;
    how.write.metadata = {{"ildg-data-lfn", name}};
    return for_each_file(session, files, [&](const std::string& path) {
      const Report report = convert(path, output, session.communicator, how);
      if (session.json) session.out.line(to_json(report));
      return fine;
    });
  }
};

}  // namespace

Run declare_ildg(Arguments& arguments) {
  const auto verb = std::make_shared<Ildg>();
  arguments.word("WHAT", verb->what, "document: the QCDml document of a file; check: rules; lfn: logical file name",
                 {"document", "check", "lfn"});
  arguments.files("FILE", verb->files, "configurations");
  arguments.reads_contents();
  arguments.text("--document", "XML", verb->document, "check: document to compare with the file");
  arguments.text("-o,--output", "OUT", verb->output, "document and lfn --set: file to write");
  arguments.text("--set", "LFN", verb->name, "lfn: rewrite the file with this logical file name");
  arguments.flag("--overwrite", verb->overwrite, "replace an existing file");
  declare_options(arguments, "ildg", "QcdmlOptions", verb->options);
  return [verb](Session& session) { return verb->run(session); };
}

}  // namespace lq::cli
