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

void RepackArguments::declare_checkpoint(Arguments& arguments) {
  arguments.flag("--checkpoint", checkpoint, "with records and checksums, whoever wrote FILE: it can be appended to");
  arguments.flag("--plain", plain, "of a checkpoint the streams only, decompressed: no records, no fields");
  arguments.text("--compression", "NAME", compression, "of a checkpoint (default: as it is)", {"none", "lz4", "zstd"});
  arguments.flag("--no-verify", no_verify, "take chunks that disagree with their checksums as they are, and say which");
}

RepackOptions RepackArguments::options() const {
  RepackOptions options;
  options.overwrite = force;
  options.dry_run = dry_run;
  options.block_size = block_size;
  options.unit = unit;
  if (checkpoint || plain) options.checkpoint = checkpoint;
  if (!compression.empty()) options.compression = parse_compression(compression);
  options.verify = !no_verify;
  return options;
}

int RepackArguments::carry_out(Session& session, const std::string& to, const std::string& verb,
                               const std::function<RepackReport(const RepackOptions&)>& work) const {
  return at_root(session, [&] {
    RepackReport report;
    {
      ProgressBar bar(session, to);
      RepackOptions options = this->options();
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
    const bool has_streams = format_info(report.format).contents == Contents::streams;
    const std::string streams =
        fmt::format("{}, {}", count(report.tasks, has_streams ? "stream" : "record"), base::human_bytes(report.bytes));
    const std::string fields = count(report.fields, "field");
    const std::string what = report.fields == 0 ? streams : report.tasks == 0 ? fields : streams + " and " + fields;
    session.out.line(fmt::format("{}: {}: {}{}{}", to, dry_run ? "would be " + verb : verb, what, files,
                                 dry_run ? "; nothing was written" : ""));
  }
  cli::tell(session, to, report.findings);
}

}  // namespace lq::cli
