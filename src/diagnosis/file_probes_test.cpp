// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "diagnosis/probes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>

#include "storage/forwarding.hpp"
#include "support/faulty.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"

namespace lq::diagnosis {
namespace {

using testing::Fault;
using testing::FaultyTransport;
using testing::run_ranks;
using testing::ScratchDirectory;

// A file system with one fault that it does not admit.
enum class Lie {
  none,
  create_takes_existing,    // O_EXCL is ignored
  rename_keeps_the_old,     // reports success
  holes_hold_garbage,       // blocks of deleted files shine through
  offsets_have_32_bits,     // wrap around at 4 GiB
  size_has_31_bits,         //
  pages_are_written_whole,  // each write brings zeros for the rest of its page: two clients without coherence
  reads_stop_early,         //
};

class LyingFile final : public storage::ForwardingFile {
 public:
  LyingFile(std::unique_ptr<storage::File> inner, Lie lie) : storage::ForwardingFile(std::move(inner)), lie_(lie) {}
  std::uint64_t size() const override {
    return lie_ == Lie::size_has_31_bits ? inner().size() & 0x7fffffff : inner().size();
  }
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override {
    const std::size_t got = inner().read_at(wrapped(offset), buffer);
    if (lie_ == Lie::holes_hold_garbage && got > 4096) buffer[4096] = std::byte{7};
    return lie_ == Lie::reads_stop_early && got > 0 ? got - 1 : got;
  }
  void write_at(std::uint64_t offset, base::Bytes bytes) override {
    if (lie_ != Lie::pages_are_written_whole) return inner().write_at(wrapped(offset), bytes);
    const std::uint64_t start = offset / 4096 * 4096;
    const std::uint64_t end = (offset + bytes.size() + 4095) / 4096 * 4096;
    std::vector<std::byte> pages(end - start);
    std::copy(bytes.begin(), bytes.end(), pages.begin() + static_cast<std::ptrdiff_t>(offset - start));
    inner().write_at(start, pages);
  }

 private:
  std::uint64_t wrapped(std::uint64_t offset) const noexcept {
    return lie_ == Lie::offsets_have_32_bits ? offset & 0xffffffff : offset;
  }
  Lie lie_;
};

class LyingTransport final : public storage::ForwardingTransport {
 public:
  explicit LyingTransport(Lie lie) : storage::ForwardingTransport(storage::posix()), lie_(lie) {}
  std::unique_ptr<storage::File> create(const std::string& path, const storage::Creation& creation) override {
    const bool takes = lie_ == Lie::create_takes_existing && kind(path) != storage::PathKind::absent;
    return takes ? open_write(path) : storage::ForwardingTransport::create(path, creation);
  }
  void rename(const std::string& from, const std::string& to) override {
    lie_ == Lie::rename_keeps_the_old ? inner().remove(from) : inner().rename(from, to);
  }

 private:
  std::unique_ptr<storage::File> wrap(std::unique_ptr<storage::File> file) override {
    return std::make_unique<LyingFile>(std::move(file), lie_);
  }
  Lie lie_;
};

using FileProbe = std::function<Probe(comm::Comm&, Scratch&)>;

FileSystem local() {
  FileSystem fs;
  fs.free_bytes = std::uint64_t{1} << 40;
  return fs;
}

const std::vector<std::pair<std::string, FileProbe>>& file_probes() {
  static const std::vector<std::pair<std::string, FileProbe>> probes{
      {"folder", probe_folder},
      {"exclusive-create", probe_exclusive_create},
      {"rename", probe_rename},
      {"holes", probe_holes},
      {"large-offsets", [](auto& comm, auto& scratch) { return probe_large_offsets(comm, scratch, local()); }},
      {"sync", probe_sync},
      {"page-edges", [](auto& comm, auto& scratch) { return probe_page_edges(comm, scratch, local()); }},
  };
  return probes;
}

const FileProbe& probe_named(const std::string& name) {
  return std::find_if(file_probes().begin(), file_probes().end(), [&](const auto& p) { return p.first == name; })
      ->second;
}

// The answer, which is the same on all ranks; no file is left.
Probe answer_of(const FileProbe& probe, int ranks, storage::Transport& transport) {
  const ScratchDirectory folder;
  std::mutex mutex;
  std::vector<Probe> answers;
  run_ranks(ranks, [&](const std::shared_ptr<comm::Comm>& comm) {
    Scratch scratch(*comm, transport, folder.path());
    const Probe mine = probe(*comm, scratch);
    comm->barrier();
    const std::lock_guard lock(mutex);
    answers.push_back(mine);
  });
  EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << answers[0].name;
  for (const Probe& other : answers) {
    EXPECT_EQ(other.verdict, answers[0].verdict);
    EXPECT_EQ(other.found, answers[0].found);
    EXPECT_EQ(other.action, answers[0].action);
  }
  return answers[0];
}

TEST(FileProbes, PassOnASoundFileSystem) {
  for (const auto& question : file_probes()) {
    const std::string& name = question.first;
    const FileProbe& probe = question.second;
    for (const int ranks : {1, 2, 3}) {
      const Probe found = answer_of(probe, ranks, storage::posix());
      EXPECT_EQ(found.name, name);
      EXPECT_EQ(found.verdict, ProbeVerdict::pass) << name << ": " << found.found;
      EXPECT_EQ(found.action, "") << name;
    }
  }
}

TEST(FileProbes, FailWhereverAnOperationFails) {
  for (const auto& question : file_probes()) {
    const std::string& name = question.first;
    const FileProbe& probe = question.second;
    FaultyTransport counting(storage::posix());
    answer_of(probe, 1, counting);
    int failures = 0;
    for (std::int64_t k = 0; k < counting.operations(); ++k) {
      FaultyTransport faulty(storage::posix(), k);
      const ScratchDirectory folder;
      Probe found;
      run_ranks(1, [&](const std::shared_ptr<comm::Comm>& comm) {
        Scratch scratch(*comm, faulty, folder.path());
        found = probe(*comm, scratch);
      });
      if (found.verdict == ProbeVerdict::pass) continue;  // of the operations that tidy up
      ++failures;
      EXPECT_EQ(found.verdict, ProbeVerdict::fail) << name << " at " << k;
      EXPECT_NE(found.found.find("injected fault"), std::string::npos) << found.found;
      EXPECT_NE(found.action, "") << name << " at " << k;
    }
    EXPECT_GE(failures, 2) << name;
  }
}

TEST(FileProbes, OnTwoRanksGiveOneAnswerWhenOneFails) {
  for (const auto& question : file_probes()) {
    const std::string& name = question.first;
    const FileProbe& probe = question.second;
    for (const std::int64_t k : {0, 1, 2}) {
      FaultyTransport faulty(storage::posix(), k);
      const ScratchDirectory folder;
      std::atomic<int> failures = 0;
      run_ranks(2, [&](const std::shared_ptr<comm::Comm>& comm) {
        Scratch scratch(*comm, faulty, folder.path());
        if (probe(*comm, scratch).verdict == ProbeVerdict::fail) ++failures;
      });
      EXPECT_EQ(failures, 2) << name << " at " << k;
    }
  }
}

struct Exposed {
  Lie lie;
  const char* probe;
  int ranks;
  const char* word;
};

TEST(FileProbes, ExposeFaultsThatAreNotAdmitted) {
  const Exposed cases[] = {
      {Lie::create_takes_existing, "exclusive-create", 1, "1 more"},
      {Lie::create_takes_existing, "exclusive-create", 2, "2 more"},
      {Lie::rename_keeps_the_old, "rename", 2, "\"old\", then \"old\""},
      {Lie::holes_hold_garbage, "holes", 1, "at byte 4096"},
      {Lie::offsets_have_32_bits, "large-offsets", 1, "has size 4294967304"},
      {Lie::size_has_31_bits, "large-offsets", 2, "has size 65544"},
      {Lie::pages_are_written_whole, "page-edges", 1, "are lost (zeros)"},
      {Lie::pages_are_written_whole, "page-edges", 2, "are lost (zeros)"},
      {Lie::reads_stop_early, "folder", 1, "\"limequa\""},
      {Lie::reads_stop_early, "page-edges", 2, "are wrong"},
  };
  for (const Exposed& c : cases) {
    LyingTransport lying(c.lie);
    const Probe found = answer_of(probe_named(c.probe), c.ranks, lying);
    EXPECT_EQ(found.verdict, ProbeVerdict::fail) << c.probe << ": " << found.found;
    EXPECT_NE(found.found.find(c.word), std::string::npos) << c.probe << ": " << found.found;
    EXPECT_NE(found.action, "") << c.probe;
  }
}

TEST(PageEdges, ThatAreLostOnlyWarnWherePagesHaveOneOwnerAnyway) {
  LyingTransport lying(Lie::pages_are_written_whole);
  FileSystem fs = local();
  fs.needs_single_owner = true;
  const Probe found =
      answer_of([&](auto& comm, auto& scratch) { return probe_page_edges(comm, scratch, fs); }, 2, lying);
  EXPECT_EQ(found.verdict, ProbeVerdict::warn);
}

TEST(LargeOffsets, AreNotTriedWhereTheyWouldTakeSpaceThatIsNotFree) {
  FileSystem fs = local();
  fs.allows_holes = false;
  fs.free_bytes = 1000;
  const Probe found =
      answer_of([&](auto& comm, auto& scratch) { return probe_large_offsets(comm, scratch, fs); }, 1, storage::posix());
  EXPECT_EQ(found.verdict, ProbeVerdict::warn);
  EXPECT_NE(found.found.find("not tried"), std::string::npos);
}

TEST(CallSize, IsToldWithTheRateOfEachInBothDirections) {
  const Probe probe = answer_of(probe_call_size, 2, storage::posix());
  EXPECT_EQ(probe.verdict, ProbeVerdict::pass) << probe.found;
  const std::size_t reading = probe.found.find("read in calls of 64 KiB ");
  EXPECT_EQ(probe.found.rfind("written in calls of 64 KiB ", 0), 0U) << probe.found;
  ASSERT_NE(reading, std::string::npos) << probe.found;
  for (const char* size : {"64 KiB ", "256 KiB ", "1 MiB ", "4 MiB ", "16 MiB "}) {
    for (const std::string& part : {probe.found.substr(0, reading), probe.found.substr(reading)}) {
      const std::size_t at = part.find(size);
      ASSERT_NE(at, std::string::npos) << size << probe.found;
      EXPECT_GT(std::stod(part.substr(at + std::string(size).size())), 0) << probe.found;
    }
  }
}

TEST(CallSize, OfAFileThatComesBackShortIsAFault) {
  LyingTransport lying(Lie::reads_stop_early);
  const Probe probe = answer_of(probe_call_size, 2, lying);
  EXPECT_EQ(probe.verdict, ProbeVerdict::fail);
  EXPECT_NE(probe.found.find("bytes just written are missing"), std::string::npos) << probe.found;
}

}  // namespace
}  // namespace lq::diagnosis
