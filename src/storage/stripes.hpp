// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How files are distributed over servers: the calls that query and set this, and their results.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"

namespace lq::storage {

// The distribution of a file over servers, parsed from extended attributes and ioctls. The bytes come from outside:
// anything unexpected is "unknown".
struct Layout {
  std::uint64_t stripe_bytes = 0;
  std::uint64_t stripe_count = 0;  // 0: unknown, or all servers
  std::uint64_t object_bytes = 0;  // Ceph: size of the objects that hold the stripes
  std::string pool;                // empty: unknown
  bool is_progressive = false;     // has several components, used as the file grows
};

// Attribute "lustre.lov": a plain layout (versions 1 and 3), or a composite one, for which the largest stripe and the
// largest count of its components are returned.
std::optional<Layout> parse_lustre_layout(base::Bytes attribute);
// The attribute that requests stripes: version 1, or 3 if a pool is named.
std::vector<std::byte> lustre_layout(std::uint64_t stripe_count, std::uint64_t stripe_bytes, std::string_view pool);
inline constexpr std::uint64_t lustre_unit = 65536;  // stripes are multiples of it

// Attribute "ceph.file.layout" (or of ceph.dir.layout): "stripe_unit=N stripe_count=N object_size=N pool=NAME".
std::optional<Layout> parse_ceph_layout(std::string_view text);
std::string ceph_layout(std::uint64_t stripe_count, std::uint64_t stripe_bytes, std::uint64_t object_bytes);
inline constexpr std::uint64_t ceph_unit = 65536;  // stripes are multiples of it, and objects of stripes

// Attributes "user.pvfs2.dist_params", which names "strip_size" among others, and "user.pvfs2.num_dfiles".
std::optional<Layout> parse_orangefs_layout(std::string_view parameters, std::string_view files);

// Answer of BeeGFS's BEEGFS_IOC_GET_STRIPEINFO: pattern u32, chunk u32, targets u16, in the machine's byte order.
using BeegfsStripes = std::array<std::byte, 12>;
std::optional<Layout> parse_beegfs_stripes(const BeegfsStripes& answer);
inline constexpr std::uint64_t beegfs_unit = 65536;  // chunks are this times a power of two

// Attribute "glusterfs.pathinfo": "(<DISTRIBUTE:volume> <POSIX(/brick):host:/brick/file> ...)". Returns the hosts of
// the bricks in order; for a folder these are all bricks.
std::vector<std::string> parse_gluster_bricks(std::string_view pathinfo);

// The calls that query and set stripes: few, so that a test can substitute its own file system. Calls for one kind of
// file system are made on that kind only.
class StorageCalls {
 public:
  virtual ~StorageCalls() = default;
  // The value of an extended attribute; empty if absent.
  virtual std::vector<std::byte> attribute(const std::string& path, const char* name) = 0;
  virtual std::optional<BeegfsStripes> beegfs_stripes(const std::string& path) = 0;
  // Targets of the Lustre file system that is mounted there; 0: unknown.
  virtual std::uint64_t lustre_targets(const std::string& mount_point) = 0;

  // All of these return 0 or an errno.
  virtual int set_attribute(const std::string& path, const char* name, base::Bytes value) = 0;
  // Replaces the empty file `path` by a new empty file with these stripes and the same permissions, created under the
  // name `spare`. On failure `path` is unchanged and `spare` does not exist.
  virtual int renew_on_lustre(const std::string& path, const std::string& spare, base::Bytes layout) = 0;
  virtual int renew_on_beegfs(const std::string& path, const std::string& spare, std::uint64_t targets,
                              std::uint64_t chunk_bytes) = 0;
};

// The real system calls.
StorageCalls& system_calls();

}  // namespace lq::storage
