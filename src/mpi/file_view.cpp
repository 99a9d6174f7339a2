// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/file_view.hpp"

#include <string>

namespace lq::mpi {
namespace {

// A datatype that MPI handed out; those that are not built in are freed.
class HandedType {
 public:
  HandedType() = default;
  ~HandedType() {
    int integers = 0, addresses = 0, types = 0, combiner = MPI_COMBINER_NAMED;
    if (type_ == MPI_DATATYPE_NULL) return;
    MPI_Type_get_envelope(type_, &integers, &addresses, &types, &combiner);
    if (combiner != MPI_COMBINER_NAMED) MPI_Type_free(&type_);
  }
  HandedType(const HandedType&) = delete;
  HandedType& operator=(const HandedType&) = delete;

  MPI_Datatype* out() noexcept { return &type_; }
  int size() const {
    int bytes = 0;
    check(MPI_Type_size(type_, &bytes), "look at the view of a file");
    return bytes;
  }
  // Copies of it contiguous leave no gap.
  bool is_contiguous() const {
    MPI_Aint lower = 0, extent = 0, true_lower = 0, true_extent = 0;
    check(MPI_Type_get_extent(type_, &lower, &extent), "look at the view of a file");
    check(MPI_Type_get_true_extent(type_, &true_lower, &true_extent), "look at the view of a file");
    return lower == 0 && true_lower == 0 && extent == size() && true_extent == size();
  }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

}  // namespace

bool is_byte_view(MPI_File file) {
  MPI_Offset displacement = 0;
  HandedType element, pattern;
  std::string representation(MPI_MAX_DATAREP_STRING, '\0');
  const ErrorsReturn returned(file);
  check(MPI_File_get_view(file, &displacement, element.out(), pattern.out(), representation.data()),
        "look at the view of a file");
  return displacement == 0 && element.size() == 1 && element.is_contiguous() && pattern.is_contiguous();
}

void set_byte_view(MPI_File file) {
  const ErrorsReturn returned(file);
  check(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL),
        "set the view of a file back to bytes");
}

}  // namespace lq::mpi
