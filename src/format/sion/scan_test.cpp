// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files that SIONlib wrote, read through the catalog: their contents follow a formula (tests/golden/good/sion).
#include "format/sion/scan.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <limits>
#include <map>

#include "format/formats.hpp"
#include "format/sion/head.hpp"
#include "format/sion/set.hpp"
#include "support/contents.hpp"
#include "support/error_of.hpp"

namespace lq::format::sion {
namespace {

namespace fs = std::filesystem;

// A file of the golden folder that finds its siblings, any of which a test may have replaced.
using Files = std::map<std::string, std::string>;

class GoldenFile final : public base::ByteSource {
 public:
  GoldenFile(const Files& files, const std::string& name)
      : files_(files), bytes_(base::as_bytes(files.at(name)), name) {}
  const std::string& path() const noexcept override { return bytes_.path(); }
  std::uint64_t size() const override { return bytes_.size(); }
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override {
    ++reads;
    return bytes_.read_at(offset, buffer);
  }
  std::unique_ptr<base::ByteSource> open_other(const std::string& path) const override {
    if (!files_.contains(path)) return ByteSource::open_other(path);
    return std::make_unique<GoldenFile>(files_, path);
  }
  std::uint64_t reads = 0;

 private:
  const Files& files_;
  base::MemorySource bytes_;
};

Files golden_files() {
  Files files;
  for (const auto& entry : fs::directory_iterator(fs::path(LQ_SOURCE_DIR) / "tests" / "golden" / "good" / "sion")) {
    files[entry.path().filename().string()] = lq::testing::contents(entry.path());
  }
  return files;
}

std::string fill(int seed, int rank, int bytes, int from = 0) {
  std::string text;
  for (int i = from; i < from + bytes; ++i) {
    text += static_cast<char>((31 * i + 57 * rank + 7 * (i / 256) + 13 * seed) & 255);
  }
  return text;
}

class SionScan : public ::testing::Test {
 protected:
  Files files_ = golden_files();
  const Container& format_ = *format::sion_format().container;

  Catalog scan(const std::string& name, const Limits& limits = {}) {
    GoldenFile file(files_, name);
    return format_.scan(file, limits);
  }
  std::string read(const std::string& name, const std::string& type) {
    GoldenFile file(files_, name);
    const Catalog catalog = format_.scan(file, {});
    std::string bytes;
    for (const RecordPiece& piece : format_.pieces(file, catalog, catalog.record(type))) {
      const std::string& holder = catalog.files.empty() ? name : catalog.files.at(static_cast<std::size_t>(piece.file));
      bytes += files_.at(holder).substr(piece.offset, piece.length);
    }
    return bytes;
  }
  void expect_tasks(const std::string& name, int seed, const std::vector<int>& sizes) {
    SCOPED_TRACE(name);
    const Catalog catalog = scan(name);
    EXPECT_EQ(catalog.first_error(), nullptr);
    EXPECT_EQ(catalog.records.size(), sizes.size());
    for (std::size_t rank = 0; rank < sizes.size(); ++rank) {
      const std::string type = "task." + std::to_string(rank);
      EXPECT_EQ(catalog.record(type).data_length, static_cast<std::uint64_t>(sizes[rank])) << type;
      EXPECT_TRUE(read(name, type) == fill(seed, static_cast<int>(rank), sizes[rank])) << type;
    }
  }
  std::string first_rule(const std::string& name) {
    const Catalog catalog = scan(name);
    const Finding* error = catalog.first_error();
    return error ? error->rule : "none";
  }
};

TEST_F(SionScan, ReadsEveryLogicalFile) {
  expect_tasks("v01_1file_4tasks.sion", 1, {1000, 1500, 300, 512});
  expect_tasks("v02_2files_5tasks.sion", 2, {700, 800, 900, 1000, 1100});
  expect_tasks("v03_multiblock.sion", 3, {5000, 100, 2600});
  expect_tasks("v04_emptytask.sion", 4, {600, 0, 50, 1200});
  expect_tasks("v06_1task.sion", 6, {3000});
  expect_tasks("v07_userbig.sion", 7, {300, 300});
  expect_tasks("v08_bigendian.sion", 8, {250, 1100, 0});
  expect_tasks("v09_serial.sion", 9, {250, 1100, 0});
  expect_tasks("v10_collective.sion", 10, {600, 620, 640, 660});
  expect_tasks("v11_3files_splitcomm.sion", 11, {400, 450, 500, 550, 600, 650, 700});
  expect_tasks("v12_mapped.sion", 12, {300, 310, 320, 330, 340, 350});
  expect_tasks("v14_defrag_q1.sion", 3, {5000, 100, 2600});
  expect_tasks("v15_buddy.sion", 15, {500, 510, 520, 530});
  expect_tasks("v15_buddy.sion_BUDDY_00", 15, {500, 510, 520, 530});
  expect_tasks("v16_manychunks.sion", 16, {8310, 1280});
  expect_tasks("v18_fmt3.sion", 18, {250, 1100, 0});
  expect_tasks("v19_fmt4.sion", 1, {1000, 1500, 300, 512});
  expect_tasks("v21_hybrid.sion", 21, {150, 170, 190, 210, 230, 250});
}

TEST_F(SionScan, ReadsTheSameThroughAnyFileOfASet) {
  expect_tasks("v02_2files_5tasks.sion.000001", 2, {700, 800, 900, 1000, 1100});
  expect_tasks("v11_3files_splitcomm.sion.000002", 11, {400, 450, 500, 550, 600, 650, 700});
  expect_tasks("v15_buddy.sion_BUDDY_00.000001", 15, {500, 510, 520, 530});
}

TEST_F(SionScan, ReadsMergedStreamsAsStored) {
  EXPECT_TRUE(read("v13_cmerge.sion", "task.0") == fill(13, 0, 300) + fill(13, 1, 300) + fill(13, 2, 300));
  EXPECT_EQ(read("v13_cmerge.sion", "task.1"), "");
  EXPECT_TRUE(read("v13_cmerge.sion", "task.3") == fill(13, 3, 300));
}

TEST_F(SionScan, JoinsTheRecordsOfAKeyAcrossChunks) {
  for (int r = 0; r < 3; ++r) {
    for (int k = 0; k < 3 + r; ++k) {
      const int key = 10 * r + k;
      const int length = 40 + 30 * k;
      const std::string type = "task." + std::to_string(r) + ".key." + std::to_string(key);
      EXPECT_TRUE(read("v05_keyval.sion", type) ==
                  fill(5, key, length) + fill(5, key, length + (r == 1 ? 200 : 0), 1000))
          << type;
      EXPECT_EQ(scan("v05_keyval.sion").record(type).pieces, 2U);
    }
  }
  EXPECT_TRUE(read("v20_keyval_be.sion", "task.1.key.101") == fill(20, 101, 110));
}

TEST_F(SionScan, SaysThatAnUnclosedFileIsIncomplete) {
  const Catalog catalog = scan("v17_unclosed.sion");
  EXPECT_FALSE(catalog.complete);
  EXPECT_TRUE(catalog.records.empty());
  ASSERT_NE(catalog.first_error(), nullptr);
  EXPECT_EQ(catalog.first_error()->code, Code::truncated);
  EXPECT_EQ(catalog.first_error()->rule, "sion-unclosed");
}

TEST_F(SionScan, NamesTheFileThatIsMissing) {
  files_.erase("v11_3files_splitcomm.sion.000001");
  const Catalog catalog = scan("v11_3files_splitcomm.sion");
  ASSERT_NE(catalog.first_error(), nullptr);
  EXPECT_EQ(catalog.first_error()->rule, "sion-set-missing");
  EXPECT_EQ(catalog.first_error()->code, Code::not_found);
}

// Any of them takes its own tasks only, whichever of the others is looked at.
TEST_F(SionScan, ListsTheStreamsOfTheFilesThatAreThere) {
  const std::string first = "v11_3files_splitcomm.sion";
  const Catalog whole = scan(first);
  for (const int missing : {0, 1, 2}) {
    const auto name = [&](int number) { return first + (number == 0 ? "" : fmt::format(".{:06d}", number)); };
    const std::string bytes = std::exchange(files_[name(missing)], {});
    files_.erase(name(missing));
    for (const int given : {0, 1, 2}) {
      if (given == missing) continue;
      const Catalog rest = scan(name(given));
      ASSERT_EQ(rest.findings.size(), 1U);
      EXPECT_EQ(rest.findings.front().rule, "sion-set-missing");
      EXPECT_TRUE(rest.complete);
      auto next = rest.records.begin();
      for (const Record& record : whole.records) {
        if (record.file == missing) {
          // Those after all are named as such.
          const std::string what = missing == 0 && record.type == "task.6" ? "any after task 5" : record.type.substr(5);
          EXPECT_NE(rest.findings.front().message.find(what), std::string::npos) << rest.findings.front().message;
          EXPECT_EQ(lq::testing::error_of([&] { rest.record(record.type); }).code(), Code::no_such_record);
          continue;
        }
        ASSERT_NE(next, rest.records.end());
        EXPECT_EQ(next->type, record.type);
        EXPECT_EQ(next->offset, record.offset);
        EXPECT_EQ(next->data_length, record.data_length);
        ++next;
      }
      EXPECT_EQ(next, rest.records.end());
    }
    files_[name(missing)] = bytes;
  }
}

// The only one that says how many there are says a billion; ranks are billions apart.
TEST_F(SionScan, BelievesNotEverythingOfFilesThatAreMissing) {
  std::string& first = files_["v11_3files_splitcomm.sion"];
  const std::string before = first;
  files_.erase("v11_3files_splitcomm.sion.000001");
  const auto put = [&](std::size_t at, std::initializer_list<unsigned char> bytes) {
    std::ranges::transform(bytes, first.begin() + static_cast<std::ptrdiff_t>(at),
                           [](unsigned char byte) { return static_cast<char>(byte); });
  };
  const bool is_big = before[4] == 0;
  is_big ? put(28, {0x3f, 0, 0, 0}) : put(28, {0, 0, 0, 0x3f});
  const Catalog many = scan("v11_3files_splitcomm.sion");
  EXPECT_TRUE(many.records.empty());
  EXPECT_EQ(many.first_error()->rule, "sion-set-missing");
}

// File 0 is missing, and the others state ranks that no task has, or that two tasks have. Negative ranks are those of
// placeholders of a copy.
TEST_F(SionScan, BelievesNoRanksThatNoTaskCanHave) {
  const std::string first = "v02_2files_5tasks.sion";
  files_.erase(first);
  const std::string intact = files_[first + ".000001"];
  constexpr auto largest = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t rank : {std::int64_t{-1}, std::int64_t{-2}, -largest - 1, std::int64_t{1} << 40, largest}) {
    for (const std::size_t task : {std::size_t{0}, std::size_t{1}}) {
      std::string& file = files_[first + ".000001"] = intact;
      std::memcpy(file.data() + 1076 + 8 * task, &rank, sizeof rank);
      EXPECT_EQ(first_rule(first + ".000001"), "sion-set-missing") << rank;
      std::memcpy(file.data() + 1076 + 8 * (1 - task), &rank, sizeof rank);  // both tasks
      EXPECT_EQ(first_rule(first + ".000001"), "sion-set-missing") << rank;
    }
  }
}

// Its placeholders, which have the rank -1, are in no map.
TEST_F(SionScan, ListsTheStreamsOfABuddyCopyWithoutItsFirstFile) {
  const std::string whole = read("v15_buddy.sion_BUDDY_00.000001", "task.3");
  files_.erase("v15_buddy.sion_BUDDY_00");
  EXPECT_EQ(first_rule("v15_buddy.sion_BUDDY_00.000001"), "sion-set-missing");
  EXPECT_EQ(scan("v15_buddy.sion_BUDDY_00.000001").records.size(), 2U);
  EXPECT_EQ(read("v15_buddy.sion_BUDDY_00.000001", "task.3"), whole);
}

TEST_F(SionScan, NoticesFilesThatWereSwapped) {
  std::swap(files_["v11_3files_splitcomm.sion.000001"], files_["v11_3files_splitcomm.sion.000002"]);
  EXPECT_EQ(first_rule("v11_3files_splitcomm.sion"), "sion-set-order");
  EXPECT_EQ(first_rule("v11_3files_splitcomm.sion.000001"), "sion-set-name");
}

TEST_F(SionScan, NoticesFilesOfAnotherGeneration) {
  std::string& second = files_["v02_2files_5tasks.sion.000001"];
  const std::string original = second;
  second = files_.at("v21_hybrid.sion.000001");
  EXPECT_EQ(first_rule("v02_2files_5tasks.sion"), "sion-set-generation");
  // Same options, other ranks: the map notices.
  second = original;
  second[1076] = 3;
  EXPECT_EQ(first_rule("v02_2files_5tasks.sion"), "sion-map");
}

// One flipped bit: which of the two is damaged, their headers do not say.
TEST_F(SionScan, NamesRepairWhereHeadersStateOtherNumbersOfFiles) {
  std::string& second = files_["v02_2files_5tasks.sion.000001"];
  ASSERT_EQ(second[28] + second[31], 2);
  (second[28] == 2 ? second[28] : second[31]) = 3;
  const Catalog catalog = scan("v02_2files_5tasks.sion");
  ASSERT_NE(catalog.first_error(), nullptr);
  EXPECT_EQ(catalog.first_error()->rule, "sion-set-generation");
  EXPECT_NE(catalog.first_error()->message.find("\"lq repair\""), std::string::npos);
}

TEST_F(SionScan, ListsTheTasksWhoseFilesAreWholeBesideOnesThatAreNot) {
  files_["v02_2files_5tasks.sion.000001"].resize(5130);
  const Catalog catalog = scan("v02_2files_5tasks.sion");
  EXPECT_FALSE(catalog.complete);
  EXPECT_EQ(catalog.records.size(), 2U);
  EXPECT_EQ(first_rule("v02_2files_5tasks.sion"), "sion-tail-truncated");
}

TEST_F(SionScan, FindsTheFilesOfAnUnfinishedSetByTheirTemporaryNames) {
  const std::string name = "v02_2files_5tasks.sion";
  for (const auto& [first, second] : {std::pair("." + name + ".0123abcd", "." + name + ".000001.0123abcd"),
                                      std::pair(name + ".0123abcd.part", name + ".000001.0123abcd.part")}) {
    files_[first] = files_[name];
    files_[second] = files_[name + ".000001"];
    for (const std::string& path : {first, second}) {
      const Catalog catalog = scan(path);
      EXPECT_EQ(catalog.first_error(), nullptr);
      EXPECT_EQ(catalog.records.size(), 5U);
    }
    files_.erase(second);
    const Catalog catalog = scan(first);
    EXPECT_FALSE(catalog.complete);
    ASSERT_NE(catalog.first_error(), nullptr);
    EXPECT_EQ(catalog.first_error()->code, Code::truncated);
    EXPECT_NE(catalog.first_error()->message.find("\"lq repair\""), std::string::npos);
  }
}

TEST_F(SionScan, ExplainsTheHeadersOfRecordsWhereverTheyAreCut) {
  GoldenFile file(files_, "v05_keyval.sion");
  std::uint64_t headers = 0, data = 0, next = 0;
  for (const Annotation& part : format_.explain(file, format_.scan(file, {}))) {
    EXPECT_EQ(part.offset, next);
    next += part.length;
    if (part.offset == 0x500) {
      EXPECT_EQ(part.name, "task 0: key 0, 40 bytes");
    }
    if (part.section != "formats/sion.md 6") continue;
    (part.name.find("data") == std::string::npos ? headers : data) += part.length;
  }
  EXPECT_EQ(next, file.size());
  EXPECT_EQ(headers, 2U * 16 * (3 + 4 + 5));
  EXPECT_EQ(headers + data, 516U + 1608 + 1160);
}

TEST_F(SionScan, KeepsToTheLimitOfRecords) {
  Limits limits;
  limits.records = 3;
  const Catalog tasks = scan("v01_1file_4tasks.sion", limits);
  ASSERT_NE(tasks.first_error(), nullptr);
  EXPECT_EQ(tasks.first_error()->code, Code::too_large);
  limits.records = 5;
  const Catalog keys = scan("v05_keyval.sion", limits);
  EXPECT_EQ(keys.records.size(), 5U);
}

TEST(SionNames, SplitAndJoin) {
  EXPECT_EQ(file_name("a/x.sion", 0), "a/x.sion");
  EXPECT_EQ(file_name("a/x.sion", 12), "a/x.sion.000012");
  EXPECT_EQ(file_name("x", 1'234'567), "x.1234567");
  EXPECT_EQ(buddy_name("x.sion", 0), "x.sion_BUDDY_00");
  const SetName last = split_name("a/x.sion.000012");
  EXPECT_EQ(last.name, "a/x.sion");
  EXPECT_EQ(last.number, 12);
  for (const char* whole : {"x.sion", "x.000000", "x.00012", "x.0000012", "x.00001a", ".000012", "a/.000012", "",
                            "x.99999999999999999999"}) {
    EXPECT_EQ(split_name(whole).name, whole);
    EXPECT_EQ(split_name(whole).number, 0) << whole;
  }
}

TEST(SionRecordNames, ReadBack) {
  EXPECT_EQ(record_name(7), "task.7");
  EXPECT_EQ(parse_record_name("task.7")->task, 7);
  EXPECT_FALSE(parse_record_name("task.7")->key);
  EXPECT_EQ(parse_record_name(record_name(7, ~std::uint64_t{0}))->key, ~std::uint64_t{0});
  for (const char* other : {"task.", "task.x", "task.1.key.", "ildg-binary-data", "task.99999999999"}) {
    EXPECT_FALSE(parse_record_name(other)) << other;
  }
}

}  // namespace
}  // namespace lq::format::sion
