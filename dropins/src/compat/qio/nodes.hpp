// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The processes of a program as QIO's nodes, broadcasts from one of them to all, and errors as QIO's codes.
#pragma once

#include <cstdio>
#include <exception>
#include <memory>
#include <span>
#include <string>

#include <qio.h>

#include <limequat/error.hpp>

#include "comm/agree.hpp"
#include "comm/comm.hpp"

namespace lq::compat::qio {

// Collective over all processes. Made again only if the program has changed to another communicator.
std::shared_ptr<comm::Comm> all_nodes();

// Local. From now on these are the nodes, an MPI_Comm of the program; null: as before. QIO_BAD_ARG without MPI.
int use_communicator(const void* communicator);

// Collective. This number of nodes, with this process as the given one; invalid_argument if the program has fewer
// processes, or two of them have the same number. A single node is this process alone, whatever the others do.
std::shared_ptr<comm::Comm> nodes_of_layout(int number_of_nodes, int this_node);

// Broadcasts from one node to all.

// Collective. Facts are numbers.
template <class Facts>
void broadcast_facts(comm::Comm& comm, Facts& facts, int from) {
  comm.broadcast(std::as_writable_bytes(std::span(&facts, 1)), from);
}

// Collective. Broadcasts a text or numbers of one node.
template <class All>
void broadcast_all(comm::Comm& comm, All& all, int from) {
  std::uint64_t count = all.size();
  broadcast_facts(comm, count, from);
  comm::agree(comm, [&] { all.resize(static_cast<std::size_t>(count)); });
  comm.broadcast(std::as_writable_bytes(std::span(all)), from);
}

// Errors as QIO's codes, the same on all nodes, and reported by one of them.

// An error that already has a QIO code.
class Refusal : public std::exception {
 public:
  Refusal(int code, std::string text) : code_(code), text_(std::move(text)) {}
  int code() const noexcept { return code_; }
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  int code_;
  std::string text_;
};

struct Outcome {
  int code = QIO_SUCCESS;
  std::string text = {};
};

// The message of an error, if there is memory for it.
inline std::string words_of(const std::exception& error) noexcept {
  try {
    return error.what();
  } catch (const std::bad_alloc&) {
    return "out of memory";  // short enough to need no allocation
  }
}

// The error of `work`, else success; `otherwise`: code of errors without a QIO code.
template <class Work>
Outcome outcome_of(int otherwise, Work&& work) noexcept {
  try {
    work();
    return {};
  } catch (const Refusal& refusal) {
    return {refusal.code(), words_of(refusal)};
  } catch (const Error& error) {
    if (error.code() == Code::out_of_memory) return {QIO_ERR_ALLOC, words_of(error)};
    const bool is_about_arguments = error.code() == Code::invalid_argument || error.code() == Code::ranks_disagree;
    return {is_about_arguments ? QIO_BAD_ARG : otherwise, words_of(error)};
  } catch (const std::bad_alloc&) {
    return {QIO_ERR_ALLOC, "out of memory"};
  } catch (...) {
    return {otherwise};
  }
}

inline Outcome outcome_of_failure(int otherwise, const std::exception_ptr& failure) noexcept {
  return outcome_of(otherwise, [&] {
    if (failure) std::rethrow_exception(failure);
  });
}

// Collective. The code of the lowest failed node, on all; that node prints the reason.
inline int agree_on(comm::Comm& comm, const Outcome& mine) {
  const auto nobody = static_cast<std::uint64_t>(comm.size());
  std::uint64_t lowest = mine.code == QIO_SUCCESS ? nobody : static_cast<std::uint64_t>(comm.rank());
  if (comm.size() > 1) comm.all_reduce({&lowest, 1}, comm::Reduce::min);
  if (lowest == nobody) return QIO_SUCCESS;
  std::int64_t code = mine.code;
  if (comm.size() > 1) broadcast_facts(comm, code, static_cast<int>(lowest));
  if (lowest == static_cast<std::uint64_t>(comm.rank()) && code != QIO_EOF) {
    std::fprintf(stderr, "qio(%d): %s (%d)\n", comm.rank(), mine.text.c_str(), mine.code);
  }
  return static_cast<int>(code);
}

// Collective. Runs `work` here, and agrees on the outcome.
template <class Work>
int agree_code(comm::Comm& comm, int otherwise, Work&& work) {
  return agree_on(comm, outcome_of(otherwise, work));
}

// Body of a C function: no exception leaves it.
template <class Work>
int code_of_call(int otherwise, Work&& work) noexcept {
  int code = otherwise;
  const Outcome outcome = outcome_of(otherwise, [&] { code = work(); });
  return outcome.code == QIO_SUCCESS ? code : outcome.code;
}

}  // namespace lq::compat::qio
