// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How a file is spread over servers, read out of what file systems tell in extended attributes. The bytes come from
// outside: anything unexpected is "not known".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes.hpp"

namespace lq::machine {

struct Layout {
  std::uint64_t stripe_bytes = 0;
  std::uint64_t stripe_count = 0;  // 0: not known, or all servers
};

// Attribute "lustre.lov": a plain layout (versions 1 and 3), or a composite one, of which the largest stripe and the
// largest count of its components are taken.
std::optional<Layout> parse_lustre_layout(base::Bytes attribute);

// Attributes "ceph.file.layout.stripe_unit" and "...stripe_count" (or of ceph.dir.layout): decimal numbers.
std::optional<Layout> parse_ceph_layout(std::string_view stripe_unit, std::string_view stripe_count);

// Attributes "user.pvfs2.dist_params", which names "strip_size" among others, and "user.pvfs2.num_dfiles".
std::optional<Layout> parse_orangefs_layout(std::string_view parameters, std::string_view files);

}  // namespace lq::machine
