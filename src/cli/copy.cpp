// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq copy: files to other folders and file systems, checksummed, resumable, in the background if asked.
#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <limequat/json.hpp>
#include <limequat/staging.hpp>

#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/copies.hpp"
#include "cli/exit_code.hpp"
#include "cli/option_arguments.hpp"
#include "cli/progress.hpp"
#include "cli/text.hpp"

namespace lq::cli {
namespace {

struct Copy {
  std::vector<std::string> names;  // the last one is the target
  CopyOptions options;
  bool in_background = false;
  bool asks_for_status = false;

  int run(Session& session) const {
    if (asks_for_status) return tell_status(session);
    if (names.size() < 2) throw UsageError("a source or the target is missing: lq copy SOURCE... TARGET");
    const std::string target = names.back();
    const std::vector<std::string> sources(names.begin(), names.end() - 1);
    if (in_background && session.mpi != "none") {
      throw UsageError(
          "--background: ranks of MPI cannot go on alone; let the shell or the batch system start lq-mpi in "
          "the background");
    }
    return for_each_file(session, {target}, [&](const std::string&) {
      return in_background ? start(session, sources, target) : copy(session, sources, target);
    });
  }

  int copy(Session& session, const std::vector<std::string>& sources, const std::string& target) const {
    CopyReport report;
    {
      ProgressBar bar(session, "copying");
      CopyOptions how = options;
      how.progress = bar.callback();
      report = lq::copy(sources, target, session.communicator, how);
    }
    if (session.json) {
      base::JsonWriter json;
      json.begin_object()
          .member("path", target)
          .raw_members(to_json(report))
          .member("dry_run", options.dry_run)
          .end_object();
      session.out.line(json.take());
    } else if (!session.quiet) {
      session.out.line(fmt::format("{}: {}", target, sentence_of(report)));
    }
    cli::tell(session, target, report.findings);
    return exit_code_of(report.findings);
  }

  std::string sentence_of(const CopyReport& report) const {
    std::string text = fmt::format("{}copied: {}, {}", options.dry_run ? "would be " : "",
                                   count(report.files.size(), "file"), base::human_bytes(report.bytes));
    if (report.present_files > 0) text += fmt::format("; there already: {}", count(report.present_files, "file"));
    if (options.dry_run) return text + "; nothing was written";
    if (report.moved_bytes < report.bytes) {
      text += fmt::format(" ({} of them by an interrupted copy)", base::human_bytes(report.bytes - report.moved_bytes));
    }
    return text;
  }

  // What can be known before is said here, not in the background.
  int start(Session& session, const std::vector<std::string>& sources, const std::string& target) const {
    CopyOptions rehearsal = options;
    rehearsal.dry_run = true;
    rehearsal.verify = Verify::checksum;
    lq::copy(sources, target, {}, rehearsal);
    std::string from;
    for (const std::string& source : sources) from += (from.empty() ? "" : " ") + source;
    const CopyState started = start_copy(from, target, [&](const Tell& tell) {
      CopyOptions how = options;
      how.progress = tell;
      const CopyReport report = lq::copy(sources, target, {}, how);
      std::string message = sentence_of(report);
      for (const Finding& finding : report.findings) message += "; " + finding.message;
      return message;
    });
    if (session.json) {
      base::JsonWriter json;
      write(json, started);
      session.out.line(json.take());
    } else {
      session.out.line(fmt::format("{}: copy {} has begun; lq copy --status shows its progress", target, started.id));
    }
    return fine;
  }

  static void write(base::JsonWriter& json, const CopyState& copy) {
    json.begin_object().member("id", copy.id).member("host", copy.host).member("source", copy.from);
    json.member("path", copy.to)
        .member("state", copy.state)
        .member("bytes", copy.done)
        .member("total_bytes", copy.total);
    json.member("seconds", copy.seconds).member("message", copy.message).end_object();
  }

  int tell_status(Session& session) const {
    return at_root(session, [&] {
      Table table({{"COPY"}, {"STATE"}, {"DONE", true}, {"OF", true}, {"TIME", true}, {"FROM"}, {"TO"}});
      int code = fine;
      std::vector<std::string> unknown = names;
      for (const CopyState& copy : copies()) {
        if (!names.empty() && std::erase(unknown, copy.id) == 0) continue;
        if (copy.state == "failed" || copy.state == "stopped") code = worse(code, incomplete);
        if (session.json) {
          base::JsonWriter json;
          write(json, copy);
          session.out.line(json.take());
          continue;
        }
        table.row({copy.id, copy.state, base::human_bytes(copy.done), base::human_bytes(copy.total),
                   human_seconds(copy.seconds), printable(copy.from), printable(copy.to)});
        if (copy.state != "running" && copy.state != "done") {
          session.complain(fmt::format("copy {}: {}", copy.id, printable(copy.message, 1000)));
        }
      }
      if (!session.json && (!table.empty() || names.empty())) {
        session.out.write(table.empty() ? "no copies in the background\n" : table.text());
      }
      if (!unknown.empty()) {
        throw Error(Code::not_found, fmt::format("no background copy \"{}\" exists; `lq copy --status` lists them",
                                                 printable(unknown.front())));
      }
      return code;
    });
  }
};

}  // namespace

Run declare_copy(Arguments& arguments) {
  const auto copy = std::make_shared<Copy>();
  arguments.optional_files("FILE", copy->names,
                           "sources, then the destination: a folder, a file name, or NAME: as defined in the site "
                           "profile (with --status: which copies to show)");
  declare_options(arguments, "copy", "CopyOptions", copy->options);
  arguments.flag("-r", copy->options.recursive, "as --recursive");
  arguments.flag("--background", copy->in_background, "go on when the shell has ended");
  arguments.flag("--status", copy->asks_for_status, "how far copies in the background are");
  return [copy](Session& session) { return copy->run(session); };
}

}  // namespace lq::cli
