// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "diagnosis/probes.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/clock.hpp"
#include "base/text.hpp"
#include "comm/node.hpp"

namespace lq::diagnosis {
namespace {

using base::as_bytes;
using base::as_text;
using base::gibi;
using base::kibi;
using base::mebi;

constexpr std::uint64_t half_page = 2 * kibi;

void write_file(storage::Transport& transport, const std::string& path, std::string_view text) {
  const auto file = transport.create(path);
  file->write_at(0, as_bytes(text));
  file->close();
}

std::string read_text(storage::File& file, std::uint64_t offset, std::size_t bytes) {
  std::string text(bytes, '?');
  text.resize(file.read_at(offset, std::as_writable_bytes(std::span(text))));
  return text;
}

std::string read_file(storage::Transport& transport, const std::string& path) {
  const auto file = transport.open_read(path);
  return read_text(*file, 0, kibi);
}

std::uint64_t sum_over_ranks(comm::Comm& comm, std::uint64_t value) {
  std::array<std::uint64_t, 1> values{value};
  comm.all_reduce(values, comm::Reduce::sum);
  return values[0];
}

std::uint64_t file_size_limit() noexcept {
  struct rlimit limit {};
  return ::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ? ~std::uint64_t{0} : limit.rlim_cur;
}

// Probes by the root alone: `probe` is the initial answer.
Probe ask_root(comm::Comm& comm, Probe probe, const std::string& action, const std::function<void(Probe&)>& work) {
  return ask(comm, probe.name, action, [&] {
    comm::agree_at_root(comm, [&] { work(probe); });
    return probe;
  });
}

// Disk space of the file, if the system reports it.
std::optional<std::uint64_t> bytes_on_disk(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return static_cast<std::uint64_t>(status.st_blocks) * 512;
}

}  // namespace

Probe probe_folder(comm::Comm& comm, Scratch& scratch) {
  const char* const action = "choose a folder that every rank can write to (--path)";
  return ask(comm, "folder", action, [&]() -> Probe {
    const std::string path = scratch.file("folder");
    comm::agree_at_root(comm, [&] { write_file(scratch.transport(), path, "limequat"); });
    const std::string text = comm::agree(comm, [&] { return read_file(scratch.transport(), path); });
    comm.barrier();
    comm::agree_at_root(comm, [&] { scratch.transport().remove(path); });
    if (text == "limequat") return {"folder", ProbeVerdict::pass, "can be written and read", ""};
    return {"folder", ProbeVerdict::fail, fmt::format("a file of 8 bytes reads back as \"{}\"", base::printable(text)),
            "do not write here; report this to the administrator"};
  });
}

Probe probe_exclusive_create(comm::Comm& comm, Scratch& scratch) {
  const std::string name = "exclusive-create";
  const std::string action =
      "two programs that write here may overwrite each other's temporary files; give each its own folder";
  return ask(comm, name, action, [&]() -> Probe {
    const std::string path = scratch.file("exclusive");
    const auto creates = [&] {
      try {
        scratch.transport().create(path)->close();
        return std::uint64_t{1};
      } catch (const Error& error) {
        if (error.code() != Code::exists) throw;
        return std::uint64_t{0};
      }
    };
    const std::uint64_t at_once = sum_over_ranks(comm, comm::agree(comm, creates));
    const std::uint64_t again = sum_over_ranks(comm, comm::agree(comm, creates));
    if (at_once == 1 && again == 0) return {name, ProbeVerdict::pass, "only one of several creators gets a name", ""};
    return {name, ProbeVerdict::fail,
            fmt::format("of {} ranks {} created one file, and {} more after it existed", comm.size(), at_once, again),
            action};
  });
}

Probe probe_rename(comm::Comm& comm, Scratch& scratch) {
  const std::string action = "a new file cannot replace an old one here; write to another folder and move the file";
  return ask(comm, "rename", action, [&]() -> Probe {
    const std::string target = scratch.file("target");
    const std::string source = scratch.file("source");
    comm::agree_at_root(comm, [&] {
      write_file(scratch.transport(), target, "old");
      write_file(scratch.transport(), source, "new");
    });
    const std::string before = comm::agree(comm, [&] { return read_file(scratch.transport(), target); });
    comm.barrier();
    comm::agree_at_root(comm, [&] {
      scratch.transport().rename(source, target);
      if (scratch.transport().kind(source) != storage::PathKind::absent) {
        throw Error(Code::io, fmt::format("{}: still there after it was renamed", source));
      }
    });
    const std::string after = comm::agree(comm, [&] { return read_file(scratch.transport(), target); });
    if (before == "old" && after == "new") return {"rename", ProbeVerdict::pass, "replaces an existing file", ""};
    return {"rename", ProbeVerdict::fail,
            fmt::format("a file that was replaced reads as \"{}\", then \"{}\"; expected \"old\", then \"new\"",
                        base::printable(before), base::printable(after)),
            action};
  });
}

Probe probe_publish(comm::Comm& comm, Scratch& scratch) {
  const std::string action = "files cannot be completed here under new names; write to another folder and move them";
  const std::string target = scratch.file("published");
  const std::string source = scratch.file("unpublished");
  const Probe good{"publish", ProbeVerdict::pass, "a new file gets a free name, and never an existing one", ""};
  return ask_root(comm, good, action, [&](Probe& probe) {
    write_file(scratch.transport(), source, "first");
    scratch.transport().publish(source, target);
    write_file(scratch.transport(), source, "second");
    bool is_refused = false;
    try {
      scratch.transport().publish(source, target);
    } catch (const Error& error) {
      if (error.code() != Code::exists) throw;
      is_refused = true;
    }
    const std::string found = read_file(scratch.transport(), target);
    if (is_refused && found == "first") return;
    probe = {"publish", ProbeVerdict::fail,
             fmt::format("an existing name {}; the file reads as \"{}\", expected \"first\"",
                         is_refused ? "was refused" : "was assigned again", base::printable(found)),
             action};
  });
}

Probe probe_holes(comm::Comm& comm, Scratch& scratch) {
  const std::string action =
      "do not let ranks write one file here; verify every file after writing (verify = read_back)";
  const std::string path = scratch.file("holes");
  return ask_root(comm, {"holes", ProbeVerdict::pass, "", ""}, action, [&](Probe& probe) {
    const auto file = scratch.transport().create(path);
    file->write_at(mebi, as_bytes("end"));
    const std::string hole = read_text(*file, 0, mebi);
    if (hole.size() != mebi || hole.find_first_not_of('\0') != std::string::npos) {
      const std::size_t at = std::min(hole.find_first_not_of('\0'), hole.size());
      probe = {"holes", ProbeVerdict::fail, fmt::format("unwritten bytes do not read as zeros at byte {}", at), action};
    }
    file->close();
    const std::optional<std::uint64_t> taken = bytes_on_disk(path);
    if (probe.verdict == ProbeVerdict::fail) return;
    probe.found = !taken           ? "read as zeros"
                  : *taken >= mebi ? "read as zeros, but take space"
                                   : "read as zeros and take no space";
  });
}

Probe probe_large_offsets(comm::Comm& comm, Scratch& scratch, const FileSystem& file_system) {
  const std::string name = "large-offsets";
  const std::string action = "files above 2 GiB are not safe here; choose another file system";
  constexpr std::array<std::uint64_t, 3> edges{2 * gibi, 4 * gibi, 4 * gibi + 64 * kibi};
  const std::string path = scratch.file("large");
  const Probe good{name, ProbeVerdict::pass, "bytes around 2 GiB and 4 GiB are read back correctly", ""};
  return ask_root(comm, good, action, [&](Probe& probe) {
    if (file_size_limit() < edges.back() + kibi) {
      probe = {name, ProbeVerdict::warn,
               fmt::format("not tried: this process may not write files above {} (ulimit -f)",
                           base::human_bytes(file_size_limit())),
               "raise the limit: ulimit -f unlimited"};
      return;
    }
    if (!file_system.allows_holes && file_system.free_bytes < edges.back() + gibi) {
      probe = {name, ProbeVerdict::warn, "not tried: it would take 4 GiB, which are not free", "free some space"};
      return;
    }
    const auto file = scratch.transport().create(path);
    for (const std::uint64_t edge : edges) file->write_at(edge - 8, as_bytes(fmt::format("{:016x}", edge)));
    for (const std::uint64_t edge : edges) {
      const std::string text = read_text(*file, edge - 8, 16);
      if (text == fmt::format("{:016x}", edge)) continue;
      probe = {name, ProbeVerdict::fail, fmt::format("16 bytes at {} were read back changed", edge - 8), action};
    }
    if (const std::uint64_t size = file->size(); size != edges.back() + 8) {
      probe = {name, ProbeVerdict::fail, fmt::format("a file of {} bytes has size {}", edges.back() + 8, size), action};
    }
    file->close();
    scratch.transport().remove(path);
  });
}

Probe probe_sync(comm::Comm& comm, Scratch& scratch) {
  const std::string action = "finished files may be lost when the power fails; ask the administrator";
  const std::string path = scratch.file("sync");
  return ask_root(comm, {"sync", ProbeVerdict::pass, "", ""}, action, [&](Probe& probe) {
    const auto file = scratch.transport().create(path);
    file->write_at(0, as_bytes(std::string(64 * kibi, 's')));
    const base::Stopwatch file_watch;
    file->sync();
    const double file_seconds = file_watch.seconds();
    file->close();
    const base::Stopwatch directory_watch;
    scratch.transport().sync_directory(path);
    probe.found =
        fmt::format("file {:.2g} ms, directory {:.2g} ms", file_seconds * 1e3, directory_watch.seconds() * 1e3);
  });
}

namespace {

constexpr std::array<std::uint64_t, 5> call_sizes{64 * kibi, 256 * kibi, mebi, 4 * mebi, 16 * mebi};

// Seconds per round to transfer the largest call's bytes in calls of one size.
struct CallTimes {
  std::array<std::vector<double>, call_sizes.size()> writing, reading;
};

void time_calls(storage::Transport& transport, const std::string& path, std::size_t size, std::span<std::byte> bytes,
                CallTimes& times) {
  const std::uint64_t call = call_sizes[size];
  const auto each_call = [&](const auto& work) {
    const base::Stopwatch watch;
    for (std::uint64_t at = 0; at < bytes.size(); at += call) work(at, bytes.subspan(at, call));
    return watch.seconds();
  };
  const auto file = transport.create(path);
  times.writing[size].push_back(
      each_call([&](std::uint64_t at, std::span<std::byte> some) { file->write_at(at, base::Bytes(some)); }));
  times.reading[size].push_back(each_call([&](std::uint64_t at, std::span<std::byte> some) {
    if (file->read_at(at, some) != some.size()) throw Error(Code::io, path + ": bytes just written are missing");
  }));
  file->close();
  transport.remove(path);
}

std::string rates_of(std::string_view verb, std::array<std::vector<double>, call_sizes.size()> times) {
  std::string text;
  for (std::size_t size = 0; size < call_sizes.size(); ++size) {
    std::ranges::sort(times[size]);
    const double median = std::max(times[size][times[size].size() / 2], 1e-9);
    text += fmt::format("{}{} {:.2g}", text.empty() ? "" : ", ", base::binary_bytes(call_sizes[size]),
                        static_cast<double>(call_sizes.back()) / median / 1e9);
  }
  return fmt::format("{} {} GB/s", verb, text);
}

}  // namespace

Probe probe_call_size(comm::Comm& comm, Scratch& scratch) {
  constexpr int most_rounds = 5;
  constexpr double most_seconds = 1;
  const std::string action = "data are not read back as written; use another folder, and ask the administrator";
  const std::string path = scratch.file("calls");
  return ask_root(comm, {"call-size", ProbeVerdict::pass, "", ""}, action, [&](Probe& probe) {
    std::vector<std::byte> bytes(call_sizes.back(), std::byte{0x5a});
    CallTimes times;
    const base::Stopwatch watch;
    for (int round = 0; round < most_rounds && (round == 0 || watch.seconds() < most_seconds); ++round) {
      for (std::size_t size = 0; size < call_sizes.size(); ++size) {
        time_calls(scratch.transport(), path, size, bytes, times);
      }
    }
    probe.found = fmt::format("{}; {}, out of the cache", rates_of("written in calls of", std::move(times.writing)),
                              rates_of("read in calls of", std::move(times.reading)));
  });
}

namespace {

// Pages of which one rank writes the first half and the next rank the second half.
class PageEdges {
 public:
  explicit PageEdges(comm::Comm& comm)
      : ranks_(static_cast<std::uint64_t>(comm.size())),
        rank_(static_cast<std::uint64_t>(comm.rank())),
        halves_(4 * std::min<std::uint64_t>(ranks_, 64)) {}

  std::uint64_t bytes() const noexcept { return halves_ * half_page; }
  std::uint64_t owner(std::uint64_t half) const noexcept { return (half / 2 + half % 2) % ranks_; }

  void write(storage::File& file) const {
    for (std::uint64_t half = 0; half < halves_; ++half) {
      if (owner(half) == rank_) file.write_at(half * half_page, as_bytes(content(half)));
    }
  }

  // The fault, or an empty text.
  std::string check(storage::File& file) const {
    for (std::uint64_t half = 0; half < halves_; ++half) {
      const std::string text = read_text(file, half * half_page, half_page);
      if (text == content(half)) continue;
      const bool lost = text.find_first_not_of('\0') == std::string::npos;
      return fmt::format("bytes {} to {}, written by rank {}, {}", half * half_page, (half + 1) * half_page - 1,
                         owner(half), lost ? "are lost (zeros)" : "are wrong");
    }
    return {};
  }

 private:
  static std::string content(std::uint64_t half) {
    return std::string(half_page, static_cast<char>('A' + static_cast<char>(half % 26)));
  }

  std::uint64_t ranks_;
  std::uint64_t rank_;
  std::uint64_t halves_;
};

std::string describe_clients(comm::Comm& comm, bool has_other_nodes) {
  if (comm.size() == 1) return "one rank (start lq-mpi on two nodes to test two clients)";
  if (!has_other_nodes) return fmt::format("{} ranks of one node (two clients need two nodes)", comm.size());
  return fmt::format("{} ranks on several nodes", comm.size());
}

}  // namespace

Probe probe_page_edges(comm::Comm& comm, Scratch& scratch, const FileSystem& file_system) {
  const std::string name = "page-edges";
  const std::string action =
      file_system.needs_single_owner
          ? "writers must not share a page; the library keeps to that here, other programs may not"
          : "ranks that share a page lose each other's bytes; write from one rank or node";
  return ask(comm, name, action, [&]() -> Probe {
    const PageEdges edges(comm);
    const std::string path = scratch.file("edges");
    const std::string clients = describe_clients(comm, !comm.node().is_only());
    comm::agree_at_root(comm, [&] {
      const auto file = scratch.transport().create(path);
      file->resize(edges.bytes());
      file->close();
    });
    const auto file = comm::agree(comm, [&] { return scratch.transport().open_write(path); });
    comm::agree(comm, [&] { edges.write(*file); });
    comm::agree(comm, [&] {
      file->sync();
      file->close();
    });
    const auto wrong = comm::agree(comm, [&] { return edges.check(*scratch.transport().open_read(path)); });
    comm.barrier();
    if (wrong.empty())
      return {name, ProbeVerdict::pass, "halves of pages from neighbours are preserved: " + clients, ""};
    const ProbeVerdict verdict = file_system.needs_single_owner ? ProbeVerdict::warn : ProbeVerdict::fail;
    return {name, verdict, fmt::format("{}: {}", clients, wrong), action};
  });
}

}  // namespace lq::diagnosis
