// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include <limequat/view.hpp>

#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "sets/partition/view_state.hpp"

namespace lq {

View::View(const std::string& path, const ViewOptions& options) {
  const auto subfiles = std::make_shared<storage::Subfiles>(partitioned_file(path, options.array), options.writable);
  state_.reset(new State{subfiles, storage::Window(subfiles)});
}

View::View(const std::string& path, const std::string& partition, std::uint64_t part, const ViewOptions& options) {
  PartitionedFile file = partitioned_file(path, options.array);
  const FileArray array = options.array.extents.empty() ? file.partition.array() : options.array;
  const auto subfiles = std::make_shared<storage::Subfiles>(std::move(file), options.writable);
  state_.reset(new State{subfiles, storage::Window(subfiles, Partition::parse(array, partition), part)});
  if (!options.writable) return;
  const storage::StorageTraits unit = storage::unit_of(subfiles->file());
  if (unit.single_owner && state_->window.shares_subfiles()) state_->shared_block_bytes = unit.bytes;
}

View::~View() = default;
View::View(View&&) noexcept = default;
View& View::operator=(View&&) noexcept = default;

View::State& View::open() const {
  if (!state_) throw Error(Code::wrong_state, "this view is closed; open it again");
  return *state_;
}

std::uint64_t View::size() const { return open().window.size(); }
const Partition& View::partition() const { return open().window.logical(); }
const PartitionedFile& View::file() const { return open().subfiles->file(); }
std::string View::path() const { return open().window.path(); }
void View::seek(std::uint64_t offset) { open().at = offset; }
std::uint64_t View::tell() const { return open().at; }

std::size_t View::read(std::span<std::byte> bytes) {
  const std::size_t got = read_at(open().at, bytes);
  open().at += got;
  return got;
}

void View::write(std::span<const std::byte> bytes) {
  write_at(open().at, bytes);
  open().at += bytes.size();
}

std::size_t View::read_at(std::uint64_t offset, std::span<std::byte> bytes) {
  return open().window.read_at(offset, bytes);
}

void View::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  require_writable();
  if (const std::uint64_t block = open().shared_block_bytes; block > 0) {
    throw Error(
        Code::unsupported,
        fmt::format("{}: cannot write this part on its own: it shares subfiles with other parts, and two clients "
                    "of this file system that write into one block of {} bytes lose data. Call write_all() in "
                    "all processes that write, or write a view of the whole file in one process",
                    path(), block),
        {.path = path()});
  }
  open().window.write_at(offset, bytes);
}

void View::require_writable() const {
  if (open().subfiles->writes()) return;
  throw Error(Code::wrong_state, path() + ": this view was opened for reading; open it writable", {.path = path()});
}

void View::sync() { open().window.sync(); }

void View::close() {
  const std::unique_ptr<State> last = std::move(state_);
  if (last) last->window.close();
}

}  // namespace lq
