// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Multifiles rewritten and repaired, held against files of another implementation and against the formula that
// their contents follow (tests/golden/good/sion).
#include <limequat/repack.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <limequat/error.hpp>
#include <limequat/file.hpp>
#include <limequat/grid.hpp>
#include <limequat/inspect.hpp>
#include <limequat/multifile.hpp>

#include "base/path.hpp"
#include "io/replacement.hpp"
#include "support/contents.hpp"
#include "support/error_of.hpp"
#include "support/faulty.hpp"
#include "support/file_contents.hpp"
#include "support/scratch_directory.hpp"

namespace lq {
namespace {

namespace fs = std::filesystem;
using testing::golden_path;

// The formula of the vectors.
std::string fill(int seed, int rank, int bytes, int from = 0) {
  std::string text;
  for (int i = from; i < from + bytes; ++i) {
    text += static_cast<char>((31 * i + 57 * rank + 7 * (i / 256) + 13 * seed) & 255);
  }
  return text;
}

std::string task_of(const std::string& path, const std::string& name) {
  std::string bytes;
  read_record(path, name, 0, [&](const void* data, std::uint64_t size) {
    bytes.append(static_cast<const char*>(data), static_cast<std::size_t>(size));
  });
  return bytes;
}

class Repack : public ::testing::Test {
 protected:
  std::string at(const std::string& name) const { return (fs::path(folder_.path()) / name).string(); }

 private:
  testing::ScratchDirectory folder_;
};

TEST_F(Repack, DefragmentsAsTheOriginalDoes) {
  const std::string to = at("v14_defrag_q1.sion");
  RepackOptions options;
  options.block_size = 1;
  defragment(golden_path("v03_multiblock.sion"), to, options);
  std::string found = testing::contents(to);
  std::string expected = testing::contents(golden_path("v14_defrag_q1.sion"));
  ASSERT_EQ(found.substr(52, to.size()), to);  // the name given to open, which differs
  found.replace(52, 1024, 1024, '\0');
  expected.replace(52, 1024, 1024, '\0');
  EXPECT_TRUE(found == expected);
}

TEST_F(Repack, DefragmentsASetIntoOneFileAndKeepsRanks) {
  const std::string to = at("one.sion");
  const RepackReport report = defragment(golden_path("v11_3files_splitcomm.sion.000002"), to);
  EXPECT_EQ(report.tasks, 7U);
  EXPECT_EQ(report.files, std::vector<std::string>{to});
  for (int r = 0; r < 7; ++r) EXPECT_TRUE(task_of(to, "task." + std::to_string(r)) == fill(11, r, 400 + 50 * r)) << r;
}

TEST_F(Repack, TurnsKeyValueHeadersIntoTheOrderOfThisMachine) {
  for (const bool in_one : {true, false}) {
    const std::string to = at(in_one ? "one.sion" : "same.sion");
    if (in_one) {
      defragment(golden_path("v20_keyval_be.sion"), to);
    } else {
      rewrite(golden_path("v20_keyval_be.sion"), to);
    }
    for (int r = 0; r < 2; ++r) {
      for (int key = 0; key < 3; ++key) {
        const int name = 100 * r + key;
        std::string expected = fill(20, name, 60 + 50 * key);
        if (key == 0) expected += fill(20, name, 60 + 50 * 3);  // record 3 has key 0 again
        EXPECT_TRUE(task_of(to, "task." + std::to_string(r) + ".key." + std::to_string(name)) == expected) << name;
      }
    }
  }
}

TEST_F(Repack, RewritesOlderFormatsAndKeepsChunks) {
  const std::string to = at("new.sion");
  rewrite(golden_path("v18_fmt3.sion"), to);
  const Catalog catalog = inspect(to);
  catalog.require_sound();
  EXPECT_EQ(catalog.records.at(1).pieces, 2U);
  const int sizes[] = {250, 1100, 0};
  for (int r = 0; r < 3; ++r) EXPECT_TRUE(task_of(to, "task." + std::to_string(r)) == fill(18, r, sizes[r])) << r;
  EXPECT_EQ(testing::contents(to).substr(16, 1), "\x05");
}

TEST_F(Repack, RewritesABuddyCopyWithItsPlaceholders) {
  const std::string to = at("buddy.sion");
  rewrite(golden_path("v15_buddy.sion_BUDDY_00"), to);
  for (int r = 0; r < 4; ++r) EXPECT_TRUE(task_of(to, "task." + std::to_string(r)) == fill(15, r, 500 + 10 * r)) << r;
}

TEST_F(Repack, RepairsAnUnclosedFileByItsLastBytes) {
  const std::string to = at("good.sion");
  const RepackReport report = repair(golden_path("v17_unclosed.sion"), to);
  ASSERT_FALSE(report.findings.empty());
  for (int r = 0; r < 3; ++r) {
    // Zeros at the end of a chunk cannot be told from room that was not used.
    std::string expected;
    for (int k = 0; k < 3; ++k) {
      std::string piece = fill(17, r, 400, 400 * k);
      piece.erase(piece.find_last_not_of('\0') + 1);
      expected += piece;
    }
    EXPECT_TRUE(task_of(to, "task." + std::to_string(r)) == expected) << r;
  }
}

TEST_F(Repack, RepairsExactlyWhereTheUnitIsKnown) {
  const std::string to = at("good.sion");
  RepackOptions options;
  options.unit = 400;
  repair(golden_path("v17_unclosed.sion"), to, options);
  for (int r = 0; r < 3; ++r) EXPECT_TRUE(task_of(to, "task." + std::to_string(r)) == fill(17, r, 1200)) << r;
}

// A tebibyte that holds nothing is neither read nor written.
TEST_F(Repack, PassesOverTheHoleBehindTheData) {
  testing::put_contents(at("bad.sion"), testing::contents(golden_path("v17_unclosed.sion")));
  fs::resize_file(at("bad.sion"), std::uintmax_t{1} << 40);
  RepackOptions options;
  options.unit = 400;
  EXPECT_LT(repair(at("bad.sion"), at("good.sion"), options).file_bytes, 10'000U);
  for (int r = 0; r < 3; ++r) {
    EXPECT_TRUE(task_of(at("good.sion"), "task." + std::to_string(r)) == fill(17, r, 1200)) << r;
  }
}

// Metadata block 2 and the closing fields of a sound file are lost: its records tell where the streams end.
// Three tasks of 512 bytes a block: a byte far behind a hole would ask for more chunks than there is memory for.
TEST_F(Repack, RefusesMoreChunksThanATableMayHave) {
  const std::string from = at("far.sion");
  fs::copy_file(golden_path("v17_unclosed.sion"), from);
  std::fstream file(from, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(std::streamoff{1536} * ((std::streamoff{1} << 27) + 1) + 1280);
  file.put('x').flush();
  if (!file) GTEST_SKIP() << "no file of that size here";
  EXPECT_EQ(testing::error_of([&] { repair(from, at("to.sion")); }).code(), Code::too_large);
}

TEST_F(Repack, RepairsKeyValueStreamsByTheirRecords) {
  const std::string whole = testing::contents(golden_path("v05_keyval.sion"));
  std::string lost = whole.substr(0, 0x1d00);
  lost.replace(1076 + 16 * 3, 12, 12, '\0');
  testing::put_contents(at("lost.sion"), lost);
  const std::string to = at("good.sion");
  repair(at("lost.sion"), to);
  for (int r = 0; r < 3; ++r) {
    const std::string name = "task." + std::to_string(r);
    EXPECT_TRUE(task_of(to, name) == task_of(golden_path("v05_keyval.sion"), name)) << r;
  }
}

TEST_F(Repack, RepairsOneFileOfASetAndKeepsTheOthers) {
  const std::string first = testing::contents(golden_path("v02_2files_5tasks.sion"));
  const std::string second = testing::contents(golden_path("v02_2files_5tasks.sion.000001"));
  testing::put_contents(at("set.sion"), first.substr(0, first.size() - 100));  // the map and more is gone
  testing::put_contents(at("set.sion.000001"), second);
  const std::string to = at("good.sion");
  const RepackReport report = repair(at("set.sion"), to);
  EXPECT_EQ(report.files.size(), 2U);
  for (int r = 2; r < 5; ++r) EXPECT_TRUE(task_of(to, "task." + std::to_string(r)) == fill(2, r, 700 + 100 * r)) << r;
}

TEST_F(Repack, LeavesAloneWhatNeedsNoRepair) {
  const RepackReport report = repair(golden_path("v01_1file_4tasks.sion"), at("good.sion"));
  EXPECT_FALSE(report.needed);
  EXPECT_TRUE(report.files.empty() && report.findings.empty());
  EXPECT_EQ(report.verdict, verify(golden_path("v01_1file_4tasks.sion")).verdict);
  EXPECT_FALSE(fs::exists(at("good.sion")));
}

TEST_F(Repack, RepairsIntoANewFileThatIsNamedAndTellsHowFarItIs) {
  const Grid grid({4, 4, 4, 8});
  const std::vector<double> numbers(static_cast<std::size_t>(grid.volume()) * 72, 0.5);
  const std::string damaged = at("damaged.ildg"), repaired = at("repaired.ildg");
  write(damaged, grid, gauge(numbers));
  const std::string whole = testing::contents(damaged);
  std::string bytes = whole;
  bytes[1] = 'x';  // of the magic of the first record
  testing::put_contents(damaged, bytes);
  const Error error = testing::error_of([&] { repair(damaged, ""); });
  EXPECT_EQ(error.code(), Code::invalid_argument);
  EXPECT_NE(std::string(error.what()).find("name the file to write"), std::string::npos) << error.what();
  std::pair<std::uint64_t, std::uint64_t> last;
  RepackOptions options;
  options.progress = [&](std::uint64_t done, std::uint64_t all) { last = {done, all}; };
  repair(damaged, repaired, options);
  EXPECT_EQ(testing::contents(repaired), whole);
  EXPECT_EQ(last, std::pair(std::uint64_t{whole.size()}, std::uint64_t{whole.size()}));
}

// Limits of records are for what a scan lists; a set may have more tasks.
TEST_F(Repack, TakesSetsOfMoreTasksThanAScanMayListRecords) {
  RepackOptions options;
  options.limits.records = 2;
  EXPECT_EQ(defragment(golden_path("v01_1file_4tasks.sion"), at("tidy.sion"), options).tasks, 4U);
  for (int task = 0; task < 4; ++task) {
    const std::string name = "task." + std::to_string(task);
    EXPECT_EQ(task_of(at("tidy.sion"), name), task_of(golden_path("v01_1file_4tasks.sion"), name));
  }
}

TEST_F(Repack, PacksFilesAndUnpacksThem) {
  testing::put_contents(at("a"), fill(1, 0, 5000));
  testing::put_contents(at("b"), "");
  testing::put_contents(at("c"), std::string(200'000, '\0') + "x");
  const std::string to = at("packed.sion");
  const RepackReport report = pack(to, {at("a"), at("b"), at("c")});
  EXPECT_EQ(report.bytes, 205'001U);
  EXPECT_EQ(report.file_bytes, fs::file_size(to));
  unpack(to, at("out"));
  EXPECT_TRUE(testing::contents(at("out/task.0")) == testing::contents(at("a")));
  EXPECT_TRUE(testing::contents(at("out/task.1")).empty());
  EXPECT_TRUE(testing::contents(at("out/task.2")) == testing::contents(at("c")));
}

TEST_F(Repack, DoesNotPackAFileThatIsAppendedTo) {
  testing::put_contents(at("a"), "half of it new");
  testing::put_contents(at("a.lq-journal"), "x");
  EXPECT_EQ(testing::error_of([&] { pack(at("packed.sion"), {at("a")}); }).code(), Code::wrong_state);
  EXPECT_FALSE(fs::exists(at("packed.sion")));
}

TEST_F(Repack, UnpacksKeysInsteadOfRawRecords) {
  const RepackReport report = unpack(golden_path("v05_keyval.sion"), at("out"));
  EXPECT_EQ(report.tasks, 12U);
  EXPECT_FALSE(fs::exists(at("out/task.0")));
  EXPECT_TRUE(testing::contents(at("out/task.0.key.1")) == fill(5, 1, 70) + fill(5, 1, 70, 1000));
}

TEST_F(Repack, ReplacesNothingUnasked) {
  testing::put_contents(at("there.sion"), "precious");
  EXPECT_EQ(testing::error_of([&] { defragment(golden_path("v03_multiblock.sion"), at("there.sion")); }).code(),
            Code::exists);
  EXPECT_EQ(testing::contents(at("there.sion")), "precious");
  RepackOptions options;
  options.overwrite = true;
  defragment(golden_path("v03_multiblock.sion"), at("there.sion"), options);
  EXPECT_TRUE(task_of(at("there.sion"), "task.0") == fill(3, 0, 5000));
}

TEST_F(Repack, DryRunsWriteNothing) {
  RepackOptions options;
  options.dry_run = true;
  EXPECT_EQ(defragment(golden_path("v03_multiblock.sion"), at("new.sion"), options).bytes, 7700U);
  EXPECT_EQ(unpack(golden_path("v03_multiblock.sion"), at("out"), options).files.size(), 3U);
  EXPECT_FALSE(fs::exists(at("new.sion")) || fs::exists(at("out")));
}

TEST_F(Repack, RefusesNamesThatDoNotFitTheHeader) {
  const std::string name = at(std::string(200, 'd')) + "/" + std::string(900, 'n');
  const Error error = testing::error_of([&] { defragment(golden_path("v03_multiblock.sion"), name); });
  EXPECT_EQ(error.code(), Code::invalid_argument);
}

TEST_F(Repack, NamesTheFileOfASetThatIsMissing) {
  testing::put_contents(at("set.sion"), testing::contents(golden_path("v02_2files_5tasks.sion")));
  const Error error = testing::error_of([&] { defragment(at("set.sion"), at("new.sion")); });
  EXPECT_EQ(error.code(), Code::not_found);
  EXPECT_NE(std::string(error.what()).find("set.sion.000001\" is missing"), std::string::npos);
}

// Two streams of several chunks in the interface for checkpoints, closed or left as a killed writer leaves them.
std::string checkpoint_stream(int task) { return fill(40, task, 3'000'000 + 1000 * task); }

void write_checkpoint(const std::string& path, Compression compression, bool closed) {
  MultifileOptions options;
  options.streams = 2;
  options.compression = compression;
  MultifileWriter writer(path, {}, options);
  for (int task = 0; task < 2; ++task) writer.stream(static_cast<std::size_t>(task)).write(checkpoint_stream(task));
  for (std::size_t task = 0; task < 2; ++task) writer.stream(task).flush();
  if (closed) writer.close();
}

void flip(const std::string& path, std::uint64_t offset) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekg(static_cast<std::streamoff>(offset));
  const int byte = file.get();
  file.seekp(static_cast<std::streamoff>(offset));
  file.put(static_cast<char>(byte ^ 1));
}

TEST_F(Repack, StreamsOfCheckpointsComeAsTheyWereWritten) {
  for (const Compression compression : {Compression::none, Compression::lz4, Compression::zstd}) {
    if (!is_available(compression)) continue;
    const std::string path = at("run.sion"), one = at("one.sion"), same = at("same.sion"), folder = at("folder");
    write_checkpoint(path, compression, true);
    defragment(path, one);
    rewrite(path, same);
    unpack(path, folder);
    for (int task = 0; task < 2; ++task) {
      const std::string name = "task." + std::to_string(task), expected = checkpoint_stream(task);
      for (const std::string& file : {path, one, same}) EXPECT_TRUE(task_of(file, name) == expected) << file;
      EXPECT_TRUE(testing::contents(fs::path(folder) / name) == expected) << task;
    }
    EXPECT_TRUE(MultifileReader(same).info().has_records);
    EXPECT_EQ(MultifileReader(one).info().compression, compression);
    fs::remove_all(folder);
    for (const std::string& file : {path, one, same}) fs::remove(file);
  }
}

TEST_F(Repack, NoByteOfADamagedCheckpointIsHandedOn) {
  const std::string path = at("run.sion");
  write_checkpoint(path, Compression::none, true);
  flip(path, inspect(path).record("task.1").offset + 17);
  EXPECT_TRUE(task_of(path, "task.0") == checkpoint_stream(0));
  EXPECT_EQ(testing::error_of([&] { task_of(path, "task.1"); }).code(), Code::checksum_mismatch);
  EXPECT_EQ(testing::error_of([&] { extract(path, "task.1", 0, at("x")); }).code(), Code::checksum_mismatch);
  EXPECT_EQ(testing::error_of([&] { defragment(path, at("x")); }).code(), Code::checksum_mismatch);
  EXPECT_EQ(testing::error_of([&] { rewrite(path, at("x")); }).code(), Code::checksum_mismatch);
  EXPECT_FALSE(fs::exists(at("x")));
}

TEST_F(Repack, RepairsACheckpointByTheNameItWasToHave) {
  const std::string path = at("run.sion");
  write_checkpoint(path, Compression::none, false);
  const RepackReport planned = repair(path, "", {.dry_run = true});
  EXPECT_FALSE(fs::exists(path));
  const RepackReport report = repair(path, "");
  for (const RepackReport& one : {planned, report}) {
    EXPECT_EQ(one.files, std::vector<std::string>{path});
    EXPECT_EQ(one.tasks, 2U);
    EXPECT_EQ(one.bytes, 6'001'000U);
    EXPECT_TRUE(one.findings.empty());
  }
  for (int task = 0; task < 2; ++task) {
    EXPECT_TRUE(task_of(path, "task." + std::to_string(task)) == checkpoint_stream(task)) << task;
  }
  EXPECT_EQ(report.verdict, Verdict::sound);
  EXPECT_FALSE(repair(path, "").needed);
}

// Records of a LIME file: three of one type, and one whose type is what the second of these is called as a file.
class Records : public Repack {
 protected:
  void SetUp() override {
    Writer writer = create(path_, Grid({2, 2, 2, 2}), {.format = "lime"});
    for (const std::string& text : {std::string("first"), std::string(3 << 20, 'x'), std::string("third")}) {
      writer.write_record("log", text);
    }
    writer.write_record("log.1", "another");
    writer.close();
  }
  std::string path_ = at("log.lime");
};

// Of a multifile of another program, whose files do not say to which set they belong.
TEST_F(Repack, RepairGivesNamesThatAWriterDiedBeforeGiving) {
  const std::string path = at("set.sion");
  const std::vector<std::string> numbers{"", ".000001", ".000002"};
  int old_ones = 0, new_ones = 0;
  for (std::int64_t k = 0;; ++k) {
    SCOPED_TRACE(::testing::Message() << "operation " << k);
    for (const std::string& name : testing::files_in(at(""))) fs::remove(at(name));
    std::vector<io::Renaming> names;
    for (const std::string& number : numbers) {
      fs::copy_file(golden_path("v11_3files_splitcomm.sion" + number), path + number);
      if (number == numbers.back()) break;
      names.push_back({base::temporary_name(path + number, 1), path + number});
      fs::copy_file(golden_path("v02_2files_5tasks.sion" + number), names.back().from);
    }
    const bool died = testing::dies_in([&] {
      testing::FaultyTransport faulty(storage::posix(), k, testing::Fault::kill);
      io::replace_together(
          faulty, names, true, Sync::full, [] {}, io::files_of_set);
    });
    const bool is_new = inspect(path).files.size() == 2;
    const bool is_between = is_new && fs::exists(base::temporary_name(path, 1));
    const Error error = testing::error_of([&] { MultifileReader reader(path); });
    EXPECT_EQ(error.code() != Code::ok, is_between) << error.what();  // its streams are not read as a mixture
    (is_new ? new_ones : old_ones) += 1;
    if (!died) break;
    const RepackReport report = repair(path, "");
    EXPECT_TRUE(report.needed || !is_between);
    for (int r = 0; r < (is_new ? 5 : 7); ++r) EXPECT_FALSE(task_of(path, "task." + std::to_string(r)).empty()) << r;
    EXPECT_EQ(inspect(path).files.size(), is_new ? 2U : 3U);
    EXPECT_EQ(MultifileReader(path).tasks(), is_new ? 5 : 7);
    if (is_new) {
      EXPECT_EQ(testing::files_in(at("")), (std::vector<std::string>{"set.sion", "set.sion.000001"}));
    }
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GE(old_ones, 10);
  EXPECT_GE(new_ones, 3);
}

TEST_F(Records, AreReadByTypeAndNumber) {
  EXPECT_EQ(task_of(path_, "log"), "first");
  std::string text;
  read_record(path_, "log", 1, [&](const void* data, std::uint64_t bytes) {
    text.append(static_cast<const char*>(data), static_cast<std::size_t>(bytes));
  });
  EXPECT_TRUE(text == std::string(3 << 20, 'x'));  // more than one piece
  const Error error = testing::error_of([&] { read_record(path_, "log", 3, [](const void*, std::uint64_t) {}); });
  EXPECT_EQ(error.code(), Code::no_such_record);
}

TEST_F(Records, GetFilesOfDifferentNames) {
  const std::string folder = at("folder");
  EXPECT_EQ(unpack(path_, folder).files.size(), 4U);
  EXPECT_EQ(testing::contents(fs::path(folder) / "log"), "first");
  EXPECT_EQ(testing::contents(fs::path(folder) / "log.1").size(), std::size_t{3 << 20});
  EXPECT_EQ(testing::contents(fs::path(folder) / "log.2"), "third");
  EXPECT_EQ(testing::contents(fs::path(folder) / "log.1.1"), "another");
}

TEST_F(Records, AreNotUnpackedInPart) {
  const std::string folder = at("folder");
  fs::create_directory(folder);
  testing::put_contents(fs::path(folder) / "log.2", "mine");
  EXPECT_EQ(testing::error_of([&] { unpack(path_, folder); }).code(), Code::exists);
  EXPECT_FALSE(fs::exists(fs::path(folder) / "log"));
}

TEST_F(Repack, RefusesToReplaceWhatItReadsWhateverItIsCalled) {
  const std::string path = at("in.sion"), link = at("link.sion"), here = at("./in.sion");
  fs::copy_file(golden_path("v17_unclosed.sion"), path);
  fs::create_symlink(path, link);
  for (const std::string& to : {path, link, here}) {
    EXPECT_EQ(testing::error_of([&] { repair(path, to, {.overwrite = true}); }).code(), Code::invalid_argument) << to;
    EXPECT_EQ(testing::error_of([&] { pack(to, {path}, {.overwrite = true}); }).code(), Code::invalid_argument) << to;
  }
  EXPECT_TRUE(testing::contents(path) == testing::contents(golden_path("v17_unclosed.sion")));
}

}  // namespace
}  // namespace lq
