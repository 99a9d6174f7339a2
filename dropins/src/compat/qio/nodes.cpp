// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The program's communicator: QMP's if QMP is present, which is not needed to build or load this. Without
// MPI there is one process.
#include "compat/qio/nodes.hpp"

#include <qio.h>

#include <fmt/format.h>

#include "comm/agree.hpp"

#ifdef LQ_WITH_MPI
#include <limequat/mpi.hpp>

#include "mpi/calls.hpp"
#include "mpi/mpi_comm.hpp"

extern "C" {
// From QMP; null if the program does not use it.
__attribute__((weak)) int QMP_is_initialized(void);
__attribute__((weak)) void* QMP_comm_get_default(void);
__attribute__((weak)) int QMP_get_mpi_comm(void* comm, void** mpi_comm);
}
#endif

namespace lq::compat::qio {

#ifdef LQ_WITH_MPI
namespace {

// Set by QIO_set_communicator.
MPI_Comm given_communicator = MPI_COMM_NULL;
// All nodes, and the communicator that theirs duplicates.
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
  // The handle may belong to a communicator that was freed.
  known_nodes = nullptr;
  return QIO_SUCCESS;
}
#else
std::shared_ptr<comm::Comm> all_nodes() { return comm::make_self(); }

int use_communicator(const void* communicator) { return communicator == nullptr ? QIO_SUCCESS : QIO_BAD_ARG; }
#endif

std::shared_ptr<comm::Comm> nodes_of_layout(int number_of_nodes, int this_node) {
  if (number_of_nodes <= 1) return comm::make_self();
  std::shared_ptr<comm::Comm> all = all_nodes();
  const bool is_numbered_alike = this_node == all->rank();
  comm::agree(*all, [&] {
    if (number_of_nodes == all->size() && this_node >= 0 && this_node < number_of_nodes) return;
    throw Error(Code::invalid_argument, fmt::format("qio: node {} of {}, but the program has {} processes", this_node,
                                                    number_of_nodes, all->size()));
  });
  std::uint64_t alike = is_numbered_alike ? 1 : 0;
  all->all_reduce({&alike, 1}, comm::Reduce::min);
  if (alike == 1) return all;
  std::shared_ptr<comm::Comm> renumbered = comm::agree(*all, [&] { return all->split(0, this_node); });
  comm::agree(*all, [&] {
    if (renumbered->rank() == this_node) return;
    throw Error(Code::invalid_argument, fmt::format("qio: several processes claim to be node {}", this_node));
  });
  return renumbered;
}

}  // namespace lq::compat::qio
