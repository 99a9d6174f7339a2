// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is a checkpoint stays one unless the options say otherwise.
#include "sets/repack/rewrite.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "comm/parallel_for.hpp"
#include "sets/checkpoint/compression.hpp"
#include "sets/checkpoint/open_set.hpp"
#include "sets/checkpoint/stream_reader.hpp"
#include "sets/repack/checkpoint_writer.hpp"
#include "sets/repack/set_writer.hpp"
#include "sets/repack/source_set.hpp"
#include "storage/twice_read.hpp"

namespace lq::sets {
namespace {

namespace sion = format::sion;

[[noreturn]] void refuse(Code code, const std::string& path, const std::string& what) {
  throw Error(code, fmt::format("{}: {}", path, what), {.path = path});
}

// A multifile being rewritten, plainly or as a checkpoint.
class Rewriting {
 public:
  Rewriting(storage::Transport& transport, const std::string& from, const std::string& to, const RepackOptions& options)
      : Rewriting(transport, found_twice(transport, from, options), to, options) {
    if (options.verify != Verify::none) require_no_losses();
  }
  Rewriting(storage::Transport& transport, sets::FoundSet found, const std::string& to, const RepackOptions& options)
      : transport_(transport),
        to_(to),
        options_(options),
        twice_(transport),
        found_(std::move(found)),
        keeping_{options.compression.value_or(found_.compression()), !found_.has_records() || found_.has_checksums()} {
    if (is_checkpoint()) {
      require_possible();
      fields_ = sets::CopiedFields::looked_at_twice(
          transport, found_, options.dry_run ? sets::FieldData::left_out : sets::FieldData::compared);
    } else if (options.compression.value_or(Compression::none) != Compression::none) {
      refuse(Code::invalid_argument, to, "only checkpoints are compressed; have one written, or leave compression out");
    }
  }

  bool is_checkpoint() const { return options_.checkpoint.value_or(found_.has_records()); }

  // What is left of a stream is no stream of its own unless somebody says so.
  void require_no_losses() const {
    for (std::size_t file = 0; file < found_.losses.size(); ++file) {
      if (found_.losses[file].empty()) continue;
      const std::string what = found_.describe(found_.losses[file].front(), static_cast<std::int32_t>(file));
      throw Error(Code::truncated,
                  fmt::format("{}; without verification (\"--no-verify\") the remaining data are written", what),
                  {.path = found_.path});
    }
  }

  // All tasks in one file, one chunk for each.
  RepackReport into_one_file() {
    const sion::FixedHead& head = found_.set.files().front().head;
    const std::uint64_t block =
        options_.block_size > 0 ? options_.block_size : static_cast<std::uint64_t>(head.block_size);
    const std::vector<std::int32_t> order = order_of_tasks();
    std::vector<std::int64_t> bytes;
    for (const std::int32_t task : order) bytes.push_back(static_cast<std::int64_t>(found_.kept_bytes(task)));
    (void)checked_block(block, to_);
    FilePlan plan =
        is_checkpoint() ? plan_checkpoint(to_, block, bytes, keeping_) : plan_single_file(to_, block, bytes);
    plan.head.data_order = head.data_order;
    plan.head.set_key_value_mode(head.key_value_mode());
    if (!is_checkpoint())
      std::ranges::transform(order, plan.head.ranks.begin(), [&](std::int32_t task) { return found_.set.rank(task); });
    const OpenTask streams = open_streams();
    return write({std::move(plan)}, [&](std::size_t, std::int32_t task) {
      const sion::Place place = found_.set.place(order[static_cast<std::size_t>(task)]);
      return streams(static_cast<std::size_t>(place.file), place.task);
    });
  }

  RepackReport into_same_files() {
    if (is_checkpoint() && !found_.has_records()) {
      refuse(Code::unsupported, found_.path,
             "another program wrote it with chunks that leave no room for records; \"lq defrag --checkpoint\" makes a "
             "checkpoint of it");
    }
    return write(same_files(found_, to_), open_streams());
  }

  // ... with all that is known to be missing.
  RepackReport into_set_with_losses() {
    std::vector<FilePlan> plans = same_files(found_, to_);
    for (std::size_t file = 0; file < plans.size(); ++file) {
      plans[file].losses = found_.losses[file];
      // Of a file that is missing nobody knows how wide its chunks were.
      for (std::int64_t& width : plans[file].head.widths) {
        if (width == 0) width = widest_chunk();
      }
    }
    RepackReport report = write(std::move(plans), open_streams());
    for (const Finding& loss : found_.info().findings) report.findings.push_back(loss);
    return report;
  }

 private:
  // A bit that flips in a header or a table would give the streams to other tasks.
  static sets::FoundSet found_twice(storage::Transport& transport, const std::string& from,
                                    const RepackOptions& options) {
    storage::TwiceRead twice(transport);
    return open_whole_set(twice, from, options);
  }

  std::int64_t widest_chunk() const {
    std::int64_t widest = 0;
    for (const sion::PhysicalFile& file : found_.set.files()) {
      for (std::int32_t task = 0; task < file.geometry.tasks(); ++task) {
        widest = std::max(widest, static_cast<std::int64_t>(file.geometry.width(task)));
      }
    }
    return widest;
  }

  void require_possible() const {
    const bool has_keys = found_.set.files().front().head.key_value_mode() != sion::KeyValueMode::none;
    if (has_keys && keeping_.compression != Compression::none) {
      refuse(Code::unsupported, to_, "streams of keys and values cannot be found in compressed bytes; leave it out");
    }
    sets::make_compressor(keeping_.compression, 0);  // whether it is built in
  }

  // A checkpoint numbers its tasks from 0; other multifiles keep the order they have.
  std::vector<std::int32_t> order_of_tasks() const {
    std::vector<std::int32_t> order(static_cast<std::size_t>(found_.set.tasks()));
    std::iota(order.begin(), order.end(), 0);
    if (is_checkpoint()) std::ranges::stable_sort(order, {}, [&](std::int32_t task) { return found_.set.rank(task); });
    return order;
  }

  // What has no checksums is read twice.
  OpenTask open_streams() {
    storage::Transport& place = found_.has_checksums() || options_.verify == Verify::none ? transport_ : twice_;
    return streams_of(place, found_, options_.verify != Verify::none ? Checksums::compared : Checksums::left_out);
  }

  RepackReport write(std::vector<FilePlan> plans, const OpenTask& open) {
    require_other_files(found_, plans);
    plans.front().like = found_.set.files().front().path;
    std::vector<Finding> findings = is_checkpoint() ? findings_of_checkpoint() : left_behind();
    if (options_.verify == Verify::none) std::ranges::move(taken_as_they_are(), std::back_inserter(findings));
    RepackReport report = is_checkpoint()
                              ? write_checkpoint(transport_, std::move(plans), open, keeping_, fields_, options_)
                              : write_set(transport_, std::move(plans), open, options_);
    report.findings = std::move(findings);
    return report;
  }

  static Finding finding(Severity severity, Code code, const std::string& rule, const std::string& message) {
    Finding one;
    one.severity = severity;
    one.code = code;
    one.rule = rule;
    one.message = message;
    return one;
  }

  std::vector<Finding> findings_of_checkpoint() const {
    std::vector<Finding> findings = lost_fields(fields_);
    const std::vector<std::int32_t> order = order_of_tasks();
    for (std::size_t task = 0; task < order.size(); ++task) {
      const std::int64_t rank = found_.set.rank(order[task]);
      if (rank == static_cast<std::int64_t>(task)) continue;
      findings.push_back(
          finding(Severity::warning, Code::ok, "repack-ranks",
                  fmt::format("\"{}\": its ranks are not 0 to {}; in the new set rank {} is task {}, and so on",
                              found_.path, order.size() - 1, rank, task)));
      break;
    }
    return findings;
  }

  std::vector<Finding> left_behind() const {
    std::vector<Finding> findings;
    if (!found_.has_records()) return findings;
    findings.push_back(finding(
        Severity::note, Code::ok, "records-left-behind",
        fmt::format("\"{}\": its streams were {}; the new multifile holds them plainly, without checksums and records",
                    found_.path,
                    options_.verify != Verify::none && found_.has_checksums() ? "compared with their checksums"
                                                                              : "taken as they are")));
    if (found_.fields > 0) {
      findings.push_back(
          finding(Severity::warning, Code::ok, "fields-left-behind",
                  fmt::format("\"{}\": its fields ({}) stay in \"{}\", for which a plain multifile has no place",
                              found_.path, found_.fields, found_.fields_path)));
    }
    return findings;
  }

  // What the new set vouches for though the old one did not.
  std::vector<Finding> taken_as_they_are() const {
    std::vector<Finding> findings;
    const auto files = std::make_shared<sets::OpenFiles>(transport_);
    files->set_paths(found_.info().files);
    sets::ReadSettings settings;
    if (!found_.has_records()) return findings;
    for (const Finding& loss : found_.info().findings) {
      findings.push_back(finding(Severity::warning, Code::ok, "repack-lost-in-repair",
                                 fmt::format("used unchanged: {}", loss.message)));
    }
    settings.record = found_.records.front();
    std::vector<std::vector<Finding>> of_tasks(static_cast<std::size_t>(found_.set.tasks()));
    comm::Team team(threads_for(options_, found_.info().stored_bytes));
    comm::parallel_for(team, of_tasks.size(), [&](int, std::uint64_t task) {
      sets::StreamReader reader(files, sets::entry_of(found_, static_cast<std::int32_t>(task)), settings);
      std::vector<Finding>& own = of_tasks[static_cast<std::size_t>(task)];
      reader.check([&](std::uint64_t, const Error& error) {
        own.push_back(finding(Severity::warning, Code::ok, "repack-unverified-chunk",
                              fmt::format("used unchanged: {}", error.what())));
        own.back().offset = error.facts().offset;
      });
    });
    for (std::vector<Finding>& own : of_tasks) std::ranges::move(own, std::back_inserter(findings));
    return findings;
  }

  storage::Transport& transport_;
  const std::string& to_;
  const RepackOptions& options_;
  storage::TwiceRead twice_;
  sets::FoundSet found_;
  Keeping keeping_;
  sets::CopiedFields fields_;
};

}  // namespace

RepackReport defragment(storage::Transport& transport, const std::string& from, const std::string& to,
                        const RepackOptions& options) {
  return Rewriting(transport, from, to, options).into_one_file();
}

RepackReport rewrite(storage::Transport& transport, const std::string& from, const std::string& to,
                     const RepackOptions& options) {
  return Rewriting(transport, from, to, options).into_same_files();
}

std::optional<RepackReport> rescue(storage::Transport& transport, const std::string& from, const std::string& to,
                                   const RepackOptions& options) {
  std::optional<sets::FoundSet> found;
  try {
    found = sets::find_set(transport, from, sets::Unclosed::refused, sets::MissingFiles::stood_in_for);
  } catch (const Error&) {
    return std::nullopt;  // why it cannot be opened was told before
  }
  if (!found->has_records() || !found->has_losses()) return std::nullopt;
  if (to.empty()) {
    refuse(
        Code::invalid_argument, from,
        "physical files of the set are missing; with a name for a new set (\"-o NEW\") the streams of the others are "
        "written to it");
  }
  return Rewriting(transport, std::move(*found), to, options).into_set_with_losses();
}

}  // namespace lq::sets

namespace lq {

RepackReport defragment(const std::string& from, const std::string& to, const RepackOptions& options) {
  return sets::defragment(storage::resolve(from), from, to, options);
}

RepackReport rewrite(const std::string& from, const std::string& to, const RepackOptions& options) {
  return sets::rewrite(storage::resolve(from), from, to, options);
}

}  // namespace lq
