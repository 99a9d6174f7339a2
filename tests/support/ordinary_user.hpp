// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Permissions are for ordinary users; tests often run as root.
#pragma once

#include <unistd.h>

#include <cstdlib>

namespace lq::testing {

// Works as an ordinary user for as long as it lives, also where the tests run as root.
class OrdinaryUser {
 public:
  OrdinaryUser() : was_root_(::geteuid() == 0 && ::seteuid(65534) == 0) {}
  ~OrdinaryUser() {
    if (was_root_ && ::seteuid(0) != 0) std::abort();
  }
  OrdinaryUser(const OrdinaryUser&) = delete;
  OrdinaryUser& operator=(const OrdinaryUser&) = delete;

 private:
  bool was_root_;
};

}  // namespace lq::testing
