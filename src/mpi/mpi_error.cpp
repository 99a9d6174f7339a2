// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What MPI says, as our errors.
#include "mpi/mpi_error.hpp"

#include <array>
#include <string>

#include <limequat/error.hpp>
#include <limequat/mpi.hpp>

namespace lq::mpi {

void check(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  std::string reason = "unknown error ";
  reason += std::to_string(code);
  // That of the class: texts of codes hold addresses, which differ between ranks.
  int error_class = code;
  MPI_Error_class(code, &error_class);
  if (MPI_Error_string(error_class, text.data(), &length) == MPI_SUCCESS) {
    reason.assign(text.data(), static_cast<std::size_t>(length));
  }
  ErrorFacts facts;
  facts.found = reason;
  std::string sentence = "MPI: cannot ";
  sentence.append(what).append(": ").append(reason);
  throw Error(Code::communication, sentence, facts);
}

void require_running() {
  int initialised = 0;
  int finalised = 0;
  MPI_Initialized(&initialised);
  MPI_Finalized(&finalised);
  if (initialised == 0) {
    throw Error(Code::wrong_state, "MPI: not initialised; create an lq::mpi::Environment or call MPI_Init first");
  }
  if (finalised != 0) throw Error(Code::wrong_state, "MPI: already finalised; nothing collective can follow");
}

}  // namespace lq::mpi
