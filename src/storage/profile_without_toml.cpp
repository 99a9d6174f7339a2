// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Without toml++, profiles are written but not read.
#include "base/error.hpp"
#include "storage/profile.hpp"

namespace lq::storage {

Machine parse_profile(std::string_view, const std::string& path) {
  base::fail(Code::unsupported, {.path = path},
             "this library was built without toml++ and reads no site profiles (install libtomlplusplus-dev and build "
             "again, or unset LQ_PROFILE)");
}

}  // namespace lq::storage
