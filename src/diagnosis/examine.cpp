// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The order of the questions: first what the others depend on.
#include "diagnosis/probes.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <utility>

#include "base/clock.hpp"
#include "comm/node.hpp"

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

// Root makes a file; every rank tries something on it.
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

// The root holds the lock while all ask for it.
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
  return ask(comm, "clock", "times are not to be trusted", [&] {
    comm.barrier();
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto time = static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(now).count());
    const std::uint64_t first = reduced(comm, time, comm::Reduce::min);
    const std::uint64_t last = reduced(comm, time, comm::Reduce::max);
    return judge_clock(clock_resolution(), static_cast<double>(last - first) * 1e-6);
  });
}

}  // namespace

namespace {

// Questions in their order, as long as there is time.
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

// What makes sense only in a folder that can be written to.
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
  questions.ask("io-uring", [&] { return ask(comm, "io-uring", "", [] { return judge_io_uring(try_io_uring()); }); });
  questions.ask("shared-memory", [&] { return probe_shared_memory(comm); });
  questions.ask("neighbour-memory", [&] { return probe_neighbour_memory(comm); });
  questions.ask("clock", [&] { return probe_clock(comm); });
  return questions.take();
}

}  // namespace diagnosis

std::vector<Probe> examine(const Communicator& communicator, const std::string& folder, const ExamineOptions& options) {
  comm::require_same(communicator.engine(), [&] {
    return std::vector<comm::Stated>{{"the folder to examine", folder},
                                     {"seconds", fmt::format("{}", options.seconds)}};
  });
  return diagnosis::examine(communicator.engine(), storage::posix(), folder, options);
}

}  // namespace lq
