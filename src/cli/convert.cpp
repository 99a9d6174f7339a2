// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq convert: any format to any, one file or many.
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/file.hpp>
#include <limequat/inspect.hpp>
#include <limequat/json.hpp>
#include <limequat/repack.hpp>
#include <limequat/report.hpp>

#include "base/text.hpp"
#include "cli/arguments.hpp"
#include "cli/below.hpp"
#include "cli/command.hpp"
#include "cli/conversions.hpp"
#include "cli/exit_code.hpp"
#include "cli/progress.hpp"
#include "cli/session.hpp"
#include "cli/text.hpp"
#include "cli/write_arguments.hpp"

namespace lq::cli {

// Common parts of the verbs that pack files into multifiles, unpack them, and rewrite multifiles. They
// work on the root alone.
struct RepackArguments {
  RepackOptions options;

  void declare(Arguments& arguments, std::string_view verb) {
    declare_options(arguments, verb, "RepackOptions", options);
  }

  using Work = std::function<RepackReport(const RepackOptions&)>;
  // Collective. Runs `work` with a progress bar of that label, reports its result about `to`, and returns the exit
  // code. `verb`: "packed", "written", ...
  int carry_out(Session& session, const std::string& to, const std::string& verb, const Work& work) const;
  // The same for a file from for_each_file().
  int run(Session& session, const std::string& to, const std::string& verb, const Work& work) const {
    return for_each_file(session, {to}, [&](const std::string&) { return carry_out(session, to, verb, work); });
  }

 private:
  void tell(Session& session, const std::string& to, const std::string& verb, const RepackReport& report) const;
};

namespace {

// One file or several, rewritten to another file or a folder.
struct Repack {
  std::string from, to;
  std::vector<std::string> inputs;
  RepackArguments how;
};

// A complete file from one that is damaged or whose writer was interrupted; without an output name checkpoints and
// interrupted appends are repaired in place.
struct Repair {
  std::string from, to;
  RepackArguments how;

  // Anything lost, omitted or unproven is reported by the exit code.
  int run(Session& session) const {
    std::string path = to.empty() ? from : to;
    const int code = how.carry_out(session, path, "repaired", [&](const RepackOptions& options) {
      const RepackReport report = lq::repair(from, to, options);
      // What was written, or that nothing needs repair.
      path = report.files.empty() ? from : report.files.front();
      return report;
    });
    return code == fine ? fine : differs;
  }
};

// One record as a file, or one time slice of each of many files.
struct Extract {
  std::vector<std::string> words;
  std::string slice, format;
  RepackArguments how;

  int extract(Session& session) const {
    if (!slice.empty()) return extract_slices(session);
    if (!format.empty()) throw UsageError("--to applies to --slice only; a record is copied unchanged");
    if (words.size() != 3) {
      throw UsageError("expected FILE NAME OUT; or --slice t=5 FILE|DIR... OUT for one slice of the lattice");
    }
    return for_target(session, words[2], [&](const std::string& to) {
      const NumberedName wanted = parse_numbered_name(words[1]);
      return how.carry_out(session, to, "extracted", [&](const RepackOptions& options) {
        return lq::extract(words[0], wanted.name, wanted.index, to, options);
      });
    });
  }

  // "b600" goes into "b600.t5" by default.
  int extract_slices(Session& session) const {
    if (words.empty()) throw UsageError("which files? --slice t=5 FILE|DIR... OUT");
    ManyConversions many{.inputs = words, .folder = {}, .options = {}, .skip_existing = false};
    many.shown = [&session](const std::string& path) { return session.out.named(path); };
    if (words.size() == 1) {
      const std::size_t end = words.front().find_last_not_of('/');
      std::string part = slice;
      std::erase(part, '=');
      many.folder = fmt::format("{}.{}", words.front().substr(0, end + 1), part);
    } else {
      many.folder = words.back();
      many.inputs.pop_back();
    }
    many.keeps_format = format.empty();
    many.options.write.format = format;
    many.options.write.overwrite = how.options.overwrite;
    many.options.write.sync = how.options.sync;
    many.options.write.route.threads = how.options.threads;
    many.options.dry_run = how.options.dry_run;
    many.options.limits = how.options.limits;
    many.options.region = slice;
    return convert_many(session, many);
  }
};

}  // namespace

int RepackArguments::carry_out(Session& session, const std::string& to, const std::string& verb,
                               const Work& work) const {
  return at_root(session, [&] {
    const RepackReport report = with_bar(session, to, options, work);
    tell(session, to, verb, report);
    return exit_code_of(report.findings);
  });
}

void RepackArguments::tell(Session& session, const std::string& to, const std::string& verb,
                           const RepackReport& report) const {
  if (session.json) {
    session.out.object("path", to, report, "dry_run", options.dry_run);
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

// Files as the logical files of a multifile.
Run declare_pack(Arguments& arguments) {
  const auto pack = std::make_shared<Repack>();
  arguments.file("OUT", pack->to, "multifile to write");
  arguments.files("IN", pack->inputs, "files; each becomes a logical file");
  pack->how.declare(arguments, "pack");
  return [pack](Session& session) {
    return pack->how.run(session, pack->to, "packed",
                         [&](const RepackOptions& options) { return lq::pack(pack->to, pack->inputs, options); });
  };
}

// The records of a file as files.
Run declare_unpack(Arguments& arguments) {
  const auto unpack = std::make_shared<Repack>();
  unpack->to = ".";
  arguments.file("FILE", unpack->from, "file to unpack");
  arguments.text("-d,--directory", "DIR", unpack->to,
                 "folder for the files (default: the current one); created if it does not exist");
  unpack->how.declare(arguments, "unpack");
  return [unpack](Session& session) {
    return unpack->how.run(session, unpack->from, "unpacked",
                           [&](const RepackOptions& options) { return lq::unpack(unpack->from, unpack->to, options); });
  };
}

// A multifile as one physical file with one chunk for each task.
Run declare_defrag(Arguments& arguments) {
  const auto defrag = std::make_shared<Repack>();
  arguments.file("FILE", defrag->from, "multifile to read");
  arguments.text("-o,--output", "OUT", defrag->to, "multifile to write");
  defrag->how.declare(arguments, "defrag");
  return [defrag](Session& session) {
    if (defrag->to.empty()) throw UsageError("-o OUT is missing: which multifile is to be written?");
    return defrag->how.run(session, defrag->to, "written", [&](const RepackOptions& options) {
      return lq::defragment(defrag->from, defrag->to, options);
    });
  };
}

Run declare_repair(Arguments& arguments) {
  const auto repair = std::make_shared<Repair>();
  arguments.file("FILE", repair->from, "damaged file, or multifile that was not closed");
  arguments.text("-o,--output", "OUT", repair->to,
                 "new file for the result; without it checkpoints and interrupted appends are repaired in place, "
                 "and other files are refused");
  repair->how.declare(arguments, "repair");
  return [repair](Session& session) {
    const std::string& named = repair->to.empty() ? repair->from : repair->to;
    return for_each_file(session, {named}, [&](const std::string&) { return repair->run(session); });
  };
}

Run declare_extract(Arguments& arguments) {
  const auto extract = std::make_shared<Extract>();
  arguments.optional_files("FILE NAME OUT", extract->words,
                           "file to read; type of the record (NAME:N: occurrence N, from 0), or field of a "
                           "checkpoint; file to write");
  arguments.reads_contents_but_last();
  arguments.text("--slice", "AXIS=N|FIRST:END", extract->slice,
                 "one slice of the lattice, t=5 or t=4:8, of FILE|DIR...; last the folder to write (default: DIR.t5)");
  arguments.text("--to", "FORMAT", extract->format, "format of the slices (default: the format of their file)");
  extract->how.declare(arguments, "extract");
  return [extract](Session& session) { return extract->extract(session); };
}

namespace {

struct Convert {
  std::string first;              // file to read
  std::vector<std::string> rest;  // more files to read; the last one is the target
  WriteArguments write;
  ConvertOptions options;
  bool skip_existing = false;

  int run(Session& session) const {
    const std::string& last = rest.back();
    const bool is_folder = at_root(session, [&] {
                             const std::vector<std::string> all = inputs();
                             const bool has_folders = std::ranges::any_of(all, is_directory);
                             return last.ends_with('/') || is_directory(last) || has_folders ? 1 : 0;
                           }) == 1;
    if (is_folder) return convert_into(session, last);
    if (rest.size() > 1) {
      throw UsageError(fmt::format("several files need a folder as target; create \"{}\" with \"mkdir\"", last));
    }
    if (skip_existing) throw UsageError("--skip-existing applies to files converted into a folder");
    return for_target(session, last, [&](const std::string& to) { return copy(session, first, to); });
  }

 private:
  int convert_into(Session& session, const std::string& folder) const {
    if (write.options.format.empty()) {
      throw UsageError(fmt::format("\"{}\" is a folder: name the format (--format)", folder));
    }
    ManyConversions many{.inputs = inputs(), .folder = folder, .options = options, .skip_existing = skip_existing};
    many.options.write = write.options;
    many.shown = [&session](const std::string& path) { return session.out.named(path); };
    many.rewrite = [this](Session& here, const std::string& from, const std::string& to) {
      refuse_what_needs_a_field(from, to);
      return rewrite(here, from, to);
    };
    return convert_many(session, many);
  }

  // All but the last.
  std::vector<std::string> inputs() const {
    std::vector<std::string> all = {first};
    all.insert(all.end(), rest.begin(), rest.end() - 1);
    return all;
  }

  // A multifile has no fields, so it is rewritten.
  int rewrite(Session& session, const std::string& from, const std::string& to) const {
    RepackArguments how;
    how.options.overwrite = write.options.overwrite;
    how.options.dry_run = options.dry_run;
    how.options.limits = options.limits;
    return how.carry_out(session, to, "written",
                         [&](const RepackOptions& given) { return lq::rewrite(from, to, given); });
  }

  // An error instead of ignoring the options.
  void refuse_what_needs_a_field(const std::string& from, const std::string& to) const {
    const bool named = std::ranges::any_of(formats(), [&](const FormatInfo& format) {
      return format.contents != Contents::streams &&
             std::ranges::any_of(format.suffixes, [&](std::string_view suffix) { return to.ends_with(suffix); });
    });
    if (!write.asks_for_a_field() && !named) return;
    const std::string why = named ? fmt::format("the suffix of \"{}\" belongs to another format", to)
                                  : "options for fields do not apply to it";
    throw Error(Code::invalid_argument,
                fmt::format("{}: a multifile can only become another multifile, and {}; for a field of a checkpoint do "
                            "\"lq extract {} FIELD OUT\" first",
                            from, why, from),
                {.path = from});
  }

  int copy(Session& session, const std::string& from, const std::string& to) const {
    if (format_info(inspect(from, session.communicator, options.limits).format).contents == Contents::streams) {
      refuse_what_needs_a_field(from, to);
      return rewrite(session, from, to);
    }
    if (write.processes.size() > 0) check_grid(session, from);
    require_target(session, to, write.options.overwrite);
    ConvertOptions how = options;
    how.write = write.options;
    const Report report = with_bar(session, "converting", how, [&](const ConvertOptions& with) {
      return lq::convert(from, to, session.communicator, with);
    });
    tell_conversion(session, report, from, to, options.dry_run);
    return fine;
  }

  // Tiles are distributed dynamically, so the grid only has to match the number of ranks.
  void check_grid(const Session& session, const std::string& from) const {
    const Catalog catalog = inspect(from, session.communicator);
    const FieldEntry& field = catalog.field(options.field, options.index);
    const Grid grid(session.communicator, field.payload.extents, write.grid_options());
    session.remark(fmt::format("process grid {}", to_string(grid.processes())));
  }
};

}  // namespace

Run declare_convert(Arguments& arguments) {
  const auto convert = std::make_shared<Convert>();
  arguments.file("IN", convert->first, "file to read, or a folder of them");
  arguments.reads_contents();
  arguments.files(
      "OUT", convert->rest,
      "file to write; its suffix picks the format. Or more files and folders to read, and last the folder for "
      "all of them");
  arguments.reads_contents_but_last();
  convert->write.declare(arguments, "convert");
  declare_options(arguments, "convert", "ConvertOptions", convert->options);
  arguments.flag("--skip-existing", convert->skip_existing,
                 "in a folder: skip files that exist and are complete, as listed in its lq-convert.log; continues an "
                 "interrupted run");
  return [convert](Session& session) { return convert->run(session); };
}

}  // namespace lq::cli
