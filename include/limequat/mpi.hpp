// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Limequat over MPI: the one public C++ header that includes <mpi.h>; link limequat_mpi.
#pragma once

#include <limequat/language.hpp>

// The C interface only: the C++ bindings were removed from MPI and must not leak into the builds of users.
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <limequat/grid.hpp>
#include <limequat/storage.hpp>
#include <limequat/survey.hpp>

namespace lq::mpi {

// MPI_Init_thread (MPI_THREAD_FUNNELED) and MPI_Finalize for programs that do not call them; does nothing
// if MPI is already initialised.
class LQ_API Environment {
 public:
  Environment(int& argc, char**& argv);
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  bool owner_ = false;
};

// Collective. A duplicate of the communicator, freed with the last handle (or at MPI_Finalize).
LQ_API Communicator communicator(MPI_Comm comm = MPI_COMM_WORLD);

// Collective. The lattice over the ranks of `comm`. A Cartesian communicator gives process grid and rank order:
// lattice dimension d is distributed along the communicator's dimension axes[d]; empty axes: dimension d along d.
// (Codes whose Cartesian communicator is T, X, Y, Z pass {1, 2, 3, 0}.) With options.ranks or options.coordinates it is
// used like a plain one.
LQ_API Grid grid(const Extents& extents, MPI_Comm comm = MPI_COMM_WORLD, const GridOptions& options = {},
                 const SiteOrder& axes = {});

// Local. Wraps a file of the caller for write_sites() and read_sites(), which use it on the calling thread; calls from
// other threads need MPI_THREAD_MULTIPLE. The file stays open and belongs to the caller. Only independent calls at
// explicit offsets are made; view, pointers and error handler are not changed. The view must be the one of a newly
// opened file, bytes from the beginning, now and whenever the storage is used (wrong_state). `path`: for error
// messages.
LQ_API std::unique_ptr<Storage> storage(MPI_File file, std::string path = {});

struct ProbeOptions {
  bool thorough = false;  // also pieces and messages above 2 GiB: up to 5 GiB of memory on a node, and 3 GiB of space
  double seconds = 10;    // time limit for all questions; fewer pieces are written if the file system is slow
  std::function<void(const Probe&)> on_probe = {};  // called on every rank, as soon as an answer is known
};
// Collective. Tests known faults of this MPI, with files in `folder` that are removed again; the same answer on all
// ranks. At most 32 ranks write. A fault of MPI is an answer, not an error.
LQ_API std::vector<Probe> probe(MPI_Comm comm, const std::string& folder, const ProbeOptions& options = {});

}  // namespace lq::mpi
