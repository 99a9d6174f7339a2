// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Modes are added in place, each with a journal of its own: a kill leaves the set as it was, or with one mode more.
#include <algorithm>

#include <fmt/format.h>

#include <limequat/error.hpp>
#include <limequat/modes.hpp>

#include "comm/agree.hpp"
#include "format/modes/plan.hpp"
#include "io/journal.hpp"
#include "io/write.hpp"
#include "modes/new_set.hpp"
#include "options/agreed.hpp"

namespace lq::modes {

struct Writer::State {
  std::string path;
  Grid grid;
  WriteOptions options;
  Description description = {};
  std::uint64_t size = 0;
  std::unique_ptr<Compression> compression = {};
  std::unique_ptr<transport::WriterLock> lock = {};  // of the set, at the root

  // Collective. With all modes of the basis that are in the set; nullptr: there is no coherence.
  const Compression* basis() {
    if (description.coherence.basis == 0) return nullptr;
    if (!compression || compression->size() != std::min(size, description.coherence.basis)) {
      compression.reset();
      auto made = Compression::of(grid, description);
      if (size > 0) made->add(Set(path, grid.communicator()));
      compression = std::move(made);
    }
    return compression.get();
  }
  // Collective. The mode is in the set; where there is no memory for it, basis() reads it again.
  void keep(const Field& vector) {
    if (!compression || compression->is_complete()) return;
    try {
      compression->add(vector);
    } catch (const Error&) {
      compression.reset();
    }
  }
};

namespace {

// At the root. What was left by a program that was interrupted is put right before.
format::modes::Head look(transport::Transport& transport, const std::string& path, Sync sync,
                         const transport::WriterLock& lock) {
  io::recover(transport, path, sync, lock);
  const auto file = transport.open_read(path);
  const format::Format& found = format::recognise(*file);
  if (found.name() != "modes") {
    throw Error(Code::unknown_format,
                fmt::format("{}: this is no set of modes, but a file of the format \"{}\"", path, found.name()),
                {.path = path, .expected = "modes", .found = std::string(found.name())});
  }
  return format::modes::read_head(*file);
}

}  // namespace

Writer::Writer(const std::string& path, const Grid& grid, const Description& description, const WriteOptions& options) {
  NewSet(path, grid, description, options).publish();
  state_ = comm::agree(grid.communicator().engine(), [&] {
    return std::unique_ptr<State>(new State{path, grid, options_of_mode(options), description});
  });
  comm::agree_at_root(grid.communicator().engine(),
                      [&] { state_->lock = std::make_unique<transport::WriterLock>(path); });
}

Writer::Writer(const std::string& path, const Grid& grid, const WriteOptions& options) {
  comm::Comm& comm = grid.communicator().engine();
  comm::require_same(comm, path, "the path of the set");
  transport::Transport& transport = transport::resolve(path);
  format::modes::Head head;
  std::uint64_t size = 0;
  std::string document;
  std::unique_ptr<transport::WriterLock> lock;
  comm::agree_at_root(comm, [&] {
    lock = std::make_unique<transport::WriterLock>(path);
    head = look(transport, path, options.sync, *lock);
    size = head.size();
    document = format::modes::encode(head.description);
  });
  document = comm::broadcast_text(comm, document);
  std::array<std::uint64_t, 2> numbers{size, head.description.room};
  comm.broadcast(std::as_writable_bytes(std::span(numbers)), 0);
  state_ = comm::agree(comm, [&] {
    Description description = format::modes::decode_description(document);
    description.room = numbers[1];
    return std::unique_ptr<State>(new State{path, grid, options_of_mode(options), std::move(description), numbers[0]});
  });
  require_same_set(path, grid, state_->description, options);
  state_->lock = std::move(lock);
}

Writer::~Writer() = default;
Writer::Writer(Writer&&) noexcept = default;
Writer& Writer::operator=(Writer&&) noexcept = default;

std::uint64_t Writer::size() const { return state_ ? state_->size : 0; }
const Description& Writer::description() const {
  if (state_) return state_->description;
  throw Error(Code::wrong_state, "this writer of modes was moved elsewhere");
}

Report Writer::append(const Field& vector, const Mode& mode) {
  description();
  State& state = *state_;
  comm::Comm& comm = state.grid.communicator().engine();
  transport::Transport& transport = transport::resolve(state.path);
  const Compression* const basis = state.basis();
  const auto writer = comm::agree(comm, [&] {
    return std::make_unique<io::FieldWriter>(
        transport, state.grid.communicator(), state.path, state.options,
        io::FieldWriter::Continuation{.at = state.path, .in_place = true, .lock = state.lock.get()});
  });
  Report report = append_to({*writer, transport, state.path, state.options, basis}, state.grid, vector, mode);
  writer->complete(report);
  state.keep(vector);
  ++state.size;
  return report;
}

std::uint64_t write(const std::string& path, const Grid& grid, const Description& description,
                    std::span<const Field> vectors, std::span<const Mode> modes, const WriteOptions& options) {
  comm::require_same(grid.communicator().engine(), [&] {
    if (vectors.size() != modes.size()) {
      throw Error(Code::invalid_argument,
                  fmt::format("{}: {} vectors, but {} modes that tell of them", path, vectors.size(), modes.size()));
    }
    return std::vector<comm::Stated>{{"how many vectors there are", fmt::format("{}", vectors.size())}};
  });
  NewSet set(path, grid, description, options);
  std::uint64_t bytes = 0;
  for (std::size_t k = 0; k < vectors.size(); ++k) bytes += set.append(vectors[k], modes[k]).bytes;
  set.publish();
  return bytes;
}

}  // namespace lq::modes
