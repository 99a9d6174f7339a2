// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq convert: any format to any.
#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <limequat/file.hpp>
#include <limequat/inspect.hpp>
#include <limequat/json.hpp>

#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/exit_code.hpp"
#include "cli/progress.hpp"
#include "cli/repack.hpp"
#include "cli/text.hpp"
#include "cli/write_arguments.hpp"

namespace lq::cli {
namespace {

struct Convert {
  std::string from, to;
  WriteArguments write;
  ConvertOptions options;

  // A multifile has no fields; it is written anew.
  int rewrite(Session& session) const {
    RepackArguments how;
    how.options.overwrite = write.options.overwrite;
    how.options.dry_run = options.dry_run;
    how.options.limits = options.limits;
    return how.carry_out(session, to, "written",
                         [&](const RepackOptions& given) { return lq::rewrite(from, to, given); });
  }

  // Rather than ignore it.
  void refuse_what_needs_a_field() const {
    const bool named = std::ranges::any_of(formats(), [&](const FormatInfo& format) {
      return format.contents != Contents::streams &&
             std::ranges::any_of(format.suffixes, [&](std::string_view suffix) { return to.ends_with(suffix); });
    });
    if (!write.asks_for_a_field() && !named) return;
    const std::string why = named ? fmt::format("the suffix of \"{}\" is that of another format", to)
                                  : "options for fields mean nothing to it";
    throw Error(Code::invalid_argument,
                fmt::format("{}: a multifile can only become another multifile, and {}; for a field of a checkpoint do "
                            "\"lq extract {} FIELD OUT\" first",
                            from, why, from),
                {.path = from});
  }

  int copy(Session& session) const {
    if (format_info(inspect(from, session.communicator, options.limits).format).contents == Contents::streams) {
      refuse_what_needs_a_field();
      return rewrite(session);
    }
    if (write.processes.size() > 0) check_grid(session);
    require_target(session, to, write.options.overwrite);
    Report report;
    {
      ProgressBar bar(session, "converting");
      ConvertOptions how = options;
      how.write = write.options;
      how.progress = bar.callback();
      report = lq::convert(from, to, session.communicator, how);
    }
    if (session.json) {
      base::JsonWriter json;
      json.begin_object().raw_members(to_json(report));
      json.member("source", from).member("dry_run", options.dry_run).end_object();
      session.out.line(json.take());
    } else if (!session.quiet) {
      session.out.line(text_of(report));
    }
    if (!options.dry_run) session.remark(report.summary());
    return fine;
  }

  // Tiles go to ranks as they come; the grid says how many ranks there must be.
  void check_grid(const Session& session) const {
    const Catalog catalog = inspect(from, session.communicator);
    const Grid grid(session.communicator, catalog.field().payload.extents, write.grid_options());
    session.remark(fmt::format("process grid {}", to_string(grid.processes())));
  }

  std::string text_of(const Report& report) const {
    const std::string what = fmt::format("{} {}", to_string(report.extents), describe(report.spec));
    if (options.dry_run) return fmt::format("{}: would be written from {} ({}); nothing was written", to, from, what);
    const std::string storage = report.storage.summary();
    return fmt::format("{}: written from {}: {}, {}, {} precision, {}, {}{}", report.path, from, report.format, what,
                       name(report.spec.precision), base::human_bytes(report.bytes), checksum_text(report),
                       storage.empty() ? "" : "; lies " + storage);
  }
};

}  // namespace

Run declare_convert(Arguments& arguments) {
  const auto convert = std::make_shared<Convert>();
  arguments.file("IN", convert->from, "file to read");
  arguments.file("OUT", convert->to, "file to write; its suffix picks the format");
  convert->write.declare(arguments, "convert");
  declare_options(arguments, "convert", "ConvertOptions", convert->options);
  return [convert](Session& session) {
    return for_each_file(session, {convert->to}, [&](const std::string&) { return convert->copy(session); });
  };
}

}  // namespace lq::cli
