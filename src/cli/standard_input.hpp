// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Standard input, or a pipe that has a name, as a file: formats look at ends before they look at middles, which a pipe
// does not let them.
#pragma once

#include <string>

namespace lq::cli {

// Whether a path is that of a pipe: /dev/stdin, a FIFO, or what a shell gives for <(...).
bool is_pipe(const std::string& path) noexcept;

// A copy in the folder for temporary files (TMPDIR), as long as this lives. io, no_space.
class StandardInput {
 public:
  // `path`: "-", or that of a pipe.
  explicit StandardInput(const std::string& path);
  ~StandardInput();
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;

  const std::string& path() const noexcept { return path_; }

 private:
  void copy(const std::string& from) const;

  std::string folder_, path_;
};

}  // namespace lq::cli
