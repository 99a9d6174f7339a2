// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Copies of what consists of several files over an older one. Claim: whatever operation fails or is the last one, what
// is read is all old or all new; a copy that is gone on with, or begun anew, is the new one.
#include <gtest/gtest.h>
#include <limequat/error.hpp>
#include <limequat/file.hpp>
#include <limequat/multifile.hpp>
#include <limequat/staging.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "storage/transport.hpp"
#include "support/error_of.hpp"
#include "support/faulty.hpp"
#include "support/file_contents.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"

namespace lq {
namespace {

namespace fs = std::filesystem;
using testing::error_of;
using testing::Fault;
using testing::FaultyTransport;
using testing::files_in;

const Extents small{2, 2, 2, 4};

std::vector<double> field_of(double value) {
  return std::vector<double>(static_cast<std::size_t>(volume(small)) * 2, value);
}

const FieldSpec two_numbers = generic_spec(Precision::double_, 2, false);

void write_numbers(const std::string& path, double value, const std::string& parts) {
  const std::vector<double> values = field_of(value);
  write(path, Grid(small), field_in(values, two_numbers), {.verify = Verify::none, .overwrite = true, .parts = parts});
}

// The version that is there; -1: a mixture.
double version_of(std::vector<double>& values) {
  return std::ranges::all_of(values, [&](double value) { return value == values.front(); }) ? values.front() : -1;
}

double version_of_numbers(const std::string& path) {
  std::vector<double> values = field_of(0);
  read(path, Grid(small), field_in(values, two_numbers), {.verify = Verify::none});
  return version_of(values);
}

void write_checkpoint(const std::string& path, double value, int files) {
  testing::run_ranks(files, [&](const std::shared_ptr<comm::Comm>& comm) {
    MultifileOptions options;
    options.streams = 3;
    options.files = files;
    options.overwrite = true;
    const Communicator all(comm);
    MultifileWriter writer(path, all, options);
    for (std::size_t i = 0; i < 3; ++i) writer.stream(i).write(std::vector<std::byte>(100, std::byte(value)));
    const Grid grid(all, small, {.processes = Extents{1, 1, 1, files}});
    const std::vector<double> values(static_cast<std::size_t>(grid.local_volume()) * 2, value);
    writer.write_field("f", grid, field_in(values, two_numbers));
    writer.close();
  });
}

double version_of_checkpoint(const std::string& path) {
  const MultifileReader reader(path);
  std::vector<double> values = field_of(0);
  reader.read_field("f", Grid(small), field_in(values, two_numbers));
  for (std::int64_t task = 0; task < reader.tasks(); ++task) {
    for (const std::byte byte : reader.task(task).read_all()) values.push_back(std::to_integer<int>(byte));
  }
  return version_of(values);
}

// Multifiles of other programs: of the one with three files, or of the one with two.
void put_multifile(const std::string& path, double value) {
  const std::string from = testing::golden_path(value == 1 ? "v11_3files_splitcomm.sion" : "v02_2files_5tasks.sion");
  for (const char* number : {"", ".000001", ".000002"}) {
    if (fs::exists(from + number)) fs::copy_file(from + number, path + number);
  }
}

double version_of_multifile(const std::string& path) {
  const Catalog catalog = inspect(path);
  if (!catalog.complete) return -1;
  return catalog.files.size() == 3 ? 1 : 2;
}

struct Kind {
  const char *name, *file, *named;
  int ranks;
  void (*make)(const std::string& path, double value);
  double (*version)(const std::string& path);
};

class CopiedSet : public ::testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    for (const std::string& folder : {source_, folder_, older_}) fs::create_directory(folder);
    GetParam().make(source_ + "/" + GetParam().file, 2);
    GetParam().make(older_ + "/" + GetParam().file, 1);
    new_files_ = files_in(source_);
    EXPECT_GE(new_files_.size(), 2U);
  }

  void start_anew() const {
    fs::remove_all(folder_);
    fs::copy(older_, folder_, fs::copy_options::recursive);
  }

  static Error copied(const std::string& from, const std::string& to, bool resumes) {
    Error error = {Code::ok, ""};
    testing::run_ranks(GetParam().ranks, [&](const std::shared_ptr<comm::Comm>& comm) {
      const bool is_root = comm->rank() == 0;
      const Error mine = error_of([&] {
        copy({from}, to, Communicator(comm),
             {.verify = Verify::none, .resume = resumes, .overwrite = true, .block_bytes = 200'000});
      });
      if (is_root) error = mine;
    });
    return error;
  }

  double version() const { return GetParam().version(folder_ + "/" + GetParam().named); }

  void expect_old_or_new(std::int64_t k) const {
    const double found = version();
    EXPECT_TRUE(found == 1 || found == 2) << found;
    const Error error = copied(from_, folder_ + "/", k % 2 == 0);
    EXPECT_EQ(error.code(), Code::ok) << error.what();
    EXPECT_EQ(version(), 2);
    const std::vector<std::string> there = files_in(folder_);
    EXPECT_TRUE(std::ranges::includes(there, new_files_));  // with others where the older one was unreadable
    EXPECT_TRUE(std::ranges::none_of(there, [](const std::string& name) { return name.front() == '.'; }));
  }

  testing::ScratchDirectory scratch_;
  const std::string source_ = scratch_ / "from", folder_ = scratch_ / "to", older_ = scratch_ / "older";
  const std::string from_ = source_ + "/" + GetParam().named;
  std::vector<std::string> new_files_;
};

TEST_P(CopiedSet, IsOldOrNewAtAnyError) {
  int failures = 0;
  for (std::int64_t k = 0;; ++k) {
    SCOPED_TRACE(::testing::Message() << "operation " << k);
    start_anew();
    FaultyTransport faulty(storage::posix(), k, Fault::error);
    {
      const storage::Mount mount(folder_, faulty);
      failures += copied(from_, folder_ + "/", false).code() == Code::ok ? 0 : 1;
    }
    if (!faulty.has_failed()) break;
    expect_old_or_new(k);
    ASSERT_FALSE(HasFailure());
    ASSERT_LT(k, 2000);
  }
  EXPECT_GE(failures, 20);
  EXPECT_EQ(version(), 2);
  EXPECT_EQ(files_in(folder_), new_files_);
}

TEST_P(CopiedSet, IsOldOrNewAfterAnyKill) {
  int kills = 0;
  for (std::int64_t k = 0;; ++k) {
    SCOPED_TRACE(::testing::Message() << "operation " << k);
    start_anew();
    const bool died = testing::dies_in([&] {
      FaultyTransport faulty(storage::posix(), k, Fault::kill);
      const storage::Mount mount(folder_, faulty);
      copied(from_, folder_ + "/", false);
    });
    if (!died) break;
    ++kills;
    expect_old_or_new(k);
    ASSERT_FALSE(HasFailure());
    ASSERT_LT(k, 2000);
  }
  EXPECT_GE(kills, 20);
}

constexpr auto volumes = [](const std::string& path, double value) { write_numbers(path, value, "1x1x1x2"); };
constexpr auto fewer_volumes = [](const std::string& path, double value) {
  write_numbers(path, value, value == 1 ? "1x1x1x4" : "1x1x1x2");
};
constexpr auto raw = [](const std::string& path, double value) { write_numbers(path, value, ""); };
constexpr auto checkpoint_in_two = [](const std::string& path, double value) { write_checkpoint(path, value, 2); };
constexpr auto checkpoint_in_one = [](const std::string& path, double value) { write_checkpoint(path, value, 1); };

INSTANTIATE_TEST_SUITE_P(
    Of, CopiedSet,
    ::testing::Values(Kind{"Volumes", "f.scidac", "f.scidac.vol0000", 1, volumes, version_of_numbers},
                      Kind{"VolumesOfThreeRanks", "f.scidac", "f.scidac.vol0000", 3, volumes, version_of_numbers},
                      Kind{"FewerVolumes", "f.scidac", "f.scidac.vol0000", 1, fewer_volumes, version_of_numbers},
                      Kind{"Raw", "f.raw", "f.raw", 1, raw, version_of_numbers},
                      Kind{"Checkpoint", "s.sion", "s.sion", 1, checkpoint_in_one, version_of_checkpoint},
                      Kind{"CheckpointInTwo", "s.sion", "s.sion", 3, checkpoint_in_two, version_of_checkpoint},
                      Kind{"Multifile", "s.sion", "s.sion", 1, put_multifile, version_of_multifile}),
    [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace lq
