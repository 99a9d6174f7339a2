// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Errors of MPI as lq::Error.
#include "mpi/calls.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/backoff.hpp"
#include "base/error.hpp"
#include "base/interruption_poll.hpp"

namespace lq::mpi {
namespace {

int class_of(int code) {
  int error_class = code;
  MPI_Error_class(code, &error_class);
  return error_class;
}

// The text of the error class, because texts of codes contain addresses, which differ between ranks.
std::string reason_of(int code) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  if (MPI_Error_string(class_of(code), text.data(), &length) == MPI_SUCCESS) {
    return {text.data(), static_cast<std::size_t>(length)};
  }
  std::string reason = "unknown error ";
  reason += std::to_string(code);
  return reason;
}

Code code_of_file_error(int code) {
  const int error_class = class_of(code);
  if (error_class == MPI_ERR_NO_SPACE || error_class == MPI_ERR_QUOTA) return Code::no_space;
  if (error_class == MPI_ERR_ACCESS || error_class == MPI_ERR_READ_ONLY) return Code::no_permission;
  return error_class == MPI_ERR_IO ? Code::io : Code::communication;
}

// The name by which MPI identifies itself, and the names of MPIs with incompatible handles.
#if defined(MPI_ABI)
constexpr std::string_view compiled_for = "the standard ABI of MPI";
constexpr std::array<std::string_view, 0> incompatible{};
#elif defined(OPEN_MPI)
constexpr std::string_view compiled_for = "Open MPI";
constexpr std::array<std::string_view, 4> incompatible{"MPICH", "Intel(R) MPI", "MVAPICH", "CRAY MPICH"};
#else
constexpr std::string_view compiled_for = "MPICH and its relatives";
constexpr std::array<std::string_view, 1> incompatible{"Open MPI"};
#endif

}  // namespace

void require_own_mpi() {
  std::array<char, 65536> text{};  // other MPIs write longer texts than MPI_MAX_LIBRARY_VERSION_STRING of this one
  int length = 0;
  if (MPI_Get_library_version(text.data(), &length) != MPI_SUCCESS) return;
  const std::string_view loaded(text.data());
  for (const std::string_view other : incompatible) {
    if (!loaded.starts_with(other)) continue;
    std::string name(loaded.substr(0, loaded.find_first_of(",\n")));
    std::replace(name.begin(), name.end(), '\t', ' ');
    std::string sentence = "MPI: this process has loaded " + name + ", but liblimequat_mpi was built for ";
    sentence.append(compiled_for)
        .append(": use the one that was built for the MPI of the program (cmake ")
        .append("-DLIMEQUAT_MPI=openmpi or mpich), and load one MPI only");
    throw Error(Code::wrong_state, sentence, {.expected = std::string(compiled_for), .found = name});
  }
}

void check(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  const std::string reason = reason_of(code);
  base::fail(Code::communication, {.found = reason}, "MPI: cannot {}: {}", what, reason);
}

void check_file(int code, const std::string& path, const char* verb, std::uint64_t offset, std::uint64_t bytes) {
  if (code == MPI_SUCCESS) return;
  const std::string reason = reason_of(code);
  base::fail(code_of_file_error(code), {.path = path, .offset = offset, .found = reason},
             "cannot {} {} bytes at byte {}: {}", verb, bytes, offset, reason);
}

void require_running() {
  [[maybe_unused]] static const bool is_own = (require_own_mpi(), true);
  int initialised = 0;
  int finalised = 0;
  MPI_Initialized(&initialised);
  MPI_Finalized(&finalised);
  if (initialised == 0) {
    throw Error(Code::wrong_state, "MPI: not initialised; create an lq::mpi::Environment or call MPI_Init first");
  }
  if (finalised != 0) throw Error(Code::wrong_state, "MPI: already finalised; nothing collective can follow");
}

// Polls with growing pauses: if ranks share a core, a waiting rank must not take time from working ones.

void wait(MPI_Request& request, const char* what, MPI_Status* status) {
  int done = 0;
  check(MPI_Test(&request, &done, status), what);
  base::Backoff backoff(base::Backoff::Who::rank);
  while (done == 0) {
    backoff.wait();
    base::poll_for_interruption();
    check(MPI_Test(&request, &done, status), what);
  }
}

namespace {

// A datatype returned by MPI; freed unless it is predefined.
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
  // True if consecutive copies leave no gap.
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
