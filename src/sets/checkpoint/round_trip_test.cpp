// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Streams written by some ranks and read by others.
#include <gtest/gtest.h>
#include <limequat/error.hpp>
#include <limequat/inspect.hpp>
#include <limequat/multifile.hpp>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <ostream>
#include <string>
#include <thread>

#include "sets/checkpoint/new_set.hpp"
#include "sets/checkpoint/open_set.hpp"
#include "sets/checkpoint/repair.hpp"
#include "storage/forwarding.hpp"
#include "support/error_of.hpp"
#include "support/scratch_directory.hpp"
#include "support/streams.hpp"
#include "support/thread_comm.hpp"

namespace lq {
namespace {

using testing::error_of;
using testing::first_wrong;
using testing::stream_bytes;

struct Shape {
  int writers;
  int files;
  Compression compression;
};

// Different for each task, some empty, some of many chunks; the narrowest chunks there are.
std::uint64_t size_of(std::int64_t task) { return static_cast<std::uint64_t>((task * task + 1) % 5) * 3001; }

void write_set(const std::string& path, const Shape& shape, bool overwrite = false) {
  testing::run_ranks(shape.writers, [&](std::shared_ptr<comm::Comm> comm) {
    MultifileOptions options;
    options.streams = 1 + comm->rank() % 2;
    options.expected_bytes = 1;
    options.files = shape.files;
    options.compression = shape.compression;
    options.buffer_bytes = 700;
    options.overwrite = overwrite;
    MultifileWriter writer(path, Communicator(std::move(comm)), options);
    for (std::size_t i = 0; i < writer.streams(); ++i) {
      OutStream& stream = writer.stream(i);
      const auto task = static_cast<std::uint64_t>(stream.task());
      const std::uint64_t end = size_of(stream.task());
      for (std::uint64_t at = 0, step = 56; at < end; at += step, step = step * 3 % 2011 + 1) {
        stream.write(stream_bytes(task, at, std::min(step, end - at)));
      }
      EXPECT_EQ(stream.size(), end);
    }
    writer.close();
  });
}

std::int64_t tasks_of(int writers) { return writers + writers / 2; }

class RoundTrip : public ::testing::TestWithParam<Shape> {
 protected:
  testing::ScratchDirectory directory_;
  std::string path_ = directory_ / "set.sion";
};

TEST_P(RoundTrip, GivesEveryTaskItsBytesOnAnyNumberOfRanks) {
  write_set(path_, GetParam());
  const std::int64_t tasks = tasks_of(GetParam().writers);
  for (const int readers : {1, 2, 3, 5, 8}) {
    std::vector<int> seen(static_cast<std::size_t>(tasks));
    testing::run_ranks(readers, [&](std::shared_ptr<comm::Comm> comm) {
      const MultifileReader reader(path_, Communicator(std::move(comm)));
      EXPECT_EQ(reader.tasks(), tasks);
      EXPECT_EQ(reader.info().compression, GetParam().compression);
      for (std::int64_t task = reader.first_task(); task < reader.first_task() + reader.local_tasks(); ++task) {
        const std::vector<std::byte> bytes = reader.task(task).read_all();
        EXPECT_EQ(bytes.size(), size_of(task)) << task;
        EXPECT_EQ(reader.size(task), size_of(task));
        EXPECT_EQ(first_wrong(bytes, static_cast<std::uint64_t>(task)), bytes.size()) << task;
        ++seen[static_cast<std::size_t>(task)];
      }
    });
    EXPECT_EQ(seen, std::vector<int>(static_cast<std::size_t>(tasks), 1));
  }
}

TEST_P(RoundTrip, WindowsMakeTheOneStreamOfAllTasks) {
  write_set(path_, GetParam());
  std::vector<std::byte> all;
  for (std::int64_t task = 0; task < tasks_of(GetParam().writers); ++task) {
    const auto more = stream_bytes(static_cast<std::uint64_t>(task), 0, size_of(task));
    all.insert(all.end(), more.begin(), more.end());
  }
  for (const int readers : {1, 2, 3, 7}) {
    for (const std::uint64_t unit : {1U, 56U, 3001U}) {
      std::vector<std::byte> joined(all.size());
      std::atomic<std::uint64_t> covered{0};
      testing::run_ranks(readers, [&](std::shared_ptr<comm::Comm> comm) {
        const bool is_last = comm->rank() + 1 == comm->size();
        const MultifileReader reader(path_, Communicator(std::move(comm)), {.record_bytes = unit});
        InStream window = reader.window();
        EXPECT_EQ(reader.window_begin() % unit, 0u);
        EXPECT_TRUE(is_last || window.size() % unit == 0);
        ASSERT_LE(reader.window_begin() + window.size(), joined.size());
        covered += window.size();
        // In pieces, so that reads begin and end anywhere.
        const auto place = std::span(joined).subspan(reader.window_begin(), window.size());
        for (std::size_t at = 0; at < place.size();)
          at += window.read(place.subspan(at, std::min<std::size_t>(997, place.size() - at)));
      });
      EXPECT_EQ(covered, all.size());
      EXPECT_TRUE(joined == all) << readers << " readers, unit " << unit;
    }
  }
}

TEST_P(RoundTrip, VerifiesAndLeavesNothingBeside) {
  write_set(path_, GetParam());
  const MultifileCheck check = verify_multifile(path_);
  EXPECT_TRUE(check.is_sound());
  EXPECT_GT(check.chunks_checked, 0u);
  EXPECT_EQ(check.info.files.size(), static_cast<std::size_t>(GetParam().files));
  const auto count = std::distance(std::filesystem::directory_iterator(directory_.path()), {});
  EXPECT_EQ(count, GetParam().files);
}

INSTANTIATE_TEST_SUITE_P(Sets, RoundTrip,
                         ::testing::Values(Shape{1, 1, Compression::none}, Shape{2, 1, Compression::none},
                                           Shape{4, 2, Compression::none}, Shape{7, 3, Compression::none},
                                           Shape{8, 8, Compression::none}, Shape{3, 2, Compression::zstd},
                                           Shape{4, 1, Compression::lz4}),
                         [](const auto& set) {
                           return std::to_string(set.param.writers) + "Writers" + std::to_string(set.param.files) +
                                  "Files" + std::string(name(set.param.compression));
                         });

class Streams : public ::testing::Test {
 protected:
  testing::ScratchDirectory directory_;
  std::string path_ = directory_ / "set.sion";
};

TEST_F(Streams, TakeFormattedTextAndGiveLines) {
  {
    MultifileWriter writer(path_);
    std::ostream& text = writer.stream().text();
    for (int step = 0; step < 3000; ++step) text << "step " << step << " energy " << step * 0.5 << '\n';
    text << "no end";
    writer.close();
  }
  InStream stream = MultifileReader(path_).task(0);
  std::string line;
  for (int step = 0; step < 3000; ++step) {
    ASSERT_TRUE(stream.read_line(line));
    std::ostringstream expected;
    expected << "step " << step << " energy " << step * 0.5;
    ASSERT_EQ(line, expected.str());
  }
  EXPECT_TRUE(stream.read_line(line));
  EXPECT_EQ(line, "no end");
  EXPECT_FALSE(stream.read_line(line));
}

TEST_F(Streams, OfOneRankAreWrittenByThreads) {
  MultifileOptions options;
  options.streams = 5;
  MultifileWriter writer(path_, {}, options);
  std::vector<std::thread> threads;
  for (std::uint64_t task = 0; task < 5; ++task) {
    threads.emplace_back([&writer, task] {
      for (std::uint64_t at = 0; at < 3'000'000; at += 60'000) {
        writer.stream(task).write(stream_bytes(task, at, 60'000));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  writer.close();
  const MultifileReader reader(path_);
  for (std::uint64_t task = 0; task < 5; ++task) {
    const auto bytes = reader.task(static_cast<std::int64_t>(task)).read_all();
    EXPECT_EQ(bytes.size(), 3'000'000u);
    EXPECT_EQ(first_wrong(bytes, task), bytes.size());
  }
}

TEST_F(Streams, AreReadFromAnyPlace) {
  for (const Compression compression : {Compression::none, Compression::zstd}) {
    MultifileOptions options;
    options.compression = compression;
    options.buffer_bytes = 1000;
    options.expected_bytes = 1;
    options.overwrite = true;
    MultifileWriter writer(path_, {}, options);
    writer.write(stream_bytes(0, 0, 200'000));
    writer.close();
    InStream stream = MultifileReader(path_).task(0);
    std::vector<std::byte> buffer(5000);
    for (const std::uint64_t position : {199'999U, 0U, 100'000U, 99'000U, 4095U, 3968U, 150'001U, 200'000U}) {
      stream.seek(position);
      const std::size_t got = stream.read(buffer);
      EXPECT_EQ(got, std::min<std::uint64_t>(5000, 200'000 - position));
      EXPECT_EQ(first_wrong(std::span(buffer).first(got), 0, position), got) << position;
    }
    EXPECT_EQ(error_of([&] { stream.seek(200'001); }).code(), Code::invalid_argument);
  }
}

TEST_F(Streams, HoldPlainValues) {
  struct Particle {
    double position[3], velocity[3];
    std::int64_t number;
  };
  static_assert(sizeof(Particle) == 56);
  MultifileWriter writer(path_);
  for (std::int64_t i = 0; i < 1000; ++i) writer.stream().write_value(Particle{{1, 2, 3}, {4, 5, 6}, i});
  writer.stream().write(std::vector<double>{1, 2, 3, 4, 5, 6, 7});
  writer.close();
  InStream stream = MultifileReader(path_).task(0);
  EXPECT_EQ(stream.size(), 1001u * 56);
  Particle particle{};
  for (std::int64_t i = 0; i < 1000; ++i) {
    ASSERT_TRUE(stream.read_value(particle));
    EXPECT_EQ(particle.number, i);
  }
  EXPECT_TRUE(stream.read_value(particle));
  EXPECT_EQ(particle.velocity[2], 6);
  EXPECT_FALSE(stream.read_value(particle));
  stream.seek(stream.size() - 1);
  EXPECT_EQ(error_of([&] { stream.read_value(particle); }).code(), Code::truncated);
}

class Damage : public Streams {
 protected:
  void flip(std::uint64_t offset) {
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(offset));
    const auto byte = static_cast<char>(file.get() ^ 0x10);
    file.seekp(static_cast<std::streamoff>(offset));
    file.put(byte);
  }
};

TEST_F(Damage, IsNamedByFileTaskChunkAndBytes) {
  write_set(path_, {4, 1, Compression::none});
  std::uint64_t found = 0;
  for (std::uint64_t offset = 4096; offset < std::filesystem::file_size(path_) && found < 40; offset += 509) {
    flip(offset);
    std::vector<ChunkDamage> damage;
    const Error error = error_of([&] { damage = verify_multifile(path_).damage; });
    if (error.code() == Code::ok && damage.size() == 1) {
      ++found;
      EXPECT_EQ(damage[0].path, path_);
      const bool in_data = damage[0].offset <= offset && offset < damage[0].offset + damage[0].bytes;
      const bool in_record = offset >= damage[0].offset + 4096 - 128 && offset < damage[0].offset + 4096;
      EXPECT_TRUE(in_data || in_record) << offset;
      // No byte of that chunk is handed out.
      InStream stream = MultifileReader(path_).task(damage[0].task);
      const Error reading = error_of([&] { stream.read_all(); });
      EXPECT_EQ(reading.code(), Code::checksum_mismatch);
      EXPECT_NE(std::string(reading.what())
                    .find("chunk " + std::to_string(damage[0].chunk) + " of task " + std::to_string(damage[0].task)),
                std::string::npos)
          << reading.what();
    } else if (error.code() != Code::ok) {
      EXPECT_EQ(error.code(), Code::malformed) << error.what();  // in the tables after the chunks
    }
    flip(offset);
  }
  EXPECT_GE(found, 5u);
  EXPECT_TRUE(verify_multifile(path_).is_sound());
}

TEST_F(Damage, IsFoundByTheVerificationOfAnyFileOnAllRanks) {
  write_set(path_, {4, 2, Compression::none});
  const std::uint64_t chunks = verify_multifile(path_).chunks_checked;
  const auto verified = [&](bool is_sound) {
    testing::run_ranks(3, [&](std::shared_ptr<comm::Comm> comm) {
      const Verification verification = verify(path_, Communicator(std::move(comm)));
      EXPECT_EQ(verification.ok, is_sound);
      EXPECT_EQ(verification.chunks_checked, is_sound ? chunks : chunks - 1);
      std::vector<Finding> errors = verification.findings;
      std::erase_if(errors, [](const Finding& finding) { return finding.severity != Severity::error; });
      ASSERT_EQ(errors.size(), is_sound ? 0u : 1u);
      if (is_sound) return;
      EXPECT_EQ(errors[0].code, Code::checksum_mismatch);
      EXPECT_EQ(errors[0].rule, "chunk-checksum");
      EXPECT_EQ(errors[0].record, "task.1");
      EXPECT_EQ(errors[0].offset, verify_multifile(path_).damage.at(0).offset);
    });
  };
  verified(true);
  const format::sion::Geometry geometry = sets::find_set(storage::posix(), path_).set.files().front().geometry;
  flip(geometry.start(1) + 1000);  // in the first chunk of a task of 6002 bytes
  verified(false);
}

TEST_F(Damage, OfAnyByteOfTheTablesIsNoticed) {
  write_set(path_, {3, 1, Compression::zstd});
  const std::uint64_t size = std::filesystem::file_size(path_);
  const auto notices = [&](std::uint64_t offset) {
    flip(offset);
    const Error error = error_of([&] {
      if (!verify_multifile(path_).is_sound()) throw Error(Code::checksum_mismatch, "damage");
    });
    flip(offset);
    return error.code() != Code::ok;
  };
  // Ranks, widths, closing bytes and the set record; metadata block 2 and what is after it.
  for (std::uint64_t offset = 1076; offset < 1088 + 16 * 4 + 64; ++offset) EXPECT_TRUE(notices(offset)) << offset;
  for (std::uint64_t offset = size - 64 - 32 - 32; offset < size; ++offset) EXPECT_TRUE(notices(offset)) << offset;
}

TEST_F(Damage, OfASetWithoutChecksumsIsNotLookedFor) {
  MultifileOptions options;
  options.checksums = false;
  MultifileWriter writer(path_, {}, options);
  writer.write(stream_bytes(0, 0, 100'000));
  writer.close();
  const MultifileReader reader(path_);
  EXPECT_FALSE(reader.info().has_checksums);
  EXPECT_EQ(first_wrong(reader.task(0).read_all(), 0), 100'000u);
}

class Refused : public Streams {};

TEST_F(Refused, AreOptionsThatCannotBe) {
  const auto code_of = [&](const MultifileOptions& options) {
    return error_of([&] { MultifileWriter(path_, {}, options); }).code();
  };
  EXPECT_EQ(code_of({.streams = 0}), Code::invalid_argument);
  EXPECT_EQ(code_of({.streams = -1}), Code::invalid_argument);
  EXPECT_EQ(code_of({.files = 2}), Code::invalid_argument);
  EXPECT_EQ(code_of({.files = -1}), Code::invalid_argument);
  EXPECT_EQ(code_of({.compression = Compression::zstd, .level = 1000}), Code::invalid_argument);
  EXPECT_EQ(code_of({.buffer_bytes = 0}), Code::invalid_argument);
  EXPECT_EQ(code_of({.buffer_bytes = 1ULL << 40}), Code::invalid_argument);
  EXPECT_EQ(error_of([] { MultifileWriter("/no/such/folder/set.sion"); }).code(), Code::not_found);
  EXPECT_TRUE(std::filesystem::is_empty(directory_.path()));
}

TEST_F(Refused, IsAnExistingSetUnlessItIsToBeReplaced) {
  write_set(path_, {2, 2, Compression::none});
  EXPECT_EQ(error_of([&] { MultifileWriter writer(path_); }).code(), Code::exists);
  write_set(path_, {1, 1, Compression::none}, true);
  EXPECT_EQ(MultifileReader(path_).tasks(), 1);
  EXPECT_FALSE(std::filesystem::exists(path_ + ".000001")) << "a file of the older set was left";
}

TEST_F(Refused, IsUseBehindTheEnd) {
  MultifileWriter writer(path_);
  EXPECT_EQ(error_of([&] { writer.stream(1); }).code(), Code::invalid_argument);
  writer.close();
  EXPECT_EQ(error_of([&] { writer.close(); }).code(), Code::wrong_state);
  EXPECT_EQ(error_of([&] { writer.discard(); }).code(), Code::wrong_state);
  EXPECT_EQ(error_of([&] { MultifileReader(path_).task(1); }).code(), Code::invalid_argument);
  EXPECT_EQ(error_of([&] { MultifileReader(path_).task(-1); }).code(), Code::invalid_argument);
  EXPECT_EQ(error_of([&] { MultifileReader(path_, {}, {.record_bytes = 0}); }).code(), Code::invalid_argument);
}

TEST_F(Refused, IsDifferenceBetweenRanks) {
  const auto errors = testing::outcomes_of_ranks(3, [&](std::shared_ptr<comm::Comm> comm) {
    MultifileOptions options;
    options.files = comm->rank() == 2 ? 2 : 1;
    MultifileWriter(path_, Communicator(std::move(comm)), options);
  });
  for (const auto& error : errors) {
    ASSERT_NE(error, nullptr);
    EXPECT_EQ(error_of([&] { std::rethrow_exception(error); }).code(), Code::ranks_disagree);
  }
}

// One rank examines the file, and another one opens the name when it refers to another set already.
TEST_F(Streams, OfASetThatIsReplacedWhileItIsOpenedAreThoseOfOneSet) {
  class Replacing final : public storage::ForwardingTransport {
   public:
    Replacing() : ForwardingTransport(storage::posix()) {}
    std::unique_ptr<storage::File> open_read(const std::string& path) override {
      {
        const std::lock_guard lock(mutex_);
        if (first_ == std::thread::id()) first_ = std::this_thread::get_id();
        if (first_ != std::this_thread::get_id() && std::filesystem::exists(path + ".later")) {
          std::filesystem::rename(path + ".later", path);
        }
      }
      return ForwardingTransport::open_read(path);
    }

   private:
    std::mutex mutex_;
    std::thread::id first_;
  };
  write_set(path_, {3, 1, Compression::none});
  write_set(path_ + ".later", {6, 1, Compression::none});
  Replacing replacing;
  const storage::Mount mount(path_, replacing);
  std::atomic<std::int64_t> streams{0};
  testing::run_ranks(2, [&](std::shared_ptr<comm::Comm> comm) {
    const MultifileReader reader(path_, Communicator(std::move(comm)));
    EXPECT_EQ(reader.tasks(), tasks_of(6));
    for (std::int64_t task = reader.first_task(); task < reader.first_task() + reader.local_tasks(); ++task) {
      const std::vector<std::byte> bytes = reader.task(task).read_all();
      EXPECT_EQ(bytes.size(), size_of(task));
      EXPECT_EQ(first_wrong(bytes, static_cast<std::uint64_t>(task)), bytes.size());
      ++streams;
    }
  });
  EXPECT_EQ(streams, tasks_of(6));
  EXPECT_FALSE(std::filesystem::exists(path_ + ".later"));
}

TEST_F(Streams, ThatAreDiscardedLeaveNothing) {
  testing::run_ranks(3, [&](std::shared_ptr<comm::Comm> comm) {
    MultifileOptions options;
    options.files = 2;
    MultifileWriter writer(path_, Communicator(std::move(comm)), options);
    writer.write(stream_bytes(0, 0, 1'000'000));
    writer.discard();
  });
  EXPECT_TRUE(std::filesystem::is_empty(directory_.path()));
}

}  // namespace
}  // namespace lq
