// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <limequat/error.hpp>
#include <limequat/limequat.hpp>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <utility>
#include <vector>

#include "io/journal.hpp"
#include "sets/staging/sources.hpp"
#include "storage/forwarding.hpp"
#include "storage/owners.hpp"
#include "storage/transport.hpp"
#include "support/error_of.hpp"
#include "support/faulty.hpp"
#include "support/file_contents.hpp"
#include "support/formula_field.hpp"
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
using testing::ScratchDirectory;

constexpr std::uint64_t block = 1000;

// Bytes that differ from block to block.
std::string some_bytes(std::size_t size) {
  std::string bytes(size, '\0');
  std::uint32_t state = 1;
  for (char& byte : bytes) byte = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  return bytes;
}

CopyOptions in_blocks(CopyOptions options = {}) {
  options.block_bytes = block;
  return options;
}

class Copying : public ::testing::Test {
 protected:
  void SetUp() override { put_contents(from_, bytes_); }

  ScratchDirectory scratch_;
  const std::string from_ = scratch_ / "conf.dat", to_ = scratch_ / "copy.dat";
  const std::string bytes_ = some_bytes(12345);
};

TEST_F(Copying, GivesTheSameBytesTimeAndPermissionsOnAnyNumberOfRanks) {
  ::chmod(from_.c_str(), 0640);
  const auto time = storage::posix().identity(from_).modified - 123456789012345;
  storage::posix().set_modified(from_, time);
  for (const int ranks : {1, 2, 3, 7, 20}) {
    std::mutex mutex;
    run_ranks(ranks, [&](const std::shared_ptr<comm::Comm>& comm) {
      const CopyReport report = copy({from_}, to_, Communicator(comm), in_blocks({.overwrite = true}));
      const std::lock_guard lock(mutex);
      EXPECT_EQ(report.files, std::vector<std::string>{to_});
      EXPECT_EQ(report.bytes, bytes_.size());
      EXPECT_EQ(report.moved_bytes, bytes_.size());
    });
    EXPECT_EQ(contents(to_), bytes_) << ranks;
    EXPECT_EQ(storage::posix().identity(to_).modified, time);
    EXPECT_EQ(fs::status(to_).permissions(), fs::perms(0640));
    EXPECT_EQ(files_in(scratch_.path()), (std::vector<std::string>{"conf.dat", "copy.dat"}));
  }
}

TEST_F(Copying, OfNothingIsAnEmptyFile) {
  put_contents(from_, "");
  EXPECT_EQ(copy({from_}, to_).bytes, 0U);
  EXPECT_TRUE(fs::exists(to_));
  EXPECT_EQ(contents(to_), "");
}

TEST_F(Copying, IntoAFolderKeepsTheName) {
  fs::create_directory(scratch_ / "there");
  copy({from_}, scratch_ / "there");
  copy({from_}, scratch_ / "made/here/");
  EXPECT_EQ(contents(scratch_ / "there/conf.dat"), bytes_);
  EXPECT_EQ(contents(scratch_ / "made/here/conf.dat"), bytes_);
}

TEST_F(Copying, ReplacesOnlyWhenAskedAndKeepsThePermissionsOfWhatItReplaces) {
  put_contents(to_, "old");
  ::chmod(to_.c_str(), 0600);
  EXPECT_EQ(error_of([&] { copy({from_}, to_); }).code(), Code::exists);
  EXPECT_EQ(contents(to_), "old");
  copy({from_}, to_, {}, {.overwrite = true});
  EXPECT_EQ(contents(to_), bytes_);
  EXPECT_EQ(fs::status(to_).permissions(), fs::perms(0600));
}

// What an interrupted copy leaves, made by hand from the format page.
void leave_half(const std::string& from, const std::string& to, std::uint64_t blocks) {
  const std::string bytes = contents(from);
  const auto identity = storage::posix().identity(from);
  Copied copied{.source = {identity.bytes, identity.modified, 0}, .block_bytes = block};
  std::string record;
  const auto add = [&](const std::vector<std::byte>& more) { record += base::as_text(more); };
  const auto crc_of = [&](std::size_t begin, std::size_t size) {
    std::uint32_t crc = 0xffffffff;
    for (const char c : bytes.substr(begin, size)) {
      crc ^= static_cast<unsigned char>(c);
      for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320U : 0U);
    }
    return ~crc;
  };
  copied.source.start_crc = crc_of(0, 4096);
  add(encode_head(copied));
  for (std::uint64_t i = 0; i < blocks; ++i) add(encode_blocks({{i, crc_of(i * block, block)}}));
  put_contents(copied_name(to), record);
  put_contents(unfinished_name(to), bytes.substr(0, blocks * block));
}

TEST_F(Copying, GoesOnWithWhatIsThere) {
  for (const int ranks : {1, 3}) {
    leave_half(from_, to_, 5);
    run_ranks(ranks, [&](const std::shared_ptr<comm::Comm>& comm) {
      const CopyReport report = copy({from_}, to_, Communicator(comm), in_blocks({.resume = true}));
      EXPECT_EQ(report.moved_bytes, bytes_.size() - 5 * block);
    });
    EXPECT_EQ(contents(to_), bytes_);
    fs::remove(to_);
    EXPECT_EQ(files_in(scratch_.path()).size(), 1U);
  }
}

// Sites that begin in a block which is there, and end in one which is not, are compared with the checksum as well.
TEST_F(Copying, OfAFieldGoesOnWithinASite) {
  const Grid grid({4, 4, 4, 4});
  const std::vector<double> values = testing::formula_sites<double>(grid, 72);
  write(from_, grid, gauge(values), {.format = "scidac", .overwrite = true});
  for (const std::uint64_t blocks : {1U, 2U, 3U, 8U, 30U, 100U}) {
    leave_half(from_, to_, blocks);
    const CopyReport report = copy({from_}, to_, {}, {.resume = true});
    EXPECT_TRUE(report.findings.empty()) << blocks << " blocks: " << report.findings.front().message;
    EXPECT_EQ(contents(to_), contents(from_));
    fs::remove(to_);
  }
}

TEST_F(Copying, MovesADamagedBlockAgain) {
  leave_half(from_, to_, 5);
  std::string half = contents(unfinished_name(to_));
  half[2 * block + 7] ^= 1;
  put_contents(unfinished_name(to_), half);
  EXPECT_EQ(copy({from_}, to_, {}, {.resume = true}).moved_bytes, bytes_.size() - 4 * block);
  EXPECT_EQ(contents(to_), bytes_);
}

TEST_F(Copying, BlocksThatAreRecordedButNotThereAreMoved) {
  leave_half(from_, to_, 5);
  put_contents(unfinished_name(to_), bytes_.substr(0, 2500));
  EXPECT_EQ(copy({from_}, to_, {}, {.resume = true}).moved_bytes, bytes_.size() - 2 * block);
  EXPECT_EQ(contents(to_), bytes_);
}

TEST_F(Copying, BeginsAnewWhenTheSourceChanged) {
  leave_half(from_, to_, 5);
  put_contents(from_, some_bytes(7000) + "x");
  const CopyReport report = copy({from_}, to_, {}, {.resume = true});
  EXPECT_EQ(report.moved_bytes, 7001U);
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].rule, "copy-anew");
  EXPECT_EQ(contents(to_), contents(from_));
}

TEST_F(Copying, DoesNotTouchAnUnfinishedCopyUnasked) {
  leave_half(from_, to_, 5);
  const Error error = error_of([&] { copy({from_}, to_); });
  EXPECT_EQ(error.code(), Code::exists);
  EXPECT_NE(std::string(error.what()).find("options.resume"), std::string::npos) << error.what();
  EXPECT_EQ(copy({from_}, to_, {}, {.overwrite = true}).moved_bytes, bytes_.size());
}

TEST_F(Copying, ThatHasNothingToDoLeavesTheWorkOfAnotherOne) {
  copy({from_}, to_);
  const std::vector<std::string> left{unfinished_name(to_), copied_name(to_)};
  for (const std::string& name : left) put_contents(name, "begun");
  {
    const storage::WriterLock lock = storage::lock_of_copy(to_);
    EXPECT_EQ(copy({from_}, to_, {}, {.resume = true}).present_files, 1U);
    for (const std::string& name : left) EXPECT_TRUE(fs::exists(name)) << name;
  }
  // Its program is gone, and the copy is there.
  copy({from_}, to_, {}, {.resume = true});
  for (const std::string& name : left) EXPECT_FALSE(fs::exists(name)) << name;
}

TEST_F(Copying, RefusesASetWhoseFilesAreReplacedMeanwhile) {
  const std::vector<double> values(16 * 2, 1.0);
  const Grid grid(Extents{2, 2, 2, 2});
  const auto put = [&](bool overwrite) {
    write(scratch_ / "f.raw", grid, field_in(values, generic_spec(Precision::double_, 2, false)),
          {.overwrite = overwrite});
  };
  put(false);
  bool is_replaced = false;
  CopyOptions options = in_blocks();
  options.progress = [&](std::uint64_t, std::uint64_t) {
    if (!std::exchange(is_replaced, true)) put(true);
  };
  fs::create_directory(scratch_ / "far");
  const Error error = error_of([&] { copy({scratch_ / "f.raw"}, scratch_ / "far", {}, options); });
  EXPECT_EQ(error.code(), Code::io);
  EXPECT_TRUE(is_replaced);
  EXPECT_FALSE(fs::exists(scratch_ / "far/f.raw"));
}

TEST_F(Copying, LeavesWhatIsThereAlready) {
  copy({from_}, to_);
  const CopyReport report = copy({from_}, to_, {}, {.resume = true});
  EXPECT_EQ(report.present_files, 1U);
  EXPECT_TRUE(report.files.empty());
  // Of the same size and time, but not the same: only reading finds it.
  const auto time = storage::posix().identity(to_).modified;
  std::string other = bytes_;
  other[5000] ^= 1;
  put_contents(to_, other);
  storage::posix().set_modified(to_, time);
  EXPECT_EQ(copy({from_}, to_, {}, {.resume = true}).present_files, 1U);
  const Error error = error_of([&] { copy({from_}, to_, {}, {.verify = Verify::read_back, .resume = true}); });
  EXPECT_EQ(error.code(), Code::checksum_mismatch);
  EXPECT_EQ(error.facts().path, to_);
}

// A file system that loses what is written.
class LosingTransport final : public storage::ForwardingTransport {
 public:
  using ForwardingTransport::ForwardingTransport;

 private:
  class LosingFile final : public storage::ForwardingFile {
   public:
    using ForwardingFile::ForwardingFile;
    void write_at(std::uint64_t offset, base::Bytes bytes) override {
      if (offset == 3 * block) {
        const std::vector<std::byte> zeros(bytes.size());
        return ForwardingFile::write_at(offset, zeros);
      }
      ForwardingFile::write_at(offset, bytes);
    }
  };
  std::unique_ptr<storage::File> wrap(std::unique_ptr<storage::File> file) override {
    return std::make_unique<LosingFile>(std::move(file));
  }
};

TEST_F(Copying, ReadBackFindsWhatTheFileSystemLost) {
  LosingTransport losing(storage::posix());
  fs::create_directory(scratch_ / "bad");
  const storage::Mount mount(scratch_ / "bad", losing);
  const std::string to = scratch_ / "bad/copy.dat";
  run_ranks(3, [&](const std::shared_ptr<comm::Comm>& comm) {
    const Error error =
        error_of([&] { copy({from_}, to, Communicator(comm), in_blocks({.verify = Verify::read_back})); });
    EXPECT_EQ(error.code(), Code::checksum_mismatch);
    EXPECT_EQ(error.facts().offset, 3 * block);
  });
  EXPECT_FALSE(fs::exists(to));
}

// A file with stripes takes the place of the empty one, as on Lustre and BeeGFS.
class StripedTransport final : public storage::ForwardingTransport {
 public:
  StripedTransport() : ForwardingTransport(storage::posix()) {}
  storage::Striping set_stripes(const std::string& path, const std::string& spare, std::uint64_t bytes,
                                const StripeRequest& request) override {
    EXPECT_EQ(fs::file_size(path), 0U);
    EXPECT_FALSE(fs::exists(spare));
    asked.push_back({bytes, request.count, request.bytes, request.by_size ? 1U : 0U});
    std::ofstream(spare).close();
    fs::rename(spare, path);
    return {.stripes = {.reason = StripeReason::asked, .count = request.count, .bytes = request.bytes}};
  }
  std::vector<std::array<std::uint64_t, 4>> asked;
};

TEST_F(Copying, GivesNewFilesStripes) {
  for (const int ranks : {1, 3}) {
    StripedTransport striped;
    const std::string folder = scratch_ / ("striped" + std::to_string(ranks));
    fs::create_directory(folder);
    const storage::Mount mount(folder, striped);
    run_ranks(ranks, [&](const std::shared_ptr<comm::Comm>& comm) {
      copy({from_}, folder + "/copy", Communicator(comm),
           in_blocks({.stripe_count = 3, .stripe_bytes = 65536, .stripes_by_size = false}));
    });
    EXPECT_EQ(contents(folder + "/copy"), bytes_);
    EXPECT_EQ(striped.asked, (std::vector<std::array<std::uint64_t, 4>>{{bytes_.size(), 3, 65536, 0}}));
  }
}

TEST_F(Copying, OfAFileThatIsWrittenToIsRefused) {
  for (const int ranks : {1, 2}) {
    run_ranks(ranks, [&](const std::shared_ptr<comm::Comm>& comm) {
      CopyOptions options = in_blocks();
      options.progress = [&](std::uint64_t done, std::uint64_t) {
        if (done < 3000) put_contents(from_, bytes_ + "more");
      };
      const Error error = error_of([&] { copy({from_}, to_, Communicator(comm), options); });
      EXPECT_EQ(error.code(), Code::io);
      EXPECT_NE(std::string(error.what()).find("while it was being copied"), std::string::npos) << error.what();
    });
    EXPECT_FALSE(fs::exists(to_));
    fs::remove(copied_name(to_));
  }
}

// The node of rank 1 sees the source as it is by now, of the same size.
TEST_F(Copying, OfAFileThatIsAnotherOneToAnotherRankIsRefused) {
  class Later final : public storage::ForwardingFile {
   public:
    using ForwardingFile::ForwardingFile;
    storage::Identity identity() const override {
      storage::Identity later = ForwardingFile::identity();
      later.modified += 1;
      return later;
    }
  };
  class LaterForOne final : public storage::ForwardingTransport {
   public:
    LaterForOne() : ForwardingTransport(storage::posix()) {}
    std::atomic<std::thread::id> one{};
    std::unique_ptr<storage::File> open_read(const std::string& path) override {
      auto file = ForwardingTransport::open_read(path);
      if (std::this_thread::get_id() != one) return file;
      return std::make_unique<Later>(std::move(file));
    }
  } later;
  const storage::Mount mount(from_, later);
  run_ranks(2, [&](const std::shared_ptr<comm::Comm>& comm) {
    if (comm->rank() == 1) later.one = std::this_thread::get_id();
    const Error error = error_of([&] { copy({from_}, to_, Communicator(comm), in_blocks({.verify = Verify::none})); });
    EXPECT_EQ(error.code(), Code::io);
    EXPECT_NE(std::string(error.what()).find("it changed while it was being copied"), std::string::npos)
        << error.what();
  });
  EXPECT_FALSE(fs::exists(to_));
}

TEST_F(Copying, OfAFileThatIsAppendedToIsRefused) {
  for (const std::string& journal : io::journal_paths(from_)) {
    put_contents(journal, "x");
    const Error error = error_of([&] { copy({from_}, to_); });
    EXPECT_EQ(error.code(), Code::wrong_state);
    EXPECT_NE(std::string(error.what()).find("lq repair"), std::string::npos) << error.what();
    fs::remove(journal);
  }
}

// As if the new file were the old one, with the tail of an append that was interrupted.
TEST_F(Copying, OverAFileWithAJournalLeavesNoJournal) {
  put_contents(to_, contents(from_).substr(0, 5000));
  const bool died = testing::dies_in([&] {
    const auto file = storage::posix().open_write(to_);
    const io::Appending appending(storage::posix(), *file, Sync::none, storage::WriterLock(to_));
    ::raise(SIGKILL);
  });
  ASSERT_TRUE(died);
  ASSERT_TRUE(fs::exists(io::journal_path(to_)));
  copy({from_}, to_, {}, {.overwrite = true});
  EXPECT_FALSE(fs::exists(io::journal_path(to_)));
  EXPECT_TRUE(contents(to_) == contents(from_));
}

TEST_F(Copying, OfAFolderKeepsItsTree) {
  fs::create_directories(scratch_ / "run/a/b");
  put_contents(scratch_ / "run/one", "1");
  put_contents(scratch_ / "run/a/two", "22");
  put_contents(scratch_ / "run/a/b/three", "333");
  fs::create_symlink("one", scratch_ / "run/link");
  EXPECT_EQ(error_of([&] { copy({scratch_ / "run"}, scratch_ / "new"); }).code(), Code::invalid_argument);
  const CopyReport report = copy({scratch_ / "run"}, scratch_ / "new", {}, {.recursive = true});
  EXPECT_EQ(report.files.size(), 4U);
  EXPECT_EQ(contents(scratch_ / "new/a/b/three"), "333");
  EXPECT_EQ(fs::read_symlink(scratch_ / "new/link"), "one");
  EXPECT_TRUE(report.findings.empty());
  EXPECT_EQ(copy({scratch_ / "run"}, scratch_ / "new", {}, {.resume = true, .recursive = true}).files.size(), 4U)
      << "into it, now that it is there";
}

// Links are copied as what they are, wherever they lead.
TEST_F(Copying, OfLinksLeadsWhereTheyLed) {
  fs::create_directories(scratch_ / "run/a");
  put_contents(scratch_ / "run/one", "1");
  put_contents(scratch_ / "outside", "o");
  fs::create_symlink("../one", scratch_ / "run/a/up");
  fs::create_symlink("a", scratch_ / "run/folder");
  fs::create_symlink("../outside", scratch_ / "run/out");
  fs::create_symlink("nothing", scratch_ / "run/nowhere");
  fs::create_directory(scratch_ / "far");
  const CopyReport report = copy({scratch_ / "run"}, scratch_ / "far/run", {}, {.recursive = true});
  EXPECT_EQ(contents(scratch_ / "far/run/a/up"), "1");
  EXPECT_EQ(contents(scratch_ / "far/run/folder/up"), "1");
  EXPECT_EQ(fs::read_symlink(scratch_ / "far/run/nowhere"), "nothing");
  ASSERT_EQ(report.findings.size(), 1U);  // "../outside" is not in "far"
  EXPECT_EQ(report.findings[0].rule, "copy-link");
  EXPECT_NE(report.findings[0].message.find("far/run/out: this link leads to ../outside"), std::string::npos)
      << report.findings[0].message;
  // Again: what is there is left, another file is not replaced unasked.
  EXPECT_NO_THROW(copy({scratch_ / "run"}, scratch_ / "far", {}, {.resume = true, .recursive = true}));
  fs::remove(scratch_ / "far/run/nowhere");
  put_contents(scratch_ / "far/run/nowhere", "mine");
  const auto again = [&](bool overwrite) {
    copy({scratch_ / "run"}, scratch_ / "far", {}, {.resume = true, .overwrite = overwrite, .recursive = true});
  };
  EXPECT_EQ(error_of([&] { again(false); }).code(), Code::exists);
  EXPECT_EQ(contents(scratch_ / "far/run/nowhere"), "mine");
  again(true);
  EXPECT_EQ(fs::read_symlink(scratch_ / "far/run/nowhere"), "nothing");
  // Nor a link that leads elsewhere.
  fs::remove(scratch_ / "far/run/nowhere");
  fs::create_symlink("elsewhere", scratch_ / "far/run/nowhere");
  EXPECT_EQ(error_of([&] { again(false); }).code(), Code::exists);
  EXPECT_EQ(fs::read_symlink(scratch_ / "far/run/nowhere"), "elsewhere");
  again(true);
  EXPECT_EQ(fs::read_symlink(scratch_ / "far/run/nowhere"), "nothing");
}

// A copy has the bytes of its source. That these are not what the file's own sums say is told.
TEST_F(Copying, TellsOfASourceThatFailsItsOwnChecksums) {
  const Grid grid(Extents{4, 4, 2, 4});
  const std::vector<double> numbers(grid.local_volume() * 24, 1.5);
  for (const char* name : {"a.scidac", "a.lime"}) {
    const std::string path = scratch_ / name, to = scratch_ / (std::string("copied_") + name);
    write(path, grid, spinor(numbers), {.format = "scidac"});
    const CopyReport fine = copy({path}, to, {}, in_blocks());
    EXPECT_TRUE(fine.findings.empty());
    std::string bytes = contents(path);
    bytes[bytes.size() / 2] ^= 1;
    put_contents(path, bytes);
    for (const int ranks : {1, 3}) {
      std::mutex mutex;
      std::vector<Finding> findings;
      run_ranks(ranks, [&](const std::shared_ptr<comm::Comm>& comm) {
        const CopyReport report = copy({path}, to, Communicator(comm), in_blocks({.overwrite = true}));
        const std::lock_guard lock(mutex);
        if (comm->rank() == 0) findings = report.findings;
      });
      ASSERT_EQ(findings.size(), 1U) << ranks;
      EXPECT_EQ(findings[0].severity, Severity::error);
      EXPECT_EQ(findings[0].code, Code::checksum_mismatch);
      EXPECT_TRUE(contents(to) == bytes);
    }
    EXPECT_TRUE(copy({path}, to, {}, in_blocks({.verify = Verify::none, .overwrite = true})).findings.empty());
  }
}

// A set with a physical file for each rank and, if wanted, a field next to it.
void write_set(const std::string& path, int ranks, bool has_field) {
  run_ranks(ranks, [&](const std::shared_ptr<comm::Comm>& comm) {
    const Communicator group(comm);
    MultifileWriter writer(path, group, {.files = ranks});
    writer.stream(0).write("task " + std::to_string(comm->rank()));
    if (has_field) {
      const Grid grid(group, Extents{2, 2, 2, 2}, {.processes = Extents{1, 1, 1, ranks}});
      std::vector<double> numbers(grid.local_volume() * 24, 1.5);
      writer.write_field("field", grid, spinor(numbers));
    }
    writer.close();
  });
}

TEST_F(Copying, OfAMultifileIsOneThing) {
  const std::string set = scratch_ / "set.ck";
  write_set(set, 2, true);
  for (const std::string& member : {set, set + ".000001", set + ".fields"}) {
    const std::string target = scratch_ / ("new/" + fs::path(member).filename().string());
    fs::create_directory(scratch_ / "new");
    const CopyReport report = copy({member}, scratch_ / "new");
    EXPECT_EQ(report.files.size(), member.ends_with(".fields") ? 1U : 3U) << member;
    if (!member.ends_with(".fields")) {
      EXPECT_TRUE(verify_multifile(scratch_ / "new/set.ck").is_sound());
    }
    fs::remove_all(scratch_ / "new");
  }
  // By another name, over an older set of more files.
  const std::string other = scratch_ / "other.ck";
  write_set(other, 4, false);
  copy({set}, other, {}, {.overwrite = true});
  EXPECT_TRUE(verify_multifile(other).is_sound());
  EXPECT_FALSE(fs::exists(other + ".000002"));
}

// A copy of the description alone would be a file that cannot be read once the source is gone.
TEST_F(Copying, OfASetOfSubfilesTakesThemAll) {
  const std::string whole = scratch_ / "conf.scidac", set = scratch_ / "set/conf.set";
  const Grid grid(Extents{4, 2, 2, 8});
  const std::vector<double> numbers(static_cast<std::size_t>(grid.volume()) * 24, 0.5);
  write(whole, grid, spinor(numbers));
  fs::create_directories(scratch_ / "set/below");
  repartition(whole, set, {}, {.to = "t=block:4", .folders = "below"});
  for (const char* const to : {"new/conf.set", "new/other.set"}) {
    fs::create_directory(scratch_ / "new");
    EXPECT_EQ(copy({set}, scratch_ / to).files.size(), 5U);
    fs::rename(scratch_ / "set", scratch_ / "away");
    repartition(scratch_ / to, scratch_ / "again.scidac", {}, {.overwrite = true});
    EXPECT_EQ(contents(scratch_ / "again.scidac"), contents(whole));
    fs::rename(scratch_ / "away", scratch_ / "set");
    fs::remove_all(scratch_ / "new");
  }
  const CopyReport report = copy({scratch_ / "set"}, scratch_ / "tree", {}, {.recursive = true});
  EXPECT_EQ(report.files.size(), 5U);
  EXPECT_TRUE(report.findings.empty()) << report.findings.front().message;
  // Subfiles that the copy would share are refused, and reported within a folder.
  const std::string shared = scratch_ / "set/shared.set";
  repartition(whole, shared, {}, {.to = "t=block:2", .folders = scratch_ / "set/below"});
  EXPECT_EQ(error_of([&] { copy({shared}, scratch_ / "one.set"); }).code(), Code::invalid_argument);
  const CopyReport with = copy({scratch_ / "set"}, scratch_ / "tree2", {}, {.recursive = true});
  EXPECT_EQ(std::ranges::count(with.findings, "copy-set-elsewhere", &Finding::rule), 1);
}

TEST_F(Copying, TellsOfDamagedFieldsOfACheckpoint) {
  const std::string set = scratch_ / "set.ck";
  write_set(set, 2, true);
  fs::create_directory(scratch_ / "whole");
  EXPECT_TRUE(copy({set}, scratch_ / "whole").findings.empty());
  std::string fields = contents(set + ".fields");
  const std::size_t data = fields.find("scidac-binary-data");
  ASSERT_NE(data, std::string::npos);
  fields[data + 300] = static_cast<char>(~fields[data + 300]);
  put_contents(set + ".fields", fields);
  fs::create_directory(scratch_ / "new");
  const CopyReport report = copy({set}, scratch_ / "new");
  EXPECT_TRUE(std::ranges::any_of(
      report.findings, [](const Finding& finding) { return finding.message.find(".fields") != std::string::npos; }));
}

TEST_F(Copying, OfAFieldInSeveralFilesTakesThemAll) {
  const std::string volumes = std::string(LQ_SOURCE_DIR) + "/tests/golden/good/volumes/gauge.vol000";
  EXPECT_EQ(copy({volumes + "2"}, scratch_ / "new/").files.size(), 4U);
  EXPECT_EQ(copy({volumes + "1"}, scratch_ / "other.vol0001").files.size(), 4U);
  for (const char* number : {"0", "1", "2", "3"}) {
    EXPECT_EQ(contents(scratch_ / "new/gauge.vol000" + number), contents(volumes + number));
    EXPECT_EQ(contents(scratch_ / "other.vol000" + number), contents(volumes + number));
  }
  EXPECT_EQ(error_of([&] { copy({volumes + "1"}, scratch_ / "third"); }).code(), Code::invalid_argument);
}

TEST_F(Copying, ToNamesOfTheSiteProfile) {
  Machine machine;
  machine.targets["archive"] = {scratch_ / "one", scratch_ / "two"};
  save_machine(scratch_ / "site.toml", machine);
  if (error_of([&] { load_machine(scratch_ / "site.toml"); }).code() == Code::unsupported) {
    GTEST_SKIP() << "built without toml++";
  }
  ::setenv("LQ_PROFILE", (scratch_ / "site.toml").c_str(), 1);
  const CopyReport report = copy({from_}, "archive:runs/");
  const Error error = error_of([&] { copy({from_}, "tape:runs/"); });
  ::unsetenv("LQ_PROFILE");
  EXPECT_EQ(report.files.size(), 2U);
  EXPECT_EQ(contents(scratch_ / "one/runs/conf.dat"), bytes_);
  EXPECT_EQ(contents(scratch_ / "two/runs/conf.dat"), bytes_);
  EXPECT_EQ(error.code(), Code::invalid_argument);
  EXPECT_NE(std::string(error.what()).find("archive"), std::string::npos) << error.what();
}

TEST_F(Copying, WithNothingToDoSaysWhatIsWrong) {
  EXPECT_EQ(error_of([&] { copy({}, to_); }).code(), Code::invalid_argument);
  EXPECT_EQ(error_of([&] { copy({scratch_ / "absent"}, to_); }).code(), Code::not_found);
  EXPECT_EQ(error_of([&] { copy({from_}, from_, {}, {.overwrite = true}); }).code(), Code::invalid_argument);
  EXPECT_EQ(error_of([&] { copy({from_}, to_, {}, {.block_bytes = 0}); }).code(), Code::invalid_argument);
  fs::create_directory(scratch_ / "x");
  put_contents(scratch_ / "x/conf.dat", "y");
  EXPECT_EQ(error_of([&] { copy({from_, scratch_ / "x/conf.dat"}, scratch_ / "new"); }).code(), Code::invalid_argument);
  EXPECT_EQ(files_in(scratch_.path()), (std::vector<std::string>{"conf.dat", "x"}));
}

TEST_F(Copying, RehearsedWritesNothing) {
  const CopyReport report = copy({from_}, scratch_ / "new/", {}, {.dry_run = true});
  EXPECT_EQ(report.files, std::vector<std::string>{scratch_ / "new/conf.dat"});
  EXPECT_FALSE(fs::exists(scratch_ / "new"));
}

}  // namespace
}  // namespace lq::sets
