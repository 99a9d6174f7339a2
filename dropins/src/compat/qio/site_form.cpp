// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Converts sites between the form of a program's functions and that of a file; their order, and their checksum (dml.h).
#include "compat/qio/record_sites.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include <dml.h>

#include "compat/qio/nodes.hpp"
#include "kernels/crc32.hpp"

namespace lq::compat::qio {
namespace {

constexpr std::uint64_t scratch_bytes = 32 * 1024;
constexpr bool is_little = std::endian::native == std::endian::little;

kernels::SiteForm numbers_of(const SiteCall& call) {
  kernels::SiteForm form;
  form.swap = is_little;
  form.memory = form.file = call.word_bytes == 8 ? Precision::double_ : Precision::single;
  const bool is_number = call.word_bytes == 4 || call.word_bytes == 8;
  const auto word = static_cast<std::uint64_t>(call.word_bytes);
  form.numbers = is_number && call.site_bytes % word == 0 ? call.site_bytes / word : 0;
  return form;
}

}  // namespace

void turn_words(std::byte* bytes, std::uint64_t size, int word_bytes) noexcept {
  if (!is_little || word_bytes < 2) return;
  const auto word = static_cast<std::uint64_t>(word_bytes);
  for (std::uint64_t at = 0; at + word <= size; at += word) std::reverse(bytes + at, bytes + at + word);
}

SiteForm::SiteForm(const SiteCall& call)
    : call_(call),
      numbers_(numbers_of(call)),
      crc_(call.site_bytes),
      scratch_sites_(std::max<std::uint64_t>(1, scratch_bytes / std::max<std::uint64_t>(1, call.site_bytes))),
      scratch_(std::make_unique<std::byte[]>(static_cast<std::size_t>(scratch_sites_ * call.site_bytes))) {}

void SiteForm::get(const NodeSites& from, const SiteRun& run, std::uint64_t skip, std::uint64_t sites,
                   std::byte* file) {
  const std::uint64_t bytes = call_.site_bytes;
  for (std::uint64_t done = 0; done < sites;) {
    const std::uint64_t now = std::min(scratch_sites_, sites - done);
    std::byte* const out = file + done * bytes;
    std::byte* const in = has_kernel() ? scratch_.get() : out;
    for (std::uint64_t k = 0; k < now; ++k) {
      call_.function(reinterpret_cast<char*>(in + k * bytes), from.index(run.first + skip + done + k), call_.count,
                     call_.arg);
    }
    const std::uint64_t rank = run.rank + skip + done;
    if (has_kernel()) {
      kernels::pack_and_sum(numbers_, crc_, in, static_cast<std::ptrdiff_t>(bytes), now, out, rank, 1, sum_);
    } else {
      turn_words(out, now * bytes, call_.word_bytes);
      kernels::add_sites(sum_, {out, static_cast<std::size_t>(now * bytes)}, crc_, rank, 1);
    }
    done += now;
  }
}

void SiteForm::put(const NodeSites& to, const SiteRun& run, std::uint64_t skip, std::uint64_t sites, std::byte* file) {
  const std::uint64_t bytes = call_.site_bytes;
  for (std::uint64_t done = 0; done < sites;) {
    const std::uint64_t now = std::min(scratch_sites_, sites - done);
    std::byte* const at = file + done * bytes;
    const std::uint64_t rank = run.rank + skip + done;
    if (has_kernel()) {
      kernels::turn_and_sum(numbers_, crc_, at, now, rank, 1, sum_);
    } else {
      kernels::add_sites(sum_, {at, static_cast<std::size_t>(now * bytes)}, crc_, rank, 1);
      turn_words(at, now * bytes, call_.word_bytes);
    }
    for (std::uint64_t k = 0; k < now; ++k) {
      call_.function(reinterpret_cast<char*>(at + k * bytes), to.index(run.first + skip + done + k), call_.count,
                     call_.arg);
    }
    done += now;
  }
}

}  // namespace lq::compat::qio

// The order of sites and their checksum (dml.h).

using namespace lq;
using namespace lq::compat::qio;

namespace {

// The library's transfers do not use the last one while fewer than that number are in flight.
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
