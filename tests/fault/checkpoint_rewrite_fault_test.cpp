// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// For every k: the k-th operation fails, or kills the program, while a checkpoint with fields is written anew over an
// older one. Claim: the source is as it was; readers see the older set or the new one, each with all of its streams and
// fields; behind an error nothing else is left, unless the sentence names the repair, which then works. And a stream
// that once ran into a full disk can be gone on with.
#include <gtest/gtest.h>
#include <limequat/error.hpp>

#include "sets/checkpoint/new_set.hpp"
#include "sets/repack/repair.hpp"
#include "support/error_of.hpp"
#include "support/faulty.hpp"
#include "support/field_sets.hpp"
#include "support/file_contents.hpp"

namespace lq {
namespace {

namespace fs = std::filesystem;
using testing::contents;
using testing::error_of;
using testing::Fault;
using testing::FaultyTransport;
using testing::files_in;
using testing::stream_bytes;

struct Scenario {
  int files;
  bool in_one;
  Fault fault;
};

class RewriteInterrupted : public testing::FieldSets, public ::testing::WithParamInterface<Scenario> {
 protected:
  void SetUp() override {
    write(20, true, GetParam().files);
    for (const std::string& file : files_in(directory_.path())) {
      fs::rename(directory_ / file, to_ + file.substr(std::string("set.sion").size()));
    }
    write(0, true, GetParam().files);
    fs::copy(directory_.path(), kept_.path(), fs::copy_options::recursive);
  }

  bool live(std::int64_t k) {
    FaultyTransport faulty(storage::posix(), k, GetParam().fault);
    RepackOptions options;
    options.overwrite = true;
    error_ = error_of([&] {
      GetParam().in_one ? sets::defragment(faulty, path_, to_, options) : sets::rewrite(faulty, path_, to_, options);
    });
    return faulty.has_failed();
  }

  bool run(std::int64_t k) {
    return GetParam().fault == Fault::kill ? testing::dies_in([&] { live(k); }) : live(k);
  }

  // 0 or 20: the set whose fields the new name leads to.
  double shift_of_what_is_there() {
    const MultifileReader reader(to_);
    EXPECT_EQ(reader.fields().size(), 2U);
    const double shift = has_gauge(reader, "a", Grid(testing::set_lattice), 0) ? 0 : 20;
    EXPECT_TRUE(has_gauge(reader, "a", Grid(testing::set_lattice), shift));
    EXPECT_TRUE(has_gauge(reader, "b", Grid(testing::set_lattice), shift + 1));
    expect_streams(to_);
    EXPECT_TRUE(verify_multifile(to_).is_sound());
    return shift;
  }

  void expect_source_untouched() {
    for (const std::string& file : files_in(kept_.path())) {
      if (!file.starts_with("set.sion")) continue;
      EXPECT_TRUE(contents(kept_ / file) == contents(directory_ / file)) << file;
    }
  }

  void start_again() {
    for (const auto& entry : fs::directory_iterator(directory_.path())) fs::remove(entry.path());
    fs::copy(kept_.path(), directory_.path());
  }

  testing::ScratchDirectory kept_;
  std::string to_ = directory_ / "new.sion";
  Error error_{Code::ok, ""};
};

TEST_P(RewriteInterrupted, LosesNothing) {
  std::int64_t failures = 0;
  for (std::int64_t k = 0;; ++k) {
    SCOPED_TRACE(::testing::Message() << "operation " << k);
    if (!run(k)) break;
    ++failures;
    expect_source_untouched();
    const double shift = shift_of_what_is_there();
    if (GetParam().fault != Fault::kill && error_.code() != Code::ok) {
      const bool names_repair = std::string(error_.what()).find("lq repair") != std::string::npos;
      if (names_repair) {
        EXPECT_EQ(shift, 0);
        const Error repairing = error_of([&] { repair_multifile(to_); });
        EXPECT_EQ(repairing.code(), Code::ok) << repairing.what();
        EXPECT_EQ(shift_of_what_is_there(), 0);
      } else if (shift == 20) {
        EXPECT_EQ(files_in(directory_.path()), files_in(kept_.path())) << error_.what();
      }
    }
    start_again();
    ASSERT_FALSE(HasFailure());
    ASSERT_LT(k, 1000);
  }
  EXPECT_GE(failures, 20);
  EXPECT_EQ(shift_of_what_is_there(), 0);
  for (const std::string& file : files_in(directory_.path())) EXPECT_FALSE(testing::is_temporary(file)) << file;
}

INSTANTIATE_TEST_SUITE_P(Checkpoints, RewriteInterrupted,
                         ::testing::Values(Scenario{1, true, Fault::error}, Scenario{2, true, Fault::no_space},
                                           Scenario{2, false, Fault::short_write}, Scenario{2, false, Fault::error},
                                           Scenario{1, true, Fault::kill}, Scenario{2, false, Fault::kill}));

// The first byte of a further chunk finds the disk full, and the writer closes with what there is.
TEST(FullDisk, LeavesASetThatCanBeGoneOnWith) {
  const testing::ScratchDirectory directory;
  const std::string path = directory / "set.sion";
  MultifileOptions options;
  options.expected_bytes = 1;
  options.overwrite = true;
  bool was_met = false;
  for (std::int64_t k = 0;; ++k) {
    SCOPED_TRACE(k);
    FaultyTransport faulty(storage::posix(), k, Fault::error);
    bool is_closed = false;
    error_of([&] {
      const auto set = sets::create_set(faulty, path, Communicator(), options);
      sets::StreamWriter& stream = *set->streams().front();
      error_of([&] {
        stream.write(stream_bytes(0, 0, 4096 - 128));
        stream.flush();
        stream.write(stream_bytes(0, 4096 - 128, 256 * 1024));
      });
      set->close();
      is_closed = true;
    });
    if (is_closed) {
      const std::uint64_t size = MultifileReader(path).size(0);
      was_met = was_met || size == 4096 - 128;
      {
        MultifileWriter writer = MultifileWriter::append(path);
        ASSERT_EQ(writer.stream().size(), size);
        writer.write(stream_bytes(0, size, 9000));
        writer.close();
      }
      EXPECT_EQ(MultifileReader(path).task(0).read_all(), stream_bytes(0, 0, size + 9000));
      EXPECT_TRUE(verify_multifile(path).is_sound());
    }
    if (!faulty.has_failed()) break;
    ASSERT_LT(k, 1000);
  }
  EXPECT_TRUE(was_met);
}

}  // namespace
}  // namespace lq
