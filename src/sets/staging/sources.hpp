// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is to be copied where: folders walked, physical files of one multifile kept together, names of targets looked up
// in the site profile; and what is known of a file before it is copied. Local.
#pragma once

#include <string>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/grid.hpp>
#include <limequat/machine.hpp>
#include <limequat/staging.hpp>

#include "storage/transport.hpp"

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

// What is known of a file before it is copied, and whether it is whole.

// Collective. Its fields, format and files; none of all that where it is of no format that is known.
Catalog contents_of(storage::Transport& place, const std::string& path, const Communicator& communicator);

// Collective. What is wrong with a file that was copied as it is, beyond what comparing its fields with their sums
// has told; where they were not compared, as lq::verify() finds it. Nothing where no format is known.
enum class Fields { are_compared, are_not };
std::vector<Finding> damage_of(const std::string& path, const Catalog& catalog, Fields fields,
                               const Communicator& communicator);

}  // namespace lq::sets
