// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Errors of MPI, translated in one place.
#pragma once

#include <cstdint>
#include <string>

namespace lq::mpi {

// Throws Error(communication) "MPI: cannot WHAT: REASON" unless `code` is MPI_SUCCESS.
void check(int code, const char* what);

// Throws "PATH: cannot VERB BYTES bytes at byte OFFSET: REASON" unless `code` is MPI_SUCCESS: no_space, no_permission,
// io, or communication where MPI is to blame.
void check_file(int code, const std::string& path, const char* verb, std::uint64_t offset, std::uint64_t bytes);

// Throws Error(wrong_state) where the MPI of this process is not of the kind that this library was compiled for, whose
// handles have other types and values. It asks for nothing but a name, so that it may come before MPI_Init.
void require_own_mpi();

// The same, and unless MPI is initialised and not yet finalised.
void require_running();

}  // namespace lq::mpi
