// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sets/checkpoints/loaded.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limequat/error.hpp>
#include <limequat/file.hpp>

#include "base/bytes.hpp"
#include "base/file_error.hpp"
#include "comm/agree.hpp"
#include "comm/wire.hpp"

namespace lq::sets {

std::map<std::string, std::vector<std::byte>> read_states(storage::Transport& transport, const std::string& folder,
                                                          const Manifest& manifest) {
  std::map<std::string, std::vector<std::byte>> states;
  if (manifest.states.empty()) return states;
  const auto file = transport.open_read(folder + "/" + std::string(state_file_name));
  for (const NamedState& one : manifest.states) {
    if (one.offset > file->size() || one.bytes > file->size() - one.offset) {
      throw base::file_error(Code::truncated, {.path = file->path(), .record = one.name}, "it ends within \"{}\"",
                             one.name);
    }
    std::vector<std::byte> bytes(static_cast<std::size_t>(one.bytes));
    if (file->read_at(one.offset, bytes) != bytes.size()) {
      throw base::file_error(Code::truncated, {.path = file->path(), .record = one.name},
                             "it became shorter while it was read");
    }
    states[one.name] = std::move(bytes);
  }
  return states;
}

const NamedField& field_named(const Manifest& manifest, const std::string& path, const std::string& name) {
  const auto found = std::ranges::find(manifest.fields, name, &NamedField::name);
  if (found != manifest.fields.end()) return *found;
  std::vector<std::string_view> names;
  for (const NamedField& field : manifest.fields) names.emplace_back(field.name);
  throw base::file_error(Code::no_such_record, {.path = path, .record = name},
                         "the checkpoint has no field \"{}\"; it has {}", name,
                         names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")));
}

LoadedCheckpoint::LoadedCheckpoint(const CheckpointDirectory& directory, const Communicator& communicator,
                                   std::string checkpoint, Manifest found)
    : manifest(std::move(found)), name(std::move(checkpoint)), path(directory.of(name)) {
  comm::Comm& comm = communicator.engine();
  for (const NamedField& field : manifest.fields) fields.push_back(field.name);
  std::vector<std::byte> message;
  comm::agree_at_root(comm, [&] {
    for (const auto& [key, bytes] : read_states(directory.transport(), path, manifest)) {
      comm::append_text(message, key);
      comm::append_text(message, base::as_text(bytes));
    }
  });
  comm::agree(comm, [&] {
    const std::vector<std::byte> all = comm::broadcast_bytes(comm, message);
    base::Bytes left(all);
    while (!left.empty()) {
      std::string key = comm::take_text(left);
      const std::string bytes = comm::take_text(left);
      const base::Bytes value = base::as_bytes(bytes);
      state.emplace(std::move(key), std::vector<std::byte>(value.begin(), value.end()));
    }
  });
  if (manifest.tasks > 0) streams.emplace(path + "/" + std::string(streams_name), communicator);
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
  throw base::file_error(Code::no_such_record, loaded_->path, "the checkpoint has no streams");
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
