// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// qio-copy-mesh-ppfs LAYOUT DELAY FILE FOLDER, on all nodes of a mesh: each I/O node copies its part file of FILE to
// FOLDER, which may be another disk on each node, DELAY seconds after the previous node. Arguments are those of QIO's
// program of that name; it needs MPI and no QMP. A file is renamed to its name when it is complete.
#include <fcntl.h>
#include <mpi.h>
#include <qio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include "programs/qio/mesh.hpp"

namespace {

namespace fs = std::filesystem;
using lq::programs::Failure;

constexpr const char* usage = "<layoutfile> <delay> <srcfilename> <destdir>\n";

int rank_here() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

struct Free {
  void operator()(char* text) const noexcept { std::free(text); }
};

// The name of a node's file in QIO.
fs::path part_of(const std::string& file, int node) {
  const std::unique_ptr<char, Free> name(QIO_filename_edit(file.c_str(), QIO_PARTFILE, node));
  if (!name) throw Failure("Can't name the part of node " + std::to_string(node));
  return name.get();
}

void flush(const fs::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool is_synced = file >= 0 && ::fsync(file) == 0;
  const int reason = errno;
  if (file >= 0) ::close(file);
  if (!is_synced) throw Failure("Can't sync " + path.string() + ": " + std::strerror(reason));
}

void copy_whole(const fs::path& from, const fs::path& to) {
  const fs::path beginning = to.parent_path() / ("." + to.filename().string() + ".copy");
  try {
    fs::copy_file(from, beginning, fs::copy_options::overwrite_existing);
    flush(beginning);
    fs::rename(beginning, to);
  } catch (...) {
    std::error_code left;
    fs::remove(beginning, left);
    throw;
  }
}

void copy_own_part(char** words) {
  const int node = rank_here();
  std::ifstream layout(words[1]);
  if (!layout) throw Failure(std::string("Can't open ") + words[1] + " for reading: " + std::strerror(errno));
  const lq::programs::qio::Mesh mesh = lq::programs::qio::read_mesh(layout, true);
  char* end = nullptr;
  const double delay = std::strtod(words[2], &end);
  if (end == words[2] || *end != '\0' || !(delay >= 0)) throw Failure(std::string(words[2]) + " are no seconds");
  if (node >= mesh.count() || mesh.io_node_of(node) != node) return;
  QIO_wait(node * delay);
  const fs::path from = part_of(words[3], node), to = fs::path(words[4]) / from.filename();
  std::printf("node %d: copying %s to %s\n", node, from.c_str(), to.c_str());
  copy_whole(from, to);
}

}  // namespace

// Every node returns the worst code of all.
int main(int argc, char* argv[]) {
  MPI_Init(&argc, &argv);
  int status = EXIT_FAILURE;
  if (argc >= 5) {
    status = lq::programs::run({argv[0], usage}, [&] { copy_own_part(argv); });
  } else if (rank_here() == 0) {
    status = lq::programs::run({argv[0], usage}, [] { throw lq::programs::WrongUsage(); });
  }
  MPI_Allreduce(MPI_IN_PLACE, &status, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return status;
}
