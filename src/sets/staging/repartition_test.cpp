// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files made into sets and back: the bytes of every subfile against plain dealing, and what stays when something fails.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <limequat/error.hpp>
#include <limequat/file.hpp>
#include <limequat/inspect.hpp>
#include <limequat/repartition.hpp>
#include <limequat/staging.hpp>
#include <limequat/view.hpp>

#include <filesystem>
#include <set>
#include <string>

#include "sets/staging/sources.hpp"
#include "storage/forwarding.hpp"
#include "storage/owners.hpp"
#include "support/error_of.hpp"
#include "support/file_contents.hpp"
#include "support/plain_partition.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"

namespace lq::sets {
namespace {

namespace fs = std::filesystem;
using testing::contents;
using testing::error_of;
using testing::files_in;
using testing::put_contents;
using testing::run_ranks;

class Repartition : public ::testing::Test {
 protected:
  void SetUp() override {
    std::uint32_t state = 3;
    for (char& byte : bytes_) byte = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
    put_contents(from_, bytes_);
    fs::create_directory(scratch_ / "one");
    fs::create_directory(scratch_ / "two");
  }

  // An array of 6 x 5 x 4 elements of 7 bytes with 100 bytes before it and 60 behind.
  RepartitionOptions with(const std::string& to) const {
    RepartitionOptions options;
    options.to = to;
    options.extents = "6x5x4";
    options.element_bytes = 7;
    options.begin = 100;
    options.block_bytes = 97;
    return options;
  }

  testing::ScratchDirectory scratch_;
  const std::string from_ = scratch_ / "some.dat", set_ = scratch_ / "some.set", back_ = scratch_ / "back.dat";
  std::string bytes_ = std::string(1000, '\0');
};

// The bytes that a subfile should have.
std::string subfile_bytes(const std::string& bytes, const Partition& partition, std::uint64_t part) {
  const FileArray& array = partition.array();
  std::string held;
  const auto places = testing::places_by_dealing(array, partition.cuts());
  for (std::size_t e = 0; e < places.size(); ++e) {
    if (places[e].part == part) held += bytes.substr(array.begin + e * array.element_bytes, array.element_bytes);
  }
  return part == 0 ? bytes.substr(0, array.begin) + held + bytes.substr(array.end()) : held;
}

TEST_F(Repartition, DealsTheElementsOutAndGivesTheFileBackOnAnyNumberOfRanks) {
  for (const int ranks : {1, 2, 3}) {
    for (const char* to : {"z=block:2", "x=cyclic:2,y=block:3", "x=cyclic:2:2,x=block:2", "z=block:1"}) {
      RepartitionOptions options = with(to);
      options.overwrite = true;
      run_ranks(ranks, [&](const std::shared_ptr<comm::Comm>& comm) {
        const RepartitionReport report = repartition(from_, set_, Communicator(comm), options);
        EXPECT_EQ(report.bytes, 1000U);
        EXPECT_EQ(report.moved_bytes, 1000U);
      });
      const PartitionedFile set = partitioned_file(set_);
      EXPECT_EQ(set.partition.text(), to);
      for (std::uint64_t k = 0; k < set.files.size(); ++k) {
        EXPECT_TRUE(contents(set.files[k].path) == subfile_bytes(bytes_, set.partition, k)) << to << " subfile " << k;
      }
      run_ranks(ranks, [&](const std::shared_ptr<comm::Comm>& comm) {
        RepartitionOptions whole;
        whole.overwrite = true;
        whole.block_bytes = 64;
        repartition(set_, back_, Communicator(comm), whole);
      });
      EXPECT_TRUE(contents(back_) == bytes_) << to;
      // Nothing but the set, its subfiles and the two files is left.
      EXPECT_EQ(files_in(scratch_ / "").size(), 5 + set.files.size()) << to;
    }
  }
}

TEST_F(Repartition, MakesOneSetOutOfAnotherInOtherFolders) {
  repartition(from_, set_, {}, with("z=block:4"));
  RepartitionOptions options;
  options.to = "x=cyclic:3";
  options.folders = "one," + (scratch_ / "two");
  const RepartitionReport report = repartition(set_, scratch_ / "other.set", {}, options);
  EXPECT_EQ(report.from, "z=block:4");
  EXPECT_EQ(report.to, "x=cyclic:3");
  const PartitionedFile set = partitioned_file(scratch_ / "other.set");
  EXPECT_EQ(files_in(scratch_ / "one").size(), 2U);
  EXPECT_EQ(files_in(scratch_ / "two").size(), 1U);
  for (std::uint64_t k = 0; k < 3; ++k) {
    EXPECT_TRUE(contents(set.files[k].path) == subfile_bytes(bytes_, set.partition, k)) << k;
  }
}

// A power failure could take names from folders that are not synced.
TEST_F(Repartition, SyncsEveryFolderWithSubfiles) {
  class Syncing final : public storage::ForwardingTransport {
   public:
    Syncing() : ForwardingTransport(storage::posix()) {}
    void sync_directory(const std::string& path_of_file) override {
      synced.insert(fs::canonical(fs::path(path_of_file).parent_path()));
    }
    std::set<fs::path> synced;
  } syncing;
  const storage::Mount mount(scratch_ / "", syncing);
  RepartitionOptions options = with("z=block:4");
  options.folders = "one,two";
  repartition(from_, set_, {}, options);
  for (const char* const folder : {"", "one", "two"}) {
    EXPECT_TRUE(syncing.synced.contains(fs::canonical(scratch_ / folder))) << folder;
  }
}

TEST_F(Repartition, ReplacesASetInItsPlaceAndRemovesWhatItWas) {
  repartition(from_, set_, {}, with("z=block:4"));
  RepartitionOptions options;
  options.to = "y=block:5";
  EXPECT_EQ(error_of([&] { repartition(set_, set_, {}, options); }).code(), Code::exists);
  options.overwrite = true;
  repartition(set_, set_, {}, options);
  EXPECT_EQ(files_in(scratch_ / "").size(), 4U + 5U);  // two folders, the file, the description
  View whole(set_);
  std::string found(1000, '?');
  whole.read(std::as_writable_bytes(std::span(found)));
  EXPECT_TRUE(found == bytes_);
}

TEST_F(Repartition, KeepsPermissionsAndTime) {
  ::chmod(from_.c_str(), 0640);
  repartition(from_, set_, {}, with("z=block:2"));
  for (const PartitionedFile::Subfile& subfile : partitioned_file(set_).files) {
    struct stat status {};
    ::stat(subfile.path.c_str(), &status);
    EXPECT_EQ(status.st_mode & 0777U, 0640U);
    EXPECT_EQ(fs::last_write_time(subfile.path), fs::last_write_time(from_));
  }
}

TEST_F(Repartition, LeavesACompleteTargetAloneWhenItGoesOn) {
  RepartitionOptions options = with("z=block:2");
  repartition(from_, set_, {}, options);
  const std::string before = contents(set_);
  options.resume = true;
  EXPECT_TRUE(repartition(from_, set_, {}, options).was_there);
  EXPECT_EQ(contents(set_), before);
  options.to = "z=block:4";
  EXPECT_EQ(error_of([&] { repartition(from_, set_, {}, options); }).code(), Code::exists);
}

TEST_F(Repartition, WritesNothingInADryRun) {
  RepartitionOptions options = with("z=block:2");
  options.dry_run = true;
  EXPECT_EQ(repartition(from_, set_, {}, options).files.size(), 3U);
  EXPECT_EQ(files_in(scratch_ / "").size(), 3U);
}

TEST_F(Repartition, GoesOnOnlyWithWhatIsOfTheSamePartition) {
  RepartitionOptions options = with("z=block:2");
  repartition(from_, set_, {}, options);
  // As an interrupted call would have left it, with no block recorded.
  fs::rename(set_, unfinished_name(set_));
  const auto head = encode_head({.source = {.bytes = 1000}, .block_bytes = 97});
  put_contents(copied_name(set_), std::string(reinterpret_cast<const char*>(head.data()), head.size()));
  EXPECT_EQ(error_of([&] { repartition(from_, set_, {}, options); }).code(), Code::exists);
  options.resume = true;
  options.to = "z=block:4";
  const RepartitionReport report = repartition(from_, set_, {}, options);
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].rule, "repartition-anew");
  EXPECT_EQ(files_in(scratch_ / "").size(), 4U + 4U);  // the subfiles of the rest are gone
}

// The bytes are those that a conversion writes, the texts and the data those of another implementation's one file.
TEST_F(Repartition, GivesPartFilesTheHeadersOfOneFile) {
  const std::string volumes = std::string(LQ_SOURCE_DIR) + "/tests/golden/good/volumes/gauge.";
  const std::string whole = scratch_ / "whole.scidac", converted = scratch_ / "converted.scidac";
  ConvertOptions as_one;
  as_one.write.slice_checksums = false;
  convert(volumes + "vol0000", converted, {}, as_one);
  for (const int ranks : {1, 3}) {
    run_ranks(ranks, [&](const std::shared_ptr<comm::Comm>& comm) {
      const Communicator all(comm);
      RepartitionOptions options;
      options.overwrite = true;
      options.block_bytes = 1000;
      const RepartitionReport report = repartition(volumes + "vol0002", whole, all, options);
      EXPECT_EQ(report.bytes, fs::file_size(converted));
      options.to = "z=block:2,x=cyclic:2";
      repartition(volumes + "vol0001", set_, all, options);
    });
    EXPECT_TRUE(contents(whole) == contents(converted));
    EXPECT_TRUE(diff(set_, whole).same);
  }
  EXPECT_TRUE(diff(whole, volumes + "scidac").same);
  EXPECT_EQ(inspect(set_).metadata, inspect(whole).metadata);
  EXPECT_EQ(inspect(set_).fields.front().metadata, inspect(whole).fields.front().metadata);
  EXPECT_EQ(open(set_).catalog().fields.front().sums.checksum(),
            inspect(volumes + "scidac").fields.front().sums.checksum());
}

// Headers of a file are torn while what was appended is put into it.
TEST_F(Repartition, OfAFileThatIsAppendedToIsRefused) {
  put_contents(from_, std::string("\x45\x67\x89\xab", 4) + std::string(996, '\0'));
  put_contents(from_ + ".lq-journal", "x");
  const auto is_refused = [&](const auto& call) {
    const Error error = error_of(call);
    EXPECT_EQ(error.code(), Code::wrong_state);
    EXPECT_NE(std::string(error.what()).find("lq repair " + from_), std::string::npos) << error.what();
  };
  is_refused([&] { repartition(from_, set_); });
  is_refused([&] { repartition(from_, set_, {}, with("z=block:2")); });
  is_refused([&] { View view(from_); });
  is_refused([&] { copy({from_}, set_); });
  EXPECT_FALSE(fs::exists(set_));
}

TEST_F(Repartition, KeepsOthersAwayFromWhatItMakes) {
  repartition(from_, set_, {}, with("z=block:2"));
  RepartitionOptions options = with("z=block:4"), other = with("x=cyclic:2");
  options.overwrite = other.overwrite = other.resume = true;
  int looks = 0;
  options.progress = [&](std::uint64_t, std::uint64_t) {
    if (looks++ > 0) return;
    EXPECT_EQ(error_of([&] { storage::lock_of_copy(set_); }).code(), Code::wrong_state);
    EXPECT_EQ(error_of([&] { repartition(from_, set_, {}, other); }).code(), Code::wrong_state);
    EXPECT_EQ(error_of([&] { copy({from_}, set_, {}, {.overwrite = true}); }).code(), Code::wrong_state);
  };
  repartition(from_, set_, {}, options);
  EXPECT_GT(looks, 0);
  EXPECT_EQ(partitioned_file(set_).partition.text(), "z=block:4");
  repartition(set_, back_);
  EXPECT_TRUE(contents(back_) == bytes_);
}

TEST_F(Repartition, RefusesWhatCannotBe) {
  const auto code = [&](const RepartitionOptions& options) {
    return error_of([&] { repartition(from_, set_, {}, options); }).code();
  };
  EXPECT_EQ(code(with("q=block:2")), Code::invalid_argument);
  RepartitionOptions options = with("z=block:2");
  options.begin = 900;
  EXPECT_EQ(code(options), Code::invalid_argument);
  options = with("z=block:2");
  options.folders = "missing";
  EXPECT_EQ(code(options), Code::not_found);
  EXPECT_FALSE(fs::exists(copied_name(set_)) || fs::exists(unfinished_name(set_)));
  EXPECT_EQ(error_of([&] { repartition(scratch_ / "none", set_, {}, with("z=block:2")); }).code(), Code::not_found);
  EXPECT_FALSE(fs::exists(set_));
}

}  // namespace
}  // namespace lq::sets
