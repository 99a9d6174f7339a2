// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The order of the questions: first what the others depend on.
#include "survey/probes.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>

#include "comm/node.hpp"

namespace lq {
namespace survey {
namespace {

std::uint64_t reduced(comm::Comm& comm, std::uint64_t value, comm::Reduce operation) {
  std::array<std::uint64_t, 1> values{value};
  comm.all_reduce(values, operation);
  return values[0];
}

Probe probe_file_system(comm::Comm& comm, const machine::FileSystem& mine) {
  const std::string of_root = comm::broadcast_text(comm, mine.name);
  Probe probe = judge_file_system(mine);
  if (mine.name != of_root) {
    probe = {"file-system", Verdict::fail, fmt::format("{}, but {} on rank 0", mine.name, of_root),
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

std::vector<Probe> examine(comm::Comm& comm, transport::Transport& transport, const std::string& folder) {
  std::vector<Probe> probes;
  machine::FileSystem file_system;
  probes.push_back(ask(comm, "file-system", "check the path", [&] {
    file_system = comm::agree(comm, [&] { return machine::examine_file_system(folder); });
    return probe_file_system(comm, file_system);
  }));
  probes.push_back(worst_over_ranks(comm, judge_space(file_system)));
  Scratch scratch(comm, transport, folder);
  probes.push_back(probe_folder(comm, scratch));
  if (probes.back().verdict != Verdict::fail) {
    probes.push_back(probe_exclusive_create(comm, scratch));
    probes.push_back(probe_rename(comm, scratch));
    probes.push_back(probe_holes(comm, scratch));
    probes.push_back(probe_large_offsets(comm, scratch, file_system));
    probes.push_back(probe_sync(comm, scratch));
    probes.push_back(probe_page_edges(comm, scratch, file_system));
    probes.push_back(probe_locks(comm, scratch));
    probes.push_back(probe_with_file(comm, scratch, "direct-io",
                                     [](const std::string& path) { return judge_direct_io(try_direct_io(path)); }));
    probes.push_back(probe_with_file(comm, scratch, "preallocation", [](const std::string& path) {
      return judge_preallocation(try_preallocation(path));
    }));
  }
  probes.push_back(ask(comm, "io-uring", "", [] { return judge_io_uring(try_io_uring()); }));
  probes.push_back(probe_shared_memory(comm));
  probes.push_back(probe_neighbour_memory(comm));
  probes.push_back(probe_clock(comm));
  return probes;
}

}  // namespace survey

std::vector<Probe> examine(const Communicator& communicator, const std::string& folder) {
  comm::require_same(communicator.engine(), folder, "the folder to examine");
  return survey::examine(communicator.engine(), transport::posix(), folder);
}

}  // namespace lq
