// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A field is appended to a file in place by four ranks, and the k-th operation of one of them fails. Claim: the same
// error everywhere, the field before can be read at any time, and a file that was recovered holds one field or two.
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

#include <limequat/limequat.hpp>

#include "io/field_writer.hpp"
#include "io/journal.hpp"
#include "io/transfer.hpp"
#include "support/error_of.hpp"
#include "support/faulty.hpp"
#include "support/formula_field.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"

namespace lq::io {
namespace {

namespace fs = std::filesystem;
using testing::error_of;
using testing::Fault;

class InPlace : public ::testing::Test {
 protected:
  InPlace() {
    const Grid alone(extents_);
    WriteOptions options;
    options.name = "first";
    const std::vector<double> values = source(alone);
    write(before_, alone, spinor(values), options);
  }

  static std::vector<double> source(const Grid& grid) { return testing::formula_sites<double>(grid, 24); }

  void append(storage::Transport& transport, const Grid& grid) const {
    std::optional<storage::WriterLock> lock;
    if (grid.is_root()) lock.emplace(path_);
    FieldWriter writer(transport, grid.communicator(), path_, {},
                       {.at = path_, .in_place = true, .lock = lock ? &*lock : nullptr});
    const std::vector<double> values = source(grid);
    Report report = append_field(writer, transport, grid, path_, "second", spinor(values), {}, {});
    writer.complete(report);
  }

  // With one rank that fails at operation k. The errors of all.
  std::vector<std::exception_ptr> append_with(testing::FaultyTransport& faulty, int bad_rank) const {
    return testing::outcomes_of_ranks(4, [&](std::shared_ptr<comm::Comm> comm) {
      storage::Transport& mine = comm->rank() == bad_rank ? static_cast<storage::Transport&>(faulty) : storage::posix();
      append(mine, Grid(Communicator(std::move(comm)), extents_, {.processes = Extents{4, 1, 1, 1}}));
    });
  }

  // All fields there are, each with its right numbers.
  std::size_t sound_fields() const {
    const Catalog catalog = inspect(path_);
    const Grid alone(extents_);
    for (const FieldEntry& entry : catalog.fields) {
      std::vector<double> values(source(alone).size());
      EXPECT_EQ(read(path_, alone, spinor(values), {.field = entry.name}).status, ChecksumStatus::ok);
      EXPECT_EQ(values, source(alone));
    }
    return catalog.fields.size();
  }

  testing::ScratchDirectory directory_;
  const Extents extents_{4, 2, 2, 4};
  const std::string before_ = directory_ / "before.scidac", path_ = directory_ / "props.scidac";
};

TEST_F(InPlace, AppendedByFourRanks) {
  fs::copy_file(before_, path_);
  testing::FaultyTransport sound(storage::posix());
  for (const auto& error : append_with(sound, 1)) EXPECT_EQ(error, nullptr);
  EXPECT_EQ(sound_fields(), 2U);
  EXPECT_FALSE(fs::exists(journal_path(path_)));
}

TEST_F(InPlace, EveryOperationMayFailOnAnyRank) {
  for (const int bad_rank : {0, 2}) {
    for (std::int64_t k = 0;; ++k) {
      SCOPED_TRACE(::testing::Message() << "operation " << k << " of rank " << bad_rank);
      ASSERT_LT(k, 300);
      fs::copy_file(before_, path_, fs::copy_options::overwrite_existing);
      testing::FaultyTransport faulty(storage::posix(), k);
      const auto errors = append_with(faulty, bad_rank);
      if (!faulty.has_failed()) break;
      const Error first = error_of([&] {
        if (errors.front()) std::rethrow_exception(errors.front());
      });
      for (const auto& error : errors) {
        EXPECT_EQ(error != nullptr, errors.front() != nullptr);
        if (error == nullptr) continue;
        EXPECT_STREQ(error_of([&] { std::rethrow_exception(error); }).what(), first.what());
      }
      const bool is_complete =
          find_journal(storage::posix(), *storage::posix().open_read(path_)).state == FoundJournal::State::complete;
      recover(storage::posix(), path_, Sync::none, storage::WriterLock(path_));
      const std::size_t fields = sound_fields();
      if (first.code() == Code::ok) {
        EXPECT_EQ(fields, 2U);
      }
      if (is_complete) {
        EXPECT_EQ(fields, 2U);
      }
      if (fields == 1) {
        EXPECT_EQ(fs::file_size(path_), fs::file_size(before_));
      }
    }
  }
}

}  // namespace
}  // namespace lq::io
