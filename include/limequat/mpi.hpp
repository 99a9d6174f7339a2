// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Limequat over MPI: the one public C++ header that includes <mpi.h>; link limequat_mpi.
#pragma once

#include <limequat/language.hpp>

// The C interface only: the C++ bindings were removed from MPI and must not leak into our users' builds.
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
// where MPI is already initialised.
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
// lattice dimension d lies along the communicator's dimension axes[d]; empty axes: dimension d along d.
// (Codes whose Cartesian communicator is T, X, Y, Z pass {1, 2, 3, 0}.) With options.ranks or options.coordinates it is
// used like a plain one.
LQ_API Grid grid(const Extents& extents, MPI_Comm comm = MPI_COMM_WORLD, const GridOptions& options = {},
                 const SiteOrder& axes = {});

// Local. A file of the caller's, for write_sites() and read_sites(), which call it on the calling thread; calls from
// other threads need MPI_THREAD_MULTIPLE. The file stays open and its owner's: only independent calls at explicit
// offsets are made; view, pointers and error handler stay as they are. The view must be that of a file just opened,
// bytes from the beginning, now and whenever the storage is used (wrong_state). `path`: for error messages.
LQ_API std::unique_ptr<Storage> storage(MPI_File file, std::string path = {});

struct ProbeOptions {
  bool thorough = false;  // pieces and messages above 2 GiB, too: up to 5 GiB of memory on a node, and 3 GiB of space
  double seconds = 10;  // that the questions may take together; fewer pieces are written where the file system is slow
  std::function<void(const Probe&)> on_probe = {};  // on every rank, as soon as there is an answer
};
// Collective. Known faults of this MPI looked for, with files in `folder` that are removed again; the same answer on
// all ranks. At most 32 of the ranks write. What MPI does wrong is an answer, no error.
LQ_API std::vector<Probe> probe(MPI_Comm comm, const std::string& folder, const ProbeOptions& options = {});

}  // namespace lq::mpi
