// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Errors about files, and translated errors of the operating system, each created in one place.
#pragma once

#include <concepts>
#include <exception>
#include <string>
#include <utility>

#include <fmt/core.h>
#include <limequat/error.hpp>

#include "base/inner.hpp"

namespace lq::base {

// ENOENT -> not_found, EACCES/EPERM/EROFS -> no_permission, ENOSPC/EDQUOT/EFBIG -> no_space, EEXIST -> exists,
// ENOMEM -> out_of_memory, everything else -> io.
Code code_of_errno(int system_errno) noexcept;

// "PATH: cannot WHAT: REASON (remedy)", with the facts.
LQ_INNER Error errno_error(const std::string& path, const std::string& what, int system_errno);

// Error(code) with the facts. The sentence states what was found, what was expected, and the remedy; the path of the
// facts precedes it: "PATH: SENTENCE".
LQ_INNER Error error_with(Code code, ErrorFacts facts, fmt::string_view sentence, fmt::format_args values);
template <class... Values>
Error file_error(Code code, ErrorFacts facts, fmt::format_string<Values...> sentence, Values&&... values) {
  return error_with(code, std::move(facts), sentence, fmt::make_format_args(values...));
}
// For errors about which only the file is known.
template <std::convertible_to<std::string> Path, class... Values>
Error file_error(Code code, const Path& path, fmt::format_string<Values...> sentence, Values&&... values) {
  return error_with(code, {.path = path}, sentence, fmt::make_format_args(values...));
}
// The same two, thrown.
template <class... Values>
[[noreturn]] void fail(Code code, ErrorFacts facts, fmt::format_string<Values...> sentence, Values&&... values) {
  throw error_with(code, std::move(facts), sentence, fmt::make_format_args(values...));
}
template <std::convertible_to<std::string> Path, class... Values>
[[noreturn]] void fail(Code code, const Path& path, fmt::format_string<Values...> sentence, Values&&... values) {
  throw error_with(code, {.path = path}, sentence, fmt::make_format_args(values...));
}

// For steps that must continue after a failure because other ranks wait for this one: the first failure is stored.

// Runs `work`; an exception is stored in `failure` unless one is stored already.
template <class Work>
void keep_failure(std::exception_ptr& failure, const Work& work) {
  try {
    work();
  } catch (...) {
    if (!failure) failure = std::current_exception();
  }
}

}  // namespace lq::base
