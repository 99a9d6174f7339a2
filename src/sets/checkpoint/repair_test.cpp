// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sets whose writers never came to the end.
#include "sets/checkpoint/repair.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <limequat/error.hpp>
#include <limequat/file.hpp>
#include <limequat/repack.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/bytes.hpp"
#include "base/path.hpp"
#include "sets/checkpoint/closing.hpp"
#include "support/error_of.hpp"
#include "support/file_contents.hpp"
#include "support/scratch_directory.hpp"
#include "support/streams.hpp"
#include "support/thread_comm.hpp"

namespace lq {
namespace {

namespace fs = std::filesystem;
using testing::contents;
using testing::error_of;
using testing::first_wrong;
using testing::stream_bytes;
using Outcome = RepairReport::Outcome;

std::vector<std::string> paths_in(const std::string& directory) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory)) names.push_back(entry.path().string());
  std::ranges::sort(names);
  return names;
}

class Repair : public ::testing::Test {
 protected:
  // Each of `ranks` tasks writes (rank + 1) * 5000 bytes and flushes them, and 99 more; then the set is closed or left.
  void write(int ranks, int files, bool closed, Compression compression = Compression::none, int shift = 0) {
    testing::run_ranks(ranks, [&](std::shared_ptr<comm::Comm> comm) {
      MultifileOptions options;
      options.files = files;
      options.expected_bytes = 1;
      options.overwrite = true;
      options.compression = compression;
      options.buffer_bytes = 1024;
      MultifileWriter writer(path_, Communicator(std::move(comm)), options);
      const auto task = static_cast<std::uint64_t>(writer.stream().task() + shift);
      writer.write(stream_bytes(task, 0, (task + 1) * 5000));
      writer.stream().flush();
      writer.write(stream_bytes(task, (task + 1) * 5000, 99));
      if (closed) writer.close();
    });
  }

  // Every task has its bytes, `more` of those that were not flushed.
  void expect_streams(const std::string& path, int tasks, std::uint64_t more, int shift = 0) {
    const MultifileReader reader(path);
    ASSERT_EQ(reader.tasks(), tasks);
    for (int task = 0; task < tasks; ++task) {
      const auto bytes = reader.task(task).read_all();
      const auto number = static_cast<std::uint64_t>(task + shift);
      EXPECT_EQ(bytes.size(), (number + 1) * 5000 + more);
      EXPECT_EQ(first_wrong(bytes, number), bytes.size());
    }
    EXPECT_TRUE(verify_multifile(path).is_sound());
  }

  std::string part(int file = 0) {
    const std::string name = file == 0 ? path_ : path_ + ".00000" + std::to_string(file);
    for (const std::string& one : paths_in(directory_.path())) {
      const auto temporary = base::parse_temporary_name(one);
      if (temporary && temporary->name == name) return one;
    }
    return "no part of file " + std::to_string(file);
  }

  testing::ScratchDirectory directory_;
  std::string path_ = directory_ / "set.sion";
};

TEST_F(Repair, RecoversWhatWasFlushed) {
  for (const Compression compression : {Compression::none, Compression::lz4, Compression::zstd}) {
    for (const int files : {1, 2, 3}) {
      write(4, files, false, compression);
      EXPECT_FALSE(fs::exists(path_));
      const RepairReport report = repair_multifile(part(files - 1));
      EXPECT_EQ(report.outcome, Outcome::recovered);
      EXPECT_EQ(report.path, path_);
      EXPECT_EQ(report.tasks, 4);
      EXPECT_TRUE(report.lost.empty());
      EXPECT_EQ(paths_in(directory_.path()).size(), static_cast<std::size_t>(files));
      expect_streams(path_, 4, 0);
      EXPECT_EQ(repair_multifile(path_).outcome, Outcome::nothing_to_do);
      for (const std::string& file : paths_in(directory_.path())) fs::remove(file);
    }
  }
}

// As the set it takes the place of: for its owner alone, and without its further files.
TEST_F(Repair, ReplacesTheWholeSetBeforeAndKeepsItsAccess) {
  const mode_t mask = ::umask(0);
  write(3, 3, true);
  const auto is_private = [](const std::string& path) {
    return (fs::status(path).permissions() & fs::perms::all) == (fs::perms::owner_read | fs::perms::owner_write);
  };
  for (const std::string& file : paths_in(directory_.path())) {
    fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  }
  write(2, 2, false);
  ::umask(mask);
  for (const std::string& file : paths_in(directory_.path())) EXPECT_TRUE(is_private(file)) << file;
  EXPECT_EQ(repair_multifile(part(), {.overwrite = true}).outcome, Outcome::recovered);
  EXPECT_EQ(paths_in(directory_.path()), (std::vector{path_, path_ + ".000001"}));
  for (const std::string& file : paths_in(directory_.path())) EXPECT_TRUE(is_private(file)) << file;
  expect_streams(path_, 2, 0);
}

TEST_F(Repair, GivesFilesThatASetHadNotTheAccessOfItsFirst) {
  const mode_t mask = ::umask(0);
  write(2, 1, true);
  fs::permissions(path_, fs::perms::owner_read | fs::perms::owner_write);
  write(2, 2, true);
  ::umask(mask);
  for (const std::string& file : paths_in(directory_.path())) {
    EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write) << file;
  }
}

TEST_F(Repair, LeavesTheSetBeforeAloneUnlessItIsToBeReplaced) {
  write(2, 2, true);
  const std::string before = contents(path_) + contents(path_ + ".000001");
  write(3, 2, false);
  const Error error = error_of([&] { repair_multifile(part()); });
  EXPECT_EQ(error.code(), Code::exists);
  EXPECT_EQ(contents(path_) + contents(path_ + ".000001"), before);
  EXPECT_EQ(repair_multifile(part(), {.output = directory_ / "other.sion"}).path, directory_ / "other.sion");
  expect_streams(directory_ / "other.sion", 3, 0);
  EXPECT_EQ(contents(path_) + contents(path_ + ".000001"), before);
  EXPECT_TRUE(fs::exists(part()) && fs::exists(part(1)));  // a copy was repaired
  fs::remove(part(1));
  fs::remove(part());
  write(3, 2, false);
  EXPECT_EQ(repair_multifile(part(1), {.overwrite = true}).outcome, Outcome::recovered);
  expect_streams(path_, 3, 0);
}

TEST_F(Repair, ADryRunFindsTheSameAndWritesNothing) {
  write(3, 2, false);
  const std::vector<std::string> files = paths_in(directory_.path());
  const std::string before = contents(part()) + contents(part(1));
  const RepairReport planned = repair_multifile(part(), {.dry_run = true});
  EXPECT_EQ(paths_in(directory_.path()), files);
  EXPECT_EQ(contents(part()) + contents(part(1)), before);
  const RepairReport done = repair_multifile(part());
  EXPECT_EQ(planned.outcome, done.outcome);
  EXPECT_EQ(planned.files, done.files);
  EXPECT_EQ(planned.chunks, done.chunks);
  EXPECT_EQ(planned.stored_bytes, done.stored_bytes);
}

// The places of formats/sion.md 2 and 5 in a file of two tasks: chunks of a task, bytes of a chunk, place of the table.
TEST_F(Repair, MakesADamagedTableAgain) {
  for (const std::uint64_t place : {std::uint64_t{0}, std::uint64_t{16}, std::uint64_t{1112}}) {
    for (const int file : {0, 1}) {
      write(4, 2, true, Compression::lz4);
      const std::string name = path_ + (file == 0 ? "" : ".000001");
      std::string bytes = contents(name);
      const std::uint64_t table = base::load_le<std::uint64_t>(base::as_bytes(bytes).data() + 1076 + 2 * 16 + 4);
      bytes[place < 1076 ? table + place : place] ^= 1;
      std::ofstream(name, std::ios::binary) << bytes;
      EXPECT_EQ(error_of([&] { MultifileReader{path_}; }).code(), Code::malformed) << place;
      EXPECT_EQ(repair_multifile(name).outcome, Outcome::recovered) << place;
      expect_streams(path_, 4, 99);
    }
  }
}

// A closed set is repaired in place, or, with another name for it, as a copy: what is there stays as it is.
TEST_F(Repair, OfAnotherNameIsACopy) {
  for (const int files : {1, 2}) {
    for (const std::uint64_t place :
         {std::uint64_t{18}, std::uint64_t{1112}}) {  // the version, the record after the header
      if (files == 2 && place == 18) continue;        // which of two versions is the right one is not known
      SCOPED_TRACE(::testing::Message() << files << " files, byte " << place);
      write(2 * files, files, true);
      std::string bytes = contents(path_);
      bytes[place] = static_cast<char>(bytes[place] ^ 0x55);
      std::ofstream(path_, std::ios::binary) << bytes;
      const std::vector<std::string> before = paths_in(directory_.path());
      const std::string copy = directory_ / "copy.sion";
      testing::put_contents(copy, "another file");
      EXPECT_EQ(error_of([&] { repair_multifile(path_, {.output = copy}); }).code(), Code::exists);
      EXPECT_EQ(contents(copy), "another file");
      fs::remove(copy);
      const RepairReport planned = repair_multifile(path_, {.output = copy, .dry_run = true});
      EXPECT_EQ(paths_in(directory_.path()), before);
      const RepairReport report = repair_multifile(path_, {.output = copy});
      EXPECT_EQ(report.outcome, place == 18 ? Outcome::mended : Outcome::recovered);
      EXPECT_EQ(planned.outcome, report.outcome);
      EXPECT_EQ(planned.files, report.files);
      EXPECT_EQ(report.path, copy);
      EXPECT_EQ(report.files.front(), copy);
      EXPECT_TRUE(contents(path_) == bytes);
      EXPECT_EQ(paths_in(directory_.path()).size(), before.size() + static_cast<std::size_t>(files));
      expect_streams(copy, 2 * files, 99);
      EXPECT_TRUE(verify_multifile(copy).is_sound());
      EXPECT_EQ(error_of([&] { repair_multifile(path_, {.output = copy, .overwrite = true}); }).code(), Code::exists);
      for (const std::string& file : report.files) fs::remove(file);
      EXPECT_EQ(repair_multifile(path_).path, path_);
      expect_streams(path_, 2 * files, 99);
    }
  }
}

// Each bit from the format version to the file number (formats/sion.md 2): chunks may be looked for elsewhere then.
TEST_F(Repair, DoesNotTakeAFileForEmptyWhoseHeaderIsDamaged) {
  write(2, 1, true);
  const std::string whole = contents(path_), damaged = directory_ / "damaged.sion", repaired = directory_ / "new.sion";
  int refused = 0;
  for (std::size_t byte = 16; byte < 36; ++byte) {
    for (int bit = 0; bit < 8; ++bit) {
      SCOPED_TRACE(::testing::Message() << "bit " << bit << " of byte " << byte);
      std::string bytes = whole;
      bytes[byte] = static_cast<char>(bytes[byte] ^ (1 << bit));
      testing::put_contents(damaged, bytes);
      const Error error = error_of([&] { repair_multifile(damaged, {.output = repaired}); });
      refused += error.code() == Code::ok ? 0 : 1;
      EXPECT_TRUE(error.code() == Code::ok || !fs::exists(repaired)) << error.what();
      if (!fs::exists(repaired)) continue;
      expect_streams(repaired, 2, 99);
      fs::remove(repaired);
    }
  }
  EXPECT_GE(refused, 10);
  EXPECT_LE(refused, 150);
}

TEST_F(Repair, SaysWhatIsMissingOfAFileThatWasCut) {
  write(2, 1, true);
  const std::uint64_t second = inspect(path_).record("task.1").offset;
  fs::resize_file(path_, second + 100);
  const RepairReport report = repair_multifile(path_);
  EXPECT_EQ(report.outcome, Outcome::recovered);
  ASSERT_FALSE(report.lost.empty());
  EXPECT_EQ(report.lost.back().task, 1);
  EXPECT_EQ(report.lost.back().chunk, 0U);
  EXPECT_EQ(report.lost.back().offset, second);
  EXPECT_EQ(verify_multifile(path_).damage.size(), 2U);  // the second chunk of task 0 is gone, too
}

// A job that died between two renames: nothing is lost, and readers need no repair.
class Renames : public Repair, public ::testing::WithParamInterface<int> {
 protected:
  // The set `new.sion` with its files under temporary names, over the older one of `older` files.
  void interrupt(int older) {
    if (older > 0) write(older + 1, older, true, Compression::none, 3);
    for (int file = 0; file < older; ++file) fs::rename(name(file), name(file) + ".old");
    write(4, 3, true);
    const auto generation = sets::generation_at(storage::posix(), path_);
    for (int file = 0; file < 3; ++file) {
      // In both forms, of this version and earlier ones.
      const std::string number = generation->text().substr(0, 8);
      const std::string of_file = fs::path(name(file)).filename();
      fs::rename(name(file),
                 directory_ / (file == 1 ? of_file + "." + number + ".part" : "." + of_file + "." + number));
    }
    for (int file = 0; file < older; ++file) fs::rename(name(file) + ".old", name(file));
    // Some of the names were given.
    for (int file = 2; file > 2 - GetParam(); --file) fs::rename(part(file), name(file));
  }
  std::string name(int file) const { return file == 0 ? path_ : path_ + ".00000" + std::to_string(file); }
};

TEST_P(Renames, ThatWereInterruptedAreGoneOnWith) {
  for (const int older : {0, 1, 2, 3, 4}) {
    SCOPED_TRACE(::testing::Message() << "over a set of " << older);
    interrupt(older);
    // With one file the older set is complete, whatever lies next to it.
    const bool destroyed = GetParam() > 0 && older > 1 && (older > 2 || GetParam() > 1);
    if (older == 0 ? GetParam() > 1 : destroyed) {
      expect_streams(path_, 4, 99);  // the new set is read where it is
    } else if (older > 0) {
      expect_streams(path_, older + 1, 99, 3);
    }
    const RepairReport report = repair_multifile(part(), {.overwrite = true});
    EXPECT_EQ(report.outcome, Outcome::published);
    expect_streams(path_, 4, 99);
    for (const std::string& file : paths_in(directory_.path())) fs::remove(file);
  }
}

INSTANTIATE_TEST_SUITE_P(Given, Renames, ::testing::Values(0, 1, 2));

// Bit by bit of the number of files (formats/sion.md 2) in each of the headers: no set of fewer streams is made.
TEST_F(Repair, CountsTheFilesWhoseHeadersDoNotAgree) {
  constexpr std::size_t number_of_files = 28;
  write(5, 3, true);
  const std::vector<std::string> files = paths_in(directory_.path());
  ASSERT_EQ(files.size(), 3U);
  int mended = 0;
  for (const std::string& file : files) {
    const std::string sound = contents(file);
    for (std::size_t bit = 0; bit < 32; ++bit) {
      SCOPED_TRACE(file + ", bit " + std::to_string(bit));
      std::string bytes = sound;
      char& byte = bytes[number_of_files + bit / 8];
      byte = static_cast<char>(byte ^ (1 << bit % 8));
      testing::put_contents(file, bytes);
      EXPECT_NE(error_of([&] { MultifileReader(path_).task(0); }).what(), std::string());
      try {
        const RepairReport report = repair_multifile(path_);
        EXPECT_EQ(report.outcome, Outcome::mended);
        EXPECT_EQ(report.tasks, 5);
        EXPECT_TRUE(report.lost.empty());
        expect_streams(path_, 5, 99);
        ++mended;
      } catch (const Error& error) {
        EXPECT_EQ(contents(file), bytes) << error.what();
      }
      EXPECT_EQ(paths_in(directory_.path()), files);
      testing::put_contents(file, sound);
    }
  }
  // All but those below 0, and those of the last file below its number.
  EXPECT_EQ(mended, 3 * 31 - 2);
}

TEST_F(Repair, RefusesFilesOfDifferentGenerations) {
  write(2, 2, true);
  fs::rename(path_ + ".000001", directory_ / "kept");
  write(2, 2, true);
  fs::rename(directory_ / "kept", path_ + ".000001");
  for (const Error& error :
       {error_of([&] { MultifileReader reader(path_); }), error_of([&] { repair_multifile(path_); })}) {
    EXPECT_EQ(error.code(), Code::malformed);
    EXPECT_NE(std::string(error.what()).find("generation"), std::string::npos) << error.what();
  }
}

// Files that were closed, with a chunk whose bytes are not those that were recorded: as after a power failure between
// their tables and the rest of the set.
class ClosedFiles : public Repair {
 protected:
  static constexpr std::uint64_t header = 4096, width = 4096;

  std::string second() const { return path_ + ".000001"; }
  // A byte of chunk 1 of task 2, the first of the second file.
  void damage(const std::string& file) {
    std::string bytes = contents(file);
    const std::uint64_t place = header + 2 * width + 9;
    bytes[place] = static_cast<char>(bytes[place] ^ 1);
    testing::put_contents(file, bytes);
  }
  void open_first_file_again() {
    const auto file = storage::posix().open_write(path_);
    sets::open_again(*file, 2, ByteOrder::little);
    file->close();
  }
  // Everything there is was read, that chunk is lost, and whoever asks is told.
  void expect_loss(const RepairReport& report, const std::string& file) {
    ASSERT_EQ(report.lost.size(), 1U);
    EXPECT_EQ(report.lost[0].path, file);
    EXPECT_EQ(report.lost[0].task, 2);
    EXPECT_EQ(report.lost[0].chunk, 1U);
    EXPECT_EQ(report.lost[0].offset, header + 2 * width);
    EXPECT_EQ(report.lost[0].bytes, width - 128);
    EXPECT_EQ(report.lost[0].what, "3968 bytes are recorded, but only the first 0 are unchanged");
  }
  void expect_damaged_set() {
    expect_loss(repair_multifile(path_), second());
    EXPECT_EQ(repair_multifile(path_).outcome, Outcome::nothing_to_do);
    EXPECT_EQ(error_of([&] { lq::repair(path_, ""); }).code(), Code::checksum_mismatch);
    const MultifileCheck check = verify_multifile(path_);
    ASSERT_EQ(check.damage.size(), 1U);
    EXPECT_EQ(check.damage[0].task, 2);
    EXPECT_EQ(check.damage[0].chunk, 1U);
    const MultifileReader reader(path_);
    for (const int task : {0, 1, 3})
      EXPECT_EQ(first_wrong(reader.task(task).read_all(), static_cast<unsigned>(task)), reader.size(task));
    EXPECT_EQ(error_of([&] { reader.task(2).read_all(); }).code(), Code::checksum_mismatch);
    // What follows can still be read.
    std::vector<std::byte> rest(15'099 - 2 * (width - 128));
    InStream stream = reader.task(2);
    stream.seek(2 * (width - 128));
    EXPECT_EQ(stream.read(rest), rest.size());
    EXPECT_EQ(rest, stream_bytes(2, 2 * (width - 128), rest.size()));
  }
  static bool is_error(const Finding& finding) { return finding.severity == Severity::error; }
  void expect_refused(const RepackReport& report) {
    EXPECT_EQ(report.verdict, Verdict::damaged);
    ASSERT_EQ(std::ranges::count_if(report.findings, is_error), 1);
    const std::string text = std::ranges::find_if(report.findings, is_error)->message;
    EXPECT_NE(text.find("chunk 1 of task 2"), std::string::npos) << text;
  }
};

TEST_F(ClosedFiles, OfASetThatWasNotClosedAreExaminedAndStayAsTheyAre) {
  for (const bool by_verb : {false, true}) {
    SCOPED_TRACE(by_verb ? "lq::repair" : "repair_multifile");
    write(4, 2, true);
    damage(second());
    open_first_file_again();
    const std::string chunks = contents(second()).substr(header);
    const RepairReport planned = repair_multifile(path_, {.dry_run = true});
    EXPECT_EQ(planned.outcome, Outcome::recovered);
    expect_loss(planned, second());
    if (by_verb) {
      expect_refused(lq::repair(path_, ""));
    } else {
      const RepairReport report = repair_multifile(path_);
      EXPECT_EQ(report.outcome, Outcome::recovered);
      expect_loss(report, second());
    }
    EXPECT_TRUE(contents(second()).substr(header) == chunks);
    expect_damaged_set();
  }
}

TEST_F(ClosedFiles, UnderTemporaryNamesAreExaminedBeforeTheyGetTheirNames) {
  for (const bool by_verb : {false, true}) {
    SCOPED_TRACE(by_verb ? "lq::repair" : "repair_multifile");
    write(4, 2, true);
    damage(second());
    const std::string chunks = contents(second()).substr(header);
    const std::string number = sets::generation_at(storage::posix(), path_)->text().substr(0, 8);
    fs::rename(path_, directory_ / (".set.sion." + number));
    fs::rename(second(), directory_ / (".set.sion.000001." + number));
    const std::string left = part(), left_second = part(1);
    const RepairReport planned = repair_multifile(left, {.dry_run = true});
    EXPECT_EQ(planned.outcome, Outcome::published);
    expect_loss(planned, left_second);
    if (by_verb) {
      EXPECT_EQ(std::ranges::count_if(lq::repair(left, "", {.dry_run = true}).findings, is_error), 1);
      expect_refused(lq::repair(left, ""));
    } else {
      const RepairReport report = repair_multifile(left);
      EXPECT_EQ(report.outcome, Outcome::published);
      expect_loss(report, left_second);
    }
    EXPECT_TRUE(contents(second()).substr(header) == chunks);
    expect_damaged_set();
  }
}

TEST_F(ClosedFiles, KeepWhatTheOlderRecordVouchesForInTheReport) {
  {
    MultifileWriter writer(path_, {}, {.expected_bytes = 100'000, .buffer_bytes = 1024});
    for (std::uint64_t at = 0; at < 60'000; at += 20'000) {
      writer.write(stream_bytes(0, at, 20'000));
      writer.stream().flush();
    }
    writer.close();
  }
  std::string bytes = contents(path_);
  bytes[header + 50'000] ^= 1;
  testing::put_contents(path_, bytes);
  const RepairReport report = repair_multifile(path_);
  ASSERT_EQ(report.lost.size(), 1U);
  EXPECT_EQ(report.lost[0].what, "60000 bytes are recorded, but only the first 40000 are unchanged");
}

// A repair that was interrupted after it closed the second file, and is done again.
TEST_F(ClosedFiles, ThatARepairClosedTellWhatItLost) {
  write(4, 2, false);
  damage(part(1));
  EXPECT_FALSE(repair_multifile(part()).lost.empty());
  open_first_file_again();
  const RepairReport again = repair_multifile(path_);
  EXPECT_EQ(again.outcome, Outcome::recovered);
  ASSERT_EQ(again.lost.size(), 1U);
  EXPECT_EQ(again.lost[0].task, 2);
  EXPECT_EQ(again.lost[0].chunk, 1U);
  EXPECT_EQ(again.lost[0].offset, header + 2 * width);
  EXPECT_NE(again.lost[0].what.find("earlier repair"), std::string::npos);
  EXPECT_EQ(verify_multifile(path_).damage.size(), 1U);
}

class LostBytes : public Repair {
 protected:
  // One task with chunks of 4096 - 128 bytes, left unclosed; returns where chunk k begins.
  std::uint64_t prepare() {
    write(1, 1, false);
    return 4096;
  }
  void change(std::uint64_t offset) {
    std::fstream file(part(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(offset));
    file.put('\x5a');
  }
};

TEST_F(LostBytes, AreNotDeliveredAndNeitherIsWhatLiesBehind) {
  const std::uint64_t start = prepare();
  change(start + 17);
  const RepairReport report = repair_multifile(part());
  ASSERT_EQ(report.lost.size(), 2u);
  EXPECT_EQ(report.lost[0].chunk, 0u);
  EXPECT_EQ(report.lost[1].chunk, 1u);
  EXPECT_EQ(MultifileReader(path_, {}, {.verify = Verify::none}).size(0), 0u);
  EXPECT_EQ(MultifileReader(path_).size(0), 5000u);  // of which nothing can be read
  EXPECT_EQ(error_of([&] { MultifileReader(path_).task(0).read_all(); }).code(), Code::truncated);
  // What was left out stays in the file.
  const std::string bytes = contents(path_);
  const auto second = stream_bytes(0, 4096 - 128, 5000 - (4096 - 128));
  EXPECT_EQ(bytes.substr(start + 4096, second.size()),
            std::string(reinterpret_cast<const char*>(second.data()), second.size()));
}

TEST_F(LostBytes, InTheLastChunkLeaveTheChunksBefore) {
  const std::uint64_t start = prepare();
  change(start + 4096 + 10);
  const RepairReport report = repair_multifile(part());
  EXPECT_EQ(report.lost.size(), 1u);
  const auto bytes = MultifileReader(path_, {}, {.verify = Verify::none}).task(0).read_all();
  EXPECT_EQ(bytes.size(), 4096u - 128);
  EXPECT_EQ(first_wrong(bytes, 0), bytes.size());
}

TEST_F(LostBytes, BehindTheOlderRecordLeaveWhatThatOneVouchesFor) {
  MultifileOptions options;
  options.expected_bytes = 100'000;
  options.buffer_bytes = 1024;
  {
    MultifileWriter writer(path_, {}, options);
    for (std::uint64_t at = 0; at < 60'000; at += 20'000) writer.write(stream_bytes(0, at, 20'000));
  }
  change(4096 + 50'000);
  EXPECT_EQ(repair_multifile(part()).lost.size(), 1u);
  const auto bytes = MultifileReader(path_, {}, {.verify = Verify::none}).task(0).read_all();
  EXPECT_EQ(bytes.size(), 40'000u);
  EXPECT_EQ(first_wrong(bytes, 0), bytes.size());
}

TEST_F(Repair, RefusesWhatHoldsNothing) {
  EXPECT_EQ(error_of([&] { repair_multifile(path_); }).code(), Code::not_found);
  EXPECT_EQ(error_of([&] { repair_multifile(path_ + ".12345678.part"); }).code(), Code::not_found);
  std::ofstream(path_ + ".12345678.part") << "sion";
  EXPECT_EQ(error_of([&] { repair_multifile(path_ + ".12345678.part"); }).code(), Code::truncated);
  std::ofstream(path_) << "something else";
  EXPECT_NE(error_of([&] { repair_multifile(path_); }).code(), Code::ok);
}

TEST_F(Repair, SaysWhichFileIsMissing) {
  write(3, 3, false);
  fs::remove(part(1));
  const Error error = error_of([&] { repair_multifile(part()); });
  EXPECT_NE(error.code(), Code::ok);
  EXPECT_NE(std::string(error.what()).find(".000001"), std::string::npos) << error.what();
}

}  // namespace
}  // namespace lq
