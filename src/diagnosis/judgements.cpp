// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Facts of the system turned into verdicts and advice.
#include <fmt/format.h>

#include <cerrno>
#include <system_error>

#include "base/bytes.hpp"
#include "base/text.hpp"
#include "diagnosis/probes.hpp"

namespace lq::diagnosis {
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
  return {"space", ProbeVerdict::pass, found + " (quotas are not seen)", ""};
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

// Not used unless asked for: nothing to warn of.
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
  if (works) return {name, ProbeVerdict::pass, "own memory can be read so; one rank per node has no neighbours", ""};
  const std::string why = scope.value_or(0) > 0 ? fmt::format(" (kernel.yama.ptrace_scope is {})", *scope) : "";
  return {name, ProbeVerdict::warn, "cannot be read" + why,
          "ranks of a node exchange through shared memory, which is somewhat slower; ptrace_scope 0, or a container "
          "with SYS_PTRACE, permits it"};
}

Probe judge_clock(double resolution, double spread) {
  const std::string found =
      fmt::format("resolution {:.2g} us, time of day of the ranks within {:.2g} s", resolution * 1e6, spread);
  if (resolution > 1e-5) return {"clock", ProbeVerdict::warn, found, "times of short steps are not to be trusted"};
  if (spread > 1)
    return {"clock", ProbeVerdict::warn, found, "set the nodes' clocks (NTP): file times will confuse make"};
  return {"clock", ProbeVerdict::pass, found, ""};
}

}  // namespace lq::diagnosis
