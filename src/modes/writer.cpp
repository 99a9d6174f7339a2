// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Modes are added in place, each with a journal of its own: a kill leaves the set as it was, or with one mode more. A
// set that replaces a file gets its name with its first mode, or without one when it is closed.
#include <algorithm>
#include <optional>

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
  Held held = {};
  bool has_name = true;             // the set; else it gets it with the next mode
  std::optional<NewSet> next = {};  // what will get it
  bool is_open = true;

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

  // Collective. Also where an append has failed, so that the file begun for it is gone.
  NewSet& begun() { return next ? *next : next.emplace(path, grid, description, options); }
  // Collective. The set gets its name, with this mode in it or without any.
  Report publish(const Field* first = nullptr, const Mode& mode = {}) {
    try {
      Report report;
      if (first != nullptr) report = begun().append(*first, mode);
      held = begun().publish_locked(report);
      has_name = true;
      next.reset();
      return report;
    } catch (...) {
      next.reset();
      throw;
    }
  }
  // Collective.
  Report append(const Field& vector, const Mode& mode) {
    storage::Transport& transport = storage::resolve(path);
    const Compression* const known = basis();
    const auto writer = comm::agree(grid.communicator().engine(), [&] {
      return std::make_unique<io::FieldWriter>(
          transport, grid.communicator(), path, options,
          io::FieldWriter::Continuation{.at = path, .in_place = true, .lock = held.lock.get(), .left = &held.left});
    });
    Report report = append_to({*writer, transport, path, options, known}, grid, vector, mode);
    writer->complete(report);
    keep(vector);
    return report;
  }
};

namespace {

// At the root. What was left by a program that was interrupted is put right before.
format::modes::Head look(storage::Transport& transport, const std::string& path, Sync sync, Held& held) {
  held.lock = std::make_unique<storage::WriterLock>(path);
  io::recover(transport, path, sync, *held.lock);
  const auto file = transport.open_read(path);
  held.left = io::file_state(*file);
  const format::Format& found = format::recognise(*file);
  if (found.name() != "modes") {
    throw Error(Code::unknown_format,
                fmt::format("{}: this is not a set of modes but a file of the format \"{}\"", path, found.name()),
                {.path = path, .expected = "modes", .found = std::string(found.name())});
  }
  return format::modes::read_head(*file);
}

}  // namespace

Writer::Writer(const std::string& path, const Grid& grid, const Description& description, const WriteOptions& options) {
  state_ = comm::agree(grid.communicator().engine(), [&] {
    return std::unique_ptr<State>(new State{path, grid, options_of_mode(options), description});
  });
  state_->has_name = !state_->begun().replaces();
  if (state_->has_name) state_->publish();
}

Writer::Writer(const std::string& path, const Grid& grid, const WriteOptions& options) {
  comm::Comm& comm = grid.communicator().engine();
  comm::require_same(comm, path, "the path of the set");
  storage::Transport& transport = storage::resolve(path);
  format::modes::Head head;
  std::uint64_t size = 0;
  std::string document;
  Held held;
  comm::agree_at_root(comm, [&] {
    head = look(transport, path, options.sync, held);
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
  state_->held = std::move(held);
}

Writer::~Writer() = default;
Writer::Writer(Writer&&) noexcept = default;
Writer& Writer::operator=(Writer&&) noexcept = default;

std::uint64_t Writer::size() const { return state_ ? state_->size : 0; }
const Description& Writer::description() const {
  if (state_) return state_->description;
  throw Error(Code::wrong_state, "this writer of modes was moved to another object");
}

Report Writer::append(const Field& vector, const Mode& mode) {
  description();
  State& state = *state_;
  if (!state.is_open) {
    throw Error(Code::wrong_state, state.path + ": this writer of modes is closed; open the set again to add to it",
                {.path = state.path});
  }
  Report report = state.has_name ? state.append(vector, mode) : state.publish(&vector, mode);
  ++state.size;
  return report;
}

void Writer::close() {
  description();
  State& state = *state_;
  if (!state.has_name) state.publish();
  state.held = {};
  state.compression.reset();
  state.is_open = false;
}

std::uint64_t write(const std::string& path, const Grid& grid, const Description& description,
                    std::span<const Field> vectors, std::span<const Mode> modes, const WriteOptions& options,
                    Report* report) {
  comm::require_same(grid.communicator().engine(), [&] {
    if (vectors.size() != modes.size()) {
      throw Error(Code::invalid_argument,
                  fmt::format("{}: {} vectors, but {} modes that describe them", path, vectors.size(), modes.size()));
    }
    return std::vector<comm::Stated>{{"how many vectors there are", fmt::format("{}", vectors.size())}};
  });
  NewSet set(path, grid, description, options);
  Report all;
  comm::Comm& comm = grid.communicator().engine();
  for (std::size_t k = 0; k < vectors.size(); ++k) add_to(comm, all, set.append(vectors[k], modes[k]));
  const std::uint64_t bytes = all.bytes;
  set.publish(all);
  if (report != nullptr) *report = std::move(all);
  return bytes;
}

}  // namespace lq::modes
