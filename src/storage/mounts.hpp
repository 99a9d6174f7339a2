// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The system's table of mounts, in the form of /proc/self/mountinfo.
#pragma once

#include <string>
#include <string_view>

namespace lq::storage {

struct MountEntry {
  std::string type;    // "ext4", "fuse.glusterfs"
  std::string source;  // "/dev/sda1", "host:/volume"
  std::string point;
};

// That of the device with this number that `path`, an absolute one without links, lies below; of several equals the
// last one, which hides the others. Where none is such, any of that device; empty texts if the table names none.
MountEntry mount_of(std::string_view mountinfo, unsigned major, unsigned minor, std::string_view path = {});

// How many there are of the device.
std::size_t count_mounts(std::string_view mountinfo, unsigned major, unsigned minor);

// The table of this process; empty where there is none.
std::string read_mountinfo();

}  // namespace lq::storage
