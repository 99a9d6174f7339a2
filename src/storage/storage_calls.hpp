// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The calls by which file systems are asked for stripes, and told: few, so that a test can put a file system of its own
// in their place. A call of one file system is made on that file system only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "storage/layout.hpp"

namespace lq::storage {

class StorageCalls {
 public:
  virtual ~StorageCalls() = default;
  // The value of an extended attribute; empty where there is none.
  virtual std::vector<std::byte> attribute(const std::string& path, const char* name) = 0;
  virtual std::optional<BeegfsStripes> beegfs_stripes(const std::string& path) = 0;
  // Targets of the Lustre that is mounted there; 0: not known.
  virtual std::uint64_t lustre_targets(const std::string& mount_point) = 0;

  // All of these return 0 or an errno.
  virtual int set_attribute(const std::string& path, const char* name, base::Bytes value) = 0;
  // A new empty file with these stripes takes the place of the empty file `path`, and has its permissions; it is made
  // under the name `spare`. Where that fails, `path` is as it was and there is no `spare`.
  virtual int renew_on_lustre(const std::string& path, const std::string& spare, base::Bytes layout) = 0;
  virtual int renew_on_beegfs(const std::string& path, const std::string& spare, std::uint64_t targets,
                              std::uint64_t chunk_bytes) = 0;
};

// Those of the system.
StorageCalls& system_calls();

}  // namespace lq::storage
