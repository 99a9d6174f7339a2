// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Transfers in flight: the same transfer as in the foreground, with its steps run by a thread or, if they exchange
// messages, by the caller's own thread in test() and wait().
#include <unistd.h>

#include <atomic>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <limequat/async.hpp>

#include "base/backoff.hpp"
#include "base/error.hpp"
#include "base/interruption.hpp"
#include "comm/agree.hpp"
#include "comm/node.hpp"
#include "device/driver.hpp"
#include "io/background.hpp"
#include "io/transfer.hpp"
#include "kernels/crc32.hpp"
#include "lattice/layout_rows.hpp"
#include "lattice/local_field.hpp"
#include "storage/transport.hpp"

namespace lq::io {

BufferGuard::BufferGuard(const Grid& grid, const Field& field, bool guarded) {
  if (!guarded || !lattice::is_plain(field) || field.data == nullptr || device::is_device_memory(field.data)) return;
  data_ = static_cast<const std::byte*>(field.data);
  bytes_ = grid.local_volume() * lattice::resolve_spec(field.spec, grid.extents().size()).site_bytes();
  sum_ = sum();
}

std::uint32_t BufferGuard::sum() const noexcept { return kernels::crc32(0, {data_, static_cast<std::size_t>(bytes_)}); }

void BufferGuard::require_unchanged(const std::string& path) const {
  if (bytes_ == 0 || sum() == sum_) return;
  base::fail(Code::wrong_state, {.path = path},
             "the field was changed while it was being written in the background. The file would hold neither the old "
             "field nor the new one, so no file was published. Change the field only after wait()");
}

}  // namespace lq::io

namespace lq {
namespace {

using Done = std::atomic<bool>;

// How a background transfer runs.
struct RunMode {
  bool has_thread = true;                  // else the caller's thread runs the steps
  bool is_ahead = false;                   // read ahead: the storage receives prefetch requests
  std::shared_ptr<const Done> after = {};  // what another transfer's thread has to finish before; nullptr: nothing
};

}  // namespace

struct Pending::State {
  State(std::string file, const Grid& grid) : path(std::move(file)), communicator(grid.communicator()) {}

  // Local; cannot fail, because the other ranks rely on this one from now on.
  void start(std::unique_ptr<io::Transfer> moving, const io::BufferGuard& memory, RunMode manner) noexcept {
    transfer = std::move(moving);
    borrowed = memory;
    if (manner.is_ahead) transfer->steps().fetch_ahead();
    if (!manner.has_thread || transfer->steps().needs_messages()) return;
    try {
      thread = std::make_unique<std::thread>();
      *thread = base::start_thread_signals_blocked([this, after = std::move(manner.after)] {
        if (after) after->wait(false, std::memory_order_acquire);
        failure = engine::outcome_of(transfer->steps());
        done->store(true, std::memory_order_release);
        done->notify_all();
      });
      by_caller = false;
    } catch (...) {
      // No thread can be created, or no memory for one is available: the caller runs the steps.
    }
  }
  // An abandoned transfer still takes part until no other rank needs it.
  ~State() {
    if (!transfer) return;
    if (process != ::getpid()) {
      leave_to_parent();
    } else {
      transfer->steps().cancel();
      complete();
    }
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  // A forked child does not have the thread, which it can neither join nor detach, and must not touch the file.
  void leave_to_parent() noexcept {
    static_cast<void>(thread.release());
    static_cast<void>(transfer.release());
  }

  // Runs all remaining steps. A waiting caller helps with them.
  void complete() {
    if (thread && thread->joinable()) {
      transfer->steps().help();
      end_if_interrupted();
      thread->join();
    }
    if (by_caller && !*done) failure = engine::outcome_of(transfer->steps());
    *done = true;
  }

  // While the thread is running.
  void end_if_interrupted() noexcept {
    base::Backoff backoff(base::Backoff::Who::helper);
    while (base::may_be_interrupted() && !done->load(std::memory_order_acquire)) {
      if (base::is_interrupted()) return transfer->steps().cancel();
      backoff.wait();
    }
  }

  // Runs a few steps, if possible without waiting: a chunk or two.
  void advance() {
    constexpr int few = 4;
    try {
      engine::Progress progress = engine::Progress::moved;
      for (int i = 0; i < few && progress == engine::Progress::moved; ++i) progress = transfer->steps().step();
      if (progress == engine::Progress::finished) *done = true;
    } catch (...) {
      failure = std::current_exception();
      *done = true;
    }
  }

  std::string path;
  pid_t process = ::getpid();  // the process that started it
  Communicator communicator;
  std::unique_ptr<io::Transfer> transfer;
  io::BufferGuard borrowed;
  bool by_caller = true;  // runs the steps in test() and wait()
  std::shared_ptr<Done> done = std::make_shared<Done>(false);
  std::exception_ptr failure;  // valid when done
  std::unique_ptr<std::thread> thread;
};

namespace {

template <class State>
State& open_state(const std::unique_ptr<State>& state) {
  if (state && state->transfer && state->process != ::getpid()) {
    base::fail(Code::wrong_state, {},
               "{}: this transfer is under way in the process that this one was forked from; wait for it there",
               state->path);
  }
  if (state && state->transfer) return *state;
  base::fail(Code::wrong_state, {},
             "{}: this transfer has ended: it was completed, cancelled or moved to another object",
             state ? state->path : std::string("(moved)"));
}

}  // namespace

Pending::Pending(std::unique_ptr<State> state) : state_(std::move(state)) {}
Pending::~Pending() = default;
Pending::Pending(Pending&&) noexcept = default;
Pending& Pending::operator=(Pending&&) noexcept = default;

bool Pending::test() {
  State& state = open_state(state_);
  if (state.by_caller && !*state.done) state.advance();
  return state.done->load(std::memory_order_acquire);
}

Report Pending::wait() {
  State& state = open_state(state_);
  state.complete();
  if (!state.failure) state.failure = base::interruption();
  const std::unique_ptr<io::Transfer> transfer = std::move(state.transfer);
  comm::agree(state.communicator.engine(), [&] { state.borrowed.require_unchanged(state.path); });
  return transfer->finish(state.failure);
}

void Pending::cancel() {
  State& state = open_state(state_);
  state.transfer->steps().cancel();
  state.complete();
  state.transfer.reset();
  state.communicator.engine().barrier();  // the file is removed on all ranks
}

struct PendingAccess {
  // Collective. Everything is allocated before the transfer begins: from then on the other ranks rely on this one. The
  // other cores are left to the program's own work.
  template <class Options>
  static auto prepare(const std::string& path, const Grid& grid, const Options& options) {
    struct Prepared {
      std::unique_ptr<Pending::State> state;
      Options options;
    };
    return comm::agree(grid.communicator().engine(), [&] {
      Prepared prepared{std::make_unique<Pending::State>(path, grid), options};
      if (options.route.threads == 0) prepared.options.route.threads = 1;
      prepared.options.progress = {};
      return prepared;
    });
  }
  static Pending launch(std::unique_ptr<Pending::State> state, std::unique_ptr<io::Transfer> transfer,
                        const io::BufferGuard& borrowed, RunMode manner = {}) {
    state->start(std::move(transfer), borrowed, std::move(manner));
    return Pending(std::move(state));
  }
  // Local. nullptr: it has no running thread.
  static std::shared_ptr<const Done> thread_of(const Pending& pending) {
    return pending.state_->by_caller ? nullptr : pending.state_->done;
  }
};

Pending write_async(const std::string& path, const Grid& grid, const Field& field, const WriteOptions& options) {
  const base::Uninterruptible outlasts_this_call;
  auto prepared = PendingAccess::prepare(path, grid, options);
  const io::BufferGuard borrowed = comm::agree(
      grid.communicator().engine(), [&] { return io::BufferGuard(grid, field, io::guards_borrowed_memory); });
  auto transfer = io::begin_write(storage::resolve(path), path, grid, field, prepared.options);
  return PendingAccess::launch(std::move(prepared.state), std::move(transfer), borrowed);
}

namespace {

// Collective. Starts the read that `begin` creates from its options.
template <class Begin>
Pending start_reading(const std::string& path, const Begin& begin, const Grid& grid, const ReadOptions& options,
                      RunMode manner = {}) {
  const base::Uninterruptible outlasts_this_call;
  auto prepared = PendingAccess::prepare(path, grid, options);
  auto transfer = begin(prepared.options);
  return PendingAccess::launch(std::move(prepared.state), std::move(transfer), {}, std::move(manner));
}

// One field of a path.
Pending start_reading(const std::string& path, const Grid& grid, const MutableField& field, const ReadOptions& options,
                      RunMode manner = {}) {
  const auto begin = [&](const ReadOptions& prepared) {
    return io::begin_read(storage::resolve(path), path, grid, field, prepared);
  };
  return start_reading(path, begin, grid, options, std::move(manner));
}
Pending start_reading(const std::string& path, const io::BeginRead& begin_field, const Grid& grid,
                      const MutableField& field, const ReadOptions& options, RunMode manner = {}) {
  const auto begin = [&](const ReadOptions& prepared) { return begin_field(grid, field, prepared); };
  return start_reading(path, begin, grid, options, std::move(manner));
}

// Fields of an open file.
io::BeginRead begin_of(const File& file) {
  return
      [scanned = FileAccess::file_of(file)](const Grid& grid, const MutableField& field, const ReadOptions& options) {
        return io::begin_read(scanned, grid, field, options);
      };
}

}  // namespace

Pending read_async(const std::string& path, const Grid& grid, const MutableField& field, const ReadOptions& options) {
  return start_reading(path, grid, field, options);
}

Pending io::read_async(const std::string& path, const BeginRead& begin, const Grid& grid, const MutableField& field,
                       const ReadOptions& options) {
  return start_reading(path, begin, grid, field, options);
}

Pending read_async(const File& file, const Grid& grid, const MutableField& field, const ReadOptions& options) {
  const io::BeginRead begin = comm::agree(grid.communicator().engine(), [&] { return begin_of(file); });
  return io::read_async(file.catalog().path, begin, grid, field, options);
}

struct ReadAhead::State {
  // In transit to a buffer, or the reason for its failure.
  struct Expected {
    std::optional<Pending> pending;
    std::exception_ptr failure;
  };

  std::vector<std::string> paths;           // one for each field, or one for all
  io::BeginRead begin_field = {};           // empty: one field of each path
  std::vector<std::uint64_t> indices = {};  // of these fields
  Grid grid;
  std::vector<MutableField> buffers;
  ReadOptions options;
  std::vector<Expected> expected = {};           // one per buffer
  bool has_core = true;                          // for a thread in addition to the program's own
  bool waits_for_servers = false;                // this takes no core, and longer if few requests are in flight
  std::shared_ptr<const Done> last_thread = {};  // of the field that was started last
  std::size_t started = 0;
  std::size_t arrived = 0;
  bool failed = false;

  std::size_t count() const noexcept { return begin_field ? indices.size() : paths.size(); }
  Pending start(std::size_t number, const MutableField& buffer) const {
    if (!begin_field) return start_reading(paths[number], grid, buffer, options, manner());
    ReadOptions one = options;
    one.index = indices[number];
    return start_reading(paths.front(), begin_field, grid, buffer, one, manner());
  }
  // Without a core of its own, a thread would compete with the program's thread, which waits for it anyway: then only
  // the bytes are prefetched from the device, and the rest is done when needed. With a core, fields are read one
  // at a time, because the first of them is needed first.
  RunMode manner() const { return {has_core || waits_for_servers, true, waits_for_servers ? nullptr : last_thread}; }
  Arrival arrival(std::size_t number, Report report) const {
    return {begin_field ? paths.front() : paths[number], number % buffers.size(), begin_field ? indices[number] : 0,
            std::move(report)};
  }

  // Collective.
  void begin() {
    comm::Comm& comm = grid.communicator().engine();
    comm::agree(comm, [&] {
      if (buffers.size() < 2) {
        base::fail(Code::invalid_argument, {},
                   "reading ahead needs at least two buffers, one to work with and one to fill; {} were given",
                   buffers.size());
      }
      expected.resize(buffers.size());
    });
    comm::require_same(comm, [&] {
      std::string fields;
      for (const std::uint64_t index : indices) fields += fmt::format(" {}", index);
      return std::vector<comm::StatedArgument>{
          {"the fields to read ahead",
           fmt::format("{} paths, fields{}, {} buffers", paths.size(), fields, buffers.size())}};
    });
    find_core();
    start_all();
  }

  // Collective.
  void find_core() {
    comm::Comm& comm = grid.communicator().engine();
    has_core = comm.node().own_cores() > 1 || options.route.threads > 0;
    comm::agree(comm, [&] {
      if (paths.empty()) return;
      const std::string& first = paths.front();
      waits_for_servers = storage::lies_on_servers(storage::resolve(first).unit(first));
    });
  }

  // Field number i goes to buffer number i modulo their number. The buffer returned last is not touched. A file that
  // cannot be read is reported when it is due; nothing is started after it.
  void start_all() {
    const std::size_t free = buffers.size() - (arrived > 0 ? 1 : 0);
    while (!failed && started < count() && started < arrived + free) {
      Expected& next = expected[started % buffers.size()];
      try {
        next.pending = start(started, buffers[started % buffers.size()]);
        last_thread = PendingAccess::thread_of(*next.pending);
      } catch (...) {
        next.failure = std::current_exception();
        failed = true;
      }
      ++started;
    }
  }
};

struct ReadAheadAccess {
  // Collective. `make_state` is local.
  template <class MakeState>
  static ReadAhead begin(const Grid& grid, const MakeState& make_state) {
    ReadAhead ahead(comm::agree(grid.communicator().engine(),
                                [&] { return std::unique_ptr<ReadAhead::State>(new ReadAhead::State(make_state())); }));
    ahead.state_->begin();
    return ahead;
  }
  // `begin_field`: local, returns the function that starts reading a field of `path`.
  template <class BeginField>
  static ReadAhead begin(const BeginField& begin_field, std::vector<std::uint64_t>& indices, const Grid& grid,
                         std::vector<MutableField>& buffers, const ReadOptions& options) {
    return begin(grid, [&] {
      auto [path, begin_one] = begin_field();
      return ReadAhead::State{.paths = {std::move(path)},
                              .begin_field = std::move(begin_one),
                              .indices = std::move(indices),
                              .grid = grid,
                              .buffers = std::move(buffers),
                              .options = options};
    });
  }
};

ReadAhead io::read_ahead(const std::string& path, const BeginRead& begin, std::vector<std::uint64_t> indices,
                         const Grid& grid, std::vector<MutableField> buffers, const ReadOptions& options) {
  return ReadAheadAccess::begin([&] { return std::pair(path, begin); }, indices, grid, buffers, options);
}

ReadAhead::ReadAhead(std::unique_ptr<State> state) : state_(std::move(state)) {}
ReadAhead::ReadAhead(std::vector<std::string> paths, const Grid& grid, std::vector<MutableField> buffers,
                     ReadOptions options)
    : ReadAhead(ReadAheadAccess::begin(grid, [&] {
        return State{
            .paths = std::move(paths), .grid = grid, .buffers = std::move(buffers), .options = std::move(options)};
      })) {}
ReadAhead::ReadAhead(const File& file, std::vector<std::uint64_t> indices, const Grid& grid,
                     std::vector<MutableField> buffers, ReadOptions options)
    : ReadAhead(ReadAheadAccess::begin([&] { return std::pair(file.catalog().path, begin_of(file)); }, indices, grid,
                                       buffers, options)) {}
ReadAhead::~ReadAhead() = default;
ReadAhead::ReadAhead(ReadAhead&&) noexcept = default;
ReadAhead& ReadAhead::operator=(ReadAhead&&) noexcept = default;

std::optional<ReadAhead::Arrival> ReadAhead::next() {
  State& state = *state_;
  if (state.arrived == state.started) {
    if (!state.failed) return std::nullopt;
    throw Error(Code::wrong_state, "reading ahead ended with an error before; create a new ReadAhead to continue");
  }
  const std::size_t number = state.arrived++;
  State::Expected mine = std::exchange(state.expected[number % state.buffers.size()], {});
  if (mine.failure) std::rethrow_exception(mine.failure);
  state.start_all();
  try {
    Report report = mine.pending->wait();
    return comm::agree_alike(state.grid.communicator().engine(),
                             [&] { return state.arrival(number, std::move(report)); });
  } catch (...) {
    // The others are cancelled, in the same order on all ranks.
    state.failed = true;
    state.started = state.arrived;
    for (State::Expected& other : state.expected) other = {};
    throw;
  }
}

}  // namespace lq
