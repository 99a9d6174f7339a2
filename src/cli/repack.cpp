// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq pack, unpack, extract, defrag, repair.
#include "cli/repack.hpp"

#include <memory>

#include <fmt/format.h>
#include <limequat/json.hpp>

#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/exit_code.hpp"
#include "cli/progress.hpp"
#include "cli/text.hpp"

namespace lq::cli {
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

}  // namespace lq::cli
