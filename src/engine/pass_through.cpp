// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/pass_through.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "lattice/site_order.hpp"

namespace lq::engine {

bool PassThrough::is_possible(const Payload& from, const Payload& to) {
  const auto is_plain = [](const Payload& payload) {
    return payload.is_in_one_piece() && payload.encoding.empty() && payload.arrays == 1;
  };
  const int dimensions = from.extents.size();
  return is_plain(from) && is_plain(to) && from.spec == to.spec && from.codec == to.codec &&
         from.byte_order == to.byte_order && from.extents == to.extents && from.stored == to.stored &&
         lattice::resolve_order(from.order, dimensions) == lattice::resolve_order(to.order, dimensions);
}

PassThrough::PassThrough(base::ByteSource& from, const Payload& source, storage::File& to, const Payload& target,
                         const lattice::Share& sites, TransferStats& written)
    : from_(from),
      to_(to),
      begin_(source.origin()),
      target_begin_(target.origin()),
      site_bytes_(source.site_bytes()),
      left_(sites),
      sums_(target, written) {}

std::size_t PassThrough::read_at(std::uint64_t offset, base::MutableBytes buffer) {
  const std::size_t got = from_.read_at(offset, buffer);
  const std::uint64_t begin = begin_ + left_.begin * site_bytes_, end = begin_ + left_.end * site_bytes_;
  if (offset > begin || offset + got <= begin) return got;
  const base::Bytes bytes = base::Bytes(buffer).first(got).subspan(static_cast<std::size_t>(begin - offset));
  const std::uint64_t sites = std::min<std::uint64_t>(bytes.size(), end - begin) / site_bytes_;
  pass_through(left_.begin, bytes.first(static_cast<std::size_t>(sites * site_bytes_)));
  left_.begin += sites;
  return got;
}

void PassThrough::pass_through(std::uint64_t first_site, base::Bytes sites) {
  if (sites.empty()) return;
  sums_.add(first_site, sites);
  to_.write_at(target_begin_ + first_site * site_bytes_, sites);
}

void PassThrough::require_all() const {
  if (left_.begin >= left_.end) return;
  throw Error(Code::internal, fmt::format("{}: the sites {} to {} were not passed on; please report", path(),
                                          left_.begin, left_.end - 1));
}

}  // namespace lq::engine
