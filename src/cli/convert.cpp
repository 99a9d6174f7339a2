// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq convert: any format to any, one file or many.
#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <limequat/file.hpp>
#include <limequat/inspect.hpp>
#include <limequat/json.hpp>

#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/convert_log.hpp"
#include "cli/exit_code.hpp"
#include "cli/progress.hpp"
#include "cli/repack.hpp"
#include "cli/standard_input.hpp"
#include "cli/text.hpp"
#include "cli/write_arguments.hpp"

namespace lq::cli {
namespace {

namespace fs = std::filesystem;

struct Convert {
  std::string first;              // file to read
  std::vector<std::string> rest;  // more files to read, and last where to
  WriteArguments write;
  ConvertOptions options;
  bool skip_existing = false;

  int run(Session& session) const {
    const std::string& last = rest.back();
    if (last == "-" || is_pipe(last)) {
      throw Error(
          Code::invalid_argument,
          last +
              ": the header of a new file depends on all of its data, so it cannot be written to a pipe; name a file",
          {.path = last});
    }
    const bool is_folder = at_root(session, [&] { return last.ends_with('/') || fs::is_directory(last) ? 1 : 0; }) == 1;
    if (is_folder) return convert_into(session, last);
    if (rest.size() > 1) {
      throw UsageError(fmt::format("several files go into a folder, and \"{}\" is none; \"mkdir\" makes it", last));
    }
    if (skip_existing) throw UsageError("--skip-existing is for files that go into a folder");
    // Errors that name no file are about the new one, unless the other comes out of a pipe.
    const bool is_piped = first == "-" || is_pipe(first);
    return for_each_input(session, {is_piped ? first : last},
                          [&](const std::string& path) { return copy(session, is_piped ? path : first, last, {}); });
  }

 private:
  using Done = std::function<void(const Report& report)>;

  // All but the last, each under its own name. What cannot be converted does not keep the others.
  int convert_into(Session& session, const std::string& folder) const {
    std::vector<std::string> inputs = rest;
    inputs.back() = first;
    std::rotate(inputs.begin(), inputs.end() - 1, inputs.end());
    if (write.options.format.empty()) {
      throw UsageError(fmt::format("\"{}\" is a folder: name the format (--format)", folder));
    }
    std::map<std::string, std::string> sources;  // by target
    for (const std::string& input : inputs) {
      const std::string to = target_in(folder, input);
      const auto [known, is_new] = sources.emplace(to, input);
      if (is_new) continue;
      throw UsageError(fmt::format("\"{}\" and \"{}\" would both become \"{}\"", known->second, input, to));
    }
    at_root(session, [&] { return options.dry_run ? fine : make(folder); });
    const ConvertLog known = ConvertLog(folder);
    return for_each_input(session, inputs, [&](const std::string& path) {
      const std::string to = target_in(folder, path);
      if (skip_existing && at_root(session, [&] { return is_done(session, known, to) ? 1 : 0; }) == 1) {
        session.note(fmt::format("{}: is there already, skipped", to));
        return static_cast<int>(fine);
      }
      return copy(session, path, to, [&](const Report& report) {
        at_root(session, [&] {
          ConvertLog(folder).add(to, path, report);
          return fine;
        });
      });
    });
  }

  std::string target_in(const std::string& folder, const std::string& input) const {
    if (input == "-") throw UsageError("standard input has no name for a file in a folder; name the file to write");
    return converted_path(input, folder, write.options.format);
  }

  static int make(const std::string& folder) {
    std::error_code failure;
    fs::create_directories(folder, failure);
    if (!failure) return fine;
    throw Error(Code::io, fmt::format("{}: the folder cannot be made: {}", folder, failure.message()),
                {.path = folder, .system_errno = failure.value()});
  }

  // By the log, or by a look at it: a file that is not whole is no reason to skip.
  bool is_done(const Session& session, const ConvertLog& log, const std::string& to) const {
    if (log.has(to)) return true;
    std::error_code failure;
    if (!fs::exists(to, failure)) return false;
    try {
      const Catalog catalog = inspect(to, {}, options.limits);
      if (catalog.complete && catalog.first_error() == nullptr) return true;
    } catch (const Error& error) {
      session.remark(error.what());
    }
    return false;
  }

  // A multifile has no fields; it is rewritten.
  int rewrite(Session& session, const std::string& from, const std::string& to) const {
    RepackArguments how;
    how.options.overwrite = write.options.overwrite;
    how.options.dry_run = options.dry_run;
    how.options.limits = options.limits;
    return how.carry_out(session, to, "written",
                         [&](const RepackOptions& given) { return lq::rewrite(from, to, given); });
  }

  // Rather than ignore it.
  void refuse_what_needs_a_field(const std::string& from, const std::string& to) const {
    const bool named = std::ranges::any_of(formats(), [&](const FormatInfo& format) {
      return format.contents != Contents::streams &&
             std::ranges::any_of(format.suffixes, [&](std::string_view suffix) { return to.ends_with(suffix); });
    });
    if (!write.asks_for_a_field() && !named) return;
    const std::string why = named ? fmt::format("the suffix of \"{}\" belongs to another format", to)
                                  : "options for fields mean nothing to it";
    throw Error(Code::invalid_argument,
                fmt::format("{}: a multifile can only become another multifile, and {}; for a field of a checkpoint do "
                            "\"lq extract {} FIELD OUT\" first",
                            from, why, from),
                {.path = from});
  }

  int copy(Session& session, const std::string& from, const std::string& to, const Done& done) const {
    if (format_info(inspect(from, session.communicator, options.limits).format).contents == Contents::streams) {
      refuse_what_needs_a_field(from, to);
      return rewrite(session, from, to);
    }
    if (write.processes.size() > 0) check_grid(session, from);
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
      session.out.line(text_of(report, from, to));
    }
    for (const std::string& warning : report.warnings) session.complain("warning: " + warning);
    if (options.dry_run) return fine;
    session.remark(report.summary());
    if (done) done(report);
    return fine;
  }

  // Tiles go to ranks as they come; the grid says how many ranks there must be.
  void check_grid(const Session& session, const std::string& from) const {
    const Catalog catalog = inspect(from, session.communicator);
    const FieldEntry& field = catalog.field(options.field, options.index);
    const Grid grid(session.communicator, field.payload.extents, write.grid_options());
    session.remark(fmt::format("process grid {}", to_string(grid.processes())));
  }

  std::string text_of(const Report& report, const std::string& from, const std::string& to) const {
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
  arguments.file("IN", convert->first, "file to read");
  arguments.files(
      "OUT", convert->rest,
      "file to write; its suffix picks the format. Or more files to read, and last a folder for all of them");
  convert->write.declare(arguments, "convert");
  declare_options(arguments, "convert", "ConvertOptions", convert->options);
  arguments.flag("--skip-existing", convert->skip_existing,
                 "in a folder: skip files that exist and are complete, as listed in its lq-convert.log");
  return [convert](Session& session) { return convert->run(session); };
}

}  // namespace lq::cli
