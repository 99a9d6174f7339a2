// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A format of one folder and one line is written, read, verified, converted and listed like those of Limequat.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include <limequat/limequat.hpp>

#include "support/error_of.hpp"
#include "support/file_contents.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"

namespace lq {
namespace {

using testing::run_ranks;

const Extents extents{4, 2, 2, 4};

// What a program of another author would write.
std::string expected_bytes(const std::vector<double>& links) {
  std::string bytes = "TOY1";
  for (const std::int64_t extent : extents) bytes += std::string{static_cast<char>(extent), 0, 0, 0};
  const std::size_t header = bytes.size();
  bytes.resize(header + links.size() * sizeof(double));
  std::memcpy(bytes.data() + header, links.data(), links.size() * sizeof(double));
  return bytes;
}

class ToyFormat : public ::testing::Test {
 protected:
  ToyFormat() {
    const Grid grid(extents);
    links_.resize(static_cast<std::size_t>(grid.volume() * 72));
    generate(grid, gauge(links_), {.sweeps = 1, .seed = 7, .hot_start = true});
  }

  // By its suffix, on a process grid.
  void write(const Extents& processes) {
    run_ranks(static_cast<int>(volume(processes)), [&](std::shared_ptr<comm::Comm> comm) {
      const Grid grid(Communicator(std::move(comm)), extents, {.processes = processes});
      std::vector<double> mine(static_cast<std::size_t>(grid.local_volume() * 72));
      lq::write(path_, grid, gauge(take_part(grid, mine)), {.overwrite = true});
    });
  }
  const std::vector<double>& take_part(const Grid& grid, std::vector<double>& mine) const {
    const Box& box = grid.local_box();
    std::size_t at = 0;
    for (std::int64_t t = 0; t < box.extents[3]; ++t) {
      for (std::int64_t z = 0; z < box.extents[2]; ++z) {
        for (std::int64_t y = 0; y < box.extents[1]; ++y) {
          for (std::int64_t x = 0; x < box.extents[0]; ++x, at += 72) {
            const Coord& lower = box.lower;
            const std::int64_t site =
                x + lower[0] + extents[0] * (y + lower[1] + extents[1] * (z + lower[2] + extents[2] * (t + lower[3])));
            std::copy_n(links_.begin() + site * 72, 72, mine.begin() + static_cast<std::ptrdiff_t>(at));
          }
        }
      }
    }
    return mine;
  }

  testing::ScratchDirectory directory_;
  const std::string path_ = directory_ / "conf.toy";
  std::vector<double> links_;
};

TEST_F(ToyFormat, IsWrittenAlikeByAnyRanksAndRead) {
  for (const Extents& processes : {Extents{1, 1, 1, 1}, Extents{2, 1, 2, 1}, Extents{1, 2, 1, 4}}) {
    write(processes);
    EXPECT_EQ(testing::contents(path_), expected_bytes(links_));
    std::vector<double> back(links_.size());
    lq::read(path_, Grid(extents), gauge(back));
    EXPECT_EQ(back, links_);
  }
}

TEST_F(ToyFormat, IsListedRecognisedAndVerified) {
  const std::vector<FormatInfo> all = formats();
  EXPECT_TRUE(std::ranges::any_of(all, [](const FormatInfo& info) { return info.name == "toy"; }));
  write({1, 1, 1, 2});
  std::filesystem::rename(path_, directory_ / "nameless");
  EXPECT_EQ(File(directory_ / "nameless").catalog().format, "toy");
  EXPECT_EQ(verify(directory_ / "nameless").verdict, Verdict::consistent);  // no sum, but links of SU(3)
  std::filesystem::resize_file(directory_ / "nameless", 1000);
  EXPECT_EQ(verify(directory_ / "nameless").verdict, Verdict::incomplete);
}

TEST_F(ToyFormat, IsConvertedThereAndBack) {
  write({1, 1, 1, 2});
  convert(path_, directory_ / "conf.ildg");
  EXPECT_EQ(verify(directory_ / "conf.ildg").verdict, Verdict::sound);
  convert(directory_ / "conf.ildg", directory_ / "again.toy", {}, {.allow_loss = true});
  EXPECT_EQ(testing::contents(directory_ / "again.toy"), expected_bytes(links_));
}

TEST_F(ToyFormat, RefusesWhatItCannotHold) {
  const std::vector<double> numbers(64 * 24);
  const Field spinors{spinor_spec(Precision::double_), numbers.data(), numbers.size(), {}, {}};
  const Error error = testing::error_of([&] { lq::write(path_, Grid(extents), spinors); });
  EXPECT_EQ(error.code(), Code::unsupported);
  EXPECT_NE(std::string(error.what()).find("toy"), std::string::npos);
}

}  // namespace
}  // namespace lq
