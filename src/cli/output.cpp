// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See output.hpp.
#include "cli/output.hpp"

#include <cerrno>
#include <cstdio>

namespace lq::cli {

void Output::write(std::string_view bytes) {
  if (!prints_ || failure_ != 0 || bytes.empty()) return;
  if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size()) failure_ = errno != 0 ? errno : EIO;
}

void Output::line(std::string_view text) {
  write(text);
  write("\n");
}

int Output::finish() {
  if (!prints_) return 0;
  if (std::fflush(stdout) != 0 && failure_ == 0) failure_ = errno != 0 ? errno : EIO;
  return failure_ == EPIPE ? 0 : failure_;
}

}  // namespace lq::cli
