// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See pump.hpp.
#include "io/pump.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "base/clock.hpp"
#include "comm/agree.hpp"
#include "io/block.hpp"
#include "io/stretches.hpp"
#include "lattice/site_order.hpp"

namespace lq::io {

namespace {

// Memory of local sites, or a function for one site with room for it.
template <class Pointer>
struct Memory {
  Pointer data;
  std::int64_t site_bytes;

  Pointer at(std::int64_t site) const noexcept { return data + site * site_bytes; }
};

// The rows' site number `k` of a piece, in global coordinates.
Coord coordinate(const lattice::Rows& rows, const Piece& piece, std::uint64_t k) {
  return rows.site(piece.row, piece.skip + k);
}

}  // namespace

void Tally::reduce(comm::Comm& comm) {
  sums.reduce(comm);
  std::array<std::uint64_t, 2> added{zeros.sites, bytes};
  comm.all_reduce(added, comm::Reduce::sum);
  std::array<std::uint64_t, 2> largest{
      zeros.last_offset,
      // the minimum of the first offsets, as a maximum of complements
      zeros.sites > 0 ? std::numeric_limits<std::uint64_t>::max() - zeros.first_offset : 0};
  comm.all_reduce(largest, comm::Reduce::max);
  zeros = {added[0], added[0] > 0 ? std::numeric_limits<std::uint64_t>::max() - largest[1] : 0, largest[0]};
  bytes = added[1];
  pack_seconds = comm::max_over_ranks(comm, pack_seconds);
  storage_seconds = comm::max_over_ranks(comm, storage_seconds);
}

void pump_out(const Field& field, const Payload& payload, lattice::Rows& rows, transport::File& file,
              const PumpOptions& options, Tally& tally) {
  const std::uint64_t site_bytes = payload.spec.site_bytes();
  const kernels::SiteForm form = form_of(payload, field.spec.precision);
  const auto memory_bytes = static_cast<std::int64_t>(payload.spec.numbers * field.spec.number_bytes());
  const Memory<const std::byte*> memory{static_cast<const std::byte*>(field.data), memory_bytes};
  std::vector<std::byte> one_site(field.fetch ? static_cast<std::size_t>(memory_bytes) : 0);
  const std::uint64_t step = field.fetch ? 1 : sub_block_sites(site_bytes);

  Block block(options.block_bytes, site_bytes);
  Stretches stretches(rows, block.max_sites());
  Stretch stretch;
  while (stretches.next(stretch)) {
    const base::MutableBytes bytes = block.first_sites(stretch.sites);
    {
      base::ScopedSeconds seconds(tally.pack_seconds);
      std::byte* out = bytes.data();
      for (const Piece& piece : stretch.pieces) {
        for (std::uint64_t k = 0; k < piece.sites; k += step) {
          const std::uint64_t sites = std::min(step, piece.sites - k);
          if (field.fetch) {
            field.fetch(coordinate(rows, piece, k), one_site.data());
            kernels::pack_sites(form, one_site.data(), memory_bytes, 1, out);
          } else {
            const std::int64_t stride = piece.row.memory_stride;
            kernels::pack_sites(form, memory.at(piece.memory_site() + static_cast<std::int64_t>(k) * stride),
                                static_cast<std::ptrdiff_t>(stride * memory_bytes), sites, out);
          }
          const base::Bytes packed(out, static_cast<std::size_t>(sites * site_bytes));
          if (options.checksum) {
            tally.sums.add(packed, piece.file_site() + k, piece.site_rank() + k * piece.row.rank_stride,
                           piece.row.rank_stride);
          }
          out += packed.size();
        }
      }
    }
    base::ScopedSeconds seconds(tally.storage_seconds);
    file.write_at(payload.offset + stretch.file_site * site_bytes, bytes);
    tally.bytes += bytes.size();
  }
}

void pump_in(base::ByteSource& file, const Payload& payload, lattice::Rows& rows, const MutableField& field,
             const PumpOptions& options, Tally& tally) {
  const std::uint64_t site_bytes = payload.spec.site_bytes();
  const kernels::SiteForm form = form_of(payload, field.spec.precision);
  const auto memory_bytes = static_cast<std::int64_t>(payload.spec.numbers * field.spec.number_bytes());
  const Memory<std::byte*> memory{static_cast<std::byte*>(field.data), memory_bytes};
  std::vector<std::byte> one_site(field.store ? static_cast<std::size_t>(memory_bytes) : 0);
  const std::uint64_t step = field.store ? 1 : sub_block_sites(site_bytes);

  Block block(options.block_bytes, site_bytes);
  Stretches stretches(rows, block.max_sites());
  Stretch stretch;
  while (stretches.next(stretch)) {
    const base::MutableBytes bytes = block.first_sites(stretch.sites);
    {
      base::ScopedSeconds seconds(tally.storage_seconds);
      read_whole(file, payload.offset + stretch.file_site * site_bytes, bytes);
    }
    base::ScopedSeconds seconds(tally.pack_seconds);
    watch_zeros(payload, bytes, stretch.file_site, tally.zeros);
    const std::byte* in = bytes.data();
    for (const Piece& piece : stretch.pieces) {
      for (std::uint64_t k = 0; k < piece.sites; k += step) {
        const std::uint64_t sites = std::min(step, piece.sites - k);
        const base::Bytes packed(in, static_cast<std::size_t>(sites * site_bytes));
        if (options.checksum) {
          tally.sums.add(packed, piece.file_site() + k, piece.site_rank() + k * piece.row.rank_stride,
                         piece.row.rank_stride);
        }
        if (field.store) {
          kernels::unpack_sites(form, in, 1, one_site.data(), memory_bytes);
          field.store(coordinate(rows, piece, k), one_site.data());
        } else {
          const std::int64_t stride = piece.row.memory_stride;
          kernels::unpack_sites(form, in, sites, memory.at(piece.memory_site() + static_cast<std::int64_t>(k) * stride),
                                static_cast<std::ptrdiff_t>(stride * memory_bytes));
        }
        in += packed.size();
      }
    }
    tally.bytes += bytes.size();
  }
}

void pump_past(base::ByteSource& file, const Payload& payload, std::uint64_t begin, std::uint64_t end,
               const PumpOptions& options, Tally& tally, const Progress& progress) {
  const std::uint64_t site_bytes = payload.spec.site_bytes();
  const SiteOrder order = lattice::resolve_order(payload.order, payload.stored.extents.size());
  const int fastest = order.front();
  Block block(options.block_bytes, site_bytes);
  std::uint64_t site = begin;
  while (site < end) {
    const std::uint64_t sites = std::min(block.max_sites(), end - site);
    const base::MutableBytes bytes = block.first_sites(sites);
    {
      base::ScopedSeconds seconds(tally.storage_seconds);
      read_whole(file, payload.offset + site * site_bytes, bytes);
    }
    base::ScopedSeconds seconds(tally.pack_seconds);
    watch_zeros(payload, bytes, site, tally.zeros);
    // Site ranks advance evenly along the fastest dimension, and throughout in a full lattice in natural order.
    const bool natural = payload.stored == whole(payload.extents) && std::ranges::is_sorted(order);
    for (std::uint64_t done = 0; done < sites;) {
      const Coord x = lattice::site_at(site + done, payload.stored, order);
      const auto left =
          static_cast<std::uint64_t>(payload.stored.lower[fastest] + payload.stored.extents[fastest] - x[fastest]);
      const std::uint64_t part = natural ? sites : std::min(left, sites - done);
      Coord next = x;
      next[fastest] += 1;
      const std::uint64_t rank = lattice::site_rank(x, payload.extents);
      const std::uint64_t stride = lattice::site_rank(next, payload.extents) - rank;
      tally.sums.add(
          bytes.subspan(static_cast<std::size_t>(done * site_bytes), static_cast<std::size_t>(part * site_bytes)),
          site + done, rank, natural ? 1 : stride);
      done += part;
    }
    tally.bytes += bytes.size();
    site += sites;
    if (progress) progress(site - begin, end - begin);
  }
}

}  // namespace lq::io
