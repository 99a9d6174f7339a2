// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Stripes of new files: which they should be, and how each file system is told.
#include <algorithm>
#include <bit>
#include <cerrno>
#include <utility>

#include "base/bytes.hpp"
#include "base/path.hpp"
#include "storage/file_system.hpp"
#include "storage/kinds.hpp"
#include "storage/layout.hpp"

namespace lq::storage {
namespace {

using base::gibi;
using base::mebi;

// A stripe should not be less than what one rank writes at a time; a small file is not worth a second server.
constexpr std::uint64_t small_file = 32 * mebi, bytes_for_a_stripe = 64 * mebi, large_file = gibi;
constexpr std::uint64_t stripe_of_large = 4 * mebi, stripe_of_others = mebi;
constexpr std::uint64_t most_stripes = 160;     // that every version of Lustre takes
constexpr std::uint64_t largest_stripe = gibi;  // 32 bits hold it everywhere

std::uint64_t multiple_of(std::uint64_t unit, std::uint64_t bytes) {
  return std::max(unit, (std::min(bytes, largest_stripe) + unit - 1) / unit * unit);
}

// What the file system takes instead of these bytes.
std::uint64_t possible_stripe(StripeSource source, std::uint64_t bytes) {
  if (source == StripeSource::beegfs) return std::bit_ceil(multiple_of(beegfs_unit, bytes));
  return multiple_of(source == StripeSource::ceph ? ceph_unit : lustre_unit, bytes);
}

std::uint64_t stripe_by_size(std::uint64_t file_bytes) {
  return file_bytes < large_file ? stripe_of_others : stripe_of_large;
}

Stripes by_size(const FileSystem& fs, std::uint64_t file_bytes) {
  const std::uint64_t most = fs.targets == 0 ? most_stripes : std::min(fs.targets, most_stripes);
  Stripes wanted{StripeReason::by_size, 1, stripe_by_size(file_bytes)};
  if (file_bytes >= small_file) wanted.count = std::clamp<std::uint64_t>(file_bytes / bytes_for_a_stripe, 1, most);
  // One stripe is as good as another; only what lies on several servers gains by larger ones.
  if (wanted.count == 1 && fs.stripe_bytes > 0) wanted.bytes = fs.stripe_bytes;
  return wanted;
}

Stripes as_asked(const FileSystem& fs, StripeSource source, std::uint64_t file_bytes, const StripeRequest& request) {
  Stripes wanted{StripeReason::asked, request.count, request.bytes};
  if (wanted.count == 0) wanted.count = std::max<std::uint64_t>(fs.stripe_count, 1);
  if (wanted.bytes == 0) wanted.bytes = fs.stripe_bytes > 0 ? fs.stripe_bytes : stripe_by_size(file_bytes);
  wanted.bytes = possible_stripe(source, wanted.bytes);
  return wanted;
}

Stripes left(const FileSystem& fs, StripeReason reason) { return {reason, fs.stripe_count, fs.stripe_bytes}; }

std::uint64_t object_for(const FileSystem& fs, std::uint64_t stripe_bytes) {
  const std::uint64_t object = std::max(fs.object_bytes, stripe_bytes);
  return (object + stripe_bytes - 1) / stripe_bytes * stripe_bytes;
}

// 0 or an errno.
int tell(const FileSystem& fs, const std::string& path, const std::string& spare, const Stripes& wanted,
         StorageCalls& calls) {
  switch (kind_named(fs.name).stripes) {
    case StripeSource::lustre:
      return calls.renew_on_lustre(path, spare, lustre_layout(wanted.count, wanted.bytes, fs.pool));
    case StripeSource::beegfs:
      return calls.renew_on_beegfs(path, spare, wanted.count, wanted.bytes);
    case StripeSource::ceph:
      // The whole layout at once: what lies between two could not be.
      return calls.set_attribute(path, "ceph.file.layout",
                                 base::as_bytes(ceph_layout(wanted.count, wanted.bytes, object_for(fs, wanted.bytes))));
    default:
      return ENOTSUP;
  }
}

}  // namespace

Stripes set_stripes(const FileSystem& fs, const std::string& path, const std::string& spare, std::uint64_t file_bytes,
                    const StripeRequest& request, StorageCalls& calls) {
  const Stripes wanted = stripes_for(fs, file_bytes, request);
  if (!wanted.is_set()) return wanted;
  // A file that does not tell its stripes may have some that grow.
  if (wanted.reason == StripeReason::by_size && fs.stripe_bytes == 0) return left(fs, StripeReason::left);
  // On Lustre a folder has a layout of its own only where somebody chose it.
  if (wanted.reason == StripeReason::by_size && !calls.attribute(base::directory_of(path), "lustre.lov").empty()) {
    return left(fs, StripeReason::folder_decides);
  }
  const int reason = tell(fs, path, spare, wanted, calls);
  if (reason == 0) return wanted;
  Stripes refused = left(fs, StripeReason::refused);
  refused.system_errno = reason;
  return refused;
}

Striped set_stripes(const std::string& path, const std::string& spare, std::uint64_t file_bytes,
                    const StripeRequest& request) {
  FileSystem before = examine_file_system(path);
  // The number of targets is asked only where stripes follow it.
  const StripeSource source = kind_named(before.name).stripes;
  const bool is_asked = request.count > 0 || request.bytes > 0;
  if (source == StripeSource::none || (source != StripeSource::lustre && !is_asked)) {
    const Stripes stripes = stripes_for(before, file_bytes, request);
    return {stripes, std::move(before)};
  }
  FileSystem whole = examine_whole_file_system(path);
  Stripes set = set_stripes(whole, path, spare, file_bytes, request, system_calls());
  if (!set.is_set()) return {set, std::move(whole)};
  // Read back: a file system may grant less than was asked for.
  FileSystem after = examine_file_system(path);
  set.count = after.stripe_count;
  set.bytes = after.stripe_bytes;
  return {set, std::move(after)};
}

}  // namespace lq::storage

namespace lq {

Stripes stripes_for(const FileSystem& file_system, std::uint64_t file_bytes, const StripeRequest& request) {
  const storage::StripeSource source = storage::kind_named(file_system.name).stripes;
  const bool is_asked = request.count > 0 || request.bytes > 0;
  if (file_system.stripe_control == StripeControl::none) {
    Stripes none = storage::left(file_system, is_asked ? StripeReason::refused : StripeReason::no_stripes);
    none.system_errno = is_asked ? ENOTSUP : 0;
    return none;
  }
  if (file_system.is_progressive) return storage::left(file_system, StripeReason::progressive);
  if (file_system.stripe_control == StripeControl::folder) {
    return storage::left(file_system, StripeReason::folder_decides);
  }
  const bool goes_by_size = request.by_size && source == storage::StripeSource::lustre;
  if (!is_asked && !goes_by_size) return storage::left(file_system, StripeReason::left);
  if (!is_asked && file_bytes == 0) return storage::left(file_system, StripeReason::size_unknown);
  const Stripes wanted = is_asked ? storage::as_asked(file_system, source, file_bytes, request)
                                  : storage::by_size(file_system, file_bytes);
  const bool is_there = wanted.count == file_system.stripe_count && wanted.bytes == file_system.stripe_bytes;
  return is_there ? storage::left(file_system, StripeReason::fitting) : wanted;
}

}  // namespace lq
