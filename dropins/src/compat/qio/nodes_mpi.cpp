// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The communicator that the program has: QMP's if there is QMP, which need not be there to build or load this.
#include <qio.h>

#include <limequat/mpi.hpp>

#include "compat/qio/nodes.hpp"
#include "mpi/mpi_comm.hpp"
#include "mpi/mpi_error.hpp"

extern "C" {
// Of QMP; null where the program has none.
__attribute__((weak)) int QMP_is_initialized(void);
__attribute__((weak)) void* QMP_comm_get_default(void);
__attribute__((weak)) int QMP_get_mpi_comm(void* comm, void** mpi_comm);
}

namespace lq::compat::qio {
namespace {

// By QIO_set_communicator.
MPI_Comm given_communicator = MPI_COMM_NULL;
// All nodes, and whose duplicate their communicator is.
MPI_Comm known_communicator = MPI_COMM_NULL;
std::shared_ptr<comm::Comm> known_nodes;

MPI_Comm programs_communicator() {
  if (given_communicator != MPI_COMM_NULL) return given_communicator;
  if (QMP_is_initialized == nullptr || QMP_comm_get_default == nullptr || QMP_get_mpi_comm == nullptr ||
      QMP_is_initialized() == 0) {
    return MPI_COMM_WORLD;
  }
  void* place = nullptr;
  if (QMP_get_mpi_comm(QMP_comm_get_default(), &place) != 0 || place == nullptr) return MPI_COMM_WORLD;
  return *static_cast<MPI_Comm*>(place);
}

bool is_running() {
  int is_begun = 0, is_over = 0;
  MPI_Initialized(&is_begun);
  if (is_begun != 0) MPI_Finalized(&is_over);
  return is_begun != 0 && is_over == 0;
}

}  // namespace

std::shared_ptr<comm::Comm> all_nodes() {
  if (!is_running()) return comm::make_self();
  const MPI_Comm theirs = programs_communicator();
  if (known_nodes == nullptr || theirs != known_communicator) {
    known_nodes = mpi::duplicate_of(theirs);
    known_communicator = theirs;
  }
  return known_nodes;
}

int use_communicator(const void* communicator) {
  given_communicator = communicator == nullptr ? MPI_COMM_NULL : *static_cast<const MPI_Comm*>(communicator);
  // A communicator that was freed may have had the same handle.
  known_nodes = nullptr;
  return QIO_SUCCESS;
}

}  // namespace lq::compat::qio
