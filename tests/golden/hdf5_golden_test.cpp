// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// HDF5 files of other programs, and of tests/golden/make_hdf5.py: every number of every field is what the formula says.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include <limequat/limequat.hpp>

#include "lattice/site_order.hpp"
#include "support/contents.hpp"
#include "support/scratch_directory.hpp"

namespace lq {
namespace {

namespace fs = std::filesystem;

const fs::path hdf5_folder = fs::path(LQ_SOURCE_DIR) / "tests" / "golden";

std::string hdf5_good(const std::string& name) { return (hdf5_folder / "good" / "hdf5" / name).string(); }

// S of a site: coordinates as digits of base 16, x lowest.
std::int64_t ordinal(const Coord& x) { return ((x[3] * 16 + x[2]) * 16 + x[1]) * 16 + x[0]; }

// Number k of the site with element `n` at its beginning.
double formula(std::int64_t n, std::uint64_t k, bool is_complex) {
  const double element = static_cast<double>(n) + static_cast<double>(is_complex ? k / 2 : k);
  return is_complex && k % 2 == 1 ? -element - 0.5 : element;
}

struct Expected {
  FieldSpec spec;
  Extents extents;
  std::int64_t stride;   // elements of a site that the formula counts
  bool is_zero = false;  // never written
};

std::vector<double> numbers_of_field(const std::string& path, const std::string& name, const Expected& expected,
                                     ReadOptions options = {}) {
  options.field = name;
  FieldSpec memory = expected.spec;
  memory.precision = Precision::double_;
  std::vector<double> numbers(volume(expected.extents) * memory.numbers);
  const Grid grid(Communicator(), expected.extents);
  read(path, grid, field_in(numbers, memory), options);
  return numbers;
}

void require_values(const std::string& path, const std::string& name, const Expected& expected) {
  SCOPED_TRACE(path + " " + name);
  const Catalog catalog = inspect(path);
  const FieldEntry& entry = catalog.field(name);
  ASSERT_EQ(entry.payload.spec, expected.spec);
  ASSERT_EQ(entry.payload.extents, expected.extents);
  const auto numbers = numbers_of_field(path, name, expected);
  const std::uint64_t site = expected.spec.numbers;
  for (std::uint64_t i = 0; i < numbers.size() / site; ++i) {
    const std::int64_t n = ordinal(lattice::site_of_rank(i, expected.extents)) * expected.stride;
    for (std::uint64_t k = 0; k < site; ++k) {
      const double value = expected.is_zero ? 0 : formula(n, k, expected.spec.is_complex);
      ASSERT_EQ(numbers[i * site + k], value) << "site " << i << " number " << k;
    }
  }
}

// Nothing that a sum is stored of may disagree.
void require_verified(const std::string& path) {
  SCOPED_TRACE(path);
  const Verification verification = verify(path);
  EXPECT_TRUE(verification.ok);
  for (const FieldVerdict& verdict : verification.fields) {
    EXPECT_NE(verdict.status, ChecksumStatus::mismatch) << verdict.name;
  }
}

// Each field has a sum, which agrees.
void require_sums(const std::string& path) {
  SCOPED_TRACE(path);
  const Verification verification = verify(path);
  EXPECT_TRUE(verification.ok);
  EXPECT_FALSE(verification.fields.empty());
  for (const FieldVerdict& verdict : verification.fields) {
    EXPECT_EQ(verdict.status, ChecksumStatus::ok) << verdict.name;
  }
}

const FieldSpec gauge_double = gauge_spec(Precision::double_, 3, 4);
const FieldSpec gauge_single = gauge_spec(Precision::single, 3, 4);

TEST(GoldenHdf5, GaugeFieldsOfQdp) {
  require_values(hdf5_good("qdpxx-gauge-2x4x6x8.h5"), "cfg/gauge", {gauge_double, {2, 4, 6, 8}, 36});
  require_values(hdf5_good("qdpxx-gauge-chunked-4x4x4x4.h5"), "cfg/gauge", {gauge_double, {4, 4, 4, 4}, 36});
}

TEST(GoldenHdf5, ObjectsOfQdp) {
  const std::string path = hdf5_good("qdpxx-objects-4x2x2x6.h5");
  const Extents extents{4, 2, 2, 6};
  require_values(path, "lattice/ColorMatrixD", {generic_spec(Precision::double_, 18, true), extents, 36});
  require_values(path, "lattice/ColorMatrixF", {generic_spec(Precision::single, 18, true), extents, 36});
  require_values(path, "lattice/PropagatorD", {propagator_spec(Precision::double_), extents, 144});
  require_values(path, "lattice/PropagatorF", {propagator_spec(Precision::single), extents, 144});
  require_values(path, "lattice/FermionD", {spinor_spec(Precision::double_), extents, 12});
  require_values(path, "lattice/ComplexD", {generic_spec(Precision::double_, 2, true), extents, 1});
  require_values(path, "lattice/RealD", {generic_spec(Precision::double_, 1, false), extents, 1});
}

// Not x-first, as its names would have it.
TEST(GoldenHdf5, WhatQdpWritesForQluaHasXFastest) {
  require_values(hdf5_good("qdpxx-writeQlua-2x4x2x4.h5"), "qlua", {gauge_double, {2, 4, 2, 4}, 36});
}

TEST(GoldenHdf5, FieldsOfQlua) {
  const std::string path = hdf5_good("qlua-layout-2x4x2x6.h5");
  const Extents extents{2, 4, 2, 6};
  require_values(path, "cfg", {gauge_double, extents, 36});
  require_values(path, "lat/colmatF", {generic_spec(Precision::single, 18, true), extents, 36});
  require_values(path, "lat/dirferm", {spinor_spec(Precision::double_), extents, 12});
  require_values(path, "lat/complex", {generic_spec(Precision::double_, 2, true), extents, 1});
  require_values(path, "lat/real", {generic_spec(Precision::double_, 1, false), extents, 1});
  require_sums(path);
}

TEST(GoldenHdf5, DamageToOneArrayOfAFieldIsSeen) {
  std::string bytes = testing::contents(hdf5_good("qlua-layout-2x4x2x6.h5"));
  const Payload payload = inspect(hdf5_good("qlua-layout-2x4x2x6.h5")).field("cfg").payload;
  ASSERT_EQ(payload.arrays, 4U);
  bytes[payload.tiles.at(2).offset + 100] ^= 1;
  const testing::ScratchDirectory directory;
  const std::string path = directory / "damaged.h5";
  std::ofstream(path, std::ios::binary) << bytes;
  const Verification verification = verify(path);
  EXPECT_EQ(verification.fields.at(0).name, "cfg");
  EXPECT_EQ(verification.fields.at(0).status, ChecksumStatus::mismatch);
  ASSERT_FALSE(verification.ok);
  EXPECT_NE(verification.findings.front().message.find("of array 2"), std::string::npos)
      << verification.findings.front().message;
}

TEST(GoldenHdf5, FieldsOfPyQuda) {
  const std::string path = hdf5_good("pyquda.h5");
  const Extents extents{2, 3, 2, 4}, small{2, 1, 2, 2};
  require_values(path, "LatticeColorMatrix", {gauge_single, extents, 36});
  require_values(path, "LatticeColorMatrix/R", {generic_spec(Precision::single, 18, true), extents, 36});
  require_values(path, "LatticeSpinColorVector/1", {spinor_spec(Precision::double_), extents, 12});
  require_values(path, "LatticeSpinColorMatrix/S", {propagator_spec(Precision::single), small, 144});
  require_values(path, "LatticeColorVector/0", {generic_spec(Precision::double_, 6, true), small, 3});
  require_values(path, "LatticeReal/0", {generic_spec(Precision::double_, 1, false), small, 1});
  require_sums(path);
}

TEST(GoldenHdf5, ArraysOfLyncs) {
  const std::string path = hdf5_good("lyncs-io.h5");
  require_values(path, "gauge", {gauge_single, {2, 2, 2, 3}, 36});
  require_values(path, "spinor", {spinor_spec(Precision::double_), {2, 2, 2, 3}, 12});
}

TEST(GoldenHdf5, NativeFields) {
  const std::string path = hdf5_good("native-contiguous.h5");
  require_values(path, "configurations/0010/gauge", {gauge_single, {2, 3, 2, 4}, 36});
  require_values(path, "three", {generic_spec(Precision::single, 3, false), {2, 3, 2, 4}, 3});
  require_values(path, "quark", {propagator_spec(Precision::single), {2, 1, 1, 2}, 144});
  require_verified(path);
  const Catalog catalog = inspect(path);
  EXPECT_EQ(catalog.metadata, (Metadata{{"ensemble", "test"}}));
  EXPECT_EQ(catalog.field("configurations/0010/gauge").metadata,
            (Metadata{{"beta", "6.25"}, {"note", "hello"}, {"seeds", "3 -5"}}));
  EXPECT_EQ(catalog.field("configurations/0010/gauge").sums.all.size(), 3U);
  require_values(hdf5_good("native-variable-texts.h5"), "action",
                 {generic_spec(Precision::double_, 1, false), {2, 3, 2, 4}, 1});
  require_verified(hdf5_good("native-variable-texts.h5"));
  const std::string dense = hdf5_good("native-dense-texts.h5");
  require_values(dense, "action", {generic_spec(Precision::double_, 1, false), {2, 3, 2, 4}, 1});
  require_verified(dense);
  const Metadata texts = inspect(dense).field("action").metadata;
  EXPECT_EQ(texts.size(), 40U);
  EXPECT_EQ(std::ranges::count(texts, std::pair<std::string, std::string>("note33", "text 33")), 1);
  require_values(hdf5_good("native-compact.h5"), "compact",
                 {generic_spec(Precision::double_, 2, false), {2, 2, 2, 2}, 2});
}

TEST(GoldenHdf5, NativeFieldsInChunks) {
  const std::string path = hdf5_good("native-chunked.h5");
  require_values(path, "spinor", {spinor_spec(Precision::double_), {3, 2, 3, 5}, 12});
  require_values(path, "never", {generic_spec(Precision::single, 1, false), {3, 2, 3, 5}, 1, true});
  require_verified(path);
  const auto plain = numbers_of_field(path, "plain", {generic_spec(Precision::double_, 1, false), {3, 2, 3, 5}, 1});
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const Coord x = lattice::site_of_rank(i, {3, 2, 3, 5});
    EXPECT_EQ(plain[i], x[3] == 3 ? static_cast<double>(ordinal(x)) : 0);
  }
}

TEST(GoldenHdf5, ChunksWithEveryKindOfIndex) {
  for (const char* name : {"single", "fixed", "extensible", "tree", "filtered", "one_filtered"}) {
    require_values(hdf5_good("native-latest.h5"), name, {generic_spec(Precision::single, 2, false), {3, 2, 3, 5}, 2});
  }
}

TEST(GoldenHdf5, BehindAUserBlock) {
  for (const char* name : {"contiguous", "chunked"}) {
    require_values(hdf5_good("native-behind-user-block.h5"), name,
                   {generic_spec(Precision::single, 3, false), {2, 2, 2, 2}, 3});
  }
}

TEST(GoldenHdf5, FiltersThatAreNotKnownAreNamedOnReading) {
  for (const auto& [name, said] : std::map<std::string, std::string>{{"lzf", "lzf"}, {"skipped", "deflate"}}) {
    try {
      numbers_of_field(hdf5_good("native-filters-of-others.h5"), name,
                       {generic_spec(Precision::single, 3, false), {2, 2, 2, 2}, 3});
      ADD_FAILURE() << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::unsupported);
      EXPECT_NE(std::string(error.what()).find(said), std::string::npos) << error.what();
    }
  }
}

bool has_rule(const Catalog& catalog, std::string_view rule) {
  return std::ranges::find(catalog.findings, rule, &Finding::rule) != catalog.findings.end();
}

TEST(GoldenHdf5, WhatIsNoFieldIsARecord) {
  const Catalog hadrons = inspect(hdf5_good("hadrons.h5"));
  EXPECT_TRUE(hadrons.fields.empty());
  EXPECT_EQ(hadrons.records.size(), 3U);
  const Catalog objects = inspect(hdf5_good("small-objects.h5"));
  EXPECT_TRUE(objects.fields.empty());
  EXPECT_TRUE(has_rule(objects, "hdf5-no-field"));
  EXPECT_NO_THROW(objects.require_sound());
}

TEST(GoldenHdf5, LinksInCirclesAndToNothingAreFindings) {
  const Catalog catalog = inspect(hdf5_good("links.h5"));
  EXPECT_NO_THROW(catalog.require_sound());
  ASSERT_EQ(catalog.records.size(), 1U);
  for (const char* rule : {"hdf5-hard-link", "hdf5-soft-link", "hdf5-external-link"}) {
    EXPECT_TRUE(has_rule(catalog, rule)) << rule;
  }
  EXPECT_EQ(std::ranges::count(catalog.findings, "hdf5-soft-link", &Finding::rule), 4);
}

std::optional<Error> failure_of_reading(const std::string& path, std::vector<Finding>& findings) {
  try {
    findings = validate(path);
    const Catalog catalog = inspect(path);
    catalog.require_sound();
    const FieldEntry& entry = catalog.field("field");
    numbers_of_field(path, "field", {entry.payload.spec, entry.payload.extents, 0});
    return std::nullopt;
  } catch (const Error& error) {
    return error;
  }
}

TEST(GoldenHdf5, BadFilesGetTheirPinnedCode) {
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(hdf5_folder / "bad" / "hdf5")) {
    if (entry.path().extension() != ".h5") continue;
    SCOPED_TRACE(entry.path().filename());
    ++files;
    std::vector<Finding> findings;
    const auto failure = failure_of_reading(entry.path().string(), findings);
    ASSERT_TRUE(failure);
    std::ifstream expected(fs::path(entry.path()).replace_extension(".expect"));
    for (std::string line; std::getline(expected, line);) {
      if (line.starts_with("code ")) {
        EXPECT_EQ(line, "code " + std::string(name(failure->code()))) << failure->what();
      }
      if (line.starts_with("rule ")) {
        EXPECT_NE(std::ranges::find(findings, line.substr(5), &Finding::rule), findings.end()) << line;
      }
    }
  }
  EXPECT_GE(files, 18U);
}

// A propagator that QLUA wrote, where the machine has it.
TEST(GoldenHdf5, APropagatorThatQluaWrote) {
  const char* folder = std::getenv("LQ_SHARED_DIR");
  if (!folder) GTEST_SKIP() << "LQ_SHARED_DIR does not say where the shared data are";
  const std::string path = std::string(folder) + "/vectors/hdf5/gpt_test_prop_single.h5";
  const FieldEntry entry = inspect(path).field("diracpropagator/data");
  EXPECT_EQ(entry.payload.spec, propagator_spec(Precision::single));
  EXPECT_EQ(entry.payload.extents, (Extents{4, 4, 4, 8}));
  require_verified(path);
}

}  // namespace
}  // namespace lq
