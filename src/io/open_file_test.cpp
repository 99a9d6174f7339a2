// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files that stay open: what is read, how often, and whether it is from the file that was looked through.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <set>

#include <limequat/limequat.hpp>

#include "io/scan.hpp"
#include "io/transfer.hpp"
#include "storage/forwarding.hpp"
#include "support/error_of.hpp"
#include "support/file_contents.hpp"
#include "support/formula_field.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"

namespace lq::io {
namespace {

using testing::error_of;

// Does something once, when a file was opened for the n-th time on any rank.
class Interfering final : public storage::ForwardingTransport {
 public:
  Interfering(int after, std::function<void()> deed)
      : ForwardingTransport(storage::posix()), after_(after), deed_(std::move(deed)) {}
  std::unique_ptr<storage::File> open_read(const std::string& path) override {
    auto file = ForwardingTransport::open_read(path);
    if (++opened == after_) deed_();
    return file;
  }
  std::atomic<int> opened{0};

 private:
  int after_;
  std::function<void()> deed_;
};

// Counts the reads of the files it opens, and the questions for their file systems, and does something before the n-th
// read.
class Counting final : public storage::ForwardingTransport {
 public:
  explicit Counting(int before = 0, std::function<void()> deed = {})
      : ForwardingTransport(storage::posix()), before_(before), deed_(std::move(deed)) {}
  storage::StorageTraits unit(const std::string& path) override {
    ++units;
    return ForwardingTransport::unit(path);
  }
  std::atomic<int> reads{0}, units{0};

 private:
  class CountedFile final : public storage::ForwardingFile {
   public:
    CountedFile(std::unique_ptr<storage::File> file, Counting& counting)
        : ForwardingFile(std::move(file)), counting_(counting) {}
    std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override {
      if (++counting_.reads == counting_.before_) counting_.deed_();
      return inner().read_at(offset, buffer);
    }

   private:
    Counting& counting_;
  };
  std::unique_ptr<storage::File> wrap(std::unique_ptr<storage::File> file) override {
    return std::make_unique<CountedFile>(std::move(file), *this);
  }

  int before_;
  std::function<void()> deed_;
};

class Opened : public ::testing::Test {
 protected:
  static constexpr std::uint64_t numbers = 24;
  const Extents lattice{4, 4, 4, 4};

  // A file of spinor fields without checksums: `value` in each number of the first, more of it in each further field.
  void write(const std::string& path, double value, int fields = 1, std::size_t note_bytes = 10) {
    const Grid grid(lattice);
    Writer writer = create(path, grid, {.metadata = {{"note", std::string(note_bytes, 'x')}}, .verify = Verify::none});
    for (int i = 0; i < fields; ++i) {
      const std::vector<double> values(static_cast<std::size_t>(grid.volume()) * numbers, value * (i + 1));
      writer.write("source", spinor(values));
    }
    writer.close();
  }
  std::vector<double> room(const Grid& grid) { return std::vector<double>(grid.local_volume() * numbers); }
  static bool all_are(const std::vector<double>& values, double value) {
    return std::ranges::all_of(values, [&](double one) { return one == value; });
  }
  // Puts the file of twos, whose data lie elsewhere, in the place of the file of ones.
  void replace() { std::filesystem::rename(other_, path_); }

  testing::ScratchDirectory directory_;
  std::string path_ = directory_ / "props.scidac", other_ = directory_ / "other.scidac";
};

// Whatever opening of whatever rank a successor takes the name after.
TEST_F(Opened, OneFileGivesHeadersAndData) {
  for (int after = 1; after <= 5; ++after) {
    write(directory_ / "ones.scidac", 1);
    std::filesystem::rename(directory_ / "ones.scidac", path_);
    write(other_, 2, 1, 5000);
    Interfering interfering(after, [&] { replace(); });
    testing::run_ranks(4, [&](std::shared_ptr<comm::Comm> comm) {
      const Grid grid(Communicator(std::move(comm)), lattice, {.processes = Extents{1, 1, 1, 4}});
      std::vector<double> values = room(grid);
      read_field(interfering, path_, grid, spinor(values), {.route = {.strategy = Strategy::direct}});
      const double first = values.front();
      EXPECT_TRUE(first == 1 || first == 2) << first;
      EXPECT_TRUE(all_are(values, first));
      EXPECT_EQ(grid.communicator().max(first), first);
    });
    std::filesystem::remove(path_);
  }
}

TEST_F(Opened, IsScannedOnceWhateverIsRead) {
  constexpr int fields = 50;
  write(path_, 1, fields);
  Counting counting;
  const Grid grid(lattice);
  const auto file = ScannedFile::open(counting, path_, Communicator(), {});
  const int after_scan = counting.reads;
  std::vector<double> values = room(grid);
  for (std::uint64_t i = 0; i < fields; ++i) {
    read_listed(file->files(), file->catalog(), file->catalog().field("", i), grid, spinor(values), {});
    EXPECT_TRUE(all_are(values, static_cast<double>(i) + 1));
  }
  EXPECT_EQ(counting.reads - after_scan, fields);  // one for the data of each
  EXPECT_EQ(counting.units, 1);
}

// 300 fields of 48 KiB with their records. Pieces grow from 16 KiB to a MiB, which takes six, and then each has a MiB
// of the file. What they leave out between them is in the data of one field, and is read once at most, around texts.
TEST_F(Opened, IsScannedInLargePieces) {
  write(path_, 1, 300);
  storage::posix().set_modified(path_, 0);  // of a file that was written to just now, all is read twice
  Counting counting;
  const auto file = ScannedFile::open(counting, path_, Communicator(), {});
  EXPECT_EQ(file->catalog().fields.size(), 300U);
  constexpr std::uintmax_t piece = 1024 * 1024, growing = 6;
  const std::uintmax_t pieces = std::filesystem::file_size(path_) / piece + 1 + growing;
  EXPECT_LE(static_cast<std::uintmax_t>(counting.reads), 2 * pieces);
}

// Two states of one file, written in place within a tick of the file system's clock: before whatever read it happens,
// the catalogue is that of the one or of the other.
TEST_F(Opened, IsSeenInOneState) {
  constexpr int fields = 40;
  write(path_, 1, fields);
  const auto modified = storage::posix().identity(path_).modified;
  const std::string before = testing::contents(path_);
  std::string after = before;
  for (auto at = after.find("source"); at != std::string::npos; at = after.find("source", at))
    after.replace(at, 6, "target");
  ASSERT_NE(after, before);
  const auto names = [](const Catalog& catalog) {
    std::set<std::string> found;
    for (const FieldEntry& field : catalog.fields) found.insert(field.name);
    return found;
  };

  bool is_all_read = false;
  for (int k = 1; !is_all_read; ++k) {
    testing::put_contents(path_, before);
    storage::posix().set_modified(path_, modified);
    Counting counting(k, [&] {
      storage::posix().open_write(path_)->write_at(0, base::as_bytes(after));
      storage::posix().set_modified(path_, modified);
    });
    const auto file = ScannedFile::open(counting, path_, Communicator(), {});
    EXPECT_EQ(file->catalog().fields.size(), fields);
    EXPECT_EQ(names(file->catalog()).size(), 1U) << "changed before read " << k;
    is_all_read = counting.reads < k;
  }
}

TEST_F(Opened, GivesFieldsByNameAndNumber) {
  write(path_, 1, 3);
  const File file = lq::open(path_);
  EXPECT_EQ(file.catalog().fields.size(), 3U);
  const Grid grid(lattice);
  std::vector<double> values = room(grid);
  EXPECT_EQ(file.read(grid, spinor(values), {.field = "source", .index = 1}).field, "source");
  EXPECT_TRUE(all_are(values, 2));
  read_async(file, grid, spinor(values), {.index = 2}).wait();
  EXPECT_TRUE(all_are(values, 3));
  EXPECT_EQ(error_of([&] { file.read(grid, spinor(values), {.index = 3}); }).code(), Code::no_such_record);
  EXPECT_NE(file.read_record("scidac-private-file-xml").find("<scidacFile>"), std::string::npos);
  EXPECT_EQ(error_of([&] { (void)file.read_record("no-such-record"); }).code(), Code::no_such_record);
  const std::vector<double> of_site = file.read_site({0, 0, 0, 1}, {.index = 2});
  EXPECT_EQ(of_site.size(), 24U);
  EXPECT_TRUE(all_are(of_site, 3));
  EXPECT_EQ(error_of([&] { (void)file.read_site({0, 0, 0, 99}); }).code(), Code::invalid_argument);
}

TEST_F(Opened, StaysTheFileThatItWas) {
  write(path_, 1);
  write(other_, 2, 1, 5000);
  const File file = lq::open(path_);
  replace();
  const Grid grid(lattice);
  std::vector<double> values = room(grid);
  file.read(grid, spinor(values));
  EXPECT_TRUE(all_are(values, 1));
}

TEST_F(Opened, IsReadByAnyNumberOfRanks) {
  write(path_, 1, 2);
  testing::run_ranks(3, [&](std::shared_ptr<comm::Comm> comm) {
    const Communicator all(std::move(comm));
    const File file = lq::open(path_, all);
    const Grid grid(all, lattice);
    std::vector<double> values = room(grid);
    for (std::uint64_t i = 0; i < 2; ++i) {
      file.read(grid, spinor(values), {.index = i});
      EXPECT_TRUE(all_are(values, static_cast<double>(i) + 1));
    }
  });
}

// The other ranks have not opened it yet.
TEST_F(Opened, SaysThatARankFindsAnotherFile) {
  write(path_, 1);
  write(other_, 2, 1, 5000);
  testing::run_ranks(2, [&](std::shared_ptr<comm::Comm> comm) {
    const Communicator all(comm);
    const File file = lq::open(path_, all);
    if (comm->rank() == 0) replace();
    comm->barrier();
    const Grid grid(all, lattice, {.processes = Extents{1, 1, 1, 2}});
    std::vector<double> values = room(grid);
    const Error error = error_of([&] { file.read(grid, spinor(values), {.route = {.strategy = Strategy::direct}}); });
    EXPECT_EQ(error.code(), Code::io);
    EXPECT_NE(std::string(error.what()).find("open it again"), std::string::npos) << error.what();
  });
}

TEST_F(Opened, SaysThatSomethingElseWasWrittenIntoIt) {
  write(path_, 1);
  write(other_, 2, 2, 5000);
  const File file = lq::open(path_);
  std::filesystem::copy_file(other_, path_, std::filesystem::copy_options::overwrite_existing);
  const Grid grid(lattice);
  std::vector<double> values = room(grid);
  EXPECT_EQ(error_of([&] { file.read(grid, spinor(values)); }).code(), Code::io);
}

}  // namespace
}  // namespace lq::io
