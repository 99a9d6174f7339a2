// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq export --virtual: a file that shows the numbers of another one.
#include <memory>

#include <fmt/format.h>
#include <limequat/inspect.hpp>
#include <limequat/repack.hpp>

#include "base/json_writer.hpp"
#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/exit_code.hpp"

namespace lq::cli {
namespace {

struct Export {
  std::string from, to;
  bool is_virtual = false;
  RepackOptions options;

  int run(Session& session) const {
    ConvertOptions how;
    how.write.overwrite = options.overwrite;
    how.write.sync = options.sync;
    how.limits = options.limits;
    how.dry_run = options.dry_run;
    lq::export_virtual(from, to, session.communicator, how);
    if (session.json) {
      base::JsonWriter json;
      json.begin_object().member("path", to).member("source", from).member("dry_run", options.dry_run).end_object();
      session.out.line(json.take());
    } else if (!session.quiet) {
      session.out.line(fmt::format("{}: {} the fields of {}, whose data stay there{}", to,
                                   options.dry_run ? "would show" : "shows", from,
                                   options.dry_run ? "; nothing was written" : ""));
    }
    return fine;
  }
};

}  // namespace

Run declare_export(Arguments& arguments) {
  const auto exported = std::make_shared<Export>();
  arguments.file("FILE", exported->from, "file with fields whose numbers are stored contiguously");
  arguments.flag("--virtual", exported->is_virtual, "without a copy: the new file refers to the data of FILE");
  arguments.text("-o,--output", "OUT", exported->to, "file to write, with the suffix .h5");
  declare_options(arguments, "export", "RepackOptions", exported->options);
  return [exported](Session& session) {
    if (!exported->is_virtual) throw UsageError("--virtual is missing; for a copy take \"lq convert\"");
    if (exported->to.empty()) throw UsageError("-o OUT is missing: which file is to be written?");
    return for_each_file(session, {exported->to}, [&](const std::string&) { return exported->run(session); });
  };
}

}  // namespace lq::cli
