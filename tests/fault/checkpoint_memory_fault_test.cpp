// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that runs out on one rank while a set with streams and fields is written, gone on with or read: at every
// allocation, once or for good. Claim: nobody waits for ever, all ranks throw the same error or none, and readers see
// the older set or the new one.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include <limequat/multifile.hpp>

#include "sets/checkpoint/repair.hpp"
#include "support/file_contents.hpp"
#include "support/formula_field.hpp"
#include "support/memory_fault.hpp"
#include "support/scratch_directory.hpp"

namespace lq::sets {
namespace {

namespace fs = std::filesystem;
using testing::MemoryFaults;

const Extents lattice{4, 6};
constexpr int ranks = 3;
constexpr int repeats = 100;  // of a rank's numbers in its stream, which takes several chunks then

struct Case {
  const char* name;
  int files;
  int bad_rank;
  bool for_good;
};

class MemoryOfSets : public ::testing::TestWithParam<Case> {
 protected:
  static MultifileOptions options() {
    MultifileOptions options;
    options.files = GetParam().files;
    options.expected_bytes = 1;
    options.overwrite = true;
    return options;
  }

  // What a program does: its streams are its own affair, so that it agrees on them by itself.
  void write_stream(MultifileWriter& set, const Communicator& all, const std::vector<double>& values) {
    std::exception_ptr failure;
    try {
      for (int i = 0; i < repeats; ++i) set.stream(0).write(std::as_bytes(std::span(values)));
      set.stream(0).flush();
      ++flushed_;
    } catch (...) {
      failure = std::current_exception();
    }
    all.agree(failure);
  }
  void fill(MultifileWriter& set, const Communicator& all, const std::vector<double>& values) {
    write_stream(set, all, values);
    const Grid grid(all, lattice, {.processes = Extents{1, ranks}});
    set.write_field("of this set", grid, field_in(values, generic_spec(Precision::double_, 3, false)));
    set.close();
  }
  static std::vector<double> numbers(const Communicator& all, double factor) {
    auto values = testing::formula_sites<double>(Grid(all, lattice, {.processes = Extents{1, ranks}}), 3);
    for (double& value : values) value *= factor;
    return values;
  }
  void create(double factor) {
    testing::run_ranks(ranks, [&](std::shared_ptr<comm::Comm> comm) {
      const Communicator all(std::move(comm));
      MultifileWriter set(path_, all, options());
      fill(set, all, numbers(all, factor));
    });
  }
  // The numbers of task 1 and of the fields, from the set that there is.
  std::vector<double> read_all() {
    const MultifileReader set(path_);
    std::vector<double> values(set.size(1) / sizeof(double));
    InStream stream = set.task(1);
    EXPECT_EQ(stream.read(std::as_writable_bytes(std::span(values))), values.size() * sizeof(double));
    const Grid grid(lattice);
    for (const MultifileField& field : set.fields()) {
      std::vector<double> sites(grid.local_volume() * 3);
      set.read_field(field.name, grid, field_in(sites, generic_spec(Precision::double_, 3, false)));
      values.insert(values.end(), sites.begin(), sites.end());
    }
    return values;
  }
  void keep() { fs::copy(directory_.path(), kept_.path(), fs::copy_options::recursive); }
  void start_again() {
    for (const auto& entry : fs::directory_iterator(directory_.path())) fs::remove(entry.path());
    fs::copy(kept_.path(), directory_.path());
  }

  // Of a set that was not closed.
  std::string part() const {
    for (const auto& entry : fs::directory_iterator(directory_.path())) {
      const std::string name = entry.path().string();
      if (testing::is_temporary(name) && name.find(".fields.") == std::string::npos) return name;
    }
    return {};
  }

  std::atomic<int> flushed_{0};  // streams
  testing::ScratchDirectory directory_, kept_;
  std::string path_ = directory_ / "a set whose name is too long for a string without memory.sion";
};

TEST_P(MemoryOfSets, RunsOutWhileASetIsWritten) {
  create(2);
  const auto after = read_all();
  create(1);
  const auto before = read_all();
  keep();
  flushed_ = 0;
  MemoryFaults faults(ranks, GetParam().bad_rank, GetParam().for_good);
  while (faults.next([&](const Communicator& all) {
    return [this, all, how = options(), values = numbers(all, 2)] {
      MultifileWriter set(path_, all, how);
      fill(set, all, values);
    };
  })) {
    const auto now = read_all();
    EXPECT_TRUE(faults.succeeded() ? now == after : now == before || now == after) << faults.allocations();
    if (flushed_.exchange(0) == ranks && !part().empty()) {
      const RepairReport report = repair_multifile(part(), {.overwrite = true});
      const auto is_of_stream = [](const ChunkDamage& damage) { return damage.task >= 0; };
      EXPECT_TRUE(std::ranges::none_of(report.lost, is_of_stream)) << faults.allocations();
      const auto repaired = read_all();
      EXPECT_TRUE(std::equal(after.begin(), after.begin() + 24, repaired.begin())) << faults.allocations();
      for (int task = 0; task < ranks; ++task)
        EXPECT_EQ(MultifileReader(path_).size(task), repeats * 24 * sizeof(double));
    }
    ASSERT_FALSE(HasFailure());
    start_again();
  }
  EXPECT_GE(faults.failures(), 10);
}

TEST_P(MemoryOfSets, RunsOutWhileASetIsRead) {
  create(1);
  MemoryFaults faults(ranks, GetParam().bad_rank, GetParam().for_good);
  while (faults.next([&](const Communicator& all) {
    std::vector<double> values = numbers(all, 0);
    const FieldSpec spec = generic_spec(Precision::double_, 3, false);
    return [this, all, spec, values = std::move(values)]() mutable {
      const MultifileReader set(path_, all);
      const Grid grid(all, lattice, {.processes = Extents{1, ranks}});
      set.read_field("of this set", grid, field_in(values, spec));
    };
  })) {
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GE(faults.failures(), 10);
}

TEST_P(MemoryOfSets, RunsOutWhileASetIsGoneOnWith) {
  create(1);
  const auto before = read_all();
  keep();
  MemoryFaults faults(ranks, GetParam().bad_rank, GetParam().for_good);
  while (faults.next([&](const Communicator& all) {
    return [this, all, how = options(), values = numbers(all, 2)] {
      MultifileWriter set = MultifileWriter::append(path_, all, how);
      write_stream(set, all, values);
      set.close();
    };
  })) {
    try {
      read_all();
    } catch (const Error&) {  // marked as not closed: nothing of what there was is lost
      repair_multifile(path_);
    }
    const auto now = read_all();
    EXPECT_TRUE(std::equal(before.begin(), before.begin() + 24, now.begin())) << faults.allocations();
    ASSERT_FALSE(HasFailure());
    start_again();
  }
  EXPECT_GE(faults.failures(), 10);
}

// A field that could not be looked at for want of memory is not damaged.
TEST_P(MemoryOfSets, RunsOutWhileASetIsRepaired) {
  testing::run_ranks(ranks, [&](std::shared_ptr<comm::Comm> comm) {
    const Communicator all(std::move(comm));
    MultifileWriter set(path_, all, options());
    const std::vector<double> values = numbers(all, 1);
    write_stream(set, all, values);
    const Grid grid(all, lattice, {.processes = Extents{1, ranks}});
    set.write_field("of this set", grid, field_in(values, generic_spec(Precision::double_, 3, false)));
  });
  keep();
  std::vector<double> whole;
  testing::HeldMemory memory;
  memory.for_good = GetParam().for_good;
  do {
    std::string part;
    for (const auto& entry : fs::directory_iterator(directory_.path())) part = std::max(part, entry.path().string());
    memory.asked = 0;
    try {
      const testing::OwnedBy owner(&memory);
      repair_multifile(part);
    } catch (const std::bad_alloc&) {
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::out_of_memory) << error.what();
    }
    repair_multifile(fs::exists(part) ? part : path_);
    if (whole.empty()) whole = read_all();
    EXPECT_EQ(read_all(), whole) << "allocation " << memory.fail_at;
    ASSERT_FALSE(HasFailure());
    start_again();
    ++memory.fail_at;
  } while (memory.fail_at == 0 || memory.asked >= memory.fail_at);
  EXPECT_EQ(whole.size(), repeats * 24 + volume(lattice) * 3);
  EXPECT_GE(memory.fail_at, 100);
}

INSTANTIATE_TEST_SUITE_P(OnOneRank, MemoryOfSets,
                         ::testing::Values(Case{"root_once", 1, 0, false}, Case{"root_for_good", 2, 0, true},
                                           Case{"rank1_once", 2, 1, false}, Case{"rank1_for_good", 1, 1, true},
                                           Case{"last_rank_once", 1, ranks - 1, false}),
                         [](const auto& by) { return std::string(by.param.name); });

}  // namespace
}  // namespace lq::sets
