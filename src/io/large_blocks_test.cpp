// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Encoded blocks as long as the lattice, of which a layer is more than is kept: whatever goes through them decodes each
// once, and what is written fills one after the other.
#include <gtest/gtest.h>

#include <limequat/file.hpp>
#include <limequat/inspect.hpp>

#include "engine/encoded_tiles.hpp"
#include "format/format.hpp"
#include "io/transfer.hpp"
#include "io/verify.hpp"
#include "support/blocked_format.hpp"
#include "support/scratch_directory.hpp"

namespace lq::io {
namespace {

constexpr std::uint64_t block_numbers = 16;
const Extents block_lattice{16, 16, 16, 32};
constexpr int block_count = 16;

struct LargeBlocksTrial {
  const char* name;
  std::uint64_t arrays = 1;
  int threads = 1;
};
std::ostream& operator<<(std::ostream& out, const LargeBlocksTrial& trial) { return out << trial.name; }

class LargeBlocks : public ::testing::TestWithParam<LargeBlocksTrial> {
 protected:
  void SetUp() override {
    ASSERT_GT(volume(block_lattice) * spec_.site_bytes(), engine::decoded_bytes_kept);
    for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = static_cast<double>(i / 512);
    write(plain_, {});
  }
  void write(const std::string& path, WriteOptions options) {
    options.route.threads = GetParam().threads;
    write_field(storage::posix(), path, Grid(block_lattice), Field{spec_, values_.data(), values_.size(), {}, {}},
                options);
  }
  int tiles() const { return block_count * static_cast<int>(GetParam().arrays); }
  // How often tiles are decoded meanwhile.
  template <class Work>
  int decoded_by(const Work& work) {
    const int before = format_.decoded();
    work();
    return format_.decoded() - before;
  }

  const FieldSpec spec_ = generic_spec(Precision::double_, block_numbers, false);
  std::vector<double> values_ = std::vector<double>(static_cast<std::size_t>(volume(block_lattice) * block_numbers));
  testing::ScratchDirectory directory_;
  const std::string plain_ = directory_ / "a.scidac", blocked_ = directory_ / "a.blocked";
  testing::BlockedFormat format_{
      {.arrays = GetParam().arrays, .block = {4, 4, 16, 32}, .is_encoded = true, .byte_order = ByteOrder::big}};
  static constexpr std::array<std::string_view, 1> suffixes{".blocked"};
  format::Format row_{{.name = "blocked", .holds = "one field", .begins = "\"blocked\"", .suffixes = suffixes},
                      &format_,
                      &format_,
                      &format_};
  format::AddedFormat added_{row_};
};

TEST_P(LargeBlocks, AreDecodedOnceByAllThatReads) {
  write(blocked_, {.format = "blocked"});
  const int threads = GetParam().threads;
  EXPECT_EQ(decoded_by([&] {
              std::vector<double> read(values_.size());
              ReadOptions options;
              options.route.threads = threads;
              read_field(storage::posix(), blocked_, Grid(block_lattice),
                         MutableField{spec_, read.data(), read.size(), {}, {}}, options);
              EXPECT_EQ(read, values_);
            }),
            tiles());
  EXPECT_EQ(decoded_by([&] { EXPECT_TRUE(io::verify(blocked_, {}, {.threads = threads}).ok); }), tiles());
  for (const bool is_first : {true, false}) {
    EXPECT_EQ(decoded_by([&] {
                const Difference found =
                    diff(is_first ? blocked_ : plain_, is_first ? plain_ : blocked_, {}, {.threads = threads});
                EXPECT_TRUE(found.same);
                EXPECT_EQ(found.compared_numbers, values_.size());
              }),
              tiles());
  }
  EXPECT_EQ(decoded_by([&] {
              ConvertOptions options;
              options.write.route.threads = threads;
              convert(blocked_, directory_ / "b.scidac", {}, options);
            }),
            tiles());
  EXPECT_TRUE(diff(plain_, directory_ / "b.scidac").same);
}

// A part that begins and ends within blocks: each of those that it touches.
TEST_P(LargeBlocks, AreDecodedOnceForAPart) {
  write(blocked_, {.format = "blocked"});
  ReadOptions options;
  options.region = Box{{3, 0, 0, 0}, {2, 5, 16, 32}};
  options.verify = Verify::none;
  std::vector<double> read(static_cast<std::size_t>(options.region->volume() * block_numbers));
  EXPECT_EQ(decoded_by([&] {
              read_field(storage::posix(), blocked_, Grid(options.region->extents),
                         MutableField{spec_, read.data(), read.size(), {}, {}}, options);
            }),
            4 * static_cast<int>(GetParam().arrays));
}

INSTANTIATE_TEST_SUITE_P(Trials, LargeBlocks,
                         ::testing::Values(LargeBlocksTrial{"one_array"}, LargeBlocksTrial{"four_arrays", 4},
                                           LargeBlocksTrial{"two_threads", 1, 2}),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace lq::io
