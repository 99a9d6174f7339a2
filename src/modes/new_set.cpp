// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "modes/new_set.hpp"

#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "comm/agree.hpp"
#include "format/modes/plan.hpp"
#include "io/write.hpp"
#include "options/agreed.hpp"

namespace lq::modes {

void require_same_set(const std::string& path, const Grid& grid, const Description& description,
                      const WriteOptions& options) {
  comm::require_same(grid.communicator().engine(), [&] {
    format::modes::check(description);
    if (grid.extents() != description.sites()) {
      throw Error(Code::invalid_argument,
                  fmt::format("{}: the vectors live on {}, the grid is {}; make the grid of the sites of the set", path,
                              to_string(description.sites()), to_string(grid.extents())),
                  {.path = path, .expected = to_string(description.sites()), .found = to_string(grid.extents())});
    }
    std::vector<comm::Stated> arguments = options::stated(options);
    arguments.push_back({"the path of the set", path});
    arguments.push_back({"the description of the set", format::modes::encode(description)});
    arguments.push_back({"the room of its index", fmt::format("{}", description.room)});
    return arguments;
  });
}

WriteOptions options_of_mode(const WriteOptions& options) {
  WriteOptions of_mode = options;
  of_mode.format = "modes";
  of_mode.name = "mode";
  of_mode.precision = std::nullopt;
  of_mode.metadata.clear();
  return of_mode;
}

NewSet::NewSet(const std::string& path, const Grid& grid, const Description& description, const WriteOptions& options,
               const Origin& origin)
    : transport_(storage::resolve(path)), grid_(grid) {
  require_same_set(path, grid, description, options);
  comm::Comm& comm = grid_.communicator().engine();
  format::modes::NewSet set = comm::agree(comm, [&] {
    path_ = path;
    options_ = options_of_mode(options);
    file_ = std::make_unique<io::NewFile>(transport_, grid_.communicator(), path_);
    file_->keep_private(origin.path);
    return format::modes::plan_set(description, origin.unproven);
  });
  compression_ = Compression::of(grid_, description);
  file_->exclude_appenders();
  file_->create(options_.overwrite, set.end);
  file_->write([&] { return std::move(set.literals); });
  writer_ = comm::agree(comm, [&] {
    return std::make_unique<io::FieldWriter>(
        transport_, grid_.communicator(), path_, options_,
        io::FieldWriter::Continuation{.at = file_->temporary_path(), .end = set.end});
  });
}

Report append_to(const Target& target, const Grid& grid, const Field& vector, const Mode& mode) {
  const auto append = [&](const Grid& on, const Field& field, const Mode& told) {
    const Metadata texts = comm::agree(on.communicator().engine(), [&] { return format::modes::texts_of(told); });
    return io::append_field(target.writer, target.transport, on, target.path, target.options.name, field, texts,
                            target.options, true);
  };
  Mode known = mode;
  known.error.reset();
  if (target.compression == nullptr || !target.compression->is_complete()) return append(grid, vector, known);
  const Encoded made = target.compression->encode(vector, known);
  return append(made.grid, made.field, made.mode);
}

// Warnings, which all ranks have alike, take memory.
void add_to(comm::Comm& comm, Report& all, Report one) {
  all.bytes += one.bytes;
  if (all.path.empty()) all.path = std::move(one.path);
  if (one.warnings.empty()) return;
  comm::agree_alike(comm, [&] {
    for (std::string& warning : one.warnings) all.warnings.push_back(std::move(warning));
  });
}

Report NewSet::append(const Field& vector, const Mode& mode) {
  Report report = append_to({*writer_, transport_, path_, options_, compression_.get()}, grid_, vector, mode);
  if (compression_ && !compression_->is_complete()) compression_->add(vector);
  ++size_;
  return report;
}

void NewSet::complete(Report& report) {
  if (size_ > 0) writer_->complete(report);
  file_->finish(options_.sync);
}

void NewSet::publish(Report& report) {
  complete(report);
  file_->publish(options_.sync);
}

Held NewSet::publish_locked(Report& report) {
  complete(report);
  Held held;
  comm::agree_at_root(grid_.communicator().engine(), [&] {
    file_->named([&] {
      held.lock = std::make_unique<storage::WriterLock>(file_->temporary_path());
      held.left = io::file_state(*transport_.open_read(file_->temporary_path()));
    });
  });
  file_->publish(options_.sync);
  return held;
}

}  // namespace lq::modes
