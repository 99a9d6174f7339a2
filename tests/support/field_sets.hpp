// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sets with fields, for tests: numbers follow from the site, files are looked at byte by byte.
#pragma once

#include <gtest/gtest.h>
#include <limequat/multifile.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "support/file_contents.hpp"
#include "support/formula_field.hpp"
#include "support/scratch_directory.hpp"
#include "support/streams.hpp"
#include "support/thread_comm.hpp"

namespace lq::testing {

// A record of a LIME file, found by nothing but the layout of its header (formats/lime.md 2).
struct PlainRecord {
  std::string type;
  std::size_t offset = 0;
  std::size_t bytes = 0;
};
inline std::vector<PlainRecord> plain_records(const std::string& file) {
  std::vector<PlainRecord> records;
  for (std::size_t at = 0; at + 144 <= file.size();) {
    const auto* header = reinterpret_cast<const std::byte*>(file.data()) + at;
    EXPECT_EQ(base::load_be<std::uint32_t>(header), 0x456789abU);
    const auto bytes = static_cast<std::size_t>(base::load_be<std::uint64_t>(header + 8));
    records.push_back({std::string(file.data() + at + 16), at + 144, bytes});
    at += 144 + (bytes + 7) / 8 * 8;
  }
  return records;
}

inline const Extents set_lattice{4, 6, 2, 4};
inline constexpr std::uint64_t gauge_numbers = 72;

class FieldSets : public ::testing::Test {
 protected:
  static Grid grid(const std::shared_ptr<comm::Comm>& comm, const Extents& processes, const Extents& of = set_lattice) {
    return Grid(Communicator(comm), of, {.processes = processes});
  }

  // Each number of a field is that of the formula, plus `shift`.
  static std::vector<double> numbers(const Grid& grid, std::uint64_t per_site, double shift) {
    auto values = formula_sites<double>(grid, per_site);
    for (double& value : values) value += shift;
    return values;
  }

  static void put_gauge(MultifileWriter& writer, const std::string& name, const Grid& grid, double shift,
                        const WriteOptions& options = {}) {
    const auto values = numbers(grid, gauge_numbers, shift);
    writer.write_field(name, grid, gauge(values), options);
  }

  static bool has_gauge(const MultifileReader& reader, const std::string& name, const Grid& grid, double shift) {
    std::vector<double> values(grid.local_volume() * gauge_numbers);
    reader.read_field(name, grid, gauge(values));
    return values == numbers(grid, gauge_numbers, shift);
  }

  // A set of two ranks with "a" and "b" (numbers shifted by `shift` and one more) and a stream each.
  void write(double shift, bool closed = true, int files = 1, int fields = 2) {
    run_ranks(2, [&](std::shared_ptr<comm::Comm> comm) {
      MultifileOptions options;
      options.overwrite = true;
      options.files = files;
      MultifileWriter writer(path_, Communicator(comm), options);
      put_stream(writer);
      const Grid dealt = grid(comm, {1, 2, 1, 1});
      for (int i = 0; i < fields; ++i) put_gauge(writer, i == 0 ? "a" : "b", dealt, shift + i);
      if (closed) writer.close();
    });
  }

  static void put_stream(MultifileWriter& writer) {
    writer.write(stream_bytes(static_cast<std::uint64_t>(writer.stream().task()), 0, 5000));
    writer.stream().flush();
  }

  void expect_streams(const std::string& path, std::int64_t tasks = 2) {
    const MultifileReader reader(path);
    ASSERT_EQ(reader.tasks(), tasks);
    for (std::int64_t task = 0; task < tasks; ++task) {
      EXPECT_EQ(reader.task(task).read_all(), stream_bytes(static_cast<std::uint64_t>(task), 0, 5000));
    }
  }

  void expect_both(double shift) {
    const MultifileReader reader(path_);
    ASSERT_EQ(reader.fields().size(), 2U);
    EXPECT_TRUE(has_gauge(reader, "a", Grid(set_lattice), shift));
    EXPECT_TRUE(has_gauge(reader, "b", Grid(set_lattice), shift + 1));
    const MultifileCheck check = verify_multifile(path_);
    EXPECT_TRUE(check.is_sound());
    EXPECT_EQ(check.fields_checked, 2U);
  }

  std::string part_of_fields() {
    for (const std::string& one : files_in(directory_.path())) {
      if (one.starts_with(".set.sion.fields.") && is_temporary(one)) return directory_ / one;
    }
    return "no part of fields";
  }

  ScratchDirectory directory_;
  std::string path_ = directory_ / "set.sion";
  std::string fields_ = path_ + ".fields";
};

}  // namespace lq::testing
