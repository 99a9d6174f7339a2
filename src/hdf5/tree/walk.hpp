// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// All objects of a file, each once, group by group, without recursion. Links that lead nowhere, in circles or elsewhere
// are findings.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <limequat/options.hpp>

#include "format/findings.hpp"
#include "hdf5/tree/tree.hpp"

namespace lq::hdf5 {

struct Visited {
  std::string name;
  std::string path;
  ObjectKind kind = ObjectKind::other;
  std::uint64_t address = 0;
  const Handle* handle = nullptr;  // valid during the call
};

class Visitor {
 public:
  virtual ~Visitor() = default;
  // Members of a group that are no groups, in order of name; then the group, with all of its own.
  virtual void member(const Visited& member) = 0;
  virtual void group(const Visited& group) = 0;
};

// Throws only failures to read.
void walk(const Opened& file, const Limits& limits, format::Findings& findings, Visitor& visitor);

// Of an object, for findings.
Record record_at(const std::string& path, std::uint64_t address);

}  // namespace lq::hdf5
