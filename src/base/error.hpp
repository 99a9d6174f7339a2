// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Errors about files, and those of the operating system translated, each made in one place.
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

// Error(code) with the facts. The sentence says what was found, what was expected, and the remedy; the path of the
// facts stands before it, "PATH: SENTENCE".
LQ_INNER Error error_with(Code code, ErrorFacts facts, fmt::string_view sentence, fmt::format_args values);
template <class... Values>
Error file_error(Code code, ErrorFacts facts, fmt::format_string<Values...> sentence, Values&&... values) {
  return error_with(code, std::move(facts), sentence, fmt::make_format_args(values...));
}
// Where nothing more is known than the file.
template <std::convertible_to<std::string> Path, class... Values>
Error file_error(Code code, const Path& path, fmt::format_string<Values...> sentence, Values&&... values) {
  return error_with(code, {.path = path}, sentence, fmt::make_format_args(values...));
}
// Both thrown.
template <class... Values>
[[noreturn]] void fail(Code code, ErrorFacts facts, fmt::format_string<Values...> sentence, Values&&... values) {
  throw error_with(code, std::move(facts), sentence, fmt::make_format_args(values...));
}
template <std::convertible_to<std::string> Path, class... Values>
[[noreturn]] void fail(Code code, const Path& path, fmt::format_string<Values...> sentence, Values&&... values) {
  throw error_with(code, {.path = path}, sentence, fmt::make_format_args(values...));
}

// For steps that must go on after a failure, because others wait for this rank: the first one is kept for later.

// Runs `work`; what it throws becomes `failure` unless there was one before.
template <class Work>
void keep_failure(std::exception_ptr& failure, const Work& work) {
  try {
    work();
  } catch (...) {
    if (!failure) failure = std::current_exception();
  }
}

}  // namespace lq::base
