// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One error scheme for all languages: a fixed code, a message, and the facts as data.
// In a collective call every rank throws the same Error, which states the failing rank.
#pragma once

#include <limequat/language.hpp>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include <limequat/version.hpp>

namespace lq {

// Numbers never change, and equal LQ_* in limequat.h.
enum class Code : int {
  ok = 0,
  // the caller can fix it
  invalid_argument = 10,
  ranks_disagree = 11,
  wrong_state = 12,
  unsupported = 13,
  // the system reported it
  not_found = 20,
  exists = 21,
  no_permission = 22,
  no_space = 23,
  io = 24,
  // the file is not what it should be
  unknown_format = 30,
  malformed = 31,
  truncated = 32,
  checksum_mismatch = 33,
  no_such_record = 34,
  // does not fit memory, format or an MPI limit
  out_of_memory = 40,
  too_large = 41,
  // MPI failed
  communication = 50,
  // a bug in Limequat; please report it
  internal = 90,
};

// Local. The name of the code as in this enumeration, for example "no_space".
LQ_API std::string_view name(Code code) noexcept;

// The facts about a failure, in addition to the message; those that do not apply are empty.
struct ErrorFacts {
  std::string path = {};                     // the file concerned
  std::string record = {};                   // type of the record, or name of the field, concerned
  std::optional<std::uint64_t> offset = {};  // byte in the file
  std::optional<int> rank = {};              // the rank that failed
  std::string expected = {};
  std::string found = {};
  int system_errno = 0;  // errno if the system reported the failure, otherwise 0
};

class LQ_API Error : public std::runtime_error {
 public:
  // `sentence` is the message: what was tried, where, what was found, what was expected, and the remedy.
  Error(Code code, const std::string& sentence, ErrorFacts facts = {});

  Code code() const noexcept { return code_; }
  const ErrorFacts& facts() const noexcept { return facts_; }

  // The exit code of the command line: 1 content differs, 2 usage, 3 not a valid file, 4 environment.
  int exit_code() const noexcept;

 private:
  Code code_;
  ErrorFacts facts_;
};

}  // namespace lq
