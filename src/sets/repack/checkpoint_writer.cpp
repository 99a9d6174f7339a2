// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sets/repack/checkpoint_writer.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "format/sion/geometry.hpp"
#include "sets/checkpoint/closing.hpp"
#include "sets/checkpoint/field_note.hpp"
#include "sets/checkpoint/publishing.hpp"
#include "sets/checkpoint/shape.hpp"
#include "sets/checkpoint/stream_writer.hpp"
#include "sets/checkpoint/table_gathering.hpp"

namespace lq::sets {
namespace {

namespace sion = format::sion;

sets::StreamSettings settings_of(const Keeping& keeping, const sets::Generation& generation = {}) {
  sets::StreamSettings settings;
  settings.generation = generation;
  settings.compression = keeping.compression;
  settings.checksums = keeping.checksums;
  return settings;
}

class CheckpointWriter final : public SetWriter {
 public:
  CheckpointWriter(storage::Transport& transport, std::vector<FilePlan> plans, const Keeping& keeping,
                   const sets::CopiedFields& fields, const RepackOptions& options)
      : SetWriter(transport, std::move(plans), options), fields_(fields), settings_(settings_of(keeping, generation_)) {
    report_.fields = fields.count();
    if (has_fields()) report_.files.push_back(sets::fields_name(path()));
  }

 private:
  void require_targets() const override {
    SetWriter::require_targets();
    if (has_fields()) sets::require_fields_target(transport_, path(), options_.overwrite);
    // What compression will make of it is not known.
    const bool plain = settings_.compression == Compression::none;
    io::require_space(transport_, path(), (plain ? report_.bytes : 0) + fields_.bytes());
  }

  void write_file(std::size_t number, const OpenTask& open, storage::File& file, Progressing& progress) override {
    const FilePlan& plan = plans_[number];
    sets::Closing closing;
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
    sets::write_head(file, plan.head, sion::encode(plan.head), closing.record);
    write_streams(number, open, file, closing, progress);
    sets::close_file(file, closing);
    report_.file_bytes += file.size();
  }

  // The table follows from how the streams were cut.
  void write_streams(std::size_t number, const OpenTask& open, storage::File& file, sets::Closing& closing,
                     Progressing& progress) {
    const FilePlan& plan = plans_[number];
    const auto tasks = static_cast<std::size_t>(plan.head.tasks);
    std::vector<std::vector<std::int64_t>> used(tasks);
    if (settings_.compression != Compression::none) closing.sizes.resize(tasks);
    deal_out_tasks(number, [&](int thread, std::int32_t task) {
      const sets::StreamPlace place{geometries_[number].places(task), static_cast<std::uint32_t>(number),
                                    static_cast<std::uint32_t>(task), plan.head.ranks[static_cast<std::size_t>(task)]};
      sets::StreamWriter writer(file, place, settings_);
      copy_stream(open(number, task), plan.table.bytes(task), progress, thread,
                  [&](base::Bytes bytes) { writer.write(bytes); });
      writer.flush();
      used[static_cast<std::size_t>(task)] = writer.used();
      if (settings_.compression != Compression::none) closing.sizes[static_cast<std::size_t>(task)] = writer.size();
    });
    closing.tail.table = sion::ChunkTable::of(used);
  }

  std::string remedy() const override {
    return fmt::format("\"lq repair {}\" gives the rest of its files their names", path());
  }
  bool has_fields() const override { return fields_.count() > 0; }
  bool has_generation() const override { return true; }
  std::uint64_t bytes_of_fields() const override { return fields_.bytes(); }
  void write_fields(storage::File& file, Progressing& progress) override {
    fields_.write(file, settings_.generation, [&](std::uint64_t bytes) { progress.add(bytes); });
    report_.file_bytes += file.size();
  }

  const sets::CopiedFields& fields_;
  sets::StreamSettings settings_;
};

}  // namespace

FilePlan plan_checkpoint(const std::string& path, std::uint64_t block, const std::vector<std::int64_t>& bytes,
                         const Keeping& keeping) {
  FilePlan plan;
  plan.path = path;
  plan.head.prefix = path;
  plan.head.tasks = static_cast<std::int32_t>(bytes.size());
  const std::array<std::uint64_t, 1> tasks{bytes.size()};
  plan.head.block_size = sets::roomy_block(block, tasks);
  const std::uint64_t bound = sets::frame_bound(settings_of(keeping));
  const auto aligned = static_cast<std::uint64_t>(plan.head.block_size);
  plan.table = sion::ChunkTable(std::vector<std::uint64_t>(bytes.size(), 1));
  for (std::size_t task = 0; task < bytes.size(); ++task) {
    const auto size = static_cast<std::uint64_t>(bytes[task]);
    // A writer that does not know how long a stream becomes takes more.
    const std::uint64_t wanted = std::max<std::uint64_t>(size, 1);
    const std::uint64_t width = keeping.compression == Compression::none
                                    ? sion::round_up(wanted + sets::reserved_bytes, aligned)
                                    : sets::choose_width(wanted, aligned, keeping.compression, bound);
    plan.head.widths.push_back(static_cast<std::int64_t>(width));
    plan.head.ranks.push_back(static_cast<std::int64_t>(task));
    plan.table.used(static_cast<std::int32_t>(task))[0] = bytes[task];
  }
  return plan;
}

RepackReport write_checkpoint(storage::Transport& transport, std::vector<FilePlan> plans, const OpenTask& open,
                              const Keeping& keeping, const sets::CopiedFields& fields, const RepackOptions& options) {
  return CheckpointWriter(transport, std::move(plans), keeping, fields, options).run(open);
}

}  // namespace lq::sets
