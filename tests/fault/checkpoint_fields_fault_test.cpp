// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// For every k: the k-th operation of a rank's transport fails, or kills the program, while a set with fields is written
// over an older one, or gone on with. Claim: the same error on all ranks; readers see the older set or the new one with
// all of its fields, never a mixture; repair keeps every field whose write had returned.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <limequat/error.hpp>

#include <atomic>
#include <filesystem>

#include "sets/checkpoint/new_set.hpp"
#include "sets/checkpoint/repair.hpp"
#include "support/error_of.hpp"
#include "support/faulty.hpp"
#include "support/file_contents.hpp"
#include "support/formula_field.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"

namespace lq::sets {
namespace {

namespace fs = std::filesystem;
using testing::error_of;
using testing::Fault;
using testing::FaultyTransport;

struct FieldScenario {
  int bad_rank;
  int files;
  Fault fault;
  bool appends;
};

constexpr int ranks = 2;
const Extents lattice{4, 4};
const std::vector<std::string> new_fields{"first", "second"};

std::vector<double> numbers(const Grid& grid, const std::string& name) {
  auto values = testing::formula_sites<double>(grid, 3);
  for (double& value : values) value += static_cast<double>(name.size());
  return values;
}

class FieldsInterrupted : public ::testing::TestWithParam<FieldScenario> {
 protected:
  FieldsInterrupted()
      : returned_(static_cast<std::atomic<std::size_t>*>(::mmap(
            nullptr, sizeof(std::atomic<std::size_t>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {}
  ~FieldsInterrupted() override { ::munmap(returned_, sizeof *returned_); }

  void SetUp() override {
    testing::run_ranks(ranks, [&](std::shared_ptr<comm::Comm> comm) {
      const Communicator all(std::move(comm));
      const auto set = create_set(storage::posix(), path_, all, options());
      put(*set, all, "old");
      set->close();
    });
    fs::copy(directory_.path(), kept_.path(), fs::copy_options::recursive);
  }

  static MultifileOptions options() {
    MultifileOptions options;
    options.files = GetParam().files;
    options.expected_bytes = 1;
    options.overwrite = true;
    return options;
  }

  static void put(NewSet& set, const Communicator& all, const std::string& name) {
    const Grid grid(all, lattice, {.processes = Extents{1, ranks}});
    const auto values = numbers(grid, name);
    set.write_field(name, grid, field_in(values, generic_spec(Precision::double_, 3, false)), {});
  }

  // Writes the set with a transport of one rank that fails at operation k; whether that was reached.
  bool live(std::int64_t k) {
    *returned_ = 0;
    FaultyTransport faulty(storage::posix(), k, GetParam().fault);
    errors_ = testing::outcomes_of_ranks(ranks, [&](std::shared_ptr<comm::Comm> comm) {
      storage::Transport& mine =
          comm->rank() == GetParam().bad_rank ? static_cast<storage::Transport&>(faulty) : storage::posix();
      const Communicator all(std::move(comm));
      const auto set =
          GetParam().appends ? append_to_set(mine, path_, all, options()) : create_set(mine, path_, all, options());
      for (const std::string& name : new_fields) {
        put(*set, all, name);
        if (all.is_root()) ++*returned_;
      }
      set->close();
    });
    return faulty.has_failed();
  }

  bool run(std::int64_t k) {
    return GetParam().fault == Fault::kill ? testing::dies_in([&] { live(k); }) : live(k);
  }

  void expect_same_error() {
    if (GetParam().fault == Fault::kill) return;
    for (const std::exception_ptr& other : errors_) {
      ASSERT_EQ(other == nullptr, errors_.front() == nullptr);
      if (other == nullptr) continue;
      EXPECT_STREQ(error_of([&] { std::rethrow_exception(other); }).what(),
                   error_of([&] { std::rethrow_exception(errors_.front()); }).what());
    }
  }

  // The names of the set's fields, all of whose numbers are right.
  std::vector<std::string> fields() {
    const MultifileReader reader(path_);
    const Grid grid(lattice);
    std::vector<std::string> names;
    for (const MultifileField& field : reader.fields()) {
      std::vector<double> values(grid.local_volume() * 3);
      reader.read_field(field.name, grid, field_in(values, generic_spec(Precision::double_, 3, false)));
      EXPECT_EQ(values, numbers(grid, field.name)) << field.name;
      names.push_back(field.name);
    }
    EXPECT_EQ(names.size(), reader.info().fields);
    EXPECT_TRUE(verify_multifile(path_).is_sound());
    return names;
  }

  std::string part() {
    for (const auto& entry : fs::directory_iterator(directory_.path())) {
      const std::string name = entry.path().string();
      if (testing::is_temporary(name) && name.find(".fields.") == std::string::npos) return name;
    }
    return {};
  }

  void expect_all_that_returned(const std::vector<std::string>& names) {
    for (std::size_t i = 0; i < *returned_; ++i)
      EXPECT_EQ(std::ranges::count(names, new_fields[i]), 1) << new_fields[i];
  }

  void start_again() {
    for (const auto& entry : fs::directory_iterator(directory_.path())) fs::remove(entry.path());
    fs::copy(kept_.path(), directory_.path());
  }

  testing::ScratchDirectory directory_, kept_;
  std::string path_ = directory_ / "set.sion";
  std::vector<std::exception_ptr> errors_;
  std::atomic<std::size_t>* returned_;
};

TEST_P(FieldsInterrupted, AreThoseOfOneSet) {
  std::int64_t failures = 0;
  for (std::int64_t k = 0;; ++k) {
    SCOPED_TRACE(::testing::Message() << "operation " << k);
    if (!run(k)) break;
    ++failures;
    expect_same_error();
    if (GetParam().appends) {
      if (error_of([&] { MultifileReader reader(path_); }).code() != Code::ok) {
        const Error repairing = error_of([&] { repair_multifile(path_); });
        EXPECT_EQ(repairing.code(), Code::ok) << repairing.what();
      }
      const auto names = fields();
      EXPECT_EQ(std::ranges::count(names, "old"), 1);
      expect_all_that_returned(names);
    } else {
      const auto names = fields();
      EXPECT_TRUE(names == std::vector<std::string>{"old"} || names == new_fields);
      const std::string left = part();
      if (!left.empty() && *returned_ > 0) {
        const Error repairing = error_of([&] { repair_multifile(left, {.overwrite = true}); });
        EXPECT_EQ(repairing.code(), Code::ok) << repairing.what();
        expect_all_that_returned(fields());
      }
    }
    start_again();
    ASSERT_FALSE(HasFailure());
    ASSERT_LT(k, 1000);
  }
  EXPECT_GE(failures, 3);
  EXPECT_EQ(fields().size(), GetParam().appends ? 3U : 2U);
}

// A set that was left open, repaired with a fault at each operation, and then again. Claim: what a repair could not
// read is neither damaged nor missing, so that the next one finds it.
class RepairInterrupted : public ::testing::Test {
 protected:
  // By `ranks` ranks, each with 100 bytes in its stream; the fields that were written come to the end.
  void write(const Communicator& all, NewSet& set, const std::vector<std::string>& fields, bool closed) {
    const std::vector<std::byte> bytes(100);
    set.streams().front()->write(bytes);
    set.streams().front()->flush();
    const Grid grid(all, lattice, {.processes = Extents{1, all.size()}});
    for (const std::string& name : fields) {
      const auto values = numbers(grid, name);
      set.write_field(name, grid, field_in(values, generic_spec(Precision::double_, 3, false)), {});
    }
    if (closed) set.close();
  }

  void expect_all(const std::string& path, const std::vector<std::uint64_t>& sizes) {
    const MultifileReader reader(path);
    ASSERT_EQ(reader.tasks(), static_cast<std::int64_t>(sizes.size()));
    for (std::size_t task = 0; task < sizes.size(); ++task) {
      EXPECT_EQ(reader.size(static_cast<std::int64_t>(task)), sizes[task]) << "task " << task;
    }
    const Grid grid(lattice);
    for (const std::string& name : new_fields) {
      std::vector<double> values(grid.local_volume() * 3);
      reader.read_field(name, grid, field_in(values, generic_spec(Precision::double_, 3, false)));
      EXPECT_EQ(values, numbers(grid, name));
    }
  }

  void expect_that_nothing_is_lost(const std::vector<std::uint64_t>& sizes) {
    std::int64_t failures = 0;
    for (std::int64_t k = 0;; ++k) {
      SCOPED_TRACE(::testing::Message() << "operation " << k);
      const testing::ScratchDirectory directory;
      fs::copy(kept_.path(), directory.path(), fs::copy_options::recursive);
      const std::string path = directory / "set.sion";
      std::string left = path;
      for (const auto& entry : fs::directory_iterator(directory.path())) {
        const std::string name = entry.path().string();
        if (!fs::exists(path) && name.find(".fields.") == std::string::npos) left = name;
      }
      FaultyTransport faulty(storage::posix(), k, Fault::error);
      const Error error = error_of([&] { repair(faulty, left, {}); });
      if (!faulty.has_failed()) break;
      failures += error.code() == Code::ok ? 0 : 1;
      repair_multifile(fs::exists(left) ? left : path);
      expect_all(path, sizes);
      ASSERT_FALSE(HasFailure());
      ASSERT_LT(k, 1000);
    }
    EXPECT_GE(failures, 10);
  }

  testing::ScratchDirectory kept_;
  std::string path_ = kept_ / "set.sion";
};

TEST_F(RepairInterrupted, OfANewSetIsRepeatedWithoutLoss) {
  write({}, *create_set(storage::posix(), path_, {}, {}), new_fields, false);
  expect_that_nothing_is_lost({100});
}

TEST_F(RepairInterrupted, OfASetThatWasGrowingIsRepeatedWithoutLoss) {
  write({}, *create_set(storage::posix(), path_, {}, {}), {new_fields.front()}, true);
  testing::run_ranks(2, [&](std::shared_ptr<comm::Comm> comm) {
    const Communicator all(std::move(comm));
    write(all, *append_to_set(storage::posix(), path_, all, {}), {new_fields.back()}, false);
  });
  expect_that_nothing_is_lost({200, 100});
}

// One rank had opened its file to go on with it when the other failed: the first file states fields, the set is open.
TEST_F(RepairInterrupted, OfASetWhoseFirstFileIsClosedIsRepeatedWithoutLoss) {
  testing::run_ranks(2, [&](std::shared_ptr<comm::Comm> comm) {
    const Communicator all(std::move(comm));
    write(all, *create_set(storage::posix(), path_, all, {.files = 2}), new_fields, true);
  });
  const std::string first = testing::contents(path_);
  testing::run_ranks(2, [&](std::shared_ptr<comm::Comm> comm) {
    (void)append_to_set(storage::posix(), path_, Communicator(std::move(comm)), {});
  });
  ASSERT_FALSE(testing::contents(path_) == first);
  testing::put_contents(path_, first);
  expect_that_nothing_is_lost({100, 100});
}

INSTANTIATE_TEST_SUITE_P(Writing, FieldsInterrupted,
                         ::testing::Values(FieldScenario{0, 1, Fault::error, false},
                                           FieldScenario{0, 2, Fault::short_write, false},
                                           FieldScenario{1, 1, Fault::no_space, false},
                                           FieldScenario{0, 1, Fault::kill, false},
                                           FieldScenario{1, 2, Fault::kill, false}));
INSTANTIATE_TEST_SUITE_P(GoingOn, FieldsInterrupted,
                         ::testing::Values(FieldScenario{0, 1, Fault::error, true},
                                           FieldScenario{0, 1, Fault::kill, true},
                                           FieldScenario{1, 1, Fault::short_write, true}));

}  // namespace
}  // namespace lq::sets
