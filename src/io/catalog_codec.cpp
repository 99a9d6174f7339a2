// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/catalog_codec.hpp"

#include "comm/pack.hpp"

namespace lq::format {

inline auto members(Layout& v) { return std::tie(v.suffixes, v.payload, v.sums, v.plaquettes_of, v.end); }

}  // namespace lq::format

namespace lq::io {

std::vector<std::byte> encode(const Catalog& catalog) { return comm::packed(catalog); }
std::vector<std::byte> encode(const format::Layout& layout) { return comm::packed(layout); }

Catalog decode(base::Bytes bytes) {
  Catalog catalog;
  decode(bytes, catalog);
  return catalog;
}
base::Bytes decode(base::Bytes bytes, Catalog& catalog) {
  comm::unpack(bytes, catalog);
  return bytes;
}
base::Bytes decode(base::Bytes bytes, format::Layout& layout) {
  comm::unpack(bytes, layout);
  return bytes;
}

void broadcast(comm::Comm& comm, base::FunctionRef<Catalog&()> make) {
  Catalog& catalog = *comm::agree(comm, [&] { return &make(); });
  comm::share_from_root(
      comm, [] {}, catalog);
}

}  // namespace lq::io
