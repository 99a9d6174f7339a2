// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is wrong with a multifile, as an error that knows which rule of formats/sion.md it breaks: readers let it
// pass on, a scan turns it into a finding.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <limequat/catalog.hpp>
#include <limequat/error.hpp>

namespace lq::format::sion {

class BrokenRule : public Error {
 public:
  // `message` is a sentence without the path, with which the error begins. No offset: it is about no byte of the file.
  BrokenRule(Code code, std::string rule, const std::string& path, std::optional<std::uint64_t> offset,
             const std::string& message, std::string expected = {}, std::string found = {});

  Finding finding() const;

 private:
  std::string rule_;
  std::string message_;
};

}  // namespace lq::format::sion
