// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the owner of an MPI_File has set on it: its view, and what happens to its errors.
#pragma once

#include <limequat/mpi.hpp>

#include "mpi/calls.hpp"

namespace lq::mpi {

// Errors of the file are returned while this lives, whatever its owner wants of his own calls.
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

// Local. Whether the view is that of a file just opened: bytes from the beginning.
bool is_byte_view(MPI_File file);
// Collective over the ranks that opened the file.
void set_byte_view(MPI_File file);

}  // namespace lq::mpi
