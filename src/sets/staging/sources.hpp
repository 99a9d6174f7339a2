// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is to be copied where: folders walked, physical files of one multifile kept together, names of targets looked up
// in the site profile. Local.
#pragma once

#include <string>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/machine.hpp>
#include <limequat/staging.hpp>

namespace lq::sets {

struct Pair {
  std::string from, to;
};

// Files that belong together; the first one is the one that others are found through, and gets its name last.
using Together = std::vector<Pair>;

// A symbolic link in a folder that is copied: the copy leads where the link says, from its own place.
struct Link {
  std::string from, to, target;
};

struct CopyPlan {
  std::vector<Together> sets;
  std::vector<Link> links;
  std::vector<std::string> folders;  // to be made, outer ones first
  std::vector<Finding> findings;     // what is left out
};

// invalid_argument, not_found.
CopyPlan plan_copy(const std::vector<std::string>& sources, const std::string& target, const Machine& machine,
                   const CopyOptions& options);

// "dir/conf.ildg" -> "dir/.conf.ildg.lq-copy", "dir/.conf.ildg.lq-copied"
std::string unfinished_name(const std::string& path);
std::string copied_name(const std::string& path);

}  // namespace lq::sets
