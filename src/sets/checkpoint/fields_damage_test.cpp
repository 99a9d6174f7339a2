// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Fields of sets that were damaged, mixed up, or never completed.
#include <gtest/gtest.h>
#include <limequat/error.hpp>
#include <limequat/inspect.hpp>
#include <limequat/multifile.hpp>

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

class DamagedFields : public testing::FieldSets {};

TEST_F(DamagedFields, OfAnotherSetAreRefusedAndStreamsCanBeRead) {
  write(0);
  const std::string first = contents(fields_);
  write(10);
  put_contents(fields_, first);
  const Error error = error_of([&] { has_gauge(MultifileReader(path_), "a", Grid(set_lattice), 0); });
  EXPECT_EQ(error.code(), Code::malformed);
  EXPECT_NE(std::string(error.what()).find("another generation"), std::string::npos) << error.what();
  expect_streams(path_);
  EXPECT_FALSE(verify_multifile(path_).is_sound());
  fs::remove(fields_);
  EXPECT_EQ(error_of([&] { has_gauge(MultifileReader(path_), "a", Grid(set_lattice), 0); }).code(), Code::not_found);
  EXPECT_EQ(error_of([&] { MultifileReader(path_).fields(); }).code(), Code::not_found);  // no empty list
  expect_streams(path_);
  EXPECT_FALSE(verify_multifile(path_).is_sound());
}

// What is left of a checkpoint is not a whole file.
TEST_F(DamagedFields, WithoutTheirSetAreNotSound) {
  write(0);
  EXPECT_EQ(verify(fields_).verdict, Verdict::sound);
  fs::remove(path_);
  const Verification left = verify(fields_);
  EXPECT_FALSE(left.ok);
  ASSERT_FALSE(left.findings.empty());
  EXPECT_EQ(left.findings.back().rule, "sion-set-missing");
  // A file of another name that ends alike is nobody's.
  fs::rename(fields_, directory_ / "others.scidac");
  EXPECT_EQ(verify(directory_ / "others.scidac").verdict, Verdict::sound);
}

// Nor an empty list of a file that is there, but shows no field of the set.
TEST_F(DamagedFields, ThatCannotBeListedAreAnError) {
  write(0);
  const std::string whole = contents(fields_);
  write(10);
  const std::string zeros(whole.size(), '\0');
  for (const std::string& other : {whole, std::string(), zeros, std::string("a text"), whole.substr(0, 100)}) {
    put_contents(fields_, other);
    const MultifileReader reader(path_);
    const Error error = error_of([&] { reader.fields(); });
    EXPECT_TRUE(error.code() == Code::malformed || error.code() == Code::truncated) << error.what();
    EXPECT_NE(std::string(error.what()).find(fields_), std::string::npos) << error.what();
    expect_streams(path_);
  }
}

TEST_F(DamagedFields, ADamagedByteIsFoundAndNamed) {
  write(0);
  std::string file = contents(fields_);
  std::vector<PlainRecord> records = plain_records(file);
  std::erase_if(records, [](const PlainRecord& record) { return record.type != "scidac-binary-data"; });
  file[records[1].offset + 1000] ^= 1;
  put_contents(fields_, file);
  const MultifileReader reader(path_);
  EXPECT_TRUE(has_gauge(reader, "a", Grid(set_lattice), 0));
  EXPECT_EQ(error_of([&] { has_gauge(reader, "b", Grid(set_lattice), 1); }).code(), Code::checksum_mismatch);
  const MultifileCheck check = verify_multifile(path_);
  ASSERT_EQ(check.damage.size(), 1U);
  EXPECT_EQ(check.damage[0].field, "b");
  EXPECT_EQ(check.damage[0].task, -1);
  EXPECT_EQ(check.damage[0].path, fields_);
  EXPECT_EQ(check.damage[0].offset, records[1].offset);
  const RepairReport report = repair_multifile(path_);
  EXPECT_EQ(report.outcome, RepairReport::Outcome::nothing_to_do);
  ASSERT_EQ(report.lost.size(), 1U);
  EXPECT_EQ(report.lost[0].field, "b");
}

// Nothing is added behind fields that cannot be read, and the set is as good as before.
TEST_F(DamagedFields, AreNotAddedTo) {
  write(0);
  std::string damaged = contents(fields_);
  for (std::size_t i = 0; i < 100; ++i) damaged[i] = static_cast<char>(~damaged[i]);
  put_contents(fields_, damaged);
  {
    MultifileWriter writer = MultifileWriter::append(path_);
    const std::vector<double> numbers(6, 1.5);
    const Error error = error_of([&] { writer.write_field("c", Grid({2, 3}), sites(numbers)); });
    EXPECT_EQ(error.code(), Code::malformed);
    EXPECT_NE(std::string(error.what()).find("does not begin with a field"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find(fields_), std::string::npos) << error.what();
  }
  EXPECT_EQ(contents(fields_), damaged);
}

TEST_F(DamagedFields, OfAWriterThatDiedAreRecovered) {
  for (const int files : {1, 2}) {
    write(5, false, files);
    EXPECT_FALSE(fs::exists(path_));
    const RepairReport report = repair_multifile(part_of_fields());
    EXPECT_EQ(report.outcome, RepairReport::Outcome::recovered);
    EXPECT_EQ(report.path, path_);
    EXPECT_EQ(report.fields, 2U);
    EXPECT_TRUE(report.lost.empty());
    EXPECT_EQ(report.files.back(), fields_);
    EXPECT_EQ(files_in(directory_.path()).size(), static_cast<std::size_t>(files) + 1);
    expect_both(5);
    expect_streams(path_);
    EXPECT_EQ(repair_multifile(path_).outcome, RepairReport::Outcome::nothing_to_do);
    for (const std::string& file : files_in(directory_.path())) fs::remove(directory_ / file);
  }
}

// The part is cut at many places: what was whole stays, the rest is told by name as far as it is known.
TEST_F(DamagedFields, ThatWereNotWrittenToTheirEndAreReportedAsLost) {
  write(5, false);
  const std::string part = part_of_fields(), whole_file = contents(part);
  std::uint64_t end_of_first = 0;
  for (const PlainRecord& record : plain_records(whole_file)) {
    if (record.type == "scidac-checksum" && end_of_first == 0)
      end_of_first = record.offset + (record.bytes + 7) / 8 * 8;
  }
  for (std::size_t cut = 0; cut < whole_file.size(); cut += cut < 3000 ? 131 : 997) {
    SCOPED_TRACE(cut);
    put_contents(part, whole_file.substr(0, cut));
    RepairReport report = repair_multifile(directory_ / files_in(directory_.path()).front(), {.dry_run = true});
    EXPECT_EQ(contents(part).size(), cut);
    EXPECT_EQ(report.fields, cut >= end_of_first ? 1U : 0U);
    EXPECT_EQ(report.lost.empty(), cut == end_of_first || cut == 0);
  }
  put_contents(part, whole_file.substr(0, whole_file.size() - 5000));
  const RepairReport report = repair_multifile(part);
  ASSERT_EQ(report.lost.size(), 1U);
  EXPECT_EQ(report.lost[0].field, "b");
  EXPECT_EQ(fs::file_size(fields_), end_of_first);
  const MultifileReader reader(path_);
  ASSERT_EQ(reader.fields().size(), 1U);
  EXPECT_TRUE(has_gauge(reader, "a", Grid(set_lattice), 5));
  EXPECT_TRUE(verify_multifile(path_).is_sound());
}

// All of it is there, but not as it was written: it is cut off with what follows it.
TEST_F(DamagedFields, OfAWriterThatDiedAreCutOffFromTheLastSoundOneOn) {
  for (const std::size_t damaged : {1U, 0U}) {
    write(5, false);
    const std::string part = part_of_fields();
    std::string file = contents(part);
    std::vector<PlainRecord> records = plain_records(file);
    std::erase_if(records, [](const PlainRecord& record) { return record.type != "scidac-binary-data"; });
    file[records[damaged].offset + 1000] ^= 1;
    put_contents(part, file);
    const RepairReport report = repair_multifile(part);
    // What a sound one follows stays, so that the others keep their places.
    EXPECT_EQ(report.fields, damaged == 1 ? 1U : 2U);
    ASSERT_EQ(report.lost.size(), 1U);
    EXPECT_EQ(report.lost[0].field, damaged == 1 ? "b" : "a");
    const MultifileReader reader(path_);
    EXPECT_EQ(reader.fields().size(), damaged == 1 ? 1U : 2U);
    if (damaged == 1) {
      EXPECT_LT(contents(fields_).size(), records[1].offset);
      EXPECT_TRUE(has_gauge(reader, "a", Grid(set_lattice), 5));
      EXPECT_TRUE(verify_multifile(path_).is_sound());
    } else {
      EXPECT_TRUE(has_gauge(reader, "b", Grid(set_lattice), 6));
      EXPECT_EQ(error_of([&] { has_gauge(reader, "a", Grid(set_lattice), 5); }).code(), Code::checksum_mismatch);
    }
    for (const std::string& one : files_in(directory_.path())) fs::remove(directory_ / one);
  }
}

// One rank cannot give its sites: an error on all ranks, and the set goes on without the field.
// None of its own was finished: those next to it are of nobody, and would be in the way of fields that are added.
TEST_F(DamagedFields, OfASetThatRepairReplacesAreRemoved) {
  write(0);
  write(5, false, 1, 1);
  const std::string part = part_of_fields(), file = contents(part);
  std::vector<PlainRecord> records = plain_records(file);
  std::erase_if(records, [](const PlainRecord& record) { return record.type != "scidac-binary-data"; });
  put_contents(part, file.substr(0, records.at(0).offset + 1000));
  const RepairReport report = repair_multifile(part, {.overwrite = true});
  EXPECT_EQ(report.path, path_);
  EXPECT_EQ(report.fields, 0U);
  EXPECT_FALSE(fs::exists(fields_));
  expect_streams(path_);
  testing::run_ranks(2, [&](std::shared_ptr<comm::Comm> comm) {
    MultifileWriter writer = MultifileWriter::append(path_, Communicator(comm));
    put_gauge(writer, "new", grid(comm, {1, 2, 1, 1}), 3);
    writer.close();
  });
  EXPECT_TRUE(has_gauge(MultifileReader(path_), "new", Grid(set_lattice), 3));
}

TEST_F(DamagedFields, AFieldThatFailsIsLeftOut) {
  testing::run_ranks(2, [&](std::shared_ptr<comm::Comm> comm) {
    MultifileWriter writer(path_, Communicator(comm));
    const Grid dealt = grid(comm, {1, 2, 1, 1}), longer = grid(comm, {1, 2, 1, 1}, {4, 6, 2, 64});
    put_stream(writer);
    put_gauge(writer, "a", dealt, 0);
    const Field broken = gauge_from<double>([&](const Coord& x, std::span<double, gauge_numbers> site) {
      if (x == Coord{1, 4, 1, 40}) throw Error(Code::io, "no such site");
      std::ranges::fill(site, 1.0);
    });
    const Error error = error_of([&] { writer.write_field("b", longer, broken); });
    EXPECT_EQ(error.code(), Code::io) << error.what();
    put_gauge(writer, "b", dealt, 1);
    EXPECT_NE(error_of([&] { writer.write_field("c", longer, broken); }).code(), Code::ok);
    writer.close();
  });
  expect_both(0);
  expect_streams(path_);
}

// Whatever a byte is changed to: an error or the right numbers, streams as they were.
TEST_F(DamagedFields, DamageAnywhereIsNeverDeliveredAsGood) {
  write(0);
  const std::string good = contents(fields_);
  for (std::size_t at = 0; at < good.size(); at += at % 55000 < 6000 ? 37 : 4999) {
    SCOPED_TRACE(at);
    for (const char damage : {'\x01', '\x80'}) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ damage);
      put_contents(fields_, bad);
      const MultifileReader reader(path_);
      EXPECT_EQ(reader.tasks(), 2);
      for (const std::string& name : {std::string("a"), std::string("b")}) {
        bool is_right = true;
        error_of([&] { is_right = has_gauge(reader, name, Grid(set_lattice), name == "a" ? 0 : 1); });
        EXPECT_TRUE(is_right) << name;
      }
      verify_multifile(path_);
    }
  }
}

}  // namespace
}  // namespace lq
