// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// MPI communicators as groups of tasks.
#pragma once

#include <mpi.h>

#include <memory>

#include "comm/comm.hpp"
#include "compat/sion/opening.hpp"

namespace lq::compat::sion {

// SIONlib registers its MPI functions as the first API of a program, which gets a number like a file.
void take_api_number();

// Collective. Over a duplicate that is created once and attached to the communicator: as MPI requires, one collective
// call over `comm` at a time. It lives as long as both. Throws Error.
std::shared_ptr<comm::Comm> comm_of(MPI_Comm comm);

// Collective over `all`, which is `global`. Locations for writing: *files physical files or, if that is not positive,
// one for each local communicator. The same error on all ranks.
multifile::TaskLocation seat_in(comm::Comm& all, MPI_Comm global, const MPI_Comm* local, const int* files);

}  // namespace lq::compat::sion
