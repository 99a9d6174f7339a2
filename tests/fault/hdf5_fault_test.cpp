// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sessions with an HDF5 file whose k-th operation fails or is the last one. Claim: what was there is read at any time,
// what a flush vouched for, too; after a recovery nothing is left beside the file.
#include <gtest/gtest.h>

#include <filesystem>

#include <limequat/limequat.hpp>

#include "io/journal.hpp"
#include "support/error_of.hpp"
#include "support/faulty.hpp"
#include "support/file_contents.hpp"
#include "support/formula_field.hpp"
#include "support/scratch_directory.hpp"

namespace lq {
namespace {

namespace fs = std::filesystem;
using testing::error_of;
using testing::Fault;

class FaultySession : public ::testing::Test {
 protected:
  FaultySession() {
    hdf5::File file(before_, hdf5::Mode::create);
    file.write("/first/a", std::vector<double>(100, 1.0));
    file.close();
  }

  static std::vector<double> sites() { return testing::formula_sites<double>(Grid(Extents{2, 2, 2, 4}), 24); }

  // Three flushes: an object, a field, and an object more while an old one goes.
  void append() const {
    const Grid grid(Extents{2, 2, 2, 4});
    hdf5::File file(path_, hdf5::Mode::append);
    file.write("/first/b", 2);
    file.flush();
    file.write("/first/field", grid, spinor(sites()));
    file.write("/first/c", 3);
    file.remove("/first/b");
    file.close();
  }

  // How many of the flushes are in the file; whatever is in it is right.
  int flushes() const {
    hdf5::File file(path_);
    EXPECT_EQ(file.read("/first/a").reals(), std::vector<double>(100, 1.0));
    if (file.exists("/first/c")) {
      EXPECT_FALSE(file.exists("/first/b"));
      EXPECT_EQ(file.read("/first/c").integer(), 3);
    }
    if (file.exists("/first/field")) {
      std::vector<double> values(sites().size());
      EXPECT_EQ(file.read("/first/field", Grid(Extents{2, 2, 2, 4}), spinor(values)).status, ChecksumStatus::ok);
      EXPECT_EQ(values, sites());
    } else if (file.exists("/first/b")) {
      EXPECT_EQ(file.read("/first/b").integer(), 2);
    }
    return file.exists("/first/c") ? 3 : file.exists("/first/field") ? 2 : file.exists("/first/b") ? 1 : 0;
  }

  void start_anew() const {
    fs::remove(io::journal_path(path_));
    fs::copy_file(before_, path_, fs::copy_options::overwrite_existing);
  }
  std::string folder() const { return directory_ / "run"; }

  testing::ScratchDirectory directory_;
  const std::string before_ = directory_ / "before.h5";
  const bool made_ = fs::create_directory(directory_ / "run");
  const std::string path_ = directory_ / "run/data.h5";
};

TEST_F(FaultySession, EveryOperationMayFail) {
  for (const Fault fault : {Fault::error, Fault::short_write, Fault::no_space}) {
    for (std::int64_t k = 0;; ++k) {
      SCOPED_TRACE(::testing::Message() << "operation " << k);
      ASSERT_LT(k, 500);
      start_anew();
      testing::FaultyTransport faulty(storage::posix(), k, fault);
      Error error(Code::ok, "");
      {
        const storage::Mount mount(folder(), faulty);
        error = error_of([&] { append(); });
      }
      if (!faulty.has_failed()) break;
      const int seen = flushes();
      if (error.code() == Code::ok) {
        EXPECT_EQ(seen, 3);
      }
      io::recover(storage::posix(), path_, Sync::none, storage::WriterLock(path_));
      EXPECT_EQ(flushes(), seen);
      EXPECT_EQ(testing::files_in(folder()), std::vector<std::string>{"data.h5"});
    }
  }
}

TEST_F(FaultySession, EveryOperationMayBeTheLast) {
  int last = 0;
  for (std::int64_t k = 0;; ++k) {
    SCOPED_TRACE(::testing::Message() << "operation " << k);
    ASSERT_LT(k, 500);
    start_anew();
    const bool died = testing::dies_in([&] {
      testing::FaultyTransport faulty(storage::posix(), k, Fault::kill);
      const storage::Mount mount(folder(), faulty);
      append();
    });
    if (!died) break;
    const int seen = flushes();
    EXPECT_GE(seen, last);
    last = seen;
    if (fs::exists(io::journal_path(path_))) repair(path_, "");
    EXPECT_EQ(flushes(), seen);
    EXPECT_EQ(testing::files_in(folder()), std::vector<std::string>{"data.h5"});
  }
  EXPECT_EQ(last, 3);
}

}  // namespace
}  // namespace lq
