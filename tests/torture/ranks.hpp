// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Ranks as threads, one of which meets a fault: of its storage, memory, network or own code, or the end of the process.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <limequat/grid.hpp>

#include "storage/transport.hpp"
#include "torture/draw.hpp"

namespace lq::torture {

// Something that should not be.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Fault {
  enum class Kind {
    none,
    storage_error,
    short_write,
    no_space,
    memory_once,      // one allocation fails
    memory_for_good,  // and all behind it
    network,          // no message or collective operation of the rank begins any more
    program,          // the program's own code throws on the rank
    kill,             // the process is killed at an operation of the storage
  };
  Kind kind = Kind::none;
  int rank = 0;
  std::int64_t at = 0;  // operation, allocation or call of that rank, from 0
};
Fault draw_fault(Draw& draw, int ranks);
// Without the end of the process, which takes who looks at the outcome with it.
Fault draw_survivable_fault(Draw& draw, int ranks);
// Those that need no storage of the trial's own.
Fault draw_fault_of_ranks(Draw& draw, int ranks);
bool is_of_storage(Fault::Kind kind) noexcept;

struct Crew {
  int ranks = 1;
  int ranks_per_node = 1;
  std::uint64_t delays = 0;  // seed of the delays of messages and collective operations; 0: none
};
Crew draw_crew(Draw& draw, int most_ranks);

std::string words(const Fault& fault);
std::string words(const Crew& crew);

// What a rank has; outlives its work.
struct Rank {
  storage::Transport& storage;
  const Communicator& all;
  std::function<void()> own_code;  // called wherever the program's own code runs; may throw
};
// What a rank does: prepared with memory and network at hand, they may fail when it is called.
using Work = std::function<void()>;
using RankWork = std::function<Work(const Rank& rank)>;

struct Outcome {
  std::string error;        // the one sentence that all ranks ended with; empty when all succeeded
  bool met_fault = false;   // whether it was reached
  std::int64_t memory = 0;  // the most that the faulty rank held
};
// Failure: ranks ended differently, or with something that is no sentence of ours.
Outcome outcome_of(const Crew& crew, const Fault& fault, const RankWork& work);
// The same. Failure: an error without a fault. Whether there was one.
bool fails_by_fault(const Crew& crew, const Fault& fault, const RankWork& work);
// The sentence that all ranks ended with, empty when all succeeded. Failure: as outcome_of().
std::string common_sentence(const std::vector<std::exception_ptr>& failures, Fault::Kind fault);
// Where nothing may fail.
void must_succeed(const Crew& crew, const RankWork& work);

// Runs `work` in a process of its own. Whether that was killed (by itself).
bool dies_in_process(const std::function<void()>& work);

}  // namespace lq::torture
