// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Examination of a machine: facts become verdicts and advice. The order of the questions puts first what others
// depend on.
#include <array>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/clock.hpp"
#include "base/system.hpp"
#include "base/text.hpp"
#include "comm/node.hpp"
#include "diagnosis/probes.hpp"

namespace lq::diagnosis {

// Turns facts of the system into verdicts and advice.

namespace {

using base::gibi;
using base::mebi;

std::string reason_of(int system_errno) { return std::generic_category().message(system_errno); }

}  // namespace

Probe judge_file_system(const FileSystem& fs) {
  std::string found =
      fmt::format("{}, {}, blocks of {} KiB", fs.name, fs.is_shared ? "shared" : "local", fs.block_bytes / 1024);
  if (fs.stripe_count > 1) found += fmt::format(", {} stripes", fs.stripe_count);
  if (fs.needs_single_owner) {
    return {"file-system", ProbeVerdict::warn, found + ", clients cache pages on their own",
            "each rank gets its own blocks and every writer syncs; open files again to see what other nodes wrote"};
  }
  if (!fs.allows_holes) {
    return {"file-system", ProbeVerdict::warn, found + ", no holes known",
            "a file occupies all of its space immediately"};
  }
  return {"file-system", ProbeVerdict::pass, found, ""};
}

Probe judge_space(const FileSystem& fs) {
  const std::string found =
      fmt::format("{} of {} free", base::human_bytes(fs.free_bytes), base::human_bytes(fs.total_bytes));
  if (fs.total_bytes == 0) return {"space", ProbeVerdict::pass, "the file system does not report it", ""};
  if (fs.free_bytes < mebi) return {"space", ProbeVerdict::fail, found, "free some space or choose another folder"};
  if (fs.free_bytes < gibi) return {"space", ProbeVerdict::warn, found, "a gauge field may not fit; free some space"};
  return {"space", ProbeVerdict::pass, found + " (quotas are not checked)", ""};
}

Probe judge_locks(const LockFacts& facts) {
  const std::string action =
      "this library needs no locks; MPI-IO and HDF5 may: romio_ds_write = disable, HDF5_USE_FILE_LOCKING=FALSE";
  if (facts.lock != 0) {
    return {"locks", ProbeVerdict::warn, fmt::format("not available: {}", reason_of(facts.lock)), action};
  }
  if (!facts.is_other) return {"locks", ProbeVerdict::pass, "available", ""};
  if (facts.second == 0) return {"locks", ProbeVerdict::warn, "are granted twice, so they protect nothing", action};
  if (facts.second == EAGAIN || facts.second == EACCES) return {"locks", ProbeVerdict::pass, "keep others out", ""};
  return {"locks", ProbeVerdict::warn,
          fmt::format("fail for the second process that requests them: {}", reason_of(facts.second)), action};
}

// Not used unless requested, so no warning.
Probe judge_direct_io(int reason) {
  return {"direct-io", ProbeVerdict::pass,
          reason == 0 ? "accepted" : fmt::format("not accepted: {}", reason_of(reason)), ""};
}

Probe judge_preallocation(int reason) {
  if (reason == 0) return {"preallocation", ProbeVerdict::pass, "supported", ""};
  if (reason == EOPNOTSUPP || reason == ENOSYS || reason == EINVAL) {
    return {"preallocation", ProbeVerdict::pass, "not supported; files grow as they are written", ""};
  }
  return {"preallocation", ProbeVerdict::warn, fmt::format("fails: {}", reason_of(reason)),
          "space or quota may be short; see \"space\""};
}

Probe judge_io_uring(int reason) {
  return {"io-uring", ProbeVerdict::pass,
          reason == 0 ? "available" : fmt::format("not available: {}", reason_of(reason)), ""};
}

Probe judge_shared_memory(bool works, std::optional<std::uint64_t> free_bytes) {
  const std::string space = free_bytes ? fmt::format(", {} free", base::human_bytes(*free_bytes)) : std::string();
  if (!works) {
    return {"shared-memory", ProbeVerdict::warn, "not available" + space,
            "ranks of a node exchange by messages, which is slower; give the container more (docker: --shm-size)"};
  }
  if (free_bytes && *free_bytes < 64 * mebi) {
    return {"shared-memory", ProbeVerdict::warn, "available" + space,
            "too little for many ranks; give the container more (docker: --shm-size)"};
  }
  return {"shared-memory", ProbeVerdict::pass, "available" + space, ""};
}

Probe judge_neighbour_memory(bool works, int ranks_on_node, std::optional<int> scope) {
  const std::string name = "neighbour-memory";
  if (works && ranks_on_node > 1) return {name, ProbeVerdict::pass, "can be read by the ranks of a node", ""};
  if (works)
    return {name, ProbeVerdict::pass, "own memory can be read this way; one rank per node has no neighbours", ""};
  const std::string why = scope.value_or(0) > 0 ? fmt::format(" (kernel.yama.ptrace_scope is {})", *scope) : "";
  return {name, ProbeVerdict::warn, "cannot be read" + why,
          "ranks of a node exchange through shared memory, which is slightly slower; ptrace_scope 0, or a container "
          "with SYS_PTRACE, permits it"};
}

Probe judge_clock(double resolution, double spread) {
  const std::string found =
      fmt::format("resolution {:.2g} us, time of day of the ranks within {:.2g} s", resolution * 1e6, spread);
  if (resolution > 1e-5) return {"clock", ProbeVerdict::warn, found, "times of short steps are unreliable"};
  if (spread > 1)
    return {"clock", ProbeVerdict::warn, found, "set the nodes' clocks (NTP): file times will confuse make"};
  return {"clock", ProbeVerdict::pass, found, ""};
}

}  // namespace lq::diagnosis

namespace lq {
namespace diagnosis {
namespace {

std::uint64_t reduced(comm::Comm& comm, std::uint64_t value, comm::Reduce operation) {
  std::array<std::uint64_t, 1> values{value};
  comm.all_reduce(values, operation);
  return values[0];
}

Probe probe_file_system(comm::Comm& comm, const FileSystem& mine) {
  const std::string of_root = comm::broadcast_text(comm, mine.name);
  Probe probe = judge_file_system(mine);
  if (mine.name != of_root) {
    probe = {"file-system", ProbeVerdict::fail, fmt::format("{}, but {} on rank 0", mine.name, of_root),
             "the nodes see different file systems under this name; choose a folder that all of them share"};
  }
  return worst_over_ranks(comm, probe);
}

// The root creates a file; every rank tries something on it.
Probe probe_with_file(comm::Comm& comm, Scratch& scratch, const std::string& name,
                      Probe (*probe)(const std::string& path)) {
  return ask(comm, name, "see \"folder\"", [&] {
    const std::string path = scratch.file(name);
    comm::agree_at_root(comm, [&] { scratch.transport().create(path)->close(); });
    const Probe result = probe(path);
    comm.barrier();
    return result;
  });
}

// The root holds the lock while all others request it.
Probe probe_locks(comm::Comm& comm, Scratch& scratch) {
  return ask(comm, "locks", "see \"folder\"", [&] {
    const std::string path = scratch.file("locks");
    comm::agree_at_root(comm, [&] { scratch.transport().create(path)->close(); });
    std::optional<ByteLock> held;
    if (comm.rank() == 0) held.emplace(path);
    const auto reason =
        static_cast<int>(reduced(comm, held ? static_cast<std::uint64_t>(held->reason()) : 0, comm::Reduce::max));
    LockFacts facts{reason, 0, true};
    facts.second = reason == 0 ? ByteLock(path).reason() : 0;
    comm.barrier();
    return judge_locks(facts);
  });
}

Probe probe_shared_memory(comm::Comm& comm) {
  return ask(comm, "shared-memory", "ranks of a node exchange by messages, which is slower", [&] {
    const bool works = comm.node().lease(base::mebi) != nullptr;
    return judge_shared_memory(works, free_shared_memory());
  });
}

Probe probe_neighbour_memory(comm::Comm& comm) {
  return ask(comm, "neighbour-memory", "ranks of a node exchange through shared memory", [&] {
    comm::Node& node = comm.node();
    return judge_neighbour_memory(node.can_pull(), node.largest(), ptrace_scope());
  });
}

Probe probe_clock(comm::Comm& comm) {
  return ask(comm, "clock", "times are unreliable", [&] {
    comm.barrier();
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto time = static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(now).count());
    const std::uint64_t first = reduced(comm, time, comm::Reduce::min);
    const std::uint64_t last = reduced(comm, time, comm::Reduce::max);
    return judge_clock(clock_resolution(), static_cast<double>(last - first) * 1e-6);
  });
}

// Asks questions in order until the time limit.
class Questions {
 public:
  Questions(comm::Comm& comm, const ExamineOptions& options) : comm_(comm), options_(options) {}

  // Collective.
  void ask(const std::string& name, const std::function<Probe()>& question) {
    const auto milliseconds = static_cast<std::uint64_t>(watch_.seconds() * 1e3);
    const bool is_late = static_cast<double>(reduced(comm_, milliseconds, comm::Reduce::max)) > options_.seconds * 1e3;
    answers_.push_back(is_late ? not_asked(name, options_.seconds) : question());
    if (options_.on_probe) options_.on_probe(answers_.back());
  }
  const Probe& last() const noexcept { return answers_.back(); }
  std::vector<Probe> take() { return std::move(answers_); }

 private:
  comm::Comm& comm_;
  const ExamineOptions& options_;
  base::Stopwatch watch_;
  std::vector<Probe> answers_;
};

// Questions that need a writable folder.
void ask_about_files(comm::Comm& comm, Questions& questions, Scratch& scratch, const FileSystem& file_system) {
  questions.ask("exclusive-create", [&] { return probe_exclusive_create(comm, scratch); });
  questions.ask("rename", [&] { return probe_rename(comm, scratch); });
  questions.ask("publish", [&] { return probe_publish(comm, scratch); });
  questions.ask("holes", [&] { return probe_holes(comm, scratch); });
  questions.ask("large-offsets", [&] { return probe_large_offsets(comm, scratch, file_system); });
  questions.ask("sync", [&] { return probe_sync(comm, scratch); });
  questions.ask("page-edges", [&] { return probe_page_edges(comm, scratch, file_system); });
  questions.ask("locks", [&] { return probe_locks(comm, scratch); });
  questions.ask("direct-io", [&] {
    return probe_with_file(comm, scratch, "direct-io",
                           [](const std::string& path) { return judge_direct_io(try_direct_io(path)); });
  });
  questions.ask("preallocation", [&] {
    return probe_with_file(comm, scratch, "preallocation",
                           [](const std::string& path) { return judge_preallocation(try_preallocation(path)); });
  });
  questions.ask("call-size", [&] { return probe_call_size(comm, scratch); });
}

}  // namespace

std::vector<Probe> examine(comm::Comm& comm, storage::Transport& transport, const std::string& folder,
                           const ExamineOptions& options) {
  Questions questions(comm, options);
  FileSystem file_system;
  questions.ask("file-system", [&] {
    return ask(comm, "file-system", "check the path", [&] {
      file_system = comm::agree(comm, [&] { return file_system_of(folder); });
      return probe_file_system(comm, file_system);
    });
  });
  questions.ask("space", [&] { return worst_over_ranks(comm, judge_space(file_system)); });
  Scratch scratch(comm, transport, folder);
  questions.ask("folder", [&] { return probe_folder(comm, scratch); });
  if (questions.last().verdict != ProbeVerdict::fail) ask_about_files(comm, questions, scratch, file_system);
  questions.ask("io-uring",
                [&] { return ask(comm, "io-uring", "", [] { return judge_io_uring(base::try_io_uring()); }); });
  questions.ask("shared-memory", [&] { return probe_shared_memory(comm); });
  questions.ask("neighbour-memory", [&] { return probe_neighbour_memory(comm); });
  questions.ask("clock", [&] { return probe_clock(comm); });
  return questions.take();
}

}  // namespace diagnosis

std::vector<Probe> examine(const Communicator& communicator, const std::string& folder, const ExamineOptions& options) {
  comm::require_same(communicator.engine(), [&] {
    return std::vector<comm::StatedArgument>{{"the folder to examine", folder},
                                             {"seconds", fmt::format("{}", options.seconds)}};
  });
  return diagnosis::examine(communicator.engine(), storage::posix(), folder, options);
}

}  // namespace lq
