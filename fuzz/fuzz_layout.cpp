// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Any bytes as what file systems and the table of mounts tell: nothing is thrown, and what is understood reads back.
#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "base/bytes.hpp"
#include "storage/file_system.hpp"
#include "storage/stripes.hpp"

namespace {

using namespace lq::storage;

void require(bool truth) {
  if (!truth) throw std::logic_error("what was understood does not read back");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const lq::base::Bytes bytes{reinterpret_cast<const std::byte*>(data), size};
  const std::string_view text = lq::base::as_text(bytes);
  if (const auto found = parse_lustre_layout(bytes); found && !found->is_progressive) {
    const auto again = parse_lustre_layout(
        lustre_layout(found->stripe_count == 0 ? 0xffff : found->stripe_count, found->stripe_bytes, found->pool));
    require(again && again->stripe_bytes == found->stripe_bytes && again->stripe_count == found->stripe_count &&
            again->pool == found->pool);
  }
  if (const auto found = parse_ceph_layout(text)) {
    const auto again = parse_ceph_layout(ceph_layout(found->stripe_count, found->stripe_bytes, found->object_bytes));
    require(again && again->stripe_bytes == found->stripe_bytes && again->object_bytes == found->object_bytes);
  }
  parse_orangefs_layout(text, text);
  for (const std::string& host : parse_gluster_bricks(text)) require(text.find(host) != std::string_view::npos);
  BeegfsStripes answer{};
  std::copy_n(bytes.begin(), std::min(size, answer.size()), answer.begin());
  parse_beegfs_stripes(answer);
  mount_of(text, 0, 51, "/data/conf.ildg");
  return 0;
}
