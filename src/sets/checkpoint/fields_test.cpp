// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Fields beside the streams of a set: written, listed, read on any process grid, added.
#include <gtest/gtest.h>
#include <limequat/error.hpp>
#include <limequat/file.hpp>
#include <limequat/inspect.hpp>
#include <limequat/multifile.hpp>

#include <bit>
#include <tuple>

#include "sets/checkpoint/set_fields.hpp"
#include "support/error_of.hpp"
#include "support/field_sets.hpp"

namespace lq {
namespace {

namespace fs = std::filesystem;
using testing::contents;
using testing::error_of;
using testing::files_in;
using testing::gauge_numbers;
using testing::plain_records;
using testing::PlainRecord;
using testing::put_contents;
using testing::set_lattice;

class Fields : public testing::FieldSets {};

TEST_F(Fields, ComeBackOnAnyProcessGrid) {
  testing::run_ranks(4, [&](std::shared_ptr<comm::Comm> comm) {
    MultifileWriter writer(path_, Communicator(comm));
    put_stream(writer);
    const Grid dealt = grid(comm, {2, 1, 1, 2}), plane = grid(comm, {4, 1}, {8, 5});
    put_gauge(writer, "gauge", dealt, 0);
    WriteOptions options;
    options.precision = Precision::single;
    options.metadata = {{"seed", "4711"}};
    const auto pairs = numbers(dealt, 2, 0);
    const Report report =
        writer.write_field("source 1", dealt, field_in(pairs, generic_spec(Precision::double_, 2, true)), options);
    EXPECT_EQ(report.extents, set_lattice);
    EXPECT_EQ(report.spec.precision, Precision::single);
    const auto heights = numbers(plane, 3, 0);
    writer.write_field("φ", plane, field_in(heights, generic_spec(Precision::double_, 3, false)));
    put_gauge(writer, "gauge 2", dealt, 7, {.verify = Verify::read_back});
    writer.close();
  });
  struct Case {
    int ranks;
    Extents processes, of_plane;
  };
  for (const Case& one :
       {Case{1, {1, 1, 1, 1}, {1, 1}}, Case{3, {1, 3, 1, 1}, {1, 3}}, Case{4, {1, 2, 2, 1}, {2, 2}}}) {
    testing::run_ranks(one.ranks, [&](std::shared_ptr<comm::Comm> comm) {
      const MultifileReader reader(path_, Communicator(comm));
      const Grid dealt = grid(comm, one.processes), plane = grid(comm, one.of_plane, {8, 5});
      EXPECT_TRUE(has_gauge(reader, "gauge", dealt, 0));
      EXPECT_TRUE(has_gauge(reader, "gauge 2", dealt, 7));
      std::vector<double> heights(plane.local_volume() * 3);
      reader.read_field("φ", plane, field_in(heights, generic_spec(Precision::double_, 3, false)));
      EXPECT_EQ(heights, numbers(plane, 3, 0));
      ASSERT_EQ(reader.fields().size(), 4U);
      const MultifileField& source = reader.fields()[1];
      EXPECT_EQ(source.name, "source 1");
      EXPECT_EQ(source.extents, set_lattice);
      EXPECT_EQ(source.processes, (Extents{2, 1, 1, 2}));
      EXPECT_EQ(source.spec.precision, Precision::single);
      EXPECT_EQ(source.bytes, volume(set_lattice) * 8);
      EXPECT_TRUE(source.checksum.has_value());
      EXPECT_EQ(std::ranges::count(source.metadata, Metadata::value_type{"seed", "4711"}), 1);
      EXPECT_EQ(reader.fields()[2].extents, (Extents{8, 5}));
      EXPECT_EQ(reader.info().fields, 4U);
      EXPECT_EQ(reader.info().fields_file, fields_);
    });
  }
  expect_streams(path_, 4);
  EXPECT_TRUE(verify_multifile(path_).is_sound());
}

TEST_F(Fields, LieInAnOrdinaryFileThatTellsHowTheyWereDealtOut) {
  write(3);
  const std::string file = contents(fields_);
  std::vector<PlainRecord> notes, data;
  for (const PlainRecord& record : plain_records(file)) {
    if (record.type == "limequat-checkpoint") notes.push_back(record);
    if (record.type == "scidac-binary-data") data.push_back(record);
  }
  ASSERT_EQ(notes.size(), 2U);
  ASSERT_EQ(data.size(), 2U);
  EXPECT_EQ(file.substr(notes[1].offset, notes[1].bytes),
            "version = 1\ngeneration = " + MultifileReader(path_).info().generation +
                "\nlattice = 4x6x2x4\nprocesses = 1x2x1x1\nprecision = double\nname = b\n");
  ASSERT_EQ(data[1].bytes, volume(set_lattice) * gauge_numbers * 8);
  for (std::uint64_t site = 0; site < volume(set_lattice); ++site) {
    for (std::uint64_t n = 0; n < gauge_numbers; ++n) {
      const auto* at =
          reinterpret_cast<const std::byte*>(file.data()) + data[1].offset + (site * gauge_numbers + n) * 8;
      ASSERT_EQ(std::bit_cast<double>(base::load_be<std::uint64_t>(at)), testing::formula(site, n) + 4);
    }
  }
  std::vector<double> values(volume(set_lattice) * gauge_numbers);
  EXPECT_EQ(read(fields_, Grid(set_lattice), gauge(values), {.field = "b"}).status, ChecksumStatus::ok);
  EXPECT_TRUE(verify(fields_, {}, {.physics = Measure::never}).ok);
  EXPECT_TRUE(std::ranges::none_of(validate(fields_), [](const Finding& f) { return f.severity == Severity::error; }));
}

TEST_F(Fields, AppearTogetherWithTheSet) {
  testing::run_ranks(2, [&](std::shared_ptr<comm::Comm> comm) {
    MultifileWriter writer(path_, Communicator(comm));
    put_stream(writer);
    put_gauge(writer, "a", grid(comm, {2, 1, 1, 1}), 0);
    EXPECT_FALSE(fs::exists(fields_));
    writer.discard();
  });
  EXPECT_TRUE(files_in(directory_.path()).empty());
  write(10);
  write(20, false);
  EXPECT_EQ(files_in(directory_.path()).size(), 4U);
  expect_both(10);
  write(30);
  expect_both(30);
  write(40, true, 1, 0);
  EXPECT_FALSE(fs::exists(fields_)) << "of the set that was replaced";
  EXPECT_TRUE(MultifileReader(path_).fields().empty());
  EXPECT_EQ(error_of([&] { has_gauge(MultifileReader(path_), "a", Grid(set_lattice), 0); }).code(),
            Code::no_such_record);
}

TEST_F(Fields, AFileOfAnotherProgramIsNotReplaced) {
  put_contents(fields_, "notes of somebody");
  EXPECT_EQ(error_of([&] { write(0); }).code(), Code::exists);
  EXPECT_EQ(contents(fields_), "notes of somebody");
}

// The power failed before a writer without sync had closed its set.
TEST_F(Fields, OfWhichTheContentsAreLostAreReplaced) {
  write(0);
  const std::string whole = contents(fields_);
  for (const std::string& left : {std::string(), std::string(700, '\0'), std::string(512, '\0') + whole.substr(512),
                                  whole.substr(0, 1000)}) {
    fs::remove(path_);
    put_contents(fields_, left);
    write(10);
    expect_both(10);
  }
}

TEST_F(Fields, NamesAreChecked) {
  testing::run_ranks(2, [&](std::shared_ptr<comm::Comm> comm) {
    MultifileWriter writer(path_, Communicator(comm));
    const Grid dealt = grid(comm, {1, 2, 1, 1});
    for (const std::string& bad :
         {std::string(), std::string("a\nb"), std::string(" a"), std::string(256, 'x'), std::string("\xff")}) {
      EXPECT_EQ(error_of([&] { put_gauge(writer, bad, dealt, 0); }).code(), Code::invalid_argument) << bad;
    }
    put_gauge(writer, "a", dealt, 0);
    const Error twice = error_of([&] { put_gauge(writer, "a", dealt, 0); });
    EXPECT_EQ(twice.code(), Code::exists) << twice.what();
    const std::string mine = comm->rank() == 0 ? "b" : "c";
    EXPECT_EQ(error_of([&] { put_gauge(writer, mine, dealt, 0); }).code(), Code::ranks_disagree);
    EXPECT_EQ(error_of([&] { put_gauge(writer, "d", Grid(set_lattice), 0); }).code(), Code::invalid_argument);
    EXPECT_EQ(error_of([&] { put_gauge(writer, "d", dealt, 0, {.verify = Verify::none}); }).code(),
              Code::invalid_argument);
    EXPECT_EQ(error_of([&] {
                put_gauge(writer, "d", dealt, 0, {.metadata = {{"limequat-checkpoint", "x"}}});
              }).code(),
              Code::invalid_argument);
    put_gauge(writer, "b", dealt, 1);
    put_stream(writer);
    writer.close();
    EXPECT_EQ(error_of([&] { put_gauge(writer, "e", dealt, 0); }).code(), Code::wrong_state);
  });
  expect_both(0);
  const Error error = error_of([&] { has_gauge(MultifileReader(path_), "z", Grid(set_lattice), 0); });
  EXPECT_EQ(error.code(), Code::no_such_record);
  EXPECT_NE(std::string(error.what()).find("\"a\", \"b\""), std::string::npos) << error.what();
}

TEST_F(Fields, AreAddedToASet) {
  write(0, true, 1, 1);
  const auto append = [&](int ranks, const std::string& name, double shift, bool closed) {
    testing::run_ranks(ranks, [&](std::shared_ptr<comm::Comm> comm) {
      MultifileWriter writer = MultifileWriter::append(path_, Communicator(comm));
      const Grid dealt = grid(comm, {1, ranks, 1, 1});
      EXPECT_EQ(error_of([&] { put_gauge(writer, "a", dealt, 0); }).code(), Code::exists);
      if (!name.empty()) put_gauge(writer, name, dealt, shift);
      if (closed) writer.close();
    });
  };
  append(3, "b", 1, false);
  EXPECT_EQ(error_of([&] { MultifileReader reader(path_); }).code(), Code::truncated);
  const RepairReport report = repair_multifile(path_);
  EXPECT_EQ(report.fields, 2U);
  EXPECT_TRUE(report.lost.empty());
  expect_both(0);
  append(1, "", 0, true);
  expect_both(0);
  append(2, "c", 5, true);
  const MultifileReader reader(path_);
  EXPECT_EQ(reader.fields().size(), 3U);
  EXPECT_TRUE(has_gauge(reader, "c", Grid(set_lattice), 5));
  EXPECT_TRUE(has_gauge(reader, "a", Grid(set_lattice), 0));
  EXPECT_TRUE(verify_multifile(path_).is_sound());
}

TEST_F(Fields, AreAddedToASetThatHadNone) {
  write(0, true, 1, 0);
  for (const bool closed : {false, true}) {
    testing::run_ranks(2, [&](std::shared_ptr<comm::Comm> comm) {
      MultifileWriter writer = MultifileWriter::append(path_, Communicator(comm));
      put_gauge(writer, closed ? "b" : "a", grid(comm, {1, 2, 1, 1}), closed ? 1 : 0);
      EXPECT_EQ(fs::exists(fields_), closed);
      if (closed) writer.close();
    });
    if (!closed) {
      EXPECT_EQ(repair_multifile(path_).fields, 1U);
    }
  }
  expect_both(0);
  expect_streams(path_);
}

TEST(FieldNote, IsReadBackOrRefused) {
  sets::FieldNote note{sets::new_generation(), {8, 8}, {2, 1}, Precision::single, "a = b"};
  const std::string text = sets::encode(note);
  EXPECT_EQ(sets::decode_note(text), note);
  for (std::size_t length = 0; length < text.size(); ++length) {
    EXPECT_FALSE(sets::decode_note(text.substr(0, length))) << length;
  }
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"8x8", "8xx8"},
                                 {"8x8", "99999999999999999999"},
                                 {"single", "half"},
                                 {"version = 1", "version = 2"},
                                 {"a = b", ""}}) {
    std::string other = text;
    EXPECT_FALSE(sets::decode_note(other.replace(other.find(from), from.size(), to))) << to;
  }
}

}  // namespace
}  // namespace lq
