// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The public view of loaded checkpoints.
#include "sets/checkpoints/checkpoint_folder.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limequat/error.hpp>
#include <limequat/file.hpp>

#include "base/error.hpp"
#include "comm/agree.hpp"
#include "comm/pack.hpp"

namespace lq::sets {

namespace {

// no_such_record lists the existing ones.
const NamedField& field_named(const Manifest& manifest, const std::string& path, const std::string& name) {
  const auto found = std::ranges::find(manifest.fields, name, &NamedField::name);
  if (found != manifest.fields.end()) return *found;
  std::vector<std::string_view> names;
  for (const NamedField& field : manifest.fields) names.emplace_back(field.name);
  base::fail(Code::no_such_record, {.path = path, .record = name}, "the checkpoint has no field \"{}\"; it has {}",
             name, names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")));
}

}  // namespace

LoadedCheckpoint::LoadedCheckpoint(const CheckpointDirectory& directory, std::string checkpoint, Manifest found)
    : manifest(std::move(found)), name(std::move(checkpoint)), path(directory.of(name)) {
  for (const NamedField& field : manifest.fields) fields.push_back(field.name);
}

void LoadedCheckpoint::read(const CheckpointDirectory& directory, const Communicator& communicator) {
  comm::Comm& comm = communicator.engine();
  comm::share_from_root(
      comm, [&] { state = read_states(directory.transport(), path, manifest); }, state);
  if (manifest.tasks == 0) return;
  const std::string all = comm::agree(comm, [&] { return path + "/" + std::string(streams_name); });
  streams.emplace(all, communicator);
}

}  // namespace lq::sets

namespace lq {

Checkpoint::Checkpoint(std::unique_ptr<sets::LoadedCheckpoint> loaded) : loaded_(std::move(loaded)) {}
Checkpoint::~Checkpoint() = default;
Checkpoint::Checkpoint(Checkpoint&&) noexcept = default;
Checkpoint& Checkpoint::operator=(Checkpoint&&) noexcept = default;

std::uint64_t Checkpoint::step() const noexcept { return loaded_->manifest.step; }
const std::string& Checkpoint::path() const noexcept { return loaded_->path; }
std::int64_t Checkpoint::date() const noexcept { return loaded_->manifest.date; }
int Checkpoint::ranks() const noexcept { return loaded_->manifest.ranks; }
std::int64_t Checkpoint::tasks() const noexcept { return loaded_->manifest.tasks; }
const std::map<std::string, std::vector<std::byte>>& Checkpoint::state() const noexcept { return loaded_->state; }
const std::vector<std::string>& Checkpoint::fields() const noexcept { return loaded_->fields; }
const std::vector<std::string>& Checkpoint::warnings() const noexcept { return loaded_->warnings; }

std::string Checkpoint::field_path(const std::string& name) const {
  return loaded_->path + "/" + sets::field_named(loaded_->manifest, loaded_->path, name).file;
}

const MultifileReader& Checkpoint::streams() const {
  if (loaded_->streams) return *loaded_->streams;
  base::fail(Code::no_such_record, loaded_->path, "the checkpoint has no streams");
}

Report Checkpoint::read_field(const std::string& name, const Grid& grid, const MutableField& field,
                              const ReadOptions& options) const {
  const std::string path = comm::agree(grid.communicator().engine(), [&] { return field_path(name); });
  ReadOptions how = options;
  how.field.clear();
  how.index = 0;
  return lq::read(path, grid, field, how);
}

}  // namespace lq
