// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A checkpoint stays one unless the options say otherwise.
#include "sets/repack/repair.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/multifile.hpp>

#include "base/error.hpp"
#include "comm/alone.hpp"
#include "comm/team.hpp"
#include "format/sion/geometry.hpp"
#include "sets/checkpoint/closing.hpp"
#include "sets/checkpoint/fields_writer.hpp"
#include "sets/checkpoint/new_set.hpp"
#include "sets/checkpoint/open_set.hpp"
#include "sets/checkpoint/repair.hpp"
#include "sets/checkpoint/set_fields.hpp"
#include "sets/checkpoint/set_tables.hpp"
#include "sets/checkpoint/stream.hpp"
#include "sets/repack/set_writer.hpp"
#include "storage/forwarding.hpp"

namespace lq::sets {

// Rewrites a checkpoint: streams with the records that make them checkable and recoverable, and the fields next to
// them, with a new generation. Published like sets written by ranks: all files or none, file 0 last.

// How streams are stored.
struct StreamEncoding {
  Compression compression = Compression::none;
  bool checksums = true;
};

namespace {

namespace sion = format::sion;

StreamSettings settings_of(const StreamEncoding& encoding, const Generation& generation = {}) {
  StreamSettings settings;
  settings.generation = generation;
  settings.compression = encoding.compression;
  settings.checksums = encoding.checksums;
  return settings;
}

class CheckpointWriter final : public SetWriter {
 public:
  CheckpointWriter(storage::Transport& transport, std::vector<FilePlan> plans, const StreamEncoding& encoding,
                   const CopiedFields& fields, const RepackOptions& options)
      : SetWriter(transport, std::move(plans), options),
        fields_(fields),
        settings_(settings_of(encoding, generation_)) {
    report_.fields = fields.count();
    if (has_fields()) report_.files.push_back(fields_name(path()));
  }

 private:
  void require_targets() const override {
    SetWriter::require_targets();
    if (has_fields()) require_fields_target(transport_, path(), options_.overwrite);
    // The compressed size is unknown.
    const bool plain = settings_.compression == Compression::none;
    io::require_space(transport_, path(), (plain ? report_.bytes : 0) + fields_.bytes());
  }

  void write_file(std::size_t number, const OpenTask& open, storage::File& file, Progressing& progress) override {
    const FilePlan& plan = plans_[number];
    Closing closing;
    closing.record = {settings_.generation,
                      settings_.compression,
                      settings_.checksums,
                      static_cast<std::uint32_t>(number),
                      static_cast<std::uint32_t>(plan.head.tasks),
                      0};
    closing.tail.map = plan.map;
    closing.losses = plan.losses;
    closing.start = geometries_[number].start(0);
    closing.skip = geometries_[number].skip();
    closing.order = plan.head.metadata_order;
    if (number == 0) closing.fields = static_cast<std::uint32_t>(fields_.count());
    write_head(file, plan.head, sion::encode(plan.head), closing.record);
    write_streams(number, open, file, closing, progress);
    close_file(file, closing);
    report_.file_bytes += file.size();
  }

  // The table follows from the division of the streams.
  void write_streams(std::size_t number, const OpenTask& open, storage::File& file, Closing& closing,
                     Progressing& progress) {
    const FilePlan& plan = plans_[number];
    const auto tasks = static_cast<std::size_t>(plan.head.tasks);
    std::vector<std::vector<std::int64_t>> used(tasks);
    if (settings_.compression != Compression::none) closing.sizes.resize(tasks);
    for_each_task(number, [&](int thread, std::int32_t task) {
      const StreamPlace place{geometries_[number].places(task), static_cast<std::uint32_t>(number),
                              static_cast<std::uint32_t>(task), plan.head.ranks[static_cast<std::size_t>(task)]};
      StreamWriter writer(file, place, settings_);
      copy_stream(open(number, task), plan.table.bytes(task), progress, thread,
                  [&](base::Bytes bytes) { writer.write(bytes); });
      writer.flush();
      used[static_cast<std::size_t>(task)] = writer.used();
      if (settings_.compression != Compression::none) closing.sizes[static_cast<std::size_t>(task)] = writer.size();
    });
    closing.tail.table = sion::ChunkTable::of(used);
  }

  std::string remedy() const override { return fmt::format("\"lq repair {}\" renames the rest of its files", path()); }
  bool has_fields() const override { return fields_.count() > 0; }
  bool has_generation() const override { return true; }
  std::uint64_t bytes_of_fields() const override { return fields_.bytes(); }
  void write_fields(storage::File& file, Progressing& progress) override {
    fields_.write(file, settings_.generation, [&](std::uint64_t bytes) { progress.add(bytes); });
    report_.file_bytes += file.size();
  }

  const CopiedFields& fields_;
  StreamSettings settings_;
};

}  // namespace

// One physical file with a stream of the given number of bytes for each task, each in one chunk unless it is
// compressed. Chunks are multiples of `block` bytes, or of a larger number that leaves space for a record. too_large,
// unsupported.
FilePlan plan_checkpoint(const std::string& path, std::uint64_t block, const std::vector<std::int64_t>& bytes,
                         const StreamEncoding& encoding) {
  FilePlan plan;
  plan.path = path;
  plan.head.prefix = path;
  plan.head.tasks = static_cast<std::int32_t>(bytes.size());
  const std::array<std::uint64_t, 1> tasks{bytes.size()};
  plan.head.block_size = roomy_block(block, tasks);
  const std::uint64_t bound = frame_bound(settings_of(encoding));
  const auto aligned = static_cast<std::uint64_t>(plan.head.block_size);
  plan.table = sion::ChunkTable(std::vector<std::uint64_t>(bytes.size(), 1));
  for (std::size_t task = 0; task < bytes.size(); ++task) {
    const auto size = static_cast<std::uint64_t>(bytes[task]);
    // A writer that does not know the final size of a stream takes more.
    const std::uint64_t wanted = std::max<std::uint64_t>(size, 1);
    const std::uint64_t width = encoding.compression == Compression::none
                                    ? sion::round_up(wanted + reserved_bytes, aligned)
                                    : choose_width(wanted, aligned, encoding.compression, bound);
    plan.head.widths.push_back(static_cast<std::int64_t>(width));
    plan.head.ranks.push_back(static_cast<std::int64_t>(task));
    plan.table.used(static_cast<std::int32_t>(task))[0] = bytes[task];
  }
  return plan;
}

// Local. The tables of the plans give the lengths of streams; the width of the chunks gives their division.
RepackReport write_checkpoint(storage::Transport& transport, std::vector<FilePlan> plans, const OpenTask& open,
                              const StreamEncoding& encoding, const CopiedFields& fields,
                              const RepackOptions& options) {
  return CheckpointWriter(transport, std::move(plans), encoding, fields, options).run(open);
}

namespace {

namespace sion = format::sion;

[[noreturn]] void refuse(Code code, const std::string& path, const std::string& what) {
  base::fail(code, path, "{}", what);
}

// Rewrites a multifile, plainly or as a checkpoint.
class Rewriting {
 public:
  Rewriting(storage::Transport& transport, const std::string& from, const std::string& to, const RepackOptions& options)
      : Rewriting(transport, found_twice(transport, from, options), to, options) {
    if (options.verify != Verify::none) require_no_losses();
  }
  Rewriting(storage::Transport& transport, FoundSet found, const std::string& to, const RepackOptions& options)
      : transport_(transport),
        to_(to),
        options_(options),
        twice_(transport),
        found_(std::move(found)),
        keeping_{options.compression.value_or(found_.compression()), !found_.has_records() || found_.has_checksums()} {
    if (is_checkpoint()) {
      require_possible();
      fields_ =
          CopiedFields::examine_twice(transport, found_, options.dry_run ? FieldData::left_out : FieldData::compared);
    } else if (options.compression.value_or(Compression::none) != Compression::none) {
      refuse(Code::invalid_argument, to, "only checkpoints can be compressed; request one, or omit compression");
    }
  }

  bool is_checkpoint() const { return options_.checkpoint.value_or(found_.has_records()); }

  // The rest of a stream becomes a stream only on request.
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
             "another program wrote it with chunks that leave no space for records; \"lq defrag --checkpoint\" makes a "
             "checkpoint of it");
    }
    return write(same_files(found_, to_), open_streams());
  }

  // ... with all known losses.
  RepackReport into_set_with_losses() {
    std::vector<FilePlan> plans = same_files(found_, to_);
    for (std::size_t file = 0; file < plans.size(); ++file) {
      plans[file].losses = found_.losses[file];
      // The chunk widths of a missing file are unknown.
      for (std::int64_t& width : plans[file].head.widths) {
        if (width == 0) width = widest_chunk();
      }
    }
    RepackReport report = write(std::move(plans), open_streams());
    for (const Finding& loss : found_.info().findings) report.findings.push_back(loss);
    return report;
  }

 private:
  // A flipped bit in a header or a table would assign the streams to other tasks.
  static FoundSet found_twice(storage::Transport& transport, const std::string& from, const RepackOptions& options) {
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
      refuse(Code::unsupported, to_, "compressed bytes do not show streams of keys and values; omit compression");
    }
    make_compressor(keeping_.compression, 0);  // throws if it is not built in
  }

  // A checkpoint numbers its tasks from 0; other multifiles keep the order they have.
  std::vector<std::int32_t> order_of_tasks() const {
    std::vector<std::int32_t> order(static_cast<std::size_t>(found_.set.tasks()));
    std::iota(order.begin(), order.end(), 0);
    if (is_checkpoint()) std::ranges::stable_sort(order, {}, [&](std::int32_t task) { return found_.set.rank(task); });
    return order;
  }

  // Data without checksums are read twice.
  OpenTask open_streams() {
    storage::Transport& place = found_.has_checksums() || options_.verify == Verify::none ? transport_ : twice_;
    return streams_of(place, found_, options_.verify != Verify::none ? Checksums::compared : Checksums::left_out);
  }

  RepackReport write(std::vector<FilePlan> plans, const OpenTask& open) {
    require_other_files(found_, plans);
    plans.front().likes = {found_.set.files().front().path};
    if (is_checkpoint()) remember_lost_fields(plans.front().losses);
    std::vector<Finding> findings = is_checkpoint() ? findings_of_checkpoint() : left_behind();
    if (options_.verify == Verify::none) std::ranges::move(taken_as_they_are(), std::back_inserter(findings));
    RepackReport report = is_checkpoint()
                              ? write_checkpoint(transport_, std::move(plans), open, keeping_, fields_, options_)
                              : write_set(transport_, std::move(plans), open, options_);
    report.findings = std::move(findings);
    return report;
  }

  // The new set has fewer fields and would be in order: it says what the old one had.
  void remember_lost_fields(std::vector<StreamLoss>& losses) const {
    const auto is_of_fields = [](const StreamLoss& loss) { return loss.task == StreamLoss::of_fields; };
    if (fields_.damage().empty() || std::ranges::any_of(losses, is_of_fields)) return;
    const std::uint64_t stated = found_.fields > fields_.count() ? found_.fields - fields_.count() : 0;
    const std::uint64_t lost = std::max<std::uint64_t>(stated, fields_.damage().size());
    losses.push_back({.task = StreamLoss::of_fields, .position = fields_.count(), .bytes = lost});
  }

  std::vector<Finding> findings_of_checkpoint() const {
    std::vector<Finding> findings = lost_fields(fields_);
    const std::vector<std::int32_t> order = order_of_tasks();
    for (std::size_t task = 0; task < order.size(); ++task) {
      const std::int64_t rank = found_.set.rank(order[task]);
      if (rank == static_cast<std::int64_t>(task)) continue;
      findings.push_back(
          {.severity = Severity::warning,
           .rule = "repack-ranks",
           .message = fmt::format("\"{}\": its ranks are not 0 to {}; in the new set rank {} is task {}, and so on",
                                  found_.path, order.size() - 1, rank, task)});
      break;
    }
    return findings;
  }

  std::vector<Finding> left_behind() const {
    std::vector<Finding> findings;
    if (!found_.has_records()) return findings;
    const bool are_compared = options_.verify != Verify::none && found_.has_checksums();
    findings.push_back(
        {.severity = Severity::note,
         .rule = "records-left-behind",
         .message = fmt::format(
             "\"{}\": its streams were {}; the new multifile holds them plainly, without checksums and records",
             found_.path, are_compared ? "compared with their checksums" : "taken as they are")});
    if (found_.fields > 0) {
      findings.push_back(
          {.severity = Severity::warning,
           .rule = "fields-left-behind",
           .message = fmt::format("\"{}\": its fields ({}) stay in \"{}\", because a plain multifile cannot store them",
                                  found_.path, found_.fields, found_.fields_path)});
    }
    return findings;
  }

  // Data that the new set covers by checksums although the old one did not.
  std::vector<Finding> taken_as_they_are() const {
    std::vector<Finding> findings;
    if (!found_.has_records()) return findings;
    for (const Finding& loss : found_.info().findings) {
      findings.push_back({.severity = Severity::warning,
                          .rule = "repack-lost-in-repair",
                          .message = fmt::format("used unchanged: {}", loss.message)});
    }
    const auto files = std::make_shared<OpenFiles>(transport_);
    files->set_paths(found_.info().files);
    std::vector<ChunkDamage> damage;
    check_streams(found_, files, options_.threads, words_of_error, damage);
    for (const ChunkDamage& chunk : damage) {
      findings.push_back({.severity = Severity::warning,
                          .rule = "repack-unverified-chunk",
                          .message = fmt::format("used unchanged: {}", chunk.what),
                          .offset = chunk.offset});
    }
    return findings;
  }

  storage::Transport& transport_;
  const std::string& to_;
  const RepackOptions& options_;
  storage::TwiceRead twice_;
  FoundSet found_;
  StreamEncoding keeping_;
  CopiedFields fields_;
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
  std::optional<FoundSet> found;
  try {
    found = find_set(transport, from, Unclosed::refused, MissingFiles::stood_in_for);
  } catch (const Error&) {
    return std::nullopt;  // the reason was reported before
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
  return comm::alone([&] { return sets::defragment(storage::resolve(from), from, to, options); });
}

RepackReport rewrite(const std::string& from, const std::string& to, const RepackOptions& options) {
  return comm::alone([&] { return sets::rewrite(storage::resolve(from), from, to, options); });
}

}  // namespace lq
