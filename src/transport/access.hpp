// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Who may do what with a file that replaces another one: what he could do with the old one, and nothing more.
#pragma once

#include <string>

namespace lq::transport {

// Owner, group, mode and POSIX access control list of `from` are given to the file `to`, which is a private one until
// then. Only the administrator may give files away; the group alone often works. Where it does not, its members lose
// what they could do.
void copy_access(const std::string& from, const std::string& to);

}  // namespace lq::transport
