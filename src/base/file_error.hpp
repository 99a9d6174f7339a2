// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Errors about a file, which name it twice: in the sentence, "PATH: ...", and among the facts.
#pragma once

#include <concepts>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/inner.hpp"

namespace lq::base {

// The sentence is what comes after "PATH: "; the path is one of the facts.
LQ_INNER Error file_error_of(Code code, ErrorFacts facts, fmt::string_view sentence, fmt::format_args arguments);

template <class... Args>
Error file_error(Code code, ErrorFacts facts, fmt::format_string<Args...> sentence, Args&&... args) {
  return file_error_of(code, std::move(facts), sentence, fmt::make_format_args(args...));
}
// Where nothing more is known than the file.
template <std::convertible_to<std::string> Path, class... Args>
Error file_error(Code code, const Path& path, fmt::format_string<Args...> sentence, Args&&... args) {
  return file_error_of(code, {.path = path}, sentence, fmt::make_format_args(args...));
}

}  // namespace lq::base
