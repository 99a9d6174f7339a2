// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq convert: any format to any, one file or many.
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/file.hpp>
#include <limequat/inspect.hpp>
#include <limequat/json.hpp>
#include <limequat/repack.hpp>
#include <limequat/report.hpp>

#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/exit_code.hpp"
#include "cli/progress.hpp"
#include "cli/session.hpp"
#include "cli/text.hpp"
#include "cli/write_arguments.hpp"

namespace lq::cli {

// What the verbs have in common that make multifiles of files, files of multifiles, and multifiles of multifiles. They
// work in the root alone.
struct RepackArguments {
  RepackOptions options;

  void declare(Arguments& arguments, std::string_view verb) {
    declare_options(arguments, verb, "RepackOptions", options);
  }

  // Collective. Does `work`, with a progress bar of that label, tells what it reports about `to`, and returns the exit
  // code. `verb`: "packed", "written", ...
  int carry_out(Session& session, const std::string& to, const std::string& verb,
                const std::function<RepackReport(const RepackOptions&)>& work) const;

 private:
  void tell(Session& session, const std::string& to, const std::string& verb, const RepackReport& report) const;
};

namespace {

// Files as the logical files of a multifile.
struct Pack {
  std::string to;
  std::vector<std::string> inputs;
  RepackArguments how;

  int run(Session& session) const {
    return how.carry_out(session, to, "packed",
                         [&](const RepackOptions& options) { return lq::pack(to, inputs, options); });
  }
};

// The records of a file as files.
struct Unpack {
  std::string from;
  std::string folder = ".";
  RepackArguments how;

  int run(Session& session) const {
    return how.carry_out(session, from, "unpacked",
                         [&](const RepackOptions& options) { return lq::unpack(from, folder, options); });
  }
};

// A multifile as one physical file with one chunk for each task.
struct Defrag {
  std::string from, to;
  RepackArguments how;

  int run(Session& session) const {
    return how.carry_out(session, to, "written",
                         [&](const RepackOptions& options) { return lq::defragment(from, to, options); });
  }
};

// A whole file of one that is damaged or whose writer was interrupted; without a name for it checkpoints and appends
// that were interrupted are repaired in place.
struct Repair {
  std::string from, to;
  RepackArguments how;

  // Whatever is lost, left out or not proven makes the new file another one than was hoped for.
  int run(Session& session) const {
    std::string path = to.empty() ? from : to;
    const int code = how.carry_out(session, path, "repaired", [&](const RepackOptions& options) {
      const RepackReport report = lq::repair(from, to, options);
      // What was written, or what needs no repair.
      path = report.files.empty() ? from : report.files.front();
      return report;
    });
    return code == fine ? fine : differs;
  }
};

// One record as a file.
struct Extract {
  std::string from, name, to;
  RepackArguments how;

  int run(Session& session) const {
    const NumberedName wanted = parse_numbered_name(name);
    return how.carry_out(session, to, "extracted", [&](const RepackOptions& options) {
      return lq::extract(from, wanted.name, wanted.index, to, options);
    });
  }
};

}  // namespace

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
  } else if (!report.needed) {
    if (!session.quiet) {
      session.out.line(fmt::format("{}: nothing to repair: the file is {}", to, name(report.verdict.value())));
    }
  } else if (!session.quiet) {
    const std::string files = report.files.size() == 1 ? "" : fmt::format(" in {}", count(report.files.size(), "file"));
    const bool has_streams = !report.format.empty() && format_info(report.format).contents == Contents::streams;
    const std::string streams =
        fmt::format("{}, {}", count(report.tasks, has_streams ? "stream" : "record"), base::human_bytes(report.bytes));
    const std::string fields = count(report.fields, "field");
    const std::string what = report.fields == 0 ? streams : report.tasks == 0 ? fields : streams + " and " + fields;
    session.out.line(fmt::format("{}: {}: {}{}{}", to, options.dry_run ? "would be " + verb : verb, what, files,
                                 options.dry_run ? "; nothing was written" : ""));
  }
  cli::tell(session, to, report.findings);
}

Run declare_pack(Arguments& arguments) {
  const auto pack = std::make_shared<Pack>();
  arguments.file("OUT", pack->to, "multifile to write");
  arguments.files("IN", pack->inputs, "files, each of which becomes a logical file");
  pack->how.declare(arguments, "pack");
  return [pack](Session& session) {
    return for_each_file(session, {pack->to}, [&](const std::string&) { return pack->run(session); });
  };
}

Run declare_unpack(Arguments& arguments) {
  const auto unpack = std::make_shared<Unpack>();
  arguments.file("FILE", unpack->from, "file to unpack");
  arguments.text("-d,--directory", "DIR", unpack->folder,
                 "folder for the files (default: the current one); created if it does not exist");
  unpack->how.declare(arguments, "unpack");
  return [unpack](Session& session) {
    return for_each_file(session, {unpack->from}, [&](const std::string&) { return unpack->run(session); });
  };
}

Run declare_defrag(Arguments& arguments) {
  const auto defrag = std::make_shared<Defrag>();
  arguments.file("FILE", defrag->from, "multifile to read");
  arguments.text("-o,--output", "OUT", defrag->to, "multifile to write");
  defrag->how.declare(arguments, "defrag");
  return [defrag](Session& session) {
    if (defrag->to.empty()) throw UsageError("-o OUT is missing: which multifile is to be written?");
    return for_each_file(session, {defrag->to}, [&](const std::string&) { return defrag->run(session); });
  };
}

Run declare_repair(Arguments& arguments) {
  const auto repair = std::make_shared<Repair>();
  arguments.file("FILE", repair->from, "damaged file, or multifile that was not closed");
  arguments.text("-o,--output", "OUT", repair->to,
                 "the repaired file, a new one; without it checkpoints and interrupted appends are repaired in place, "
                 "and others are refused");
  repair->how.declare(arguments, "repair");
  return [repair](Session& session) {
    const std::string& named = repair->to.empty() ? repair->from : repair->to;
    return for_each_file(session, {named}, [&](const std::string&) { return repair->run(session); });
  };
}

Run declare_extract(Arguments& arguments) {
  const auto extract = std::make_shared<Extract>();
  arguments.file("FILE", extract->from, "file to read");
  arguments.word("NAME", extract->name,
                 "type of the record, NAME:N is number N of it, from 0; or field of a checkpoint");
  arguments.file("OUT", extract->to, "file to write");
  extract->how.declare(arguments, "extract");
  return [extract](Session& session) {
    return for_each_file(session, {extract->to}, [&](const std::string&) { return extract->run(session); });
  };
}

// Many files converted into one folder: what they are called there, and a log in the folder, by which a run that was
// interrupted goes on.

// FOLDER/lq-convert.log, a line for each file that is complete: its bytes, its name, its checksum, where it came from.
class ConvertLog {
 public:
  // Reads what is there; lines that are no such lines are passed over.
  explicit ConvertLog(const std::string& folder);

  // Whether the file was completed, and has the size that it had then.
  bool has(const std::string& path) const;
  // io, no_permission, no_space.
  void add(const std::string& path, const std::string& from, const Report& report);

 private:
  std::string path_;
  std::map<std::string, std::uint64_t> bytes_;  // by name
};

namespace fs = std::filesystem;

// "conf.10.ildg" becomes "FOLDER/conf.10.nersc": the suffix of a format is replaced by that of another, whatever else
// stands behind a dot stays.
std::string converted_path(const std::string& from, const std::string& folder, std::string_view format) {
  std::string name = fs::path(from).filename().string();
  for (const FormatInfo& known : formats()) {
    const auto suffix = std::ranges::find_if(
        known.suffixes, [&](std::string_view end) { return name.size() > end.size() && name.ends_with(end); });
    if (suffix == known.suffixes.end()) continue;
    name.resize(name.size() - suffix->size());
    break;
  }
  const auto suffixes = format_info(format).suffixes;
  return (fs::path(folder) / (name + std::string(suffixes.empty() ? "" : suffixes.front()))).string();
}

ConvertLog::ConvertLog(const std::string& folder) : path_((fs::path(folder) / "lq-convert.log").string()) {
  std::ifstream file(path_);
  for (std::string line; std::getline(file, line);) {
    // BYTES NAME\tCHECKSUM\tFROM
    const std::size_t space = line.find(' '), tab = line.find('\t');
    if (space == std::string::npos || tab == std::string::npos || tab < space) continue;
    const auto bytes = base::parse_u64(std::string_view(line).substr(0, space));
    if (bytes) bytes_[line.substr(space + 1, tab - space - 1)] = *bytes;
  }
}

bool ConvertLog::has(const std::string& path) const {
  const auto known = bytes_.find(fs::path(path).filename().string());
  std::error_code failure;
  return known != bytes_.end() && fs::file_size(path, failure) == known->second && !failure;
}

void ConvertLog::add(const std::string& path, const std::string& from, const Report& report) {
  std::error_code failure;
  const std::uint64_t bytes = fs::file_size(path, failure);
  // A name with an end of line would be two lines; such a file is looked at the next time.
  const std::string name = fs::path(path).filename().string();
  if (failure || name.find_first_of("\n\t") != std::string::npos) return;
  std::ofstream file(path_, std::ios::app);
  file << fmt::format("{} {}\t{}\t{}\n", bytes, name, report.stored ? to_string(*report.stored) : "-",
                      base::printable(from, 4096));
  file.flush();
  if (file) return;
  const int reason = errno;
  throw Error(reason == ENOSPC || reason == EDQUOT ? Code::no_space
              : reason == EACCES                   ? Code::no_permission
                                                   : Code::io,
              fmt::format("{}: the log of the conversion cannot be written: {}", path_, std::strerror(reason)),
              {.path = path_, .system_errno = reason});
}

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
