// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a rank holds of our heap, that of the libraries aside, while it writes and reads a field in chunks that are
// encoded. Claim: no more than the memory that is granted for an ILDG file, and two chunks.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <random>
#include <vector>

#include <limequat/limequat.hpp>

#include "engine/choose.hpp"
#include "support/held_memory.hpp"
#include "support/parts_here.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"

namespace lq {
namespace {

using testing::HeldMemory;
using testing::OwnedBy;

constexpr int ranks = 2;
constexpr std::uint64_t numbers = 72;
const Extents lattice{16, 16, 8, 48};  // 54 MiB of noise, which no filter makes smaller
constexpr std::uint64_t slice_bytes = 16 * 16 * 8 * numbers * 8;

struct Case {
  const char* name;
  const char* file;
  const char* chunk;
  const char* filters;
  std::uint64_t chunk_bytes;
  Extents processes;
};
std::ostream& operator<<(std::ostream& out, const Case& one) { return out << one.name; }

class MemoryOfChunks : public ::testing::TestWithParam<Case> {
 protected:
  static std::vector<double> noise(std::uint64_t sites) {
    std::mt19937_64 random(1);
    std::vector<double> values(sites * numbers);
    for (double& value : values) value = static_cast<double>(random());
    return values;
  }
  static Field field_in(const std::vector<double>& values) {
    return {generic_spec(Precision::double_, numbers, false), values.data(), values.size(), {}, {}};
  }
  static MutableField field_in(std::vector<double>& values) {
    return {generic_spec(Precision::double_, numbers, false), values.data(), values.size(), {}, {}};
  }

  // The most that any rank held, beyond the field.
  std::uint64_t write() {
    return on_ranks([&](const Grid& grid, HeldMemory& held) {
      const std::vector<double> values = noise(grid.local_volume());
      WriteOptions options;
      options.layout = layout();
      options.dataset_chunk = GetParam().chunk;
      options.filters = GetParam().filters;
      const OwnedBy owner(&held);
      lq::write(path_, grid, field_in(values), options);
    });
  }
  std::uint64_t read() {
    return on_ranks([&](const Grid& grid, HeldMemory& held) {
      std::vector<double> values(grid.local_volume() * numbers);
      {
        const OwnedBy owner(&held);
        EXPECT_EQ(lq::read(path_, grid, field_in(values)).status, ChecksumStatus::ok);
      }
      EXPECT_EQ(values, noise(grid.local_volume()));
    });
  }

 private:
  static std::string layout() { return std::string(GetParam().file).ends_with(".h5") ? "native" : ""; }
  static std::uint64_t on_ranks(const std::function<void(const Grid&, HeldMemory&)>& body) {
    std::array<HeldMemory, ranks> held;
    testing::run_ranks(ranks, [&](std::shared_ptr<comm::Comm> comm) {
      const auto rank = static_cast<std::size_t>(comm->rank());
      body(Grid(Communicator(std::move(comm)), lattice, {.processes = GetParam().processes}), held[rank]);
    });
    std::int64_t most = 0;
    for (const HeldMemory& one : held) most = std::max(most, one.most.load());
    return static_cast<std::uint64_t>(most);
  }

  testing::ScratchDirectory directory_;
  const std::string path_ = directory_.path() + "/" + GetParam().file;
};

TEST_P(MemoryOfChunks, IsBoundedWhateverTheField) {
  if (!testing::has_filters(GetParam().filters)) GTEST_SKIP() << "built without libdeflate";
  const std::uint64_t most = engine::usual_memory + 2 * GetParam().chunk_bytes;
  EXPECT_LE(write(), most);
  EXPECT_LE(read(), most);
}

INSTANTIATE_TEST_SUITE_P(
    Chunks, MemoryOfChunks,
    ::testing::Values(Case{"ildg", "a.lime", "", "", 0, {1, 1, 1, ranks}},
                      Case{"one_piece", "a.h5", "", "", 0, {1, 1, 1, ranks}},
                      Case{"plain_slices", "a.h5", "slice", "", slice_bytes, {1, 1, ranks, 1}},
                      Case{"slices", "a.h5", "slice", "deflate:1", slice_bytes, {1, 1, 1, ranks}},
                      Case{"slices_of_both", "a.h5", "slice", "deflate:1", slice_bytes, {1, 1, ranks, 1}},
                      Case{"blocks", "a.h5", "8x8x8x2", "shuffle,deflate:1", slice_bytes / 2, {1, 1, 1, ranks}},
                      // More of them are in a rank's layer than may be held.
                      Case{"long_blocks", "a.h5", "4x4x8x48", "shuffle,deflate:1", slice_bytes * 3, {ranks, 1, 1, 1}}),
    [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace lq
