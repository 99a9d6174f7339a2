// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The field written and read by the library, by all peers and by plain pwrite and pread, in turn within every round:
//   mpirun -n 2 bench_peers --lattice 24x24x24x48 --grid 2x1x1x1 --path /dev/shm --json out.json
// or a parallel file system under more and more clients, as "lq bench pfs" does it, with peers:
//   mpirun -n 8 bench_peers --pfs --servers 4 --path /mnt/cephfs --json pfs.json
#include <cstdio>
#include <map>

#include <limequat/error.hpp>
#include <limequat/mpi.hpp>

#include "bench/over_mpi.hpp"
#include "cli/bench.hpp"
#include "cli/command.hpp"
#include "cli/exit_code.hpp"
#include "cli/help.hpp"
#include "cli/mpi_library.hpp"
#include "peers.hpp"

namespace {

struct Options {
  lq::cli::BenchLattice lattice;
  lq::cli::BenchPfs pfs;
  std::vector<std::string> peers;
  bool is_pfs = false;
  double seconds = 10;
};

// Communicators of the first ranks, made when they are first asked for.
class FirstRanks {
 public:
  ~FirstRanks() {
    for (auto& [size, comm] : comms_) MPI_Comm_free(&comm);
  }
  // Collective over these ranks.
  MPI_Comm of(int size) {
    const auto [at, is_new] = comms_.try_emplace(size, MPI_COMM_NULL);
    if (!is_new) return at->second;
    int range[1][3] = {{0, size - 1, 1}};
    MPI_Group all = MPI_GROUP_NULL, some = MPI_GROUP_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_range_incl(all, 1, range, &some);
    MPI_Comm_create_group(MPI_COMM_WORLD, some, size, &at->second);
    MPI_Group_free(&some);
    MPI_Group_free(&all);
    return at->second;
  }

 private:
  std::map<int, MPI_Comm> comms_;
};

bool is_wanted(const Options& options, const std::string& peer) {
  return options.peers.empty() || std::find(options.peers.begin(), options.peers.end(), peer) != options.peers.end();
}

int measure(lq::cli::Session& session, const Options& options) {
  const lq::cli::BenchLattice& lattice = options.lattice;
  FirstRanks clients;
  const auto peers_of = [&](const lq::Grid& grid) {
    std::vector<std::unique_ptr<lq::bench::Mover>> movers;
    for (const peers::Peer& peer : peers::all()) {
      if (!is_wanted(options, peer.name) || (options.is_pfs && peer.name == "gather")) continue;  // all ranks only
      movers.push_back(peer.make(grid, options.is_pfs ? clients.of(grid.size()) : MPI_COMM_WORLD));
    }
    return movers;
  };
  if (options.is_pfs) return options.pfs.run(session, lattice, options.seconds, peers_of);
  if (lattice.precision != "double") throw lq::cli::UsageError("--precision: peers move doubles as they are");
  if (lattice.rounds.sync) throw lq::cli::UsageError("--sync: peers leave it to the system when the disk is written");
  return lattice.run(session, peers_of);
}

int run_peers(lq::cli::Session& session, const std::vector<std::string>& words) try {
  Options options;
  lq::cli::Arguments arguments;
  options.lattice.declare(arguments);
  arguments.flag("--pfs", options.is_pfs,
                 "a parallel file system under more and more clients, as \"lq bench pfs\" does");
  options.pfs.declare(arguments);
  arguments.number("--seconds", options.seconds, "of pfs: how long its parts may take (default 10)");
  std::vector<std::string> names;
  for (const peers::Peer& peer : peers::all()) names.push_back(peer.name);
  arguments.texts("--peer", "NAME", options.peers, "whom to compare with (default: all); may be repeated", names);
  if (arguments.asks_for_help(words)) {
    const lq::cli::Command command{"", "", nullptr, "the library, its peers and the raw limit, side by side"};
    session.out.write(lq::cli::verb_help(session.program, command, arguments));
    return lq::cli::fine;
  }
  arguments.parse(words, true);
  options.lattice.settle(options.is_pfs ? lq::cli::BenchPfs::usual_rounds : lq::cli::BenchLattice::usual_rounds);
  return measure(session, options);
} catch (const lq::cli::UsageError& error) {
  session.complain(error.what());
  return lq::cli::usage;
} catch (const lq::Error& error) {
  session.complain(error.what());
  return lq::cli::exit_code_of(error);
}

}  // namespace

int main(int argc, char** argv) try {
  const lq::mpi::Environment environment(argc, argv);
  lq::cli::Session session("bench_peers", lq::mpi::communicator());
  session.mpi = lq::cli::mpi_library();
  session.from_root = lq::cli::root_code;
  session.gather = lq::bench::make_gather;
  session.with_tasks = lq::bench::with_tasks;
  const int code = run_peers(session, std::vector<std::string>(argv + 1, argv + argc));
  session.out.finish();
  return code;
} catch (const lq::Error& error) {
  std::fprintf(stderr, "bench_peers: %s\n", error.what());
  return lq::cli::environment;
}
