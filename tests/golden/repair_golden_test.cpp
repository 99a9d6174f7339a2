// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Repair proves or refuses: good files of all formats that can be repaired are damaged at random. What is repaired
// without an error has the numbers that there were, and mostly the bytes; else the verdict of the new file says that it
// is not sound. LQ_REPAIRS: damaged files of each good one.
#include <limequat/repack.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <limequat/error.hpp>
#include <limequat/file.hpp>
#include <limequat/inspect.hpp>

#include "support/contents.hpp"
#include "support/damage.hpp"
#include "support/scratch_directory.hpp"

namespace lq {
namespace {

namespace fs = std::filesystem;
using testing::contents;
using testing::put_contents;

int draws() {
  const char* const text = std::getenv("LQ_REPAIRS");
  return text != nullptr ? std::atoi(text) : 25;
}

// The numbers of all fields, as they lie there, and what they are.
std::vector<std::string> numbers_in(const std::string& path) {
  std::vector<std::string> all;
  const std::string bytes = contents(path);
  for (const FieldEntry& field : inspect(path).fields) {
    const Payload& payload = field.payload;
    std::string numbers = to_string(payload.extents) + " " + to_string(payload.stored.lower) + " " +
                          to_string(payload.stored.extents) + " " + std::to_string(payload.spec.numbers) + " ";
    if (payload.tiles.empty()) {
      numbers += bytes.substr(payload.offset, payload.length);
    } else {
      for (const Tile& tile : payload.tiles) numbers += bytes.substr(tile.offset, tile.bytes);
    }
    all.push_back(std::move(numbers));
  }
  return all;
}

bool has_errors(const RepackReport& report) {
  return std::ranges::find(report.findings, Severity::error, &Finding::severity) != report.findings.end();
}

std::string told(const RepackReport& report) {
  std::string text = std::string(name(report.verdict.value_or(Verdict::foreign)));
  for (const Finding& finding : report.findings) text += "\n  " + finding.rule + ": " + finding.message;
  return text;
}

struct Counts {
  int same = 0, equal = 0, marked = 0, refused = 0, unneeded = 0;
};

class RepairedFiles : public ::testing::TestWithParam<const char*> {
 protected:
  void try_one(const std::string& damaged, Counts& counts) {
    put_contents(bad_, damaged);
    fs::remove(good_);
    RepackReport report;
    try {
      report = repair(bad_, good_, {.sync = Sync::none, .threads = 1});
    } catch (const Error& error) {
      ++counts.refused;
      ASSERT_FALSE(fs::exists(good_)) << error.what();
      ASSERT_NE(error.code(), Code::internal) << error.what();
      return;
    }
    ASSERT_EQ(contents(bad_), damaged) << "the input was changed";
    ASSERT_EQ(report.needed, fs::exists(good_));
    if (!report.needed) {
      ++counts.unneeded;
      ASSERT_TRUE(report.verdict && is_ok(*report.verdict)) << told(report);
      return;
    }
    ASSERT_EQ(verify(good_).verdict, report.verdict) << told(report);
    if (contents(good_) == whole_) {
      ++counts.same;
      return;
    }
    if (has_errors(report)) {
      ++counts.marked;
      // What is called sound is what it was: whole modes, or the first slices of a field.
      ASSERT_TRUE(report.verdict != Verdict::sound || holds_parts(good_)) << told(report);
      return;
    }
    ++counts.equal;
    ASSERT_TRUE(is_ok(*report.verdict)) << told(report);
    const std::vector<std::string> found = numbers_in(good_);
    ASSERT_EQ(found.size(), numbers_.size()) << told(report);
    for (std::size_t i = 0; i < found.size(); ++i) {
      // Nobody sees what changed where there never was a checksum.
      if (has_checksum_[i]) {
        ASSERT_EQ(found[i], numbers_[i]) << told(report);
      }
    }
  }

  // Of tests/golden; or links in SU(3), as we write them.
  std::string original(const std::string& name) const {
    if (!name.starts_with("written")) return testing::golden_contents("good/" + name);
    const Grid grid(Extents{4, 2, 2, 4});
    std::vector<double> links(static_cast<std::size_t>(grid.volume()) * 72, 0.0);
    for (std::size_t link = 0; link < links.size() / 18; ++link) {
      const double angle = 0.01 * static_cast<double>(link % 7);
      double* const u = links.data() + 18 * link;
      u[0] = u[8] = std::cos(angle);
      u[1] = std::sin(angle);
      u[9] = -std::sin(angle);
      u[16] = 1;
    }
    const std::string path = directory_ / name;
    write(path, grid, gauge(links));
    return contents(path);
  }

  // Whether the data of each field are the first bytes of a field of the original.
  bool holds_parts(const std::string& path) const {
    const std::string bytes = contents(path);
    return std::ranges::all_of(inspect(path).fields, [&](const FieldEntry& field) {
      const std::string data = bytes.substr(field.payload.offset, field.payload.length);
      return std::ranges::any_of(data_, [&](const std::string& whole) { return whole.starts_with(data); });
    });
  }

  const testing::ScratchDirectory directory_;
  const std::string bad_ = directory_ / "bad", good_ = directory_ / "good";
  std::string whole_ = original(GetParam());
  std::vector<std::string> numbers_ = [this] {
    put_contents(good_, whole_);
    return numbers_in(good_);
  }();
  std::vector<bool> has_checksum_ = [this] {
    std::vector<bool> all;
    for (const FieldVerdict& field : verify(good_).fields) all.push_back(field.status != ChecksumStatus::absent);
    all.resize(numbers_.size(), true);
    return all;
  }();
  std::vector<std::string> data_ = [this] {
    std::vector<std::string> all;
    for (const FieldEntry& field : inspect(good_).fields) {
      all.push_back(whole_.substr(field.payload.offset, field.payload.length));
    }
    return all;
  }();
};

TEST_P(RepairedFiles, AreWhatTheyWereOrSayThatTheyAreNot) {
  testing::Damage damage(20261128);
  Counts counts;
  for (int i = 0; i < draws(); ++i) {
    const std::string damaged = damage.of(whole_);
    SCOPED_TRACE(::testing::Message() << "damaged file " << i << ": " << damage.what());
    try_one(damaged, counts);
    if (HasFatalFailure()) {
      put_contents(fs::temp_directory_path() / "limequat-repair-damaged", damaged);
      return;
    }
  }
  RecordProperty("same", counts.same);
  RecordProperty("equal", counts.equal);
  RecordProperty("marked", counts.marked);
  RecordProperty("refused", counts.refused);
  RecordProperty("unneeded", counts.unneeded);
  if (std::getenv("LQ_REPAIRS") != nullptr) {
    std::printf("%s: %d the same bytes, %d the same numbers, %d errors, %d refused, %d not needed\n", GetParam(),
                counts.same, counts.equal, counts.marked, counts.refused, counts.unneeded);
  }
  EXPECT_GT(counts.same + counts.equal + counts.marked + counts.refused, draws() / 6);
}

// What is whole needs no repair, whatever its format; and no file is written.
TEST_P(RepairedFiles, AreLeftAloneWhereTheyAreInOrder) {
  put_contents(bad_, whole_);
  fs::remove(good_);
  const Verdict verdict = verify(bad_).verdict;
  if (GetParam() == std::string_view("lime/checksum_absent.lime")) {
    GTEST_SKIP() << "nothing proves its numbers, which are no links";
  }
  ASSERT_TRUE(is_ok(verdict));
  const RepackReport report = repair(bad_, good_);
  EXPECT_FALSE(report.needed) << told(report);
  EXPECT_TRUE(report.files.empty());
  EXPECT_FALSE(fs::exists(good_));
  EXPECT_FALSE(repair(bad_, "").needed);
}

INSTANTIATE_TEST_SUITE_P(
    Golden, RepairedFiles,
    ::testing::Values("written.ildg", "written.scidac", "lime/three_spinors.lime", "lime/checksum_absent.lime",
                      "lime/hypercube.lime", "lime/chroma_propagator_64.lime", "modes/three_modes.modes",
                      "modes/index_in_three_blocks.modes", "modes/coefficients.modes", "squeezed/conf.sqz"
#ifdef LQ_REPAIRS_HDF5
                      ,
                      "hdf5/native-contiguous.h5", "hdf5/native-chunked.h5", "hdf5/small-objects.h5", "hdf5/links.h5"
#endif
                      ),
    [](const auto& which) {
      std::string name = which.param;
      std::ranges::replace_if(
          name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
      return name;
    });

}  // namespace
}  // namespace lq
