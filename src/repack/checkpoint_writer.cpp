// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See checkpoint_writer.hpp.
#include "repack/checkpoint_writer.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "checkpoint/closing.hpp"
#include "checkpoint/field_note.hpp"
#include "checkpoint/part_name.hpp"
#include "checkpoint/publishing.hpp"
#include "checkpoint/shape.hpp"
#include "checkpoint/stream_writer.hpp"
#include "checkpoint/table_gathering.hpp"
#include "format/sion/geometry.hpp"
#include "io/new_file.hpp"

namespace lq::repack {
namespace {

namespace sion = format::sion;

checkpoint::StreamSettings settings_of(const Keeping& keeping, const checkpoint::Generation& generation = {}) {
  checkpoint::StreamSettings settings;
  settings.generation = generation;
  settings.compression = keeping.compression;
  settings.checksums = keeping.checksums;
  return settings;
}

class CheckpointWriter {
 public:
  CheckpointWriter(transport::Transport& transport, const std::vector<FilePlan>& plans, const Keeping& keeping,
                   const checkpoint::CopiedFields& fields, const RepackOptions& options)
      : transport_(transport),
        plans_(plans),
        fields_(fields),
        options_(options),
        settings_(settings_of(keeping, checkpoint::new_generation())) {
    for (const FilePlan& plan : plans) {
      geometries_.emplace_back(plan.head, plan.path);
      report_.files.push_back(plan.path);
      report_.tasks += static_cast<std::uint64_t>(plan.head.tasks);
      for (std::int32_t task = 0; task < plan.head.tasks; ++task) report_.bytes += plan.table.bytes(task);
    }
    report_.fields = fields.count();
    if (report_.fields > 0) report_.files.push_back(checkpoint::fields_name(path()));
  }

  RepackReport run(const OpenTask& open) {
    require_targets();
    if (options_.dry_run) return std::move(report_);
    Progressing progress{options_.progress, 0, report_.bytes + fields_.bytes()};
    if (options_.overwrite) older_files_ = checkpoint::files_of(transport_, path());
    try {
      for (std::size_t k = 0; k < plans_.size(); ++k) write_file(k, open, progress);
      if (fields_.count() > 0) write_fields(progress);
    } catch (...) {
      remove_parts();
      throw;
    }
    publish();
    return std::move(report_);
  }

 private:
  const std::string& path() const noexcept { return plans_.front().path; }
  std::string part(const std::string& name) const { return checkpoint::part_name(name, settings_.generation); }

  void require_targets() const {
    for (const FilePlan& plan : plans_) {
      (void)sion::encode_fixed(plan.head);  // whatever is wrong with it shows before anything is written
      io::require_target(transport_, plan.path, options_.overwrite);
    }
    if (fields_.count() > 0) checkpoint::require_fields_target(transport_, path(), options_.overwrite);
    // What compression will make of it is not known.
    const bool plain = settings_.compression == Compression::none;
    io::require_space(transport_, path(), (plain ? report_.bytes : 0) + fields_.bytes());
  }

  // A file under its temporary name; `work` writes it.
  template <class Work>
  void write_part(const std::string& name, const Work& work) {
    const std::string temporary = part(name);
    const auto created = checkpoint::create_part(transport_, path(), temporary);
    parts_.push_back(temporary);
    created->close();
    io::NewFile file(transport_, Communicator(), name, temporary, 0, 0, true);
    file.named([&] {
      work(file.file());
      report_.file_bytes += file.file().size();
    });
    file.finish(options_.sync);
  }

  void write_file(std::size_t k, const OpenTask& open, Progressing& progress) {
    const FilePlan& plan = plans_[k];
    checkpoint::Closing closing;
    closing.record = {settings_.generation,
                      settings_.compression,
                      settings_.checksums,
                      static_cast<std::uint32_t>(k),
                      static_cast<std::uint32_t>(plan.head.tasks),
                      0};
    closing.tail.map = plan.map;
    closing.start = geometries_[k].start(0);
    closing.skip = geometries_[k].skip();
    closing.order = plan.head.metadata_order;
    if (k == 0) closing.fields = static_cast<std::uint32_t>(fields_.count());
    write_part(plan.path, [&](transport::File& file) {
      write_head(plan, file, closing.record);
      write_streams(k, open, file, closing, progress);
      checkpoint::close_file(file, closing);
    });
  }

  static void write_head(const FilePlan& plan, transport::File& file, checkpoint::SetRecord& record) {
    std::vector<std::byte> bytes = sion::encode(plan.head);
    checkpoint::add_record(record, bytes);
    file.write_at(0, bytes);
  }

  // The table follows from how the streams were cut.
  void write_streams(std::size_t k, const OpenTask& open, transport::File& file, checkpoint::Closing& closing,
                     Progressing& progress) const {
    const FilePlan& plan = plans_[k];
    std::vector<std::vector<std::int64_t>> used;
    std::vector<std::uint64_t> counts;
    for (std::int32_t task = 0; task < plan.head.tasks; ++task) {
      const checkpoint::StreamPlace place{geometries_[k].start(task),
                                          geometries_[k].width(task),
                                          geometries_[k].skip(),
                                          static_cast<std::uint32_t>(k),
                                          static_cast<std::uint32_t>(task),
                                          plan.head.ranks[static_cast<std::size_t>(task)]};
      checkpoint::StreamWriter writer(file, place, settings_);
      copy_stream(open(k, task), plan.table.bytes(task), writer, progress);
      used.push_back(writer.used());
      counts.push_back(used.back().size());
      if (settings_.compression != Compression::none) closing.sizes.push_back(writer.size());
    }
    closing.tail.table = sion::ChunkTable(counts);
    for (std::int32_t task = 0; task < plan.head.tasks; ++task) {
      std::ranges::copy(used[static_cast<std::size_t>(task)], closing.tail.table.used(task).begin());
    }
  }

  static void copy_stream(const ReadTask& read, std::uint64_t bytes, checkpoint::StreamWriter& writer,
                          Progressing& progress) {
    std::vector<std::byte> buffer;
    for (std::uint64_t done = 0; done < bytes; done += buffer.size()) {
      buffer.resize(static_cast<std::size_t>(std::min<std::uint64_t>(piece_bytes, bytes - done)));
      read(buffer);
      writer.write(buffer);
      progress.add(buffer.size());
    }
    writer.flush();
  }

  void write_fields(Progressing& progress) {
    write_part(checkpoint::fields_name(path()), [&](transport::File& file) {
      fields_.write(file, settings_.generation, [&](std::uint64_t bytes) { progress.add(bytes); });
    });
  }

  void publish() {
    bool has_begun = false;
    const auto give = [&](const std::string& name) {
      checkpoint::give_name(transport_, path(), part(name), name, options_.overwrite);
      has_begun = true;
    };
    try {
      for (std::size_t k = plans_.size(); k-- > 1;) give(plans_[k].path);
      if (fields_.count() > 0) give(checkpoint::fields_name(path()));
      if (has_begun && options_.sync == Sync::full) transport_.sync_directory(path());
      give(path());
    } catch (const Error& error) {
      if (!has_begun) {
        remove_parts();
        throw;
      }
      throw Error(
          error.code(),
          fmt::format("{}; the new set is complete, and \"lq repair {}\" gives the rest of its files their names",
                      error.what(), path()),
          error.facts());
    }
    if (options_.overwrite) {
      checkpoint::remove_older(transport_, path(), static_cast<std::int32_t>(plans_.size()), older_files_,
                               fields_.count() > 0);
    }
    if (options_.sync == Sync::full) transport_.sync_directory(path());
  }

  void remove_parts() noexcept {
    for (const std::string& one : parts_) checkpoint::remove_quietly(transport_, one);
  }

  transport::Transport& transport_;
  const std::vector<FilePlan>& plans_;
  const checkpoint::CopiedFields& fields_;
  const RepackOptions& options_;
  checkpoint::StreamSettings settings_;
  std::vector<sion::Geometry> geometries_;
  std::vector<std::string> parts_;
  std::int32_t older_files_ = 0;
  RepackReport report_;
};

}  // namespace

FilePlan plan_checkpoint(const std::string& path, std::uint64_t block, const std::vector<std::int64_t>& bytes,
                         const Keeping& keeping) {
  FilePlan plan;
  plan.path = path;
  plan.head.prefix = path;
  plan.head.tasks = static_cast<std::int32_t>(bytes.size());
  const std::array<std::uint64_t, 1> tasks{bytes.size()};
  plan.head.block_size = checkpoint::roomy_block(block, tasks);
  const std::uint64_t bound = checkpoint::frame_bound(settings_of(keeping));
  const auto aligned = static_cast<std::uint64_t>(plan.head.block_size);
  plan.table = sion::ChunkTable(std::vector<std::uint64_t>(bytes.size(), 1));
  for (std::size_t task = 0; task < bytes.size(); ++task) {
    const auto size = static_cast<std::uint64_t>(bytes[task]);
    // A writer that does not know how long a stream becomes takes more.
    const std::uint64_t wanted = std::max<std::uint64_t>(size, 1);
    const std::uint64_t width = keeping.compression == Compression::none
                                    ? sion::round_up(wanted + checkpoint::reserved_bytes, aligned)
                                    : checkpoint::choose_width(wanted, aligned, keeping.compression, bound);
    plan.head.widths.push_back(static_cast<std::int64_t>(width));
    plan.head.ranks.push_back(static_cast<std::int64_t>(task));
    plan.table.used(static_cast<std::int32_t>(task))[0] = bytes[task];
  }
  return plan;
}

RepackReport write_checkpoint(transport::Transport& transport, const std::vector<FilePlan>& plans, const OpenTask& open,
                              const Keeping& keeping, const checkpoint::CopiedFields& fields,
                              const RepackOptions& options) {
  return CheckpointWriter(transport, plans, keeping, fields, options).run(open);
}

}  // namespace lq::repack
