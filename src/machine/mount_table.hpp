// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The system's table of mounts, in the form of /proc/self/mountinfo.
#pragma once

#include <string>
#include <string_view>

namespace lq::machine {

// The type of the file system with this device number ("fuse.glusterfs"), the last mount winning; empty if the table
// names none.
std::string type_of_mount(std::string_view mountinfo, unsigned major, unsigned minor);

}  // namespace lq::machine
