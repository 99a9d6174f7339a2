// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "storage/kinds.hpp"

#include <algorithm>
#include <array>

#include "base/bytes.hpp"

namespace lq::storage {
namespace {

using base::kibi;
using base::mebi;
using enum Known;

constexpr std::array kind_table = {
    Kind{"tmpfs", 0x01021994, "", Unit::fixed, page, false, yes, no, true},
    Kind{"ramfs", 0x858458f6, "", Unit::fixed, page, false, yes, no, true},
    Kind{"ext4", 0x0000EF53, "", Unit::fixed, page, false, yes, no, true},
    Kind{"xfs", 0x58465342, "", Unit::fixed, page, false, yes, no, true},
    Kind{"btrfs", 0x9123683E, "", Unit::fixed, page, false, yes, no, true},
    Kind{"f2fs", 0xF2F52010, "", Unit::fixed, page, false, yes, no, true},
    Kind{"zfs", 0x2FC12FC1, "", Unit::preferred, 128 * kibi, false, yes, no, true},
    Kind{"overlay", 0x794c7630, "", Unit::fixed, page, false, yes, no, true},
    Kind{"vfat", 0x00004d44, "", Unit::fixed, page, false, yes, no, false},
    Kind{"exfat", 0x2011BAB0, "", Unit::fixed, page, false, yes, no, false},
    Kind{"lustre", 0x0BD00BD0, "", Unit::preferred, mebi, true, yes, yes, true, StripeSource::lustre,
         StripeControl::creation, true},
    Kind{"gpfs", 0x47504653, "", Unit::preferred, mebi, true, yes, yes, true},
    Kind{"beegfs", 0x19830326, "", Unit::preferred, 512 * kibi, true, yes, no, true, StripeSource::beegfs,
         StripeControl::creation, true},
    Kind{"ceph", 0x00C36400, "", Unit::preferred, 4 * mebi, true, yes, yes, true, StripeSource::ceph,
         StripeControl::new_file},
    Kind{"orangefs", 0x20030528, "", Unit::preferred, 64 * kibi, true, yes, no, true, StripeSource::orangefs,
         StripeControl::folder, true},
    Kind{"panfs", 0xAAD7AAEA, "", Unit::preferred, 64 * kibi, true, yes, unknown, true},
    Kind{"gfs2", 0x01161970, "", Unit::fixed, page, true, yes, yes, true},
    Kind{"ocfs2", 0x7461636f, "", Unit::preferred, page, true, yes, yes, true},
    // Known by the type of the mount: modules of the kernel whose numbers are not public. The clients of Weka keep
    // their caches coherent in both modes of mounting; of ParaStor that is not documented.
    Kind{"wekafs", any_number, "", Unit::preferred, mebi, true, yes, unknown, true},
    Kind{"parastor", any_number, "", Unit::preferred, mebi, true, unknown, unknown, true},
    // Their clients cache pages, and nobody tells the others.
    Kind{"nfs", 0x00006969, "", Unit::fixed, 64 * kibi, true, no, no, true},
    Kind{"9p", 0x01021997, "", Unit::fixed, 64 * kibi, true, no, no, true},
    Kind{"cifs", 0xFF534D42, "", Unit::fixed, 64 * kibi, true, no, no, false},
    Kind{"smb2", 0xFE534D42, "", Unit::fixed, 64 * kibi, true, no, no, false},
    Kind{"afs", 0x5346414F, "", Unit::fixed, 64 * kibi, true, no, no, false},
    // FUSE, one number for many. Ceph's clients hold capabilities there, too. Whether the kernel writes back pages of
    // its own is for most an option of the mount that no client can ask for.
    Kind{"fuse.ceph-fuse", fuse_number, "", Unit::preferred, 64 * kibi, true, yes, yes, true, StripeSource::ceph,
         StripeControl::new_file, false, true},
    Kind{"fuse.ceph", fuse_number, "", Unit::preferred, 64 * kibi, true, yes, yes, true, StripeSource::ceph,
         StripeControl::new_file, false, true},
    Kind{"fuse.glusterfs", fuse_number, "", Unit::fixed, 64 * kibi, true, unknown, no, true, StripeSource::glusterfs,
         StripeControl::none, false, false, true},
    // dfuse of DAOS writes back pages unless it was started with --disable-wb-cache; it has neither flock() nor hard
    // links.
    Kind{"fuse.daos", any_number, "", Unit::preferred, mebi, true, unknown, no, true},
    Kind{"pvfs2fuse", fuse_number, "pvfs2fuse#", Unit::fixed, 64 * kibi, true, unknown, no, true},
    Kind{"fuse", fuse_number, "", Unit::fixed, 64 * kibi, true, unknown, unknown, true},
};
// Of something unheard of the worst is assumed.
constexpr Kind unknown_kind = {"unknown", any_number, "", Unit::preferred, 64 * kibi, true, unknown, unknown, false};

bool is_kind(const Kind& kind, std::uint32_t number, const MountEntry& mount) {
  if (kind.number == any_number) return mount.type == kind.name;
  if (kind.number != number) return false;
  if (number != fuse_number || kind.name == "fuse") return true;
  return kind.source.empty() ? mount.type == kind.name : mount.source.starts_with(kind.source);
}

}  // namespace

std::span<const Kind> kinds() { return kind_table; }

bool asks_for_mount(std::uint32_t number) {
  return number == fuse_number || number == any_number || std::ranges::find(kind_table, number, &Kind::number) == kind_table.end();
}

const Kind& kind_of(std::uint32_t number, const MountEntry& mount) {
  const auto* found = std::ranges::find_if(kind_table, [&](const Kind& kind) { return is_kind(kind, number, mount); });
  return found == kind_table.end() ? unknown_kind : *found;
}

const Kind& kind_named(std::string_view name) {
  const auto* found = std::ranges::find(kind_table, name, &Kind::name);
  return found == kind_table.end() ? unknown_kind : *found;
}

}  // namespace lq::storage
