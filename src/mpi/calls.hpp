// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Errors of MPI, translated in one place.
#pragma once

#include <cstdint>
#include <string>

#include <limequat/mpi.hpp>

namespace lq::mpi {

// Throws Error(communication) "MPI: cannot WHAT: REASON" unless `code` is MPI_SUCCESS.
void check(int code, const char* what);

// Throws "PATH: cannot VERB BYTES bytes at byte OFFSET: REASON" unless `code` is MPI_SUCCESS: no_space, no_permission,
// io, or communication for other errors of MPI.
void check_file(int code, const std::string& path, const char* verb, std::uint64_t offset, std::uint64_t bytes);

// Throws Error(wrong_state) if the MPI of this process is not of the kind for which this library was compiled, because
// its handles have other types and values. Queries only a name, so it may be called before MPI_Init.
void require_own_mpi();

// The same, and also if MPI is not initialised or already finalised.
void require_running();

// Waiting for MPI without occupying the core. Blocking calls of MPICH spin for a whole slice of the scheduler before
// another rank on the same core may run, which makes collectives a hundred times slower on a laptop. So all operations
// here are started as non-blocking ones and polled, with a yield between polls, which costs nothing if each rank has
// its own core.

// Waits until the request is complete; Error(communication) as in check().
void wait(MPI_Request& request, const char* what, MPI_Status* status = MPI_STATUS_IGNORE);

// Starts an operation by a call that fills the request, and waits for it.
template <class Start>
void complete(const char* what, Start start) {
  MPI_Request request = MPI_REQUEST_NULL;
  check(start(&request), what);
  wait(request, what);
}

// State that the owner of an MPI_File has set: its view and its error handler.

// While this exists, errors of the file are returned, whatever the owner's error handler.
class ErrorsReturn {
 public:
  explicit ErrorsReturn(MPI_File file) : file_(file) {
    check(MPI_File_get_errhandler(file_, &owners_), "find the error handler of a file");
    if (owners_ != MPI_ERRORS_RETURN) MPI_File_set_errhandler(file_, MPI_ERRORS_RETURN);
  }
  ~ErrorsReturn() {
    if (owners_ != MPI_ERRORS_RETURN) MPI_File_set_errhandler(file_, owners_);
    MPI_Errhandler_free(&owners_);
  }
  ErrorsReturn(const ErrorsReturn&) = delete;
  ErrorsReturn& operator=(const ErrorsReturn&) = delete;

 private:
  MPI_File file_;
  MPI_Errhandler owners_ = MPI_ERRHANDLER_NULL;
};

// Local. True if the view is that of a newly opened file: bytes from the beginning.
bool is_byte_view(MPI_File file);
// Collective over the ranks that opened the file.
void set_byte_view(MPI_File file);

}  // namespace lq::mpi
