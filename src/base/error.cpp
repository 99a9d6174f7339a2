// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The names of the codes, the exit code of each, and Error itself.
#include <limequat/error.hpp>

namespace lq {

std::string_view name(Code code) noexcept {
  switch (code) {
    case Code::ok:
      return "ok";
    case Code::invalid_argument:
      return "invalid_argument";
    case Code::ranks_disagree:
      return "ranks_disagree";
    case Code::wrong_state:
      return "wrong_state";
    case Code::unsupported:
      return "unsupported";
    case Code::not_found:
      return "not_found";
    case Code::exists:
      return "exists";
    case Code::no_permission:
      return "no_permission";
    case Code::no_space:
      return "no_space";
    case Code::io:
      return "io";
    case Code::unknown_format:
      return "unknown_format";
    case Code::malformed:
      return "malformed";
    case Code::truncated:
      return "truncated";
    case Code::checksum_mismatch:
      return "checksum_mismatch";
    case Code::no_such_record:
      return "no_such_record";
    case Code::out_of_memory:
      return "out_of_memory";
    case Code::too_large:
      return "too_large";
    case Code::communication:
      return "communication";
    case Code::internal:
      return "internal";
  }
  return "unknown";  // a number that came through the C API or from another rank
}

Error::Error(Code code, const std::string& sentence, ErrorFacts facts)
    : std::runtime_error(sentence), code_(code), facts_(std::move(facts)) {}

int Error::exit_code() const noexcept {
  switch (code_) {
    case Code::ok:
      return 0;
    case Code::checksum_mismatch:
      return 1;
    case Code::invalid_argument:
    case Code::ranks_disagree:
    case Code::wrong_state:
    case Code::unsupported:
    case Code::exists:
      return 2;
    case Code::not_found:
    case Code::unknown_format:
    case Code::malformed:
    case Code::truncated:
    case Code::no_such_record:
    case Code::too_large:
      return 3;
    case Code::no_permission:
    case Code::no_space:
    case Code::io:
    case Code::out_of_memory:
    case Code::communication:
    case Code::internal:
      return 4;
  }
  return 4;
}

}  // namespace lq
