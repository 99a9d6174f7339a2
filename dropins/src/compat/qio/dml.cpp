// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The order of sites and their checksum (dml.h).
#include <dml.h>

#include <utility>

#include "compat/qio/nodes.hpp"
#include "compat/qio/outcome.hpp"
#include "compat/qio/record_sites.hpp"
#include "compat/qio/site_form.hpp"
#include "kernels/crc32.hpp"

using namespace lq;
using namespace lq::compat::qio;

namespace {

// No transfer of ours takes the last one as long as there are fewer than that under way.
constexpr int channel_of_calls = comm::channels - 1;

base::Bytes bytes_at(const void* memory, std::size_t size) { return {static_cast<const std::byte*>(memory), size}; }

}  // namespace

extern "C" {

int DML_io_node(const int node) { return node; }
int DML_master_io_node(void) { return 0; }

void DML_lex_coords(int coords[], const int latdim, const int latsize[], const DML_SiteRank rcv_coords) {
  DML_SiteRank rest = rcv_coords;
  for (int d = 0; d < latdim; ++d) {
    coords[d] = static_cast<int>(rest % latsize[d]);
    rest /= latsize[d];
  }
}

DML_SiteRank DML_lex_rank(const int coords[], int latdim, int latsize[]) {
  DML_SiteRank rank = 0;
  for (int d = latdim - 1; d >= 0; --d) rank = rank * latsize[d] + coords[d];
  return rank;
}

void DML_checksum_init(DML_Checksum* checksum) { *checksum = {0, 0}; }

void DML_checksum_accum(DML_Checksum* checksum, DML_SiteRank rank, char* buf, size_t size) {
  Checksum sum{checksum->suma, checksum->sumb};
  kernels::add_site(sum, static_cast<std::uint64_t>(rank), kernels::crc32(0, bytes_at(buf, size)));
  *checksum = {sum.suma, sum.sumb};
}

void DML_checksum_peq(DML_Checksum* total, DML_Checksum* checksum) {
  total->suma ^= checksum->suma;
  total->sumb ^= checksum->sumb;
}

void DML_checksum_combine(DML_Checksum* checksum) {
  outcome_of(0, [&] { *checksum = combined(*all_nodes(), {checksum->suma, checksum->sumb}); });
}

void DML_byterevn(void* buf, size_t size, int word_size) {
  auto* bytes = static_cast<std::byte*>(buf);
  const auto word = static_cast<std::size_t>(std::max(word_size, 1));
  for (std::size_t at = 0; at + word <= size; at += word) std::reverse(bytes + at, bytes + at + word);
}

int DML_route_bytes(char* buf, size_t size, int fromnode, int tonode) {
  if (fromnode == tonode) return 0;
  return outcome_of(1,
                    [&] {
                      const std::shared_ptr<comm::Comm> nodes = all_nodes();
                      const base::MutableBytes bytes{reinterpret_cast<std::byte*>(buf), size};
                      if (nodes->rank() == tonode) comm::wait(nodes->start_receive(bytes, fromnode, channel_of_calls));
                      if (nodes->rank() == fromnode) comm::wait(nodes->start_send(bytes, tonode, channel_of_calls));
                    })
      .code;
}

uint32_t DML_crc32(uint32_t crc, const unsigned char* buf, uint32_t len) {
  return kernels::crc32(crc, bytes_at(buf, len));
}

}  // extern "C"
