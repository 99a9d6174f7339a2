// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "torture/ranks.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include <limequat/error.hpp>

#include "support/faulty.hpp"
#include "support/held_memory.hpp"
#include "support/thread_comm.hpp"
#include "support/troubled_comm.hpp"

namespace lq::torture {
namespace {

using Kind = Fault::Kind;

// More than any trial's field and the buffers that the options allow.
constexpr std::int64_t most_memory = 128 << 20;

constexpr const char* own_failure = "the program's own failure";

testing::Fault storage_fault(Kind kind) {
  switch (kind) {
    case Kind::short_write:
      return testing::Fault::short_write;
    case Kind::no_space:
      return testing::Fault::no_space;
    case Kind::kill:
      return testing::Fault::kill;
    default:
      return testing::Fault::error;
  }
}

bool is_of_memory(Kind kind) { return kind == Kind::memory_once || kind == Kind::memory_for_good; }

// The surroundings of the rank that meets the fault.
class Trouble {
 public:
  explicit Trouble(const Fault& fault)
      : fault_(fault),
        storage_(storage::posix(), is_of_storage(fault.kind) ? fault.at : -1, storage_fault(fault.kind)),
        network_{fault.kind == Kind::network ? fault.at : -1} {
    memory_.fail_at = is_of_memory(fault.kind) ? fault.at : -1;
    memory_.for_good = fault.kind == Kind::memory_for_good;
  }

  // That which needs no memory of its own, unless it fails itself.
  storage::Transport& storage() noexcept {
    return is_of_storage(fault_.kind) ? static_cast<storage::Transport&>(storage_) : storage::posix();
  }
  testing::HeldMemory& memory() noexcept { return memory_; }
  testing::NetworkFault& network() noexcept { return network_; }
  void run_own_code() {
    if (own_calls_++ == fault_.at && fault_.kind == Kind::program) throw Error(Code::invalid_argument, own_failure);
  }

  bool has_struck() const noexcept {
    return storage_.has_failed() || memory_.has_failed() || network_.has_failed() ||
           (fault_.kind == Kind::program && own_calls_ > fault_.at);
  }

 private:
  Fault fault_;
  testing::FaultyTransport storage_;
  testing::HeldMemory memory_;
  testing::NetworkFault network_;
  std::atomic<std::int64_t> own_calls_{0};
};

// Each rank another, so that messages of different ranks arrive in any order.
testing::TroubledComm::Delay delay_of(std::uint64_t seed, std::uint64_t rank) {
  if (seed == 0) return {};
  return [draw = std::make_shared<Draw>(seed + rank)] {
    return std::chrono::microseconds(draw->once_in(4) ? draw->below(300) : 0);
  };
}

void live(const std::shared_ptr<comm::Comm>& comm, Trouble* trouble, std::uint64_t delays, const RankWork& work) {
  testing::NetworkFault sound{-1};
  testing::NetworkFault& network = trouble != nullptr ? trouble->network() : sound;
  const Communicator all(std::make_shared<testing::TroubledComm>(
      comm, network, delay_of(delays, static_cast<std::uint64_t>(comm->rank()))));
  const Rank rank{trouble != nullptr ? trouble->storage() : storage::posix(), all, [trouble] {
                    if (trouble != nullptr) trouble->run_own_code();
                  }};
  const Work prepared = work(rank);
  const testing::OwnedBy owner(trouble != nullptr ? &trouble->memory() : nullptr);
  network.is_on = true;
  prepared();
}

// What a rank ended with; never the text of an exception that is none of ours. Ranks that a simulated network lost
// without a fault of it had called different operations, or waited for each other.
std::string sentence_of(const std::exception_ptr& failure, Kind fault) {
  if (failure == nullptr) return {};
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    if (error.code() == Code::internal || (error.code() == Code::communication && fault != Kind::network)) {
      throw Failure(fmt::format("not an error for users: {}", error.what()));
    }
    return fmt::format("{}: {}", static_cast<int>(error.code()), error.what());
  } catch (const Failure&) {
    throw;
  } catch (const std::exception& other) {
    throw Failure(fmt::format("an exception that is no lq::Error: {}", other.what()));
  }
}

std::int64_t largest_at(Kind kind) {
  if (is_of_memory(kind)) return 600;
  return kind == Kind::program ? 20 : 60;
}

Fault draw_fault_among(Draw& draw, int ranks, std::initializer_list<Kind> kinds) {
  Fault fault;
  fault.kind = draw.one_of(kinds);
  fault.rank = static_cast<int>(draw.below(static_cast<std::uint64_t>(ranks)));
  fault.at = static_cast<std::int64_t>(draw.size_up_to(static_cast<std::uint64_t>(largest_at(fault.kind))));
  return fault;
}

}  // namespace

// Ranks that cannot reach each other cannot end alike in words, but all end with an error, or none.
std::string common_sentence(const std::vector<std::exception_ptr>& failures, Kind fault) {
  std::vector<std::string> sentences;
  for (const std::exception_ptr& failure : failures) sentences.push_back(sentence_of(failure, fault));
  for (std::size_t rank = 1; rank < sentences.size(); ++rank) {
    const bool are_alike = fault == Kind::network ? sentences[rank].empty() == sentences.front().empty()
                                                  : sentences[rank] == sentences.front();
    if (are_alike) continue;
    throw Failure(
        fmt::format("rank 0 ended with \"{}\", rank {} with \"{}\"", sentences.front(), rank, sentences[rank]));
  }
  return sentences.front();
}

bool is_of_storage(Kind kind) noexcept {
  return kind == Kind::storage_error || kind == Kind::short_write || kind == Kind::no_space || kind == Kind::kill;
}

Fault draw_fault(Draw& draw, int ranks) {
  return draw.once_in(4) ? draw_fault_among(draw, ranks, {Kind::kill}) : draw_survivable_fault(draw, ranks);
}

Fault draw_survivable_fault(Draw& draw, int ranks) {
  using enum Fault::Kind;
  return draw_fault_among(
      draw, ranks, {none, none, storage_error, short_write, no_space, memory_once, memory_for_good, network, program});
}

Fault draw_fault_of_ranks(Draw& draw, int ranks) {
  using enum Fault::Kind;
  return draw_fault_among(draw, ranks, {none, memory_once, memory_for_good, network, program});
}

Crew draw_crew(Draw& draw, int most_ranks) {
  Crew crew;
  crew.ranks = static_cast<int>(draw.between(1, most_ranks));
  crew.ranks_per_node = static_cast<int>(draw.between(1, crew.ranks));
  if (draw.once_in(4)) crew.delays = draw.number() | 1U;
  return crew;
}

std::string words(const Fault& fault) {
  static constexpr const char* names[] = {"none",     "storage error", "short write",
                                          "no space", "memory once",   "memory for good",
                                          "network",  "own code",      "kill"};
  if (fault.kind == Kind::none) return "no fault";
  return fmt::format("fault {} on rank {} at {}", names[static_cast<int>(fault.kind)], fault.rank, fault.at);
}

std::string words(const Crew& crew) {
  return fmt::format("{} ranks, {} on a node{}", crew.ranks, crew.ranks_per_node, crew.delays != 0 ? ", late" : "");
}

Outcome outcome_of(const Crew& crew, const Fault& fault, const RankWork& work) {
  Trouble trouble(fault);
  const std::vector<std::exception_ptr> failures =
      testing::outcomes_of_ranks(crew.ranks,
                                 [&](std::shared_ptr<comm::Comm> comm) {
                                   live(comm, comm->rank() == fault.rank ? &trouble : nullptr, crew.delays, work);
                                 },
                                 {.ranks_per_node = crew.ranks_per_node});
  const Outcome outcome{common_sentence(failures, fault.kind), trouble.has_struck(), trouble.memory().most};
  if (outcome.memory > most_memory) throw Failure(fmt::format("a rank took {} bytes of memory", outcome.memory));
  if (fault.kind == Kind::program && outcome.met_fault && outcome.error.find(own_failure) == std::string::npos) {
    throw Failure(fmt::format("the program's code threw, and the ranks ended with \"{}\"", outcome.error));
  }
  return outcome;
}

bool fails_by_fault(const Crew& crew, const Fault& fault, const RankWork& work) {
  const Outcome outcome = outcome_of(crew, fault, work);
  if (!outcome.error.empty() && !outcome.met_fault) throw Failure("failed without a fault: " + outcome.error);
  return !outcome.error.empty();
}

void must_succeed(const Crew& crew, const RankWork& work) { (void)fails_by_fault(crew, {}, work); }

bool dies_in_process(const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      work();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      ::_exit(9);
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return false;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) return true;
  throw Failure(fmt::format("the process that was to be killed ended with status {}", status));
}

}  // namespace lq::torture
