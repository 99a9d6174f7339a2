// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How files are spread over servers: the calls by which file systems are asked and told, and what they answer.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"

namespace lq::storage {

// How a file is spread over servers, read out of what file systems tell in extended attributes and ioctls. The bytes
// come from outside: anything unexpected is "not known".
struct Layout {
  std::uint64_t stripe_bytes = 0;
  std::uint64_t stripe_count = 0;  // 0: not known, or all servers
  std::uint64_t object_bytes = 0;  // Ceph: of the objects that hold the stripes
  std::string pool;                // empty: not told
  bool is_progressive = false;     // of several components, which the file grows into
};

// Attribute "lustre.lov": a plain layout (versions 1 and 3), or a composite one, of which the largest stripe and the
// largest count of its components are taken.
std::optional<Layout> parse_lustre_layout(base::Bytes attribute);
// What asks for stripes there: version 1, or 3 where a pool is named.
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

// Attribute "glusterfs.pathinfo": "(<DISTRIBUTE:volume> <POSIX(/brick):host:/brick/file> ...)". The hosts of the bricks
// that it names, in their order; of a folder these are all.
std::vector<std::string> parse_gluster_bricks(std::string_view pathinfo);

// The calls by which file systems are asked for stripes, and told: few, so that a test can put a file system of its own
// in their place. A call of one file system is made on that file system only.
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
