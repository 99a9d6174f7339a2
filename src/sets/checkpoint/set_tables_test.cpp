// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sets of several files whose tables several ranks read: any number of readers, writers and files, sets of others, and
// sets that are damaged, against what one process finds.
#include "sets/checkpoint/set_tables.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <sstream>

#include "format/sion/head.hpp"
#include "format/sion/set.hpp"
#include "kernels/crc32.hpp"
#include "sets/checkpoint/closing.hpp"
#include "sets/checkpoint/new_set.hpp"
#include "sets/checkpoint/open_set.hpp"
#include "support/error_of.hpp"
#include "support/streams.hpp"
#include "support/thread_comm.hpp"

namespace lq::sets {
namespace {

namespace sion = format::sion;
using testing::error_of;
using testing::first_wrong;
using testing::stream_bytes;

constexpr const char* set_path = "set";

// How many bytes each task writes.
using SizeOf = std::function<std::uint64_t(std::uint64_t task)>;

// Rank r has 1 + r % most_streams tasks.
void write_set(storage::Transport& transport, int writers, int files, const SizeOf& size_of, int most_streams = 1,
               Compression compression = Compression::none) {
  testing::run_ranks(writers, [&](std::shared_ptr<comm::Comm> comm) {
    MultifileOptions options;
    options.files = files;
    options.streams = 1 + comm->rank() % most_streams;
    options.expected_bytes = 1;
    options.buffer_bytes = 500;
    options.compression = compression;
    options.overwrite = true;
    const auto set = create_set(transport, set_path, Communicator(std::move(comm)), options);
    for (const auto& stream : set->streams()) {
      const auto task = static_cast<std::uint64_t>(stream->task());
      for (std::uint64_t at = 0; at < size_of(task); at += 400) {
        stream->write(stream_bytes(task, at, std::min<std::uint64_t>(400, size_of(task) - at)));
      }
    }
    set->close();
  });
}

// Dealt tasks are all tasks once, windows all bytes once, and the numbers are those of one process.
void expect_streams(storage::Transport& transport, int readers, const SizeOf& size_of, std::uint64_t unit) {
  SCOPED_TRACE(::testing::Message() << readers << " readers, unit " << unit);
  const auto opened = OpenSet::open(transport, set_path, {}, {});
  const OpenSet& alone = *opened;
  const auto tasks = static_cast<std::uint64_t>(alone.info().tasks);
  std::vector<std::byte> all;
  for (std::uint64_t task = 0; task < tasks; ++task) {
    const auto more = stream_bytes(task, 0, size_of(task));
    all.insert(all.end(), more.begin(), more.end());
  }
  EXPECT_EQ(alone.info().bytes, all.size());
  std::vector<std::byte> joined(all.size());
  std::vector<int> seen(tasks);
  testing::run_ranks(readers, [&](std::shared_ptr<comm::Comm> comm) {
    const auto dealt = OpenSet::open(transport, set_path, Communicator(std::move(comm)), {.record_bytes = unit});
    const OpenSet& set = *dealt;
    const MultifileInfo &info = set.info(), &expected = alone.info();
    EXPECT_EQ(std::tie(info.tasks, info.bytes, info.stored_bytes, info.chunks, info.files, info.generation),
              std::tie(expected.tasks, expected.bytes, expected.stored_bytes, expected.chunks, expected.files,
                       expected.generation));
    EXPECT_EQ(std::tie(info.has_records, info.has_checksums, info.compression, info.path),
              std::tie(expected.has_records, expected.has_checksums, expected.compression, expected.path));
    for (std::size_t i = 0; i < set.share().dealt.size(); ++i) {
      const std::uint64_t task = static_cast<std::uint64_t>(set.share().first) + i;
      std::vector<std::byte> bytes(size_of(task) + 1);
      ASSERT_EQ(set.task(static_cast<std::int64_t>(task))->read_at(0, bytes), size_of(task));
      bytes.pop_back();
      EXPECT_EQ(first_wrong(bytes, task), bytes.size()) << task;
      ++seen[task];
    }
    const auto window = set.window();
    ASSERT_EQ(window->size(), set.share().window_bytes);
    ASSERT_LE(set.share().window_begin + window->size(), joined.size());
    const auto place = std::span(joined).subspan(set.share().window_begin, window->size());
    for (std::size_t at = 0; at < place.size();) {
      const std::size_t got = window->read_at(at, place.subspan(at));
      ASSERT_GT(got, 0u);
      at += got;
    }
  });
  EXPECT_EQ(seen, std::vector<int>(tasks, 1));
  EXPECT_TRUE(joined == all);
}

struct Pattern {
  const char* name;
  SizeOf size_of;
};

const Pattern patterns[] = {
    {"alike", [](std::uint64_t) { return 600U; }},
    {"mixed", [](std::uint64_t task) { return (task * task + 1) % 5 * 771; }},
    {"nothing", [](std::uint64_t) { return 0U; }},
    {"first alone", [](std::uint64_t task) { return task == 0 ? 40'000U : 0U; }},
    {"fifth alone", [](std::uint64_t task) { return task == 4 ? 30'001U : 0U; }},
    {"more and more", [](std::uint64_t task) { return 90 * task * task; }},
    {"a byte here and there", [](std::uint64_t task) { return task % 4 == 2 ? 1U : 0U; }},
};

class AnyNumber : public ::testing::TestWithParam<Pattern> {};

TEST_P(AnyNumber, OfReadersWritersAndFilesGivesEveryTaskAndByteOnce) {
  const SizeOf& size_of = GetParam().size_of;
  for (const auto& [writers, files, most_streams] :
       {std::array{2, 2, 1}, {5, 2, 1}, {7, 3, 3}, {8, 8, 1}, {12, 5, 2}, {16, 4, 1}, {24, 24, 4}}) {
    SCOPED_TRACE(::testing::Message() << writers << " writers, " << files << " files, up to " << most_streams);
    const auto transport = storage::make_memory();
    write_set(*transport, writers, files, size_of, most_streams);
    for (const int readers : {1, 2, 3, 4, 7, 8, 16, 33}) {
      expect_streams(*transport, readers, size_of, readers % 2 == 0 ? 1 : 56);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Streams, AnyNumber, ::testing::ValuesIn(patterns), [](const auto& pattern) {
  std::string name;
  std::istringstream words(pattern.param.name);
  for (std::string word; words >> word;) name += static_cast<char>(std::toupper(word[0])) + word.substr(1);
  return name;
});

TEST(CompressedSets, HaveWindowsOfWhatWasWritten) {
  for (const int files : {2, 5}) {
    const auto transport = storage::make_memory();
    write_set(*transport, 9, files, patterns[1].size_of, 2, Compression::lz4);
    for (const int readers : {2, 5, 11}) expect_streams(*transport, readers, patterns[1].size_of, 24);
  }
}

// Which ranks read tables: each file one, as many as there can be.
TEST(Readers, AreManyAndHaveFewFilesEach) {
  for (std::size_t files = 1; files < 40; ++files) {
    const Parts parts{std::vector<std::uint64_t>(files + 1), std::vector<std::uint64_t>(files + 1)};
    for (int ranks = 1; ranks < 40; ++ranks) {
      std::vector<std::size_t> of_rank(static_cast<std::size_t>(ranks));
      int before = 0;
      for (std::size_t file = 0; file < files; ++file) {
        const int reader = parts.reader(file, ranks);
        ASSERT_GE(reader, before);
        ASSERT_LT(reader, ranks);
        before = reader;
        ++of_rank[static_cast<std::size_t>(reader)];
      }
      const std::size_t most = (files + of_rank.size() - 1) / of_rank.size();
      EXPECT_LE(*std::ranges::max_element(of_rank), most) << files << " files, " << ranks << " ranks";
    }
  }
}

// As another program writes it: ranks[file] are the tasks of each file.
void write_foreign(storage::Transport& transport, const std::vector<std::vector<std::int64_t>>& ranks) {
  constexpr std::int64_t width = 1024;
  std::map<std::int64_t, sion::Place> places;
  for (std::size_t file = 0; file < ranks.size(); ++file) {
    for (std::size_t task = 0; task < ranks[file].size(); ++task) {
      places[ranks[file][task]] = {static_cast<std::int32_t>(file), static_cast<std::int32_t>(task)};
    }
  }
  for (std::size_t number = 0; number < ranks.size(); ++number) {
    sion::Head head;
    head.tasks = static_cast<std::int32_t>(ranks[number].size());
    head.files = static_cast<std::int32_t>(ranks.size());
    head.file_number = static_cast<std::int32_t>(number);
    head.block_size = 512;
    head.prefix = set_path;
    head.ranks = ranks[number];
    head.widths.assign(ranks[number].size(), width);
    sion::Tail tail;
    tail.table = sion::ChunkTable(std::vector<std::uint64_t>(ranks[number].size(), 1));
    if (number == 0) tail.map.emplace();
    for (const auto& [rank, place] : places) {
      if (number == 0) tail.map->push_back(place);
    }
    const sion::Geometry geometry(head, set_path);
    head.max_chunks = 1;
    head.tail_offset = static_cast<std::int64_t>(geometry.tail_offset(1));
    const auto file = transport.create(sion::file_name(set_path, head.file_number));
    file->write_at(0, sion::encode(head));
    for (std::int32_t task = 0; task < head.tasks; ++task) {
      const auto number_in_set = static_cast<std::uint64_t>(ranks[number][static_cast<std::size_t>(task)]);
      const std::vector<std::byte> bytes = stream_bytes(number_in_set, 0, patterns[1].size_of(number_in_set) % 1000);
      file->write_at(geometry.start(task), bytes);
      tail.table.used(task)[0] = static_cast<std::int64_t>(bytes.size());
    }
    auto at = static_cast<std::uint64_t>(head.tail_offset);
    sion::encode(tail, head.metadata_order, [&](base::Bytes bytes) {
      file->write_at(at, bytes);
      at += bytes.size();
    });
  }
}

TEST(SetsOfOthers, AreReadInWhateverOrderTheirTasksLie) {
  const std::vector<std::vector<std::vector<std::int64_t>>> sets = {
      {{0, 1, 2}, {3, 4}, {5, 6, 7, 8}},       // contiguous
      {{0, 2, 4, 6, 8}, {1, 3, 5, 7}},         // dealt out in turn
      {{4, 3, 2, 1, 0}, {5, 6, 7, 8}},         // back to front
      {{5, 6, 7, 8}, {0, 1, 2, 3, 4}},         // the later ones first
      {{0}, {1}, {2, 3}, {4, 5, 6, 8}, {7}}};  // except for one
  for (const auto& ranks : sets) {
    const auto transport = storage::make_memory();
    write_foreign(*transport, ranks);
    for (const int readers : {1, 2, 3, 6, 12}) {
      expect_streams(
          *transport, readers, [](std::uint64_t task) { return patterns[1].size_of(task) % 1000; }, 7);
    }
  }
}

TEST(SetsThatHaveGrown, AreReadByAnyNumberOfRanks) {
  const auto transport = storage::make_memory();
  write_set(*transport, 5, 2, patterns[1].size_of);
  testing::run_ranks(8, [&](std::shared_ptr<comm::Comm> comm) {
    const auto set = append_to_set(*transport, set_path, Communicator(std::move(comm)), {});
    StreamWriter& stream = *set->streams().front();
    stream.write(stream_bytes(static_cast<std::uint64_t>(stream.task()), stream.size(), 1234));
    set->close();
  });
  for (const int readers : {1, 2, 3, 8, 20}) {
    expect_streams(
        *transport, readers, [](std::uint64_t task) { return (task < 5 ? patterns[1].size_of(task) : 0) + 1234; }, 10);
  }
}

class Damaged : public ::testing::Test {
 protected:
  void SetUp() override {
    transport_ = storage::make_memory();
    write_set(*transport_, 6, 3, patterns[1].size_of);
  }

  void flip(const std::string& name, std::uint64_t offset) {
    const auto file = transport_->open_write(name);
    std::array<std::byte, 1> byte{};
    ASSERT_EQ(file->read_at(offset, byte), 1u);
    byte[0] ^= std::byte{0x10};
    file->write_at(offset, byte);
  }

  // The same outcome for 2 and 5 ranks as for one, and on all ranks the same.
  Code expect_same_outcome() {
    std::uint64_t bytes = 0;
    const Error alone = error_of([&] { bytes = OpenSet::open(*transport_, set_path, {}, {})->info().bytes; });
    for (const int ranks : {2, 5}) {
      const auto outcomes = testing::outcomes_of_ranks(ranks, [&](std::shared_ptr<comm::Comm> comm) {
        EXPECT_EQ(OpenSet::open(*transport_, set_path, Communicator(std::move(comm)), {})->info().bytes, bytes);
      });
      for (const std::exception_ptr& outcome : outcomes) {
        const Error one = error_of([&] {
          if (outcome) std::rethrow_exception(outcome);
        });
        EXPECT_EQ(one.code(), alone.code()) << one.what() << " instead of " << alone.what();
        const std::string expected = alone.code() == Code::ok ? "" : std::string(alone.what()) + " (rank 0)";
        EXPECT_EQ(alone.code() == Code::ok ? "" : std::string(one.what()), expected);
      }
    }
    return alone.code();
  }

  std::shared_ptr<storage::Transport> transport_;
};

TEST_F(Damaged, TablesOfAnyFileAreTheSameErrorOnAllRanks) {
  for (const int number : {0, 1, 2}) {
    const std::string name = sion::file_name(set_path, number);
    const std::uint64_t size = transport_->open_read(name)->size();
    int refused = 0;
    // The header up to its name, tables and record; and what is after the chunks.
    std::vector<std::uint64_t> offsets(52);
    std::iota(offsets.begin(), offsets.end(), 0);
    for (std::uint64_t at = sion::ranks_offset(); at < sion::head_bytes(2) + record_bytes; ++at) offsets.push_back(at);
    for (std::uint64_t at = size - record_bytes - 60; at < size; ++at) offsets.push_back(at);
    for (const std::uint64_t offset : offsets) {
      SCOPED_TRACE(::testing::Message() << name << ", byte " << offset);
      flip(name, offset);
      refused += expect_same_outcome() == Code::ok ? 0 : 1;
      flip(name, offset);
      if (HasFailure()) return;
    }
    EXPECT_GT(refused, 150);
  }
  EXPECT_EQ(expect_same_outcome(), Code::ok);
}

// With checksums that agree: their sum would pass the largest number and begin again.
TEST_F(Damaged, StreamsLongerThanTheirChunksCanHoldAreTheSameErrorOnAllRanks) {
  write_set(*transport_, 6, 3, patterns[1].size_of, 1, Compression::lz4);
  ASSERT_EQ(expect_same_outcome(), Code::ok);
  const auto file = transport_->open_write("set.000001");
  std::array<std::byte, record_bytes + 16> bytes{};  // with the sizes of two streams
  const std::uint64_t offset = file->size() - bytes.size();
  ASSERT_EQ(file->read_at(offset, bytes), bytes.size());
  TailRecord record = *decode_tail_record(bytes);
  const std::array<std::uint64_t, 2> sizes{0 - std::uint64_t{700}, 771};
  record.sizes = kernels::crc32(0, std::as_bytes(std::span(sizes)));
  file->write_at(offset, encode(record));
  file->write_at(offset + record_bytes, std::as_bytes(std::span(sizes)));
  EXPECT_EQ(expect_same_outcome(), Code::malformed);
}

TEST_F(Damaged, SetsWithoutAFileOrWithAFileOfAnotherAreTheSameErrorOnAllRanks) {
  for (const int number : {0, 1, 2}) {
    const std::string name = sion::file_name(set_path, number);
    transport_->rename(name, "away");
    EXPECT_EQ(expect_same_outcome(), Code::not_found);
    transport_->rename("away", name);
  }
  transport_->rename("set.000001", "away");
  transport_->rename("set.000002", "set.000001");
  EXPECT_EQ(expect_same_outcome(), Code::malformed);
  transport_->rename("set.000001", "set.000002");
  const auto other = std::move(transport_);
  transport_ = storage::make_memory();
  write_set(*transport_, 6, 3, patterns[1].size_of);
  const auto from = other->open_read("away");
  std::vector<std::byte> bytes(from->size());
  from->read_at(0, bytes);
  transport_->create("foreign")->write_at(0, bytes);
  transport_->rename("set.000001", "away");
  transport_->rename("foreign", "set.000001");
  EXPECT_EQ(expect_same_outcome(), Code::malformed);
}

TEST_F(Damaged, SetsThatAreGoneOnWithAreTheSameErrorOnAllRanks) {
  const auto open = append_to_set(*transport_, set_path, {}, {});
  EXPECT_EQ(expect_same_outcome(), Code::truncated);
  open->close();
  EXPECT_EQ(expect_same_outcome(), Code::ok);
}

// The new files have their names, except for the first, which has the last word.
TEST_F(Damaged, SetsWhoseFilesDoNotAllHaveTheirNamesAreReadAllTheSame) {
  const auto older = transport_->open_read(set_path);
  std::vector<std::byte> bytes(older->size());
  older->read_at(0, bytes);
  write_set(*transport_, 6, 3, patterns[0].size_of);
  const Generation generation = *generation_at(*transport_, set_path);
  transport_->rename(set_path, part_name(set_path, generation));
  transport_->create(set_path)->write_at(0, bytes);
  for (const int readers : {1, 2, 3, 8}) expect_streams(*transport_, readers, patterns[0].size_of, 1);
  EXPECT_EQ(expect_same_outcome(), Code::ok);
}

}  // namespace
}  // namespace lq::sets
