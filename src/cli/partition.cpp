// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq partition, lq repartition: how files are split into subfiles, and splitting them differently.
#include <memory>

#include <fmt/format.h>
#include <limequat/json.hpp>
#include <limequat/partition.hpp>
#include <limequat/repartition.hpp>

#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/exit_code.hpp"
#include "cli/progress.hpp"
#include "cli/text.hpp"

namespace lq::cli {
namespace {

struct Repartition {
  std::string from, to;
  RepartitionOptions options;

  int run(Session& session) const {
    return for_each_file(session, {from}, [&](const std::string&) {
      const RepartitionReport report = with_bar(session, "moving", options, [&](const RepartitionOptions& how) {
        return repartition(from, to, session.communicator, how);
      });
      if (session.json) {
        session.out.object("path", to, report, "dry_run", options.dry_run);
      } else if (!session.quiet) {
        session.out.line(fmt::format("{}: {}", to, sentence_of(report)));
      }
      cli::tell(session, to, report.findings);
      return exit_code_of(report.findings);
    });
  }

  std::string sentence_of(const RepartitionReport& report) const {
    if (report.was_there) return "there already";
    const std::string pieces =
        report.files.size() == 1 ? "one file" : fmt::format("{}", count(report.files.size() - 1, "subfile"));
    std::string text = fmt::format("{} -> {}: {}, {}", report.from, report.to, pieces, base::human_bytes(report.bytes));
    if (options.dry_run) return text + "; nothing was written";
    if (report.moved_bytes == report.bytes) return text;
    return text +
           fmt::format(" ({} of them by an interrupted call)", base::human_bytes(report.bytes - report.moved_bytes));
  }
};

struct Partitions {
  std::string path, access, extents;
  FileArray array;
  std::uint64_t parts = 0;

  int run(Session& session) const {
    return for_each_file(session, {path}, [&](const std::string&) {
      return at_root(session, [&] {
        FileArray asked = array;
        if (!extents.empty()) {
          for (const std::int64_t extent : parse_extents(extents)) asked.extents.push_back(extent);
        }
        tell(session, partitioned_file(path, asked), asked);
        return 0;
      });
    });
  }

  void tell(Session& session, const PartitionedFile& file, const FileArray& asked) const {
    base::JsonWriter json;
    json.begin_object().raw_members(to_json(file));
    std::string lines = text_of(file);
    const auto add = [&](const Partition& wanted, const Partition& there, std::string_view key, std::string_view what) {
      const Matching matching = match(wanted, there);
      json.key(key).raw(to_json(matching));
      lines += fmt::format("{}: matching degree {:.3g}: {} of {} on average, where {} would suffice\n", what,
                           matching.degree(), count(matching.runs, "run"), base::human_bytes(bytes_of(matching)),
                           matching.pairs);
    };
    if (!access.empty()) {
      const Partition wanted = Partition::parse(asked.extents.empty() ? file.partition.array() : asked, access);
      json.member("access", wanted.text());
      add(wanted, file.partition, "matching", fmt::format("access {}", wanted.text()));
      if (parts > 0) {
        const Partition proposed = propose_partition(wanted, parts);
        json.member("proposed", proposed.text());
        add(wanted, proposed, "proposed_matching", fmt::format("proposed {}", proposed.text()));
      }
    }
    if (session.json) {
      session.out.line(json.end_object().take());
    } else {
      session.out.write(lines);
    }
  }

  static std::uint64_t bytes_of(const Matching& matching) {
    return static_cast<std::uint64_t>(matching.mean_run_bytes());
  }

  static std::string text_of(const PartitionedFile& file) {
    const FileArray& of = file.partition.array();
    std::string lines =
        fmt::format("{}: {}, {} of {} elements of {} bytes from byte {}\n", file.path, base::human_bytes(file.bytes),
                    file.partition.text(), fmt::join(of.extents, "x"), of.element_bytes, of.begin);
    for (std::size_t k = 0; file.files.size() > 1 && k < file.files.size(); ++k) {
      lines += fmt::format("  {} {}: {}\n", k, printable(file.files[k].path, 1000),
                           count(file.partition.elements(k), "element"));
    }
    return lines;
  }
};

}  // namespace

Run declare_repartition(Arguments& arguments) {
  const auto work = std::make_shared<Repartition>();
  arguments.file("FILE", work->from, "file, set of subfiles, or one of QIO's part files");
  arguments.file("TARGET", work->to, "file or description of a set to write; FILE itself with --overwrite");
  declare_options(arguments, "repartition", "RepartitionOptions", work->options);
  return [work](Session& session) { return work->run(session); };
}

Run declare_partition(Arguments& arguments) {
  const auto work = std::make_shared<Partitions>();
  arguments.file("FILE", work->path, "file, set of subfiles, or one of QIO's part files");
  arguments.text("--access", "PARTITION", work->access, "how well the access of processes, \"t=block:4\", matches");
  arguments.number("--parts", work->parts, "propose the partition into this number of subfiles that fits the access");
  arguments.text("--extents", "EXTENTS", work->extents, "of an array of the file, \"16x16x16x32\"");
  arguments.number("--element-bytes", work->array.element_bytes, "of an element of that array (default 1)");
  arguments.number("--begin", work->array.begin, "of its first element (default 0)");
  return [work](Session& session) { return work->run(session); };
}

}  // namespace lq::cli
