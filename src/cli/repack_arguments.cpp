// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The work, and what is told of it.
#include "cli/repack_arguments.hpp"

#include <fmt/format.h>
#include <limequat/json.hpp>

#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "cli/exit_code.hpp"
#include "cli/progress.hpp"
#include "cli/text.hpp"

namespace lq::cli {

int RepackArguments::carry_out(Session& session, const std::string& to, const std::string& verb,
                               const std::function<RepackReport(const RepackOptions&)>& work) const {
  return at_root(session, [&] {
    RepackReport report;
    {
      ProgressBar bar(session, to);
      RepackOptions how = options;
      how.progress = bar.callback();
      report = work(how);
    }
    tell(session, to, verb, report);
    return exit_code_of(report.findings);
  });
}

void RepackArguments::tell(Session& session, const std::string& to, const std::string& verb,
                           const RepackReport& report) const {
  if (session.json) {
    base::JsonWriter json;
    json.begin_object().member("path", to).raw_members(to_json(report)).member("dry_run", options.dry_run).end_object();
    session.out.line(json.take());
  } else if (!session.quiet) {
    const std::string files = report.files.size() == 1 ? "" : fmt::format(" in {}", count(report.files.size(), "file"));
    const bool has_streams = format_info(report.format).contents == Contents::streams;
    const std::string streams =
        fmt::format("{}, {}", count(report.tasks, has_streams ? "stream" : "record"), base::human_bytes(report.bytes));
    const std::string fields = count(report.fields, "field");
    const std::string what = report.fields == 0 ? streams : report.tasks == 0 ? fields : streams + " and " + fields;
    session.out.line(fmt::format("{}: {}: {}{}{}", to, options.dry_run ? "would be " + verb : verb, what, files,
                                 options.dry_run ? "; nothing was written" : ""));
  }
  cli::tell(session, to, report.findings);
}

}  // namespace lq::cli
