// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The machine of a simulated job: its ranks take turns, its files are in memory and may lose what was not synced, its
// clocks and random numbers are drawn. What happens on it follows from a seed alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include "support/power_failure.hpp"
#include "torture/draw.hpp"
#include "torture/ranks.hpp"

namespace lq::simulation {

using torture::Crew;
using torture::Draw;
using torture::Failure;
using torture::Rank;
using torture::RankWork;
using torture::Work;

// All files are below it.
inline const std::string folder = "/simulated/";

// What happens while ranks work.
struct Trouble {
  enum class Kind {
    none,
    storage,      // of `fault`, at an operation of whichever rank comes to it
    ranks,        // of `fault`, on its rank: memory, network, the program's own code
    end_of_job,   // all ranks are gone at an operation of the storage; the files stay
    power,        // the same, and what was not synced is as the disk has kept it
    flipped_bit,  // in what one read gives
  };
  Kind kind = Kind::none;
  torture::Fault fault = {};
  double place = 0;  // of the bit, in what is read
  int bit = 0;

  bool ends_job() const noexcept { return kind == Kind::end_of_job || kind == Kind::power; }
};
Trouble draw_trouble(Draw& draw, int ranks);
std::string words(const Trouble& trouble);

// Another byte somewhere; where.
std::size_t change_byte(std::string& bytes, Draw& draw);

// What the disk does wrong, to see that it is found.
enum class Plant {
  none,
  no_sync,         // the sync of files does nothing
  no_folder_sync,  // that of folders does nothing
  late_sync,       // files are synced only after what is done next: to give them their names, to sync the folder
};

struct Outcome {
  std::string error;       // what all ranks ended with; empty: nothing
  bool has_met = false;    // the trouble came
  bool has_ended = false;  // and the job is gone
};

std::string words(const Outcome& outcome);

class Machine {
 public:
  Machine(Draw& draw, Plant plant);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  // Failure: ranks end differently, with what is no sentence of ours, without need, or not at all.
  Outcome run(const Crew& crew, const Trouble& trouble, const RankWork& work);
  // The same, without trouble.
  void must_succeed(const Crew& crew, const RankWork& work);

  // What is seen of the disk while the power is there.
  const std::set<std::string>& names();
  bool has(const std::string& path) const { return memory_->kind(path) == storage::PathKind::file; }
  std::string bytes(const std::string& path) const;
  testing::PowerFailures::Files files();
  void remove(const std::string& path);
  // At once on the disk: a file, or other bytes in one that is there.
  void put(const std::string& path, const std::string& bytes);
  std::uint64_t power_failures() const noexcept { return power_failures_; }
  std::uint64_t steps() const noexcept { return steps_; }
  // Of all that ranks did and files had: equal for equal histories.
  std::uint64_t digest();

 private:
  void fail_power();
  void start(testing::PowerFailures::Files files);

  Draw& draw_;
  Plant plant_;
  testing::Caches caches_;
  std::shared_ptr<storage::Transport> memory_;
  std::unique_ptr<testing::RecordingTransport> disk_;
  testing::PowerFailures before_;
  std::set<std::string> names_;
  std::size_t named_ = 0;  // operations that names_ has followed
  std::uint64_t power_failures_ = 0, steps_ = 0, digest_ = 0;
};

}  // namespace lq::simulation
