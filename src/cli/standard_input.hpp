// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Standard input as a file: formats look at ends before they look at middles, which a pipe does not let them.
#pragma once

#include <string>

namespace lq::cli {

// A copy in the folder for temporary files (TMPDIR), as long as this lives. io, no_space.
class StandardInput {
 public:
  StandardInput();
  ~StandardInput();
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;

  const std::string& path() const noexcept { return path_; }

 private:
  void copy() const;

  std::string folder_, path_;
};

}  // namespace lq::cli
