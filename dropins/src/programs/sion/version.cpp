// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// sionversion: prints the interface and file format versions.
#include <fmt/format.h>

#include "programs/sion/tool.hpp"

int main(int argc, char** argv) {
  const lq::programs::Program program = {"sionversion", "\n\nPrints the version of SIONlib with this interface.\n", ""};
  return lq::programs::run(program, argc, argv, [](const lq::programs::Arguments& arguments) {
    fmt::print("{} ({})\n", lq::programs::library_version(), arguments.path());
  });
}
