// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is known of each kind of file system, whatever is mounted: one table.
#pragma once

#include <limequat/file_system.hpp>

#include <cstdint>
#include <span>
#include <string_view>

#include "storage/mounts.hpp"

namespace lq::storage {

inline constexpr std::uint64_t page = 4096;
inline constexpr std::uint32_t fuse_number = 0x65735546;
inline constexpr std::uint32_t any_number = 0;  // the type in the table of mounts decides alone

enum class Unit { fixed, preferred };  // preferred: at least what the file system likes to transfer

// Where stripes are asked.
enum class StripeSource {
  none,
  lustre,     // attribute lustre.lov, a structure
  beegfs,     // ioctl
  ceph,       // attributes ceph.file.layout and ceph.dir.layout, texts
  orangefs,   // attributes user.pvfs2.*, texts
  glusterfs,  // attribute glusterfs.pathinfo, a text that names servers: a file lies on one of them
};

struct Kind {
  std::string_view name;    // FileSystem::name; of FUSE, and of any number, the type in the table of mounts, too
  std::uint32_t number;     // that statfs gives
  std::string_view source;  // of FUSE without a type of its own: how the source in the table of mounts begins
  Unit unit;
  std::uint64_t block_bytes;
  bool is_shared;
  Known coherent;
  Known locks;
  bool allows_holes;
  StripeSource stripes = StripeSource::none;
  StripeControl control = StripeControl::none;
  bool stripes_are_targets = false;  // each stripe of a file lies on a target of its own
  // Its client fetches ahead for who reads one piece after the other, and for nobody else: threads that take turns in
  // one open file get half the rate of one thread (measured on ceph-fuse).
  bool reads_in_order = false;
  // Ranks of one client are faster where one of them writes for all, however long their rows are (measured on
  // GlusterFS: 1.2 times the rate of four; on ceph-fuse it would be 0.6 times).
  bool one_writer_is_best = false;
};

std::span<const Kind> kinds();

// Whether the number alone does not say which kind it is: that of FUSE, or one that is not known.
bool asks_for_mount(std::uint32_t number);
// Of a mount, which is looked at where the number asks for it.
const Kind& kind_of(std::uint32_t number, const MountEntry& mount);
// Of a name as in FileSystem::name.
const Kind& kind_named(std::string_view name);

// Whether it is more than "something unheard of", or FUSE of any kind.
constexpr bool is_known(const Kind& kind) { return kind.name != "unknown" && kind.name != "fuse"; }
// Whether two clients must not write into one block.
constexpr bool needs_single_owner(const Kind& kind) { return kind.is_shared && kind.coherent != Known::yes; }

}  // namespace lq::storage
