// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Writing modes: into a new set, or appended in place to an existing one.
#include "modes/new_set.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/error.hpp"
#include "comm/agree.hpp"
#include "comm/pack.hpp"
#include "format/modes/set.hpp"
#include "io/journal.hpp"
#include "io/transfer.hpp"
#include "options/agreed.hpp"

namespace lq::modes {

void require_same_set(const std::string& path, const Grid& grid, const Description& description,
                      const WriteOptions& options) {
  comm::require_same(grid.communicator().engine(), [&] {
    format::modes::check(description);
    if (grid.extents() != description.sites()) {
      base::fail(Code::invalid_argument,
                 {.path = path, .expected = to_string(description.sites()), .found = to_string(grid.extents())},
                 "the vectors live on {}, the grid is {}; make the grid of the sites of the set",
                 to_string(description.sites()), to_string(grid.extents()));
    }
    if (!options.protect.empty()) {
      throw Error(Code::unsupported, path + ": a set of modes is protected when it is complete, not by options.protect",
                  {.path = path});
    }
    std::vector<comm::StatedArgument> arguments = options::stated(options);
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
  const auto append = [&](const Grid& on, const Field& field, const Mode& described) {
    const Metadata texts = comm::agree(on.communicator().engine(), [&] { return format::modes::texts_of(described); });
    return io::append_field(target.writer, target.transport, on, target.path, target.options.name, field, texts,
                            target.options, true);
  };
  Mode known = mode;
  known.error.reset();
  if (target.compression == nullptr || !target.compression->is_complete()) return append(grid, vector, known);
  const Encoded made = target.compression->encode(vector, known);
  return append(made.grid, made.field, made.mode);
}

// Warnings, which are the same on all ranks, need memory.
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

AppendLock NewSet::publish_locked(Report& report) {
  complete(report);
  AppendLock held;
  comm::agree_at_root(grid_.communicator().engine(), [&] {
    file_->named([&] {
      held.lock = std::make_unique<storage::WriterLock>(file_->temporary_path());
      held.left = io::file_state(*transport_.open_read(file_->temporary_path()));
    });
  });
  file_->publish(options_.sync);
  return held;
}

// Modes are appended in place, each with its own journal: a kill leaves the set unchanged or with one additional mode.
// A set that replaces a file gets its name with its first mode, or when it is closed without one.
struct Writer::State {
  std::string path;
  Grid grid;
  WriteOptions options;
  Description description = {};
  std::uint64_t size = 0;
  std::unique_ptr<Compression> compression = {};
  AppendLock held = {};
  bool has_name = true;             // of the set; else it gets its name with the next mode
  std::optional<NewSet> next = {};  // the set that will get the name
  bool is_open = true;

  // Collective. With all modes of the basis that are in the set; nullptr without coherence.
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
  // Collective. The mode is in the set; if there is no memory for it, basis() reads it again.
  void keep(const Field& vector) {
    if (!compression || compression->is_complete()) return;
    try {
      compression->add(vector);
    } catch (const Error&) {
      compression.reset();
    }
  }

  // Collective. Also after a failed append, which removed the file begun for it.
  NewSet& begun() { return next ? *next : next.emplace(path, grid, description, options); }
  // Collective. Gives the set its name, with this mode in it or without modes.
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
    Report report;
    writer->in_place([&] {
      report = append_to({*writer, transport, path, options, known}, grid, vector, mode);
      writer->complete(report);
    });
    keep(vector);
    return report;
  }
};

namespace {

// At the root. Repairs what an interrupted program has left.
format::modes::Head look(storage::Transport& transport, const std::string& path, Sync sync, AppendLock& held) {
  held.lock = std::make_unique<storage::WriterLock>(path);
  io::recover(transport, path, sync, *held.lock);
  const auto file = transport.open_read(path);
  held.left = io::file_state(*file);
  const format::Format& found = format::recognise(*file);
  if (found.name() != "modes") {
    base::fail(Code::unknown_format, {.path = path, .expected = "modes", .found = std::string(found.name())},
               "this is not a set of modes but a file of the format \"{}\"", found.name());
  }
  return format::modes::read_whole_head(*file);
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
  std::uint64_t size = 0, room = 0;
  std::string document;
  AppendLock held;
  const auto look_at_root = [&] {
    const format::modes::Head head = look(transport, path, options.sync, held);
    size = head.size();
    room = head.description.room;
    document = format::modes::encode(head.description);
  };
  comm::share_from_root(comm, look_at_root, document, size, room);
  state_ = comm::agree(comm, [&] {
    Description description = format::modes::decode_description(document);
    description.room = room;
    return std::unique_ptr<State>(new State{path, grid, options_of_mode(options), std::move(description), size});
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
    base::fail(Code::wrong_state, state.path, "this writer of modes is closed; open the set again to add to it");
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
    return std::vector<comm::StatedArgument>{{"how many vectors there are", fmt::format("{}", vectors.size())}};
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
