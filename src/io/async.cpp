// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Transfers in flight: the same transfer as in the foreground, its steps taken by a thread, or, where they exchange
// messages, by the caller's own in test() and wait().
#include <limequat/async.hpp>

#include <atomic>
#include <optional>
#include <thread>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "comm/agree.hpp"
#include "io/borrowed.hpp"
#include "io/transfer.hpp"
#include "transport/transport.hpp"

namespace lq {

struct Pending::State {
  State(std::string file, const Grid& grid, std::unique_ptr<io::Transfer> moving, io::Borrowed memory)
      : path(std::move(file)),
        communicator(grid.communicator()),
        transfer(std::move(moving)),
        borrowed(std::move(memory)),
        by_messages(transfer->movement().needs_messages()) {
    if (!by_messages) {
      thread = std::thread([this] {
        failure = pump::outcome_of(transfer->movement());
        done.store(true, std::memory_order_release);
      });
    }
  }
  // Whoever gives a transfer up still takes part until nobody needs him.
  ~State() {
    if (transfer) transfer->movement().cancel();
    complete();
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  // All remaining steps.
  void complete() {
    if (thread.joinable()) thread.join();
    if (by_messages && !done) failure = pump::outcome_of(transfer->movement());
    done = true;
  }

  // As many steps as there are to take without waiting.
  void advance() {
    try {
      pump::Progress progress = pump::Progress::moved;
      while (progress == pump::Progress::moved) progress = transfer->movement().step();
      if (progress == pump::Progress::finished) done = true;
    } catch (...) {
      failure = std::current_exception();
      done = true;
    }
  }

  std::string path;
  Communicator communicator;
  std::unique_ptr<io::Transfer> transfer;
  io::Borrowed borrowed;
  bool by_messages;
  std::atomic<bool> done{false};
  std::exception_ptr failure;  // to be read when done
  std::thread thread;
};

namespace {

template <class State>
State& open_state(const std::unique_ptr<State>& state) {
  if (state && state->transfer) return *state;
  throw Error(Code::wrong_state,
              fmt::format("{}: this transfer is over: it was waited for, cancelled or moved elsewhere",
                          state ? state->path : std::string("(moved)")));
}

}  // namespace

Pending::Pending(std::unique_ptr<State> state) : state_(std::move(state)) {}
Pending::~Pending() = default;
Pending::Pending(Pending&&) noexcept = default;
Pending& Pending::operator=(Pending&&) noexcept = default;

bool Pending::test() {
  State& state = open_state(state_);
  if (state.by_messages && !state.done) state.advance();
  return state.done.load(std::memory_order_acquire);
}

Report Pending::wait() {
  State& state = open_state(state_);
  state.complete();
  const std::unique_ptr<io::Transfer> transfer = std::move(state.transfer);
  comm::agree(state.communicator.engine(), [&] { state.borrowed.require_unchanged(state.path); });
  return transfer->finish(state.failure);
}

void Pending::cancel() {
  State& state = open_state(state_);
  state.transfer->movement().cancel();
  state.complete();
  state.transfer.reset();
  state.communicator.engine().barrier();  // the file is gone on all ranks
}

struct PendingAccess {
  static Pending make(const std::string& path, const Grid& grid, std::unique_ptr<io::Transfer> transfer,
                      io::Borrowed borrowed) {
    return Pending(std::make_unique<Pending::State>(path, grid, std::move(transfer), std::move(borrowed)));
  }
};

namespace {

// The program's own work wants the other cores.
template <class Options>
Options in_background(Options options) {
  if (options.route.threads == 0) options.route.threads = 1;
  return options;
}

}  // namespace

Pending write_async(const std::string& path, const Grid& grid, const Field& field, const WriteOptions& options) {
  std::unique_ptr<io::Transfer> transfer =
      io::begin_write(transport::posix(), path, grid, field, in_background(options));
  return PendingAccess::make(path, grid, std::move(transfer), io::Borrowed(field, io::guards_borrowed_memory));
}

Pending read_async(const std::string& path, const Grid& grid, const MutableField& field, const ReadOptions& options) {
  return PendingAccess::make(path, grid, io::begin_read(transport::posix(), path, grid, field, in_background(options)),
                             {});
}

struct ReadAhead::State {
  std::vector<std::string> paths;
  Grid grid;
  std::vector<MutableField> buffers;
  ReadOptions options;
  std::vector<std::optional<Pending>> pending;  // one per buffer
  std::size_t started = 0;                      // paths
  std::size_t arrived = 0;

  // Path number i goes to buffer number i modulo their number. The buffer handed out last stays as it is.
  void start_all() {
    const std::size_t free = buffers.size() - (arrived > 0 ? 1 : 0);
    while (started < paths.size() && started < arrived + free) {
      const std::size_t buffer = started % buffers.size();
      pending[buffer] = read_async(paths[started], grid, buffers[buffer], options);
      ++started;
    }
  }
};

ReadAhead::ReadAhead(std::vector<std::string> paths, const Grid& grid, std::vector<MutableField> buffers,
                     ReadOptions options)
    : state_(new State{std::move(paths), grid, std::move(buffers), std::move(options), {}, 0, 0}) {
  if (state_->buffers.size() < 2) {
    throw Error(Code::invalid_argument,
                fmt::format("reading ahead needs two buffers or more, one to work with and one to fill; {} were given",
                            state_->buffers.size()));
  }
  state_->pending.resize(state_->buffers.size());
  state_->start_all();
}
ReadAhead::~ReadAhead() = default;
ReadAhead::ReadAhead(ReadAhead&&) noexcept = default;
ReadAhead& ReadAhead::operator=(ReadAhead&&) noexcept = default;

std::optional<ReadAhead::Arrival> ReadAhead::next() {
  State& state = *state_;
  if (state.arrived == state.paths.size()) return std::nullopt;
  const std::size_t path = state.arrived;
  const std::size_t buffer = path % state.buffers.size();
  std::optional<Pending> pending = std::move(state.pending[buffer]);
  state.pending[buffer].reset();
  ++state.arrived;
  state.start_all();
  return Arrival{state.paths[path], buffer, pending->wait()};
}

}  // namespace lq
