// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A field read and written by a process grid in several ways, in the same run: by the engine, whose ranks exchange
// sites (two-phase, where rows are short), by views of which each process reads its own, and by views together,
// directed by the disks; of one file and of sets of subfiles that match the process grid and that do not.
//
//   mpirun -n 4 bench_more views FOLDER [LATTICE [PROCESSES [ROUNDS]]]
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <limequat/limequat.hpp>

#include "more.hpp"

namespace {

// Median over the rounds of the slowest rank's time, in seconds.
double median_of_rounds(const lq::Communicator& ranks, int rounds, const std::function<void()>& work) {
  std::vector<double> all;
  for (int round = 0; round < rounds; ++round) all.push_back(seconds_of(ranks, work));
  return median(all);
}

// "2x1x1x4" -> "x=block:2,t=block:4"
std::string cuts_of(const lq::Extents& processes) {
  std::string cuts;
  for (int d = 0; d < 4; ++d) {
    if (processes[d] == 1) continue;
    if (!cuts.empty()) cuts += ',';
    cuts += "xyzt"[d];
    cuts += "=block:";
    cuts += std::to_string(processes[d]);
  }
  return cuts.empty() ? "whole" : cuts;
}

}  // namespace

void measure_views(const Words& words, const lq::Communicator& world) {
  const std::string folder = words.text(0);
  const std::string lattice_text = words.text(1, "16x16x16x32");
  const lq::Extents lattice = lq::parse_extents(lattice_text);
  const std::string processes_text = words.text(2, std::string("1x1x1x").append(std::to_string(world.size())));
  const lq::Extents processes = lq::parse_extents(processes_text);
  const int rounds = words.number(3, 5);
  lq::GridOptions how;
  how.processes = processes;
  const lq::Grid grid(world, lattice, how);
  std::vector<double> links(grid.local_volume() * 72, 0.5);
  const double bytes = static_cast<double>(lq::volume(lattice)) * 576;
  const std::string file = folder + "/bench_more.ildg", cuts = cuts_of(processes);
  const auto part = static_cast<std::uint64_t>(world.rank());

  lq::WriteOptions writing;
  writing.overwrite = true;
  writing.sync = lq::Sync::none;
  lq::ReadOptions unchecked;
  unchecked.verify = lq::Verify::none;
  const auto tell = [&](const std::string& what, double reading, double seconds) {
    if (world.is_root()) std::printf("%-44s %8.0f %8.0f\n", what.c_str(), bytes / reading / 1e6, bytes / seconds / 1e6);
  };
  if (world.is_root()) {
    std::printf("%s on %s, MB/s, median of %d, page cache\n%-44s %8s %8s\n", lattice_text.c_str(),
                processes_text.c_str(), rounds, "", "read", "write");
  }
  const double engine_write =
      median_of_rounds(world, rounds, [&] { lq::write(file, grid, lq::gauge(std::as_const(links)), writing); });
  const double engine_read =
      median_of_rounds(world, rounds, [&] { lq::read(file, grid, lq::gauge(links), unchecked); });
  tell("engine, automatic, one file", engine_read, engine_write);
  lq::WriteOptions exchanging = writing;
  exchanging.route.strategy = lq::Strategy::messages;
  lq::ReadOptions two_phase;
  two_phase.verify = lq::Verify::none;
  two_phase.route.strategy = lq::Strategy::messages;
  const double messages_write =
      median_of_rounds(world, rounds, [&] { lq::write(file, grid, lq::gauge(std::as_const(links)), exchanging); });
  const double messages_read =
      median_of_rounds(world, rounds, [&] { lq::read(file, grid, lq::gauge(links), two_phase); });
  tell("engine, two-phase by messages, one file", messages_read, messages_write);

  const std::string slices = std::string("t=block:").append(std::to_string(world.size()));
  for (const std::string& to : {std::string("whole"), slices, cuts}) {
    const std::string path = to == "whole" ? file : folder + "/bench_more.set";
    if (to != "whole") {
      lq::RepartitionOptions into;
      into.to = to;
      into.overwrite = true;
      into.sync = lq::Sync::none;
      lq::repartition(file, path, world, into);
    }
    lq::View view(path, cuts, part, {.writable = true});
    std::vector<std::byte> mine(view.size());
    const double read_alone = median_of_rounds(world, rounds, [&] { view.read_at(0, mine); });
    const double write_alone = median_of_rounds(world, rounds, [&] { view.write_at(0, mine); });
    tell(std::string("views, each by itself, ").append(to), read_alone, write_alone);
    const double read_together = median_of_rounds(world, rounds, [&] { view.read_all(mine, world); });
    const double write_together = median_of_rounds(world, rounds, [&] { view.write_all(mine, world); });
    tell(std::string("views, disk-directed, ").append(to), read_together, write_together);
  }
}
