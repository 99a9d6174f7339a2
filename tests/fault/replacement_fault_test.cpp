// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A field in several files takes the place of another one. At every operation of the writer something fails, or the
// writer dies, or somebody reads; at every operation of a reader somebody replaces. Claim: what is read is all old or
// all new, without any checksum to tell; whoever repairs or writes next gives the names that are missing.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include <limequat/error.hpp>

#include "io/replacement.hpp"
#include "io/transfer.hpp"
#include "support/error_of.hpp"
#include "support/faulty.hpp"
#include "support/file_contents.hpp"
#include "support/interrupted.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"

namespace lq::io {
namespace {

using testing::error_of;
using testing::Fault;
using testing::FaultyTransport;
using testing::Interrupted;

const Extents small_lattice{2, 2, 2, 4};
constexpr double old_value = 1, new_value = 2;

struct Case {
  const char* name;
  const char* file;       // as it is written
  const char* read_by;    // as it is read
  const char* old_parts;  // nullptr: there is no old one
  const char* new_parts;
  int ranks = 1;
};

class Replaced : public ::testing::TestWithParam<Case> {
 protected:
  void write(storage::Transport& transport, const Communicator& communicator, double value, const char* parts,
             bool overwrite = true) const {
    const Grid grid(communicator, small_lattice);
    const std::vector<double> values(static_cast<std::size_t>(grid.local_volume() * 2), value);
    write_field(transport, path_, grid, field_in(values, generic_spec(Precision::double_, 2, false)),
                {.verify = Verify::none, .overwrite = overwrite, .parts = parts});
  }

  // Nothing: there is no such field.
  std::optional<double> version(storage::Transport& transport = storage::posix()) const {
    const Grid grid(small_lattice);
    std::vector<double> values(static_cast<std::size_t>(grid.local_volume() * 2));
    const Error error = error_of([&] {
      read_field(transport, path_ + GetParam().read_by, grid,
                 field_in(values, generic_spec(Precision::double_, 2, false)), {.verify = Verify::none});
    });
    if (error.code() == Code::not_found && GetParam().old_parts == nullptr) return {};
    EXPECT_EQ(error.code(), Code::ok) << error.what();
    EXPECT_TRUE(std::ranges::all_of(values, [&](double value) { return value == values.front(); }));
    return values.front();
  }

  void start_anew() const {
    for (const std::string& name : testing::files_in(directory_.path()))
      std::filesystem::remove(directory_.path() + "/" + name);
    if (GetParam().old_parts != nullptr) write(storage::posix(), {}, old_value, GetParam().old_parts);
  }

  void expect_old_or_new() const {
    const std::optional<double> found = version();
    const auto before = GetParam().old_parts != nullptr ? std::optional(old_value) : std::nullopt;
    EXPECT_TRUE(found == before || found == new_value);
    settle_replacement(storage::posix(), path_ + GetParam().read_by, Sync::none);
    EXPECT_EQ(version(), found);
    // Nobody needs a record then, nor what it has renamed.
    EXPECT_FALSE(std::filesystem::exists(replacement_path(path_ + GetParam().read_by)));
    if (found == new_value) {
      EXPECT_TRUE(
          std::ranges::includes(visible_files(), new_files_));  // with others where the older one was unreadable
    }
  }

  std::vector<std::string> visible_files() const {
    std::vector<std::string> names = testing::files_in(directory_.path());
    std::erase_if(names, [](const std::string& name) { return name.front() == '.'; });
    return names;
  }

  void SetUp() override {
    write(storage::posix(), {}, new_value, GetParam().new_parts);
    new_files_ = visible_files();
    EXPECT_GE(new_files_.size(), 2U);
  }

  testing::ScratchDirectory directory_;
  std::string path_ = directory_.path() + "/" + GetParam().file;
  std::vector<std::string> new_files_;
};

TEST_P(Replaced, AtAnyErrorIsOldOrNew) {
  int failures = 0;
  for (std::int64_t k = 0;; ++k) {
    SCOPED_TRACE(::testing::Message() << "operation " << k);
    start_anew();
    FaultyTransport faulty(storage::posix(), k, Fault::error);
    const auto errors = testing::outcomes_of_ranks(GetParam().ranks, [&](std::shared_ptr<comm::Comm> comm) {
      storage::Transport& mine = comm->rank() == 0 ? static_cast<storage::Transport&>(faulty) : storage::posix();
      write(mine, Communicator(std::move(comm)), new_value, GetParam().new_parts);
    });
    if (!faulty.has_failed()) break;
    for (const std::exception_ptr& error : errors) EXPECT_EQ(error == nullptr, errors.front() == nullptr);
    failures += errors.front() != nullptr ? 1 : 0;
    if (errors.front() == nullptr) {
      EXPECT_EQ(version(), new_value);
    }
    expect_old_or_new();
    EXPECT_EQ(testing::files_in(directory_.path()), visible_files());  // nothing half-written is left
    ASSERT_FALSE(HasFailure());
    ASSERT_LT(k, 1000);
  }
  EXPECT_GE(failures, 20);
  EXPECT_EQ(version(), new_value);
  EXPECT_EQ(visible_files(), new_files_);
}

TEST_P(Replaced, AfterAnyKillIsOldOrNewAndCanBeWritten) {
  int kills = 0, were_new = 0;
  for (std::int64_t k = 0;; ++k) {
    SCOPED_TRACE(::testing::Message() << "operation " << k);
    start_anew();
    const bool died = testing::dies_in([&] {
      FaultyTransport faulty(storage::posix(), k, Fault::kill);
      testing::outcomes_of_ranks(GetParam().ranks, [&](std::shared_ptr<comm::Comm> comm) {
        storage::Transport& mine = comm->rank() == 0 ? static_cast<storage::Transport&>(faulty) : storage::posix();
        write(mine, Communicator(std::move(comm)), new_value, GetParam().new_parts);
      });
    });
    if (!died) break;
    ++kills;
    were_new += version() == new_value ? 1 : 0;
    const bool writes_first = k % 2 == 0;
    if (!writes_first) expect_old_or_new();
    write(storage::posix(), {}, 3, GetParam().new_parts);
    EXPECT_EQ(version(), 3);
    EXPECT_EQ(visible_files(), new_files_);
    ASSERT_FALSE(HasFailure());
    ASSERT_LT(k, 1000);
  }
  EXPECT_GE(kills, 20);
  EXPECT_GE(were_new, 2);
}

TEST_P(Replaced, IsReadAsOneVersionWhileItIsWritten) {
  bool was_old = false, was_new = false;
  for (std::int64_t k = 0;; ++k) {
    SCOPED_TRACE(::testing::Message() << "operation " << k);
    start_anew();
    std::optional<double> found;
    Interrupted interrupted(k, [&] { found = version(); });
    write(interrupted, {}, new_value, GetParam().new_parts);
    if (!interrupted.was_interrupted()) break;
    (found == new_value ? was_new : was_old) = true;
    EXPECT_TRUE(found == new_value || !was_new);  // it does not become old again
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_TRUE(was_old && was_new);
}

TEST_P(Replaced, IsOneVersionThoughItIsReplacedWhileItIsRead) {
  if (GetParam().old_parts == nullptr) GTEST_SKIP() << "there is nothing to be read";
  bool was_old = false, was_new = false;
  for (std::int64_t k = 0;; ++k) {
    SCOPED_TRACE(::testing::Message() << "operation " << k);
    start_anew();
    Interrupted interrupted(k, [&] { write(storage::posix(), {}, new_value, GetParam().new_parts); });
    const std::optional<double> found = version(interrupted);
    if (!interrupted.was_interrupted()) break;
    (found == new_value ? was_new : was_old) = true;
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_TRUE(was_old && was_new);
}

INSTANTIATE_TEST_SUITE_P(By, Replaced,
                         ::testing::Values(Case{"Volumes", "f.scidac", ".vol0000", "1x1x1x2", "1x1x1x2"},
                                           Case{"VolumesByTheirLast", "f.scidac", ".vol0001", "1x1x1x2", "1x1x1x2"},
                                           Case{"FewerVolumes", "f.scidac", ".vol0000", "1x1x1x4", "1x1x1x2"},
                                           Case{"MoreVolumes", "f.scidac", ".vol0000", "1x1x1x2", "1x1x1x4"},
                                           Case{"NewVolumes", "f.scidac", ".vol0000", nullptr, "1x1x1x2"},
                                           Case{"VolumesOfThreeRanks", "f.scidac", ".vol0000", "1x1x1x2", "1x1x1x2", 3},
                                           Case{"Raw", "f.raw", "", "", ""}, Case{"NewRaw", "f.raw", "", nullptr, ""},
                                           Case{"RawOfThreeRanks", "f.raw", "", "", "", 3}),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace lq::io
