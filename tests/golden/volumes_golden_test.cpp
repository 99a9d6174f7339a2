// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Fields spread over several files by QIO: tests/golden/good/volumes has what QIO 2.4.2 made of gauge.scidac for four
// I/O nodes, 1x2x1x2.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include <limequat/file.hpp>
#include <limequat/inspect.hpp>

#include "io/repair_file.hpp"
#include "support/error_of.hpp"
#include "support/file_contents.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"

namespace lq {
namespace {

namespace fs = std::filesystem;
using testing::contents;
using testing::error_of;
using testing::put_contents;

const std::string volumes_folder = std::string(LQ_SOURCE_DIR) + "/tests/golden/good/volumes/";

std::string volume_name(int number) { return "gauge.vol000" + std::to_string(number); }

std::vector<float> read_whole(const std::string& path) {
  const Catalog catalog = inspect(path);
  const Payload& payload = catalog.field().payload;
  std::vector<float> numbers(volume(payload.extents) * payload.spec.numbers);
  read(path, Grid(Communicator(), payload.extents), gauge(numbers));
  return numbers;
}

class Volumes : public ::testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < 4; ++i) fs::copy(volumes_folder + volume_name(i), scratch_ / volume_name(i));
  }

  std::string path(int number) const { return scratch_ / volume_name(number); }
  // Puts `bytes` in the place of what is at `offset`.
  void change(int number, std::size_t offset, const std::string& bytes) const {
    std::string all = contents(path(number));
    all.replace(offset, bytes.size(), bytes);
    put_contents(path(number), all);
  }
  Finding first_error(int number = 0) const {
    const Catalog catalog = inspect(path(number));
    const Finding* error = catalog.first_error();
    return error != nullptr ? *error : Finding{};
  }

  testing::ScratchDirectory scratch_;
};

TEST_F(Volumes, AreReadThroughAnyOfThemOnAnyGrid) {
  const std::vector<float> expected = read_whole(volumes_folder + "gauge.scidac");
  for (int number = 0; number < 4; ++number) {
    EXPECT_EQ(read_whole(path(number)), expected) << number;
    const Verification verification = verify(path(number));
    EXPECT_TRUE(verification.ok);
    ASSERT_EQ(verification.fields.size(), 1U);
    EXPECT_EQ(verification.fields[0].status, ChecksumStatus::ok);
    EXPECT_TRUE(diff(path(number), volumes_folder + "gauge.scidac").same);
  }
  for (const Extents& processes :
       {Extents{2, 1, 1, 1}, Extents{1, 1, 1, 2}, Extents{2, 2, 1, 1}, Extents{1, 3, 1, 2}}) {
    std::mutex mutex;
    testing::run_ranks(static_cast<int>(volume(processes)), [&](const std::shared_ptr<comm::Comm>& comm) {
      const Grid grid(Communicator(comm), Extents{2, 4, 2, 4}, {.processes = processes});
      std::vector<float> whole_set(grid.local_volume() * 72), single(whole_set.size());
      read(path(1), grid, gauge(whole_set));
      read(volumes_folder + "gauge.scidac", grid, gauge(single));
      const std::lock_guard lock(mutex);
      EXPECT_EQ(whole_set, single);
    });
  }
}

TEST_F(Volumes, TellTheirFilesAndRecords) {
  const Catalog catalog = inspect(path(2));
  EXPECT_EQ(catalog.files, (std::vector<std::string>{path(0), path(1), path(2), path(3)}));
  EXPECT_EQ(std::ranges::count(catalog.records, "scidac-sitelist", &Record::type), 4);
  std::uint64_t bytes = 0;
  for (int number = 0; number < 4; ++number) bytes += fs::file_size(path(number));
  EXPECT_EQ(catalog.file_bytes, bytes);
  EXPECT_TRUE(validate(path(0)).empty());
  for (int number = 0; number < 4; ++number) {
    std::uint64_t end = 0;
    for (const Annotation& annotation : explain(path(number))) {
      EXPECT_EQ(annotation.offset, end);
      end += annotation.length;
    }
    EXPECT_EQ(end, fs::file_size(path(number)));
  }
}

TEST_F(Volumes, InFoldersAreFound) {
  for (int number = 0; number < 4; ++number) {
    const std::string inside = scratch_ / ("vol000" + std::to_string(number));
    fs::create_directory(inside);
    fs::rename(path(number), inside + "/gauge");
  }
  EXPECT_EQ(read_whole(scratch_ / "vol0002/gauge"), read_whole(volumes_folder + "gauge.scidac"));
}

// QIO numbers its files by the ranks that write them.
TEST_F(Volumes, MayBeNumberedWithGaps) {
  fs::rename(path(3), scratch_ / "gauge.vol0012");
  fs::rename(path(2), scratch_ / "gauge.vol0008");
  fs::rename(path(1), scratch_ / "gauge.vol0004");
  EXPECT_EQ(read_whole(scratch_ / "gauge.vol0008"), read_whole(volumes_folder + "gauge.scidac"));
}

TEST_F(Volumes, OfWhichOneIsMissingAreIncomplete) {
  fs::remove(path(3));
  const Catalog catalog = inspect(path(0));
  EXPECT_FALSE(catalog.complete);
  EXPECT_EQ(first_error().rule, "scidac-volume-missing");
  EXPECT_EQ(first_error().code, Code::truncated);
  std::vector<float> numbers(2 * 4 * 2 * 4 * 72);
  const Grid grid(Communicator(), Extents{2, 4, 2, 4});
  EXPECT_EQ(error_of([&] { read(path(0), grid, gauge(numbers)); }).code(), Code::truncated);
}

TEST_F(Volumes, WithoutTheDescriptionsSayWhichFileHasThem) {
  fs::remove(path(0));
  EXPECT_EQ(first_error(2).code, Code::malformed);
  EXPECT_NE(first_error(2).message.find("gauge.vol0000"), std::string::npos) << first_error(2).message;
}

TEST_F(Volumes, OfAnotherOrderAreRefused) {
  // The list of the second file begins at byte 144: two of its sites change places.
  const std::string list = contents(path(1)).substr(144, 8);
  change(1, 144, list.substr(4, 4) + list.substr(0, 4));
  EXPECT_EQ(first_error().rule, "scidac-sitelist");
  EXPECT_EQ(first_error().code, Code::unsupported);
  EXPECT_NE(first_error().message.find("gauge.vol0001"), std::string::npos);
}

TEST_F(Volumes, ThatHoldABlockTwiceAreRefused) {
  fs::remove(path(3));
  fs::copy(path(2), path(3));
  EXPECT_EQ(first_error().rule, "scidac-sitelist");
}

TEST_F(Volumes, ThatAreCutAreIncomplete) {
  fs::resize_file(path(2), fs::file_size(path(2)) - 100);
  EXPECT_EQ(first_error().rule, "scidac-volume-truncated");
  EXPECT_FALSE(inspect(path(1)).complete);
}

TEST_F(Volumes, OfWhichOneLacksTheFieldSayHowManyBytesAreExpected) {
  fs::resize_file(path(2), 144 + 64);  // its list of sites alone
  EXPECT_EQ(first_error().rule, "scidac-volume-length");
  EXPECT_NE(first_error().message.find("gauge.vol0002"), std::string::npos);
}

TEST_F(Volumes, ThatAreDamagedDoNotAgreeWithTheirChecksum) {
  std::string all = contents(path(3));
  all[all.size() - 1000] ^= 1;
  put_contents(path(3), all);
  EXPECT_FALSE(verify(path(0)).ok);
  EXPECT_EQ(error_of([&] { read_whole(path(0)); }).code(), Code::checksum_mismatch);
}

// What QIO made of the same file for the same blocks: the files without descriptions are the same bytes.
TEST_F(Volumes, AreWrittenAsQioWritesThem) {
  for (const int ranks : {1, 2, 3}) {
    std::mutex mutex;
    testing::run_ranks(ranks, [&](const std::shared_ptr<comm::Comm>& comm) {
      ConvertOptions options;
      options.write.format = "scidac";
      options.write.overwrite = true;
      options.write.parts = "1x2x1x2";
      const Report report = convert(volumes_folder + "gauge.scidac", scratch_ / "ours", Communicator(comm), options);
      const std::lock_guard lock(mutex);
      EXPECT_EQ(report.path, scratch_ / "ours.vol0000");
    });
    for (int number = 1; number < 4; ++number) {
      EXPECT_EQ(contents(scratch_ / ("ours.vol000" + std::to_string(number))), contents(path(number))) << number;
    }
    EXPECT_FALSE(fs::exists(scratch_ / "ours"));
    EXPECT_TRUE(diff(scratch_ / "ours.vol0000", path(0)).same);
    EXPECT_EQ(verify(scratch_ / "ours.vol0003").fields.at(0).status, ChecksumStatus::ok);
    EXPECT_TRUE(validate(scratch_ / "ours.vol0000").empty());
  }
}

TEST_F(Volumes, AreWrittenFromAnyGridInAnyBlocks) {
  const Extents lattice{2, 4, 2, 4};
  const std::vector<float> expected = read_whole(volumes_folder + "gauge.scidac");
  for (const char* parts : {"1x1x1x1", "2x1x1x1", "1x4x2x1", "2x4x2x4"}) {
    for (const Extents& processes : {Extents{1, 1, 1, 1}, Extents{2, 1, 1, 2}, Extents{1, 3, 1, 1}}) {
      testing::run_ranks(static_cast<int>(volume(processes)), [&](const std::shared_ptr<comm::Comm>& comm) {
        const Grid grid(Communicator(comm), lattice, {.processes = processes});
        std::vector<float> numbers(grid.local_volume() * 72);
        read(volumes_folder + "gauge.scidac", grid, gauge(numbers));
        WriteOptions options;
        options.overwrite = true;
        options.parts = parts;
        write(scratch_ / "new.ildg", grid, gauge(numbers), options);
      });
      EXPECT_EQ(inspect(scratch_ / "new.ildg.vol0000").files.size(), volume(parse_extents(parts))) << parts;
      EXPECT_EQ(read_whole(scratch_ / "new.ildg.vol0000"), expected) << parts;
    }
  }
}

TEST_F(Volumes, ThatCannotBeSayWhy) {
  ConvertOptions options;
  options.write.format = "scidac";
  const auto code_of = [&](const std::string& parts) {
    options.write.parts = parts;
    return error_of([&] { convert(volumes_folder + "gauge.scidac", scratch_ / "no", {}, options); }).code();
  };
  for (const char* parts : {"3x1x1x1", "2x2", "0x1x1x1", "many"}) EXPECT_EQ(code_of(parts), Code::invalid_argument);
  options.write.verify = Verify::read_back;
  EXPECT_EQ(code_of("1x1x1x2"), Code::unsupported);
  EXPECT_FALSE(fs::exists(scratch_ / "no.vol0000"));
}

TEST_F(Volumes, AreNotRepairedOneByOne) {
  for (const int number : {0, 2}) {
    const std::string bytes = contents(path(number));
    base::MemorySource file(base::as_bytes(bytes), path(number));
    const Error error = error_of([&] { io::repair_records(file, {}, 1); });
    EXPECT_EQ(error.code(), Code::unsupported);
    EXPECT_NE(std::string(error.what()).find("one of several files"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace lq
