// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See repack_arguments.hpp.
#include "cli/repack_arguments.hpp"

#include <fmt/format.h>
#include <limequat/json.hpp>

#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "cli/exit_code.hpp"
#include "cli/progress.hpp"
#include "cli/text.hpp"

namespace lq::cli {

void RepackArguments::declare(Arguments& arguments) {
  arguments.flag("--force", force, "replace existing files, which stay until the new ones are complete");
  arguments.flag("--dry-run", dry_run, "check everything, write nothing");
}

void RepackArguments::declare_block_size(Arguments& arguments) {
  arguments.number("--block-size", block_size, "chunks are multiples of so many bytes; 1 leaves no gaps");
}

int RepackArguments::carry_out(Session& session, const std::string& to, const std::string& verb,
                               const std::function<RepackReport(const RepackOptions&)>& work) const {
  return at_root(session, [&] {
    RepackReport report;
    {
      ProgressBar bar(session, to);
      RepackOptions options;
      options.overwrite = force;
      options.dry_run = dry_run;
      options.block_size = block_size;
      options.unit = unit;
      options.progress = bar.callback();
      report = work(options);
    }
    tell(session, to, verb, report);
    return exit_code_of(report.findings);
  });
}

void RepackArguments::tell(Session& session, const std::string& to, const std::string& verb,
                           const RepackReport& report) const {
  if (session.json) {
    base::JsonWriter json;
    json.begin_object().member("path", to).raw_members(to_json(report)).member("dry_run", dry_run).end_object();
    session.out.line(json.take());
  } else if (!session.quiet) {
    const std::string files = report.files.size() == 1 ? "" : fmt::format(" in {}", count(report.files.size(), "file"));
    session.out.line(fmt::format("{}: {}: {}, {}{}{}", to, dry_run ? "would be " + verb : verb,
                                 count(report.tasks, "stream"), base::human_bytes(report.bytes), files,
                                 dry_run ? "; nothing was written" : ""));
  }
  cli::tell(session, to, report.findings);
}

}  // namespace lq::cli
