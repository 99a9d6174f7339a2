// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collective agreement. Code that may fail on one rank runs inside agree(): if it failed anywhere, all ranks throw the
// same Error, from the lowest failing rank. Only collective operations appear between two agreements, so that no rank
// is left waiting. An agreement allocates no memory on success. If there is no memory for the message of a failure, all
// ranks throw out_of_memory with a preallocated message.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <limequat/error.hpp>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/function_ref.hpp"
#include "base/inner.hpp"
#include "comm/comm.hpp"

namespace lq::comm {

// Size that one broadcast transfers without allocating memory.
inline constexpr std::size_t short_broadcast_bytes = 4088;

// Collective. Throws on all ranks if `failure` is set on any. std::bad_alloc and std::length_error become
// out_of_memory, any other foreign exception internal.
LQ_INNER void agree_on_success(Comm& comm, std::exception_ptr failure);

// One of several arguments that must be the same on all ranks.
struct StatedArgument {
  std::string what;
  std::string text;
};
// Collective. The same, then compares `arguments`; a single reduction on success.
LQ_INNER void agree_on_success(Comm& comm, std::exception_ptr failure, std::span<const StatedArgument> arguments);

// Collective. The same, and combines `terms` over the ranks in the same operation. The first term belongs to the
// agreement. The values of a failed rank do not matter, because then all throw; but its operations must equal those of
// the other ranks, so terms that only `work` sets should use the default operation.
LQ_INNER void agree_on_success(Comm& comm, std::exception_ptr failure, std::span<Term> terms);

// Runs `work` and calls settle(its failure, if any), which throws if there is no result.
template <class Work, class Settle>
auto attempt(Work&& work, const Settle& settle) -> std::invoke_result_t<Work> {
  using Result = std::invoke_result_t<Work>;
  std::exception_ptr failure;
  if constexpr (std::is_void_v<Result>) {
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
    settle(failure);
  } else {
    std::optional<Result> result;
    try {
      result.emplace(work());
    } catch (...) {
      failure = std::current_exception();
    }
    settle(failure);
    return std::move(*result);
  }
}

// Collective. Runs `work` on this rank and agrees; returns its result.
template <class Work>
auto agree(Comm& comm, Work&& work) -> std::invoke_result_t<Work> {
  return attempt(work, [&](const std::exception_ptr& failure) { agree_on_success(comm, failure); });
}

// Collective. The same; in addition, the arguments that `state` returns (equally many on every rank) must be the same
// on all ranks. Exceptions of `state` are part of the agreement, so it may construct texts.
template <class State, class Work>
requires std::is_invocable_r_v<std::vector<StatedArgument>, State>
auto agree(Comm& comm, const State& state, Work&& work) -> std::invoke_result_t<Work> {
  std::vector<StatedArgument> arguments;
  const auto stated_work = [&] {
    arguments = state();
    return work();
  };
  return attempt(stated_work, [&](const std::exception_ptr& failure) { agree_on_success(comm, failure, arguments); });
}

// Collective. The same; `work` sets the terms from the second one on, and afterwards all ranks have the combined ones.
template <class Work>
auto agree(Comm& comm, std::span<Term> terms, Work&& work) -> std::invoke_result_t<Work> {
  return attempt(work, [&](const std::exception_ptr& failure) { agree_on_success(comm, failure, terms); });
}

// Collective. Comm::all_to_all() of the messages that `make` returns; a rank on which it fails sends none, and all
// throw. `take` receives the messages that arrived. If other ranks failed, some are missing, and `take` must not report
// that.
template <class Make, class Take>
auto exchange_messages(Comm& comm, const Make& make, const Take& take) {
  return agree(comm, [&] {
    std::exception_ptr failure;
    std::vector<Message> outgoing, arrived;
    base::keep_failure(failure, [&] { outgoing = make(); });
    base::keep_failure(failure, [&] { arrived = comm.all_to_all(std::move(outgoing)); });
    if (failure) std::rethrow_exception(failure);
    return take(std::move(arrived));
  });
}
template <class Make>
std::vector<Message> exchange_messages(Comm& comm, const Make& make) {
  return exchange_messages(comm, make, [](std::vector<Message> arrived) { return arrived; });
}

// Collective. The same, but `work` runs on the root only.
template <class Work>
void agree_at_root(Comm& comm, Work&& work) {
  agree(comm, [&] {
    if (comm.rank() == 0) work();
  });
}

// Collective. Called on all other ranks about a failure that only the root knows: throws it on all.
[[noreturn]] LQ_INNER void throw_failure_of_root(Comm& comm, const std::exception_ptr& failure);

// Collective. Runs `work` on the root only; its result is returned, or its failure thrown, on all ranks. One message.
template <class Work>
requires std::is_trivially_copyable_v<std::invoke_result_t<Work>>
auto decide_at_root(Comm& comm, Work&& work) -> std::invoke_result_t<Work> {
  struct {
    std::uint64_t has_failed = 0;
    std::invoke_result_t<Work> value{};
  } decision;
  std::exception_ptr failure;
  if (comm.rank() == 0) {
    base::keep_failure(failure, [&] { decision.value = work(); });
    decision.has_failed = failure ? 1 : 0;
  }
  comm.broadcast(std::as_writable_bytes(std::span(&decision, 1)), 0);
  if (decision.has_failed != 0) throw_failure_of_root(comm, failure);
  return decision.value;
}
template <class Work>
requires std::is_void_v<std::invoke_result_t<Work>>
void decide_at_root(Comm& comm, Work&& work) {
  decide_at_root(comm, [&] { return work(), std::uint64_t{0}; });
}

// Bytes received from the root; short ones are stored in place, without allocation.
class FromRoot {
 public:
  base::Bytes bytes() const noexcept { return all_.empty() ? base::Bytes(begin_).first(length_) : base::Bytes(all_); }

 private:
  friend FromRoot bytes_from_root(Comm&, base::FunctionRef<std::vector<std::byte>()>);
  std::uint64_t length_ = 0;
  std::array<std::byte, short_broadcast_bytes> begin_;
  std::vector<std::byte> all_;
};
// Collective. Runs `make` on the root only; its bytes are returned, or its failure thrown, on all ranks. One message
// for up to short_broadcast_bytes; larger sizes need an agreement, because a rank may lack memory for them.
LQ_INNER FromRoot bytes_from_root(Comm& comm, base::FunctionRef<std::vector<std::byte>()> make);

// Collective. Throws out_of_memory on all ranks if `failure` is of that kind on any, else rethrows it here.
LQ_INNER void agree_on_memory(Comm& comm, const std::exception_ptr& failure);
// Collective. For work that does the same on all ranks and so throws the same on all; only a lack of memory may affect
// a single one.
template <class Work>
auto agree_alike(Comm& comm, Work&& work) -> std::invoke_result_t<Work> {
  return attempt(work, [&](const std::exception_ptr& failure) { agree_on_memory(comm, failure); });
}

// Collective. The same; `terms` as in agree().
LQ_INNER void agree_on_memory(Comm& comm, const std::exception_ptr& failure, std::span<Term> terms);
template <class Work>
auto agree_alike(Comm& comm, std::span<Term> terms, Work&& work) -> std::invoke_result_t<Work> {
  return attempt(work, [&](const std::exception_ptr& failure) { agree_on_memory(comm, failure, terms); });
}

// Collective. Throws if arguments differ, or if `failure` may not be the same on all ranks: it occurred before the
// arguments existed, or it is a lack of memory. Else rethrows it.
LQ_INNER void agree_on_same(Comm& comm, const std::exception_ptr& failure, std::span<const StatedArgument> arguments);
// Collective. Compares the arguments that `state` returns, which may fail on one rank. `work` does the same on all
// ranks if the arguments agree. A single reduction on success.
template <class State, class Work>
requires std::is_invocable_r_v<std::vector<StatedArgument>, State>
auto agree_alike(Comm& comm, const State& state, Work&& work) -> std::invoke_result_t<Work> {
  std::vector<StatedArgument> arguments;
  const auto stated_work = [&] {
    arguments = state();
    return work();
  };
  return attempt(stated_work, [&](const std::exception_ptr& failure) { agree_on_same(comm, failure, arguments); });
}

// Collective. Throws ranks_disagree, naming `what` and the first rank that differs from rank 0, unless `text` is the
// same on all ranks.
void require_same(Comm& comm, std::string_view text, std::string_view what);

// Collective. The same for all arguments that `state` returns; the error names the first that differs.
template <class State>
requires std::is_invocable_r_v<std::vector<StatedArgument>, State>
void require_same(Comm& comm, const State& state) {
  agree(comm, state, [] {});
}

// Collective. Rank 0's text on all ranks.
LQ_INNER std::string broadcast_text(Comm& comm, std::string_view text);

// Collective. Returns rank 0's bytes on all ranks. A rank without memory for them throws at the end, so call this
// inside agree().
LQ_INNER std::vector<std::byte> broadcast_bytes(Comm& comm, base::Bytes bytes);

// Collective. The maximum over the ranks, for seconds in reports; for several values, each maximum.
double max_over_ranks(Comm& comm, double value);
void max_over_ranks(Comm& comm, std::span<double> values);

// For a sequence of collective operations that must all take place, whatever the result of the previous ones, because
// other ranks wait for this rank's part.

// Runs `operation`. An exception thrown after this rank has completed its part is stored in `failure`, unless one is
// stored already. Loss of communication is rethrown immediately: no rank waits for this one any longer, and continuing
// could wait forever for ranks that are gone.
template <class Operation>
void take_part(std::exception_ptr& failure, const Operation& operation) {
  try {
    operation();
  } catch (const Error& error) {
    if (error.code() == Code::communication) throw;
    if (!failure) failure = std::current_exception();
  } catch (...) {
    if (!failure) failure = std::current_exception();
  }
}

}  // namespace lq::comm
