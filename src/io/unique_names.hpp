// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Names for fields in files where no two may be called alike: "spinor", "spinor.1", "spinor.2".
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace lq::io {

class UniqueNames {
 public:
  // `name`, or that with the first number that is free.
  std::string next(const std::string& name) {
    if (taken_.insert(name).second) return name;
    for (std::uint64_t& number = last_[name];;) {
      const std::string numbered = name + "." + std::to_string(++number);
      if (taken_.insert(numbered).second) return numbered;
    }
  }

 private:
  std::set<std::string> taken_;
  std::map<std::string, std::uint64_t> last_;  // numbers that were given
};

}  // namespace lq::io
