// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "programs/frame.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

namespace lq::programs {
namespace {

int fail(const Frame& frame, const char* sentence) {
  std::fflush(stdout);
  std::fprintf(stderr, "%s%s\n", frame.speaker.c_str(), sentence);
  return EXIT_FAILURE;
}

}  // namespace

int run(const Frame& frame, const std::function<void()>& work) noexcept {
  try {
    work();
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return EXIT_SUCCESS;
    return fail(frame, (std::string("cannot write the output: ") + std::strerror(errno)).c_str());
  } catch (const WrongUsage&) {
    std::fprintf(stderr, "Usage: %s %.*s", frame.path, static_cast<int>(frame.usage.size()), frame.usage.data());
    return EXIT_FAILURE;
  } catch (const std::exception& error) {
    return fail(frame, error.what());
  }
}

}  // namespace lq::programs
