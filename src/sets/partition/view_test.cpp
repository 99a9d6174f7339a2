// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Views on files in one piece, on sets made by hand, and on QIO's part files, against the plain bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <limequat/error.hpp>
#include <limequat/file.hpp>
#include <limequat/view.hpp>

#include "support/error_of.hpp"
#include "support/file_contents.hpp"
#include "support/formula_field.hpp"
#include "support/plain_partition.hpp"
#include "support/plain_set.hpp"
#include "support/scratch_directory.hpp"

namespace lq {
namespace {

using testing::bytes_of_file;
using testing::contents;
using testing::error_of;
using testing::part_of_bytes;
using testing::places_by_dealing;
using testing::put_contents;
using testing::RandomGeometry;

std::string read_all(View& view) {
  std::string bytes(static_cast<std::size_t>(view.size()) + 10, '?');
  bytes.resize(view.read(std::as_writable_bytes(std::span(bytes))));
  return bytes;
}

class Views : public ::testing::Test {
 protected:
  std::string put_set(const std::string& bytes, const Partition& partition) {
    return testing::put_set(folder_ / "some.set", bytes, partition);
  }

  testing::ScratchDirectory folder_;
};

TEST_F(Views, OfASetAreThoseOfTheFileWhateverTheTwoPartitions) {
  for (std::uint32_t seed = 0; seed < 120; ++seed) {
    RandomGeometry random(seed);
    const FileArray array = testing::random_array(random);
    const std::string bytes = bytes_of_file(array.end() + static_cast<std::size_t>(random.between(0, 20)));
    const std::string path = put_set(bytes, random_partition(random, array));
    View whole(path);
    ASSERT_TRUE(read_all(whole) == bytes) << "seed " << seed;
    const Partition logical = random_partition(random, array);
    for (std::uint64_t part = 0; part < logical.parts(); ++part) {
      View view(path, logical.text(), part);
      const std::string expected = part_of_bytes(bytes, logical, part);
      ASSERT_EQ(view.size(), expected.size());
      ASSERT_TRUE(read_all(view) == expected) << "seed " << seed << " " << logical.text() << " part " << part;
      if (expected.empty()) continue;
      const auto at = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(expected.size()) - 1));
      std::string some(static_cast<std::size_t>(random.between(1, 40)), '?');
      view.seek(at);
      some.resize(view.read(std::as_writable_bytes(std::span(some))));
      ASSERT_TRUE(some == expected.substr(at, some.size())) << "seed " << seed;
      ASSERT_EQ(view.tell(), at + some.size());
    }
  }
}

TEST_F(Views, ThatAreWrittenChangeTheirElementsAndNoOthers) {
  for (std::uint32_t seed = 0; seed < 120; ++seed) {
    RandomGeometry random(seed);
    const FileArray array = testing::random_array(random);
    std::string bytes = bytes_of_file(array.end() + 5);
    const std::string path = put_set(bytes, random_partition(random, array));
    const Partition logical = random_partition(random, array);
    const auto part = static_cast<std::uint64_t>(random.between(0, static_cast<std::int64_t>(logical.parts()) - 1));
    View view(path, logical.text(), part, {.writable = true});
    if (view.size() == 0) continue;
    const auto at = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(view.size()) - 1));
    const std::string news(std::min<std::size_t>(view.size() - at, 17), '#');
    view.seek(at);
    view.write(std::as_bytes(std::span(news)));
    view.sync();
    view.close();
    std::size_t k = 0;
    const auto places = places_by_dealing(array, logical.cuts());
    for (std::size_t e = 0; e < places.size(); ++e) {
      for (std::uint64_t byte = 0; places[e].part == part && byte < array.element_bytes; ++byte, ++k) {
        if (k >= at && k < at + news.size()) bytes[array.begin + e * array.element_bytes + byte] = '#';
      }
    }
    View whole(path);
    ASSERT_TRUE(read_all(whole) == bytes) << "seed " << seed << " " << logical.text();
  }
}

TEST_F(Views, OfPlainFilesTakeAnArrayOrBytes) {
  const std::string path = folder_ / "numbers.dat", bytes = "header--0011223344556677";
  put_contents(path, bytes);
  View odd(path, "x=cyclic:2", 1, {.array = {.begin = 8, .element_bytes = 2, .extents = {8}}});
  EXPECT_EQ(read_all(odd), "11335577");
  View half(path, "x=block:2", 0);
  EXPECT_EQ(read_all(half), bytes.substr(0, 12));
}

TEST_F(Views, AreStorages) {
  const std::string path = folder_ / "numbers.dat";
  put_contents(path, std::string(64, '.'));
  {
    const Grid grid(Extents{2});
    const std::vector<float> sites{1, 2, 3, 4};
    View view(path, "x=cyclic:2", 1, {.writable = true, .array = {.element_bytes = 8, .extents = {8}}});
    const FieldSpec spec = generic_spec(Precision::single, 2, false);
    write_sites(view, payload_at(8, spec, grid.extents(), ByteOrder::little), grid, field_in(sites, spec));
  }
  std::string expected(64, '.');
  // Elements 3 and 5 of the file are 1 and 2 of the view.
  const float first[2] = {1, 2}, second[2] = {3, 4};
  std::memcpy(expected.data() + 24, first, 8);
  std::memcpy(expected.data() + 40, second, 8);
  EXPECT_TRUE(contents(path) == expected);
}

TEST_F(Views, OfQiosPartFilesAreThoseOfTheFieldInOnePiece) {
  const Grid grid(Extents{4, 2, 6, 4});
  const auto sites = testing::formula_sites<double>(grid, 24);
  const std::string one = folder_ / "one.scidac", many = folder_ / "many.scidac";
  WriteOptions options;
  options.format = "scidac";
  write(one, grid, spinor(sites), options);
  options.parts = "2x1x3x1";
  write(many, grid, spinor(sites), options);
  const PartitionedFile whole = partitioned_file(one), parts = partitioned_file(many + ".vol0000");
  EXPECT_EQ(parts.partition.text(), "x=block:2,z=block:3");
  EXPECT_EQ(parts.files.size(), 6U);
  for (const char* cuts : {"whole", "t=block:2", "x=cyclic:2,t=block:4"}) {
    View expected(one, cuts, 1 % whole.partition.parts()), found(many + ".vol0000", cuts, 1 % whole.partition.parts());
    const std::string bytes = read_all(expected);
    EXPECT_FALSE(bytes.empty());
    EXPECT_TRUE(read_all(found) == bytes) << cuts;
  }
}

TEST_F(Views, SayWhatIsWrong) {
  const std::string path = put_set(bytes_of_file(64), Partition::parse({.extents = {64}}, "x=block:4"));
  const auto code = [](const auto& work) { return error_of(work).code(); };
  EXPECT_EQ(code([&] { View(path, "x=block:2", 2); }), Code::invalid_argument);
  EXPECT_EQ(code([&] { View(path, "x=block:2", 0, {.array = {.begin = 1, .extents = {64}}}); }),
            Code::invalid_argument);
  EXPECT_EQ(code([&] { View(folder_ / "none"); }), Code::not_found);
  View view(path, "x=block:2", 0);
  EXPECT_EQ(code([&] { view.write(std::as_bytes(std::span("abc"))); }), Code::wrong_state);
  View writable(path, "x=block:2", 0, {.writable = true});
  writable.seek(30);
  EXPECT_EQ(code([&] { writable.write(std::as_bytes(std::span("abcdef"))); }), Code::invalid_argument);
  view.close();
  EXPECT_EQ(code([&] { view.size(); }), Code::wrong_state);
  std::filesystem::resize_file(folder_ / "some.set.2", 15);
  View cut_off(path, "whole", 0);
  EXPECT_EQ(code([&] { read_all(cut_off); }), Code::truncated);
  std::filesystem::remove(folder_ / "some.set.1");
  EXPECT_EQ(code([&] { View(path).seek(0); }), Code::ok);  // subfiles are opened when they are needed
  View lost(path, "x=block:4", 1);
  EXPECT_EQ(code([&] { read_all(lost); }), Code::not_found);
}

}  // namespace
}  // namespace lq
