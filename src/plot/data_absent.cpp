// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// In place of data.cpp where there is no reader of JSON.
#include <limequat/error.hpp>

#include "plot/data.hpp"

namespace lq::plot {

std::vector<Result> read_results(std::string_view /*text*/, const std::string& path) {
  throw Error(Code::unsupported,
              path +
                  ": this lq was built without a reader of JSON; install nlohmann's (nlohmann-json3-dev in Debian) "
                  "and build it again",
              {.path = path});
}

}  // namespace lq::plot
