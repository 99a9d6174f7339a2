// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See pump.hpp.
#include "pump/pump.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "base/clock.hpp"
#include "comm/agree.hpp"
#include "lattice/site_order.hpp"
#include "pump/block.hpp"
#include "pump/stretches.hpp"

namespace lq::pump {

namespace {

// Everything that stays the same while one field passes.
template <class Pointer>
struct Passage {
  const Payload& payload;
  Precision precision;  // in memory
  Pointer data;         // of the first local site
  bool one_by_one;      // the application hands over single sites

  std::uint64_t site_bytes = payload.spec.site_bytes();
  std::int64_t memory_bytes =
      static_cast<std::int64_t>(payload.spec.numbers * (precision == Precision::single ? 4 : 8));
  kernels::SiteForm form = form_of(payload, precision);
  std::vector<std::byte> one_site = std::vector<std::byte>(one_by_one ? static_cast<std::size_t>(memory_bytes) : 0);
  std::uint64_t step = one_by_one ? 1 : sub_block_sites(site_bytes);

  std::uint64_t offset(const Stretch& stretch) const { return payload.offset + stretch.file_site * site_bytes; }
  // Local memory of a stretch of one piece whose sites lie one behind the other.
  base::MutableBytes place(const Stretch& stretch) const {
    return {data + stretch.pieces.front().memory_site() * memory_bytes,
            static_cast<std::size_t>(stretch.sites * site_bytes)};
  }
};

// A few sites of a row, small enough for the first cache level, and their bytes in file form.
struct Step {
  const Piece& piece;
  std::uint64_t skip;  // sites of the piece before these
  std::uint64_t sites;
  base::MutableBytes bytes;

  Coord coordinate(const lattice::Rows& rows) const { return rows.site(piece.row, piece.skip + skip); }
  template <class Pointer>
  Pointer memory(const Passage<Pointer>& passage) const {
    return passage.data +
           (piece.memory_site() + static_cast<std::int64_t>(skip) * piece.row.memory_stride) * passage.memory_bytes;
  }
  template <class Pointer>
  std::ptrdiff_t stride(const Passage<Pointer>& passage) const {
    return static_cast<std::ptrdiff_t>(piece.row.memory_stride * passage.memory_bytes);
  }
  void add_to(SliceSums& sums) const {
    const std::uint64_t stride = piece.row.rank_stride;
    sums.add(bytes, piece.file_site() + skip, piece.site_rank() + skip * stride, stride);
  }
};

// Calls work(Step) for all sites of a stretch whose file form is `bytes`.
template <class Work>
void for_each_step(const Stretch& stretch, base::MutableBytes bytes, std::uint64_t site_bytes, std::uint64_t step,
                   Work&& work) {
  for (const Piece& piece : stretch.pieces) {
    for (std::uint64_t skip = 0; skip < piece.sites; skip += step) {
      const std::uint64_t sites = std::min(step, piece.sites - skip);
      const auto part = static_cast<std::size_t>(sites * site_bytes);
      work(Step{piece, skip, sites, bytes.first(part)});
      bytes = bytes.subspan(part);
    }
  }
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
  Passage<const std::byte*> passage{payload, field.spec.precision, static_cast<const std::byte*>(field.data),
                                    static_cast<bool>(field.fetch)};
  const auto pack = [&](const Step& step) {
    if (field.fetch) {
      field.fetch(step.coordinate(rows), passage.one_site.data());
      kernels::pack_sites(passage.form, passage.one_site.data(), 0, 1, step.bytes.data());
    } else {
      kernels::pack_sites(passage.form, step.memory(passage), step.stride(passage), step.sites, step.bytes.data());
    }
    if (options.checksum) step.add_to(tally.sums);
  };

  Block block(options.block_bytes, passage.site_bytes);
  Stretches stretches(rows, block.max_sites());
  Stretch stretch;
  while (stretches.next(stretch)) {
    const base::MutableBytes bytes = block.first_sites(stretch.sites);
    {
      base::ScopedSeconds seconds(tally.pack_seconds);
      for_each_step(stretch, bytes, passage.site_bytes, passage.step, pack);
    }
    base::ScopedSeconds seconds(tally.storage_seconds);
    file.write_at(passage.offset(stretch), bytes);
    tally.bytes += bytes.size();
  }
}

void pump_in(base::ByteSource& file, const Payload& payload, lattice::Rows& rows, const MutableField& field,
             const PumpOptions& options, Tally& tally) {
  Passage<std::byte*> passage{payload, field.spec.precision, static_cast<std::byte*>(field.data),
                              static_cast<bool>(field.store)};
  // What lies in memory as in the file, but for byte order, is read to its place and not copied there.
  const bool same_numbers = !field.store && field.spec.precision == payload.spec.precision;
  const auto belongs_in_place = [&](const Stretch& candidate) {
    return same_numbers && candidate.pieces.size() == 1 && candidate.pieces.front().row.memory_stride == 1;
  };
  bool in_place = false;
  const auto unpack = [&](const Step& step) {
    if (options.checksum) step.add_to(tally.sums);
    if (in_place) {
      kernels::turn_sites(passage.form, step.bytes.data(), step.sites);
      return;
    }
    if (field.store) {
      kernels::unpack_sites(passage.form, step.bytes.data(), 1, passage.one_site.data(), 0);
      field.store(step.coordinate(rows), passage.one_site.data());
    } else {
      kernels::unpack_sites(passage.form, step.bytes.data(), step.sites, step.memory(passage), step.stride(passage));
    }
  };

  Block block(options.block_bytes, passage.site_bytes);
  Stretches stretches(rows, block.max_sites());
  Stretch stretch;
  while (stretches.next(stretch)) {
    in_place = belongs_in_place(stretch);
    const base::MutableBytes bytes = in_place ? passage.place(stretch) : block.first_sites(stretch.sites);
    {
      base::ScopedSeconds seconds(tally.storage_seconds);
      read_whole(file, passage.offset(stretch), bytes);
    }
    base::ScopedSeconds seconds(tally.pack_seconds);
    watch_zeros(payload, bytes, stretch.file_site, tally.zeros);
    for_each_step(stretch, bytes, passage.site_bytes, passage.step, unpack);
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

}  // namespace lq::pump
