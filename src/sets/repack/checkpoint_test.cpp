// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Checkpoints rewritten: what they hold travels with them.
#include <limequat/repack.hpp>

#include <gtest/gtest.h>

#include <limequat/error.hpp>
#include <limequat/file.hpp>
#include <limequat/inspect.hpp>

#include "support/error_of.hpp"
#include "support/field_sets.hpp"
#include "support/findings.hpp"

namespace lq {
namespace {

namespace fs = std::filesystem;
using testing::contents;
using testing::count_of;
using testing::error_of;
using testing::files_in;
using testing::plain_records;
using testing::PlainRecord;
using testing::put_contents;
using testing::stream_bytes;

const Extents& lattice = testing::set_lattice;

class WrittenAnew : public testing::FieldSets {
 protected:
  // As FieldSets::write(), with a third field on another lattice.
  void write_three(int files = 1, Compression compression = Compression::none) {
    testing::run_ranks(2, [&](std::shared_ptr<comm::Comm> comm) {
      MultifileOptions options;
      options.files = files;
      options.compression = compression;
      MultifileWriter writer(path_, Communicator(comm), options);
      put_stream(writer);
      put_gauge(writer, "a", grid(comm, {1, 2, 1, 1}), 0);
      put_gauge(writer, "b", grid(comm, {1, 2, 1, 1}), 1);
      put_gauge(writer, "c", grid(comm, {1, 2, 1, 1}, other_lattice_), 2, {.metadata = {{"note", "of my own"}}});
      writer.close();
    });
  }

  void expect_three(const std::string& path) {
    const MultifileReader reader(path);
    ASSERT_EQ(reader.fields().size(), 3U);
    EXPECT_TRUE(has_gauge(reader, "a", Grid(lattice), 0));
    EXPECT_TRUE(has_gauge(reader, "b", Grid(lattice), 1));
    EXPECT_TRUE(has_gauge(reader, "c", Grid(other_lattice_), 2));
    EXPECT_EQ(reader.fields()[2].metadata.back(), Metadata::value_type("note", "of my own"));
    expect_streams(path);
    const MultifileCheck check = verify_multifile(path);
    EXPECT_TRUE(check.is_sound());
    EXPECT_EQ(check.fields_checked, 3U);
    EXPECT_TRUE(verify(path).ok);
  }

  // The bytes of the old file, except for the digits of the generation in the notes.
  void expect_same_fields(const std::string& from, const std::string& to) {
    std::string expected = contents(from + ".fields");
    const std::string before = MultifileReader(from).info().generation, after = MultifileReader(to).info().generation;
    EXPECT_NE(before, after);
    std::size_t notes = 0;
    for (const PlainRecord& record : plain_records(expected)) {
      if (record.type != "limequat-checkpoint") continue;
      ++notes;
      EXPECT_EQ(expected.substr(record.offset, 58), "version = 1\ngeneration = " + before + "\n");
      expected.replace(record.offset + 25, 32, after);
    }
    EXPECT_EQ(notes, 3U);
    EXPECT_TRUE(contents(to + ".fields") == expected);
  }

  std::string place_of_data(const std::string& field) {
    std::string file = contents(fields_);
    std::vector<PlainRecord> records = plain_records(file);
    std::erase_if(records, [](const PlainRecord& record) { return record.type != "scidac-binary-data"; });
    file[records[static_cast<std::size_t>(field[0] - 'a')].offset + 100] ^= 1;
    return file;
  }

  const Extents other_lattice_{6, 4, 2, 2};
  std::string to_ = directory_ / "new.sion";
};

TEST_F(WrittenAnew, ASetKeepsFieldsRecordsAndChecksums) {
  for (const int files : {1, 2}) {
    for (const bool in_one : {true, false}) {
      SCOPED_TRACE(::testing::Message() << files << " files, " << (in_one ? "defragmented" : "rewritten"));
      write_three(files);
      const RepackReport report = in_one ? defragment(path_, to_) : rewrite(path_, to_);
      EXPECT_TRUE(report.findings.empty());
      EXPECT_EQ(report.fields, 3U);
      EXPECT_EQ(report.bytes, 10000U);
      EXPECT_EQ(report.files.size(), in_one || files == 1 ? 2U : 3U);
      std::uint64_t bytes = 0;
      for (const std::string& file : report.files) bytes += fs::file_size(file);
      EXPECT_EQ(report.file_bytes, bytes);
      expect_three(to_);
      expect_same_fields(path_, to_);
      const MultifileInfo info = MultifileReader(to_).info();
      EXPECT_TRUE(info.has_records && info.has_checksums);
      EXPECT_EQ(info.chunks, 2U);
      for (const std::string& file : files_in(directory_.path())) fs::remove(directory_ / file);
    }
  }
}

TEST_F(WrittenAnew, ASetCanBeGoneOnWith) {
  write_three();
  defragment(path_, to_);
  {
    MultifileWriter writer = MultifileWriter::append(to_, {}, {.streams = 3});
    writer.stream(1).write(stream_bytes(1, 5000, 700));
    writer.stream(2).write(stream_bytes(2, 0, 5000));
    put_gauge(writer, "d", Grid(lattice), 3);
    writer.close();
  }
  const MultifileReader reader(to_);
  EXPECT_EQ(reader.task(1).read_all(), stream_bytes(1, 0, 5700));
  EXPECT_EQ(reader.task(2).read_all(), stream_bytes(2, 0, 5000));
  EXPECT_TRUE(has_gauge(reader, "a", Grid(lattice), 0));
  EXPECT_TRUE(has_gauge(reader, "d", Grid(lattice), 3));
  EXPECT_TRUE(verify_multifile(to_).is_sound());
}

TEST_F(WrittenAnew, CompressionIsKeptOrChanged) {
  for (const Compression from : {Compression::none, Compression::lz4, Compression::zstd}) {
    for (const std::optional<Compression> wish :
         {std::optional<Compression>(), std::optional(Compression::none), std::optional(Compression::zstd)}) {
      if (!is_available(from) || (wish && !is_available(*wish))) continue;
      write_three(1, from);
      defragment(path_, to_, {.compression = wish});
      EXPECT_EQ(MultifileReader(to_).info().compression, wish.value_or(from));
      expect_three(to_);
      for (const std::string& file : files_in(directory_.path())) fs::remove(directory_ / file);
    }
  }
}

TEST_F(WrittenAnew, PlainlyItLeavesFieldsBehindAndSaysWhere) {
  write_three(1, is_available(Compression::zstd) ? Compression::zstd : Compression::none);
  const RepackReport report = defragment(path_, to_, {.checkpoint = false});
  EXPECT_EQ(count_of(report.findings, "records-left-behind"), 1U);
  ASSERT_EQ(count_of(report.findings, "fields-left-behind"), 1U);
  EXPECT_NE(report.findings.back().message.find(fields_), std::string::npos);
  EXPECT_FALSE(fs::exists(to_ + ".fields"));
  EXPECT_FALSE(MultifileReader(to_).info().has_records);
  expect_streams(to_);
}

TEST_F(WrittenAnew, DamagedFieldsAreLeftOutAndNamed) {
  write_three();
  put_contents(fields_, place_of_data("b"));
  for (const bool in_one : {true, false}) {
    const RepackReport report =
        in_one ? defragment(path_, to_, {.overwrite = true}) : rewrite(path_, to_, {.overwrite = true});
    ASSERT_EQ(report.findings.size(), 1U);
    EXPECT_EQ(report.findings[0].severity, Severity::error);
    EXPECT_EQ(report.findings[0].code, Code::checksum_mismatch);
    EXPECT_EQ(report.findings[0].record, "b");
    EXPECT_EQ(report.fields, 2U);
    const MultifileReader reader(to_);
    ASSERT_EQ(reader.fields().size(), 2U);
    EXPECT_TRUE(has_gauge(reader, "a", Grid(lattice), 0));
    EXPECT_TRUE(has_gauge(reader, "c", Grid(other_lattice_), 2));
    EXPECT_FALSE(verify_multifile(to_).is_sound());  // it remembers what it lost
  }
}

TEST_F(WrittenAnew, TheFirstOfItsLatticeMayBeTheOneThatIsDamaged) {
  write_three();
  put_contents(fields_, place_of_data("a"));
  EXPECT_EQ(defragment(path_, to_).fields, 2U);
  const MultifileReader reader(to_);
  EXPECT_TRUE(has_gauge(reader, "b", Grid(lattice), 1));
  EXPECT_TRUE(has_gauge(reader, "c", Grid(other_lattice_), 2));
}

TEST_F(WrittenAnew, MissingFieldsAreToldAndStreamsTravel) {
  write_three();
  const std::string whole = contents(fields_);
  fs::remove(fields_);
  EXPECT_EQ(count_of(defragment(path_, to_).findings, "repack-lost-field"), 1U);
  expect_streams(to_);
  EXPECT_EQ(MultifileReader(to_).info().fields, 0U);
  EXPECT_FALSE(verify_multifile(to_).is_sound());
  put_contents(fields_, whole.substr(0, whole.size() - 2000));
  const RepackReport report = defragment(path_, to_, {.overwrite = true});
  ASSERT_EQ(count_of(report.findings, "repack-lost-field"), 1U);
  EXPECT_EQ(report.findings[0].record, "c");
  EXPECT_EQ(MultifileReader(to_).info().fields, 2U);
  EXPECT_FALSE(verify_multifile(to_).is_sound());
}

TEST_F(WrittenAnew, DamageAnywhereIsNeverHandedOnAsGood) {
  write(0);
  const std::string good = contents(fields_);
  for (std::size_t at = 0; at < good.size(); at += at % 55000 < 6000 ? 97 : 9973) {
    SCOPED_TRACE(at);
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    put_contents(fields_, bad);
    if (error_of([&] { defragment(path_, to_, {.overwrite = true, .sync = Sync::none}); }).code() != Code::ok) continue;
    const MultifileReader reader(to_);
    for (const MultifileField& field : reader.fields()) {
      if (field.name != "a" && field.name != "b") continue;  // the name itself may be the damage
      EXPECT_TRUE(has_gauge(reader, field.name, Grid(lattice), field.name == "a" ? 0 : 1)) << field.name;
    }
    EXPECT_EQ(reader.fields().size(), reader.info().fields);
    expect_streams(to_);
  }
}

TEST_F(WrittenAnew, ReplacesASetWithAllThatBelongedToIt) {
  write(20, true, 2);
  for (const std::string& file : files_in(directory_.path())) {
    fs::rename(directory_ / file, to_ + file.substr(std::string("set.sion").size()));
  }
  write_three();
  EXPECT_EQ(error_of([&] { defragment(path_, to_); }).code(), Code::exists);
  EXPECT_TRUE(fs::exists(to_ + ".000001"));
  defragment(path_, to_, {.overwrite = true});
  expect_three(to_);
  EXPECT_EQ(files_in(directory_.path()),
            (std::vector<std::string>{"new.sion", "new.sion.fields", "set.sion", "set.sion.fields"}));
  defragment(path_, to_, {.overwrite = true, .checkpoint = false});
  EXPECT_EQ(files_in(directory_.path()), (std::vector<std::string>{"new.sion", "set.sion", "set.sion.fields"}));
}

TEST_F(WrittenAnew, NeverReplacesAFileThatOnlyHasTheName) {
  write_three();
  put_contents(to_ + ".fields", "my notes on fields");
  EXPECT_EQ(error_of([&] { defragment(path_, to_, {.overwrite = true}); }).code(), Code::exists);
  EXPECT_EQ(contents(to_ + ".fields"), "my notes on fields");
  EXPECT_EQ(error_of([&] { defragment(path_, fields_, {.overwrite = true}); }).code(), Code::invalid_argument);
  expect_three(path_);
}

TEST_F(WrittenAnew, ADryRunWritesNothing) {
  write_three();
  const RepackReport report = defragment(path_, to_, {.dry_run = true});
  EXPECT_EQ(report.fields, 3U);
  EXPECT_EQ(report.files, (std::vector<std::string>{to_, to_ + ".fields"}));
  EXPECT_EQ(files_in(directory_.path()).size(), 2U);
}

// A field as a file of its own, which other programs read: the messages of the set's file.
TEST_F(WrittenAnew, AFieldIsExtractedAsASciDacFile) {
  write_three();
  const std::string out = directory_ / "c.scidac";
  EXPECT_EQ(extract(path_, "c", 0, out).fields, 1U);
  std::vector<double> values(Grid(other_lattice_).local_volume() * testing::gauge_numbers);
  read(out, Grid(other_lattice_), gauge(values));
  EXPECT_EQ(values, numbers(Grid(other_lattice_), testing::gauge_numbers, 2));
  EXPECT_TRUE(verify(out).ok);
  EXPECT_TRUE(contents(fields_).ends_with(contents(out)));
  const Error error = error_of([&] { extract(path_, "d", 0, directory_ / "d"); });
  EXPECT_EQ(error.code(), Code::no_such_record);
  EXPECT_NE(std::string(error.what()).find("fields: a, b, c"), std::string::npos) << error.what();
  put_contents(fields_, place_of_data("b"));
  EXPECT_EQ(error_of([&] { extract(path_, "b", 0, directory_ / "b"); }).code(), Code::checksum_mismatch);
  EXPECT_FALSE(fs::exists(directory_ / "b"));
}

TEST_F(WrittenAnew, AllIsUnpacked) {
  write_three();
  const std::string folder = directory_ / "folder";
  EXPECT_EQ(unpack(path_, folder).fields, 3U);
  EXPECT_EQ(files_in(folder), (std::vector<std::string>{"a.scidac", "b.scidac", "c.scidac", "task.0", "task.1"}));
  std::vector<double> values(Grid(lattice).local_volume() * testing::gauge_numbers);
  read(folder + "/b.scidac", Grid(lattice), gauge(values));
  EXPECT_EQ(values, numbers(Grid(lattice), testing::gauge_numbers, 1));
  put_contents(fields_, place_of_data("a"));
  const RepackReport report = unpack(path_, folder, {.overwrite = true});
  EXPECT_EQ(count_of(report.findings, "repack-lost-field"), 1U);
  EXPECT_EQ(report.fields, 2U);
}

// One of three physical files is lost for good: a new set has the streams of the others and says what is missing.
TEST_F(WrittenAnew, ASetWithoutOneOfItsFilesKeepsTheOtherStreams) {
  for (const Compression compression : {Compression::none, Compression::lz4}) {
    for (const int missing : {0, 1, 2}) {
      testing::run_ranks(3, [&](std::shared_ptr<comm::Comm> comm) {
        MultifileOptions how{.files = 3, .compression = compression, .overwrite = true};
        MultifileWriter writer(path_, Communicator(std::move(comm)), how);
        const auto task = static_cast<std::uint64_t>(writer.stream().task());
        writer.write(stream_bytes(task, 0, 5000 + task));
        writer.close();
      });
      const std::string lost = path_ + (missing == 0 ? "" : ".00000" + std::to_string(missing));
      fs::remove(lost);
      EXPECT_EQ(error_of([&] { repair(path_, ""); }).code(), Code::invalid_argument);
      const std::string there = path_ + (missing == 0 ? ".000001" : "");
      const std::string folder = directory_ / "streams";
      const RepackReport unpacked = unpack(there, folder, {.overwrite = true});
      EXPECT_EQ(unpacked.tasks, 2U);
      EXPECT_EQ(count_of(unpacked.findings, "sion-set-missing"), 1U);
      for (int task = 0; task < 3; ++task) {
        const std::string type = "task." + std::to_string(task);
        const auto number = static_cast<std::uint64_t>(task);
        const std::vector<std::byte> written = stream_bytes(number, 0, 5000 + number);
        std::vector<std::byte> found;
        const auto read = [&] {
          read_record(there, type, 0, [&](const void* data, std::uint64_t bytes) {
            const auto* const begin = static_cast<const std::byte*>(data);
            found.insert(found.end(), begin, begin + bytes);
          });
        };
        if (task == missing) {
          const Error error = error_of(read);
          EXPECT_EQ(error.code(), Code::no_such_record);
          EXPECT_NE(std::string(error.what()).find(lost + "\" is missing"), std::string::npos) << error.what();
          EXPECT_FALSE(fs::exists(folder + "/" + type));
        } else {
          read();
          EXPECT_EQ(found, written);
          EXPECT_EQ(contents(folder + "/" + type),
                    std::string(reinterpret_cast<const char*>(written.data()), written.size()));
        }
      }
      fs::remove_all(folder);
      const RepackReport report = repair(path_, to_, {.overwrite = true});
      EXPECT_EQ(report.tasks, 3U);
      EXPECT_EQ(count_of(report.findings, "lost-in-repair"), 1U);
      const MultifileCheck check = verify_multifile(to_);
      ASSERT_EQ(check.damage.size(), 1U);
      EXPECT_EQ(check.damage[0].task, missing);
      const MultifileReader reader(to_);
      for (int task = 0; task < 3; ++task) {
        if (task == missing) {
          EXPECT_EQ(error_of([&] { reader.task(task).read_all(); }).code(), Code::not_found);
        } else {
          const auto number = static_cast<std::uint64_t>(task);
          EXPECT_EQ(reader.task(task).read_all(), stream_bytes(number, 0, 5000 + number));
        }
      }
    }
  }
}

}  // namespace
}  // namespace lq
