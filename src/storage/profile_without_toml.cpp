// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where toml++ was not found, profiles are written but not read.
#include <fmt/format.h>
#include <limequat/error.hpp>

#include "storage/profile.hpp"

namespace lq::storage {

Machine parse_profile(std::string_view, const std::string& path) {
  ErrorFacts facts;
  facts.path = path;
  throw Error(Code::unsupported,
              fmt::format("{}: this library was built without toml++ and reads no site profiles (install "
                          "libtomlplusplus-dev and build again, or unset LQ_PROFILE)",
                          path),
              facts);
}

}  // namespace lq::storage
