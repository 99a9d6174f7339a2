// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/file_order.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "comm/team.hpp"
#include "engine/stepwise_transfer.hpp"
#include "lattice/site_order.hpp"

namespace lq::engine {

FileOrderSums::FileOrderSums(const Payload& payload, TransferStats& stats)
    : payload_(payload),
      order_(lattice::resolve_order(payload.order, payload.stored.extents.size())),
      is_natural_(payload.stored == whole(payload.extents) && std::ranges::is_sorted(order_)),
      packer_(payload, payload.spec.precision, stats.sums),
      stats_(stats) {}

void FileOrderSums::add(std::uint64_t first_site, base::Bytes sites) {
  const std::uint64_t bytes = payload_.site_bytes(), end = first_site + sites.size() / bytes;
  stats_.bytes += sites.size();
  for (std::uint64_t site = first_site; site < end;) {
    const Run run = run_at(site, end - site);
    const auto size = static_cast<std::size_t>(run.sites * bytes);
    add(run, sites.first(size));
    sites = sites.subspan(size);
    site += run.sites;
  }
}

// Site ranks advance evenly along the fastest dimension, or everywhere for a full lattice in natural order.
Run FileOrderSums::run_at(std::uint64_t site, std::uint64_t most) const {
  const Box& stored = payload_.stored;
  const int fastest = order_.front();
  const Coord x = lattice::site_at(site, stored, order_);
  const auto left = static_cast<std::uint64_t>(stored.lower[fastest] + stored.extents[fastest] - x[fastest]);
  Coord next = x;
  next[fastest] += 1;
  const std::uint64_t rank = lattice::site_rank(x, payload_.extents);
  if (is_natural_) return {site, most, rank, 1};
  return {site, std::min(left, most), rank, lattice::site_rank(next, payload_.extents) - rank};
}

namespace {

// Reads sites on one thread.
class Reader {
 public:
  Reader(base::ByteSource& file, const Payload& payload, std::uint64_t block_bytes, TransferStats& stats)
      : file_(file),
        payload_(payload),
        order_(lattice::resolve_order(payload.order, payload.stored.extents.size())),
        sums_(payload, stats),
        block_(block_bytes, payload.site_bytes()),
        stats_(stats) {}

  std::uint64_t max_sites() const noexcept { return block_.max_sites(); }

  // Sites of at most one block.
  void pass(std::uint64_t site, std::uint64_t sites) {
    const base::MutableBytes bytes = read(site, sites);
    const base::ScopedSeconds seconds(stats_.pack_seconds);
    watch(payload_, bytes, site, stats_);
    sums_.add(site, bytes);
  }

  // All sites of a box, a block at a time.
  void pass(const Box& box) {
    SiteBatches batches({lattice::Rows({payload_.extents, payload_.stored, order_, box, order_, box})}, max_sites());
    for (SiteBatch batch; batches.next(batch);) {
      const base::MutableBytes bytes = read(batch.file_site, batch.sites);
      const base::ScopedSeconds seconds(stats_.pack_seconds);
      watch(payload_, bytes, batch.file_site, stats_);
      std::size_t done = 0;
      for (const Piece& piece : batch.pieces) {
        const auto size = static_cast<std::size_t>(piece.sites * payload_.site_bytes());
        sums_.add(Run(piece), bytes.subspan(done, size));
        done += size;
      }
      stats_.bytes += bytes.size();
    }
  }

 private:
  base::MutableBytes read(std::uint64_t site, std::uint64_t sites) {
    const base::ScopedSeconds seconds(stats_.storage_seconds);
    const base::MutableBytes bytes = block_.first_sites(sites);
    read_whole(file_, payload_.origin() + site * payload_.site_bytes(), bytes);
    return bytes;
  }

  base::ByteSource& file_;
  const Payload& payload_;
  SiteOrder order_;
  FileOrderSums sums_;
  Block block_;
  TransferStats& stats_;
};

// A thread and its statistics.
struct Worker {
  Worker(base::ByteSource& file, const Payload& payload, std::uint64_t block_bytes, const TransferStats& of_all)
      : stats(of_all.empty(payload)), reader(file, payload, block_bytes, stats) {}
  TransferStats stats;
  Reader reader;
};

}  // namespace

void checksum_sites(base::ByteSource& file, const Payload& payload, const PartIndex& part, const BlockOptions& options,
                    TransferStats& stats, const lq::Progress& progress) {
  comm::Team team(options.file_is_thread_safe ? options.threads : 1);
  std::vector<std::unique_ptr<Worker>> workers;
  for (int i = 1; i < team.size(); ++i) {
    workers.push_back(std::make_unique<Worker>(file, payload, options.block_bytes, stats));
  }
  Reader mine(file, payload, options.block_bytes, stats);
  const auto reader = [&](int thread) -> Reader& {
    return thread == 0 ? mine : workers[static_cast<std::size_t>(thread) - 1]->reader;
  };
  std::atomic<std::uint64_t> done{0};
  const auto report = [&](int thread, std::uint64_t passed, std::uint64_t all) {
    done.fetch_add(passed, std::memory_order_relaxed);
    if (progress && thread == 0) progress(done.load(std::memory_order_relaxed), all);
  };
  if (const auto blocks = block_order(payload, payload.stored)) {
    const lattice::BlockParts boxes(*blocks, payload.order, mine.max_sites(),
                                    lattice::share_of(blocks->count(), part.all, part.number),
                                    are_large_blocks(payload, team.size()));
    comm::parallel_for(team, boxes.items(), [&](int thread, std::uint64_t item) {
      boxes.for_each_box(item, [&](const Box& box) { reader(thread).pass(box); });
      report(thread, 1, boxes.items());
    });
  } else {
    const lattice::Share share = lattice::share_of(payload.stored.volume(), part.all, part.number);
    const std::uint64_t each = mine.max_sites(), begin = share.begin, end = share.end;
    const std::uint64_t first = options.tile_sites == 0 ? begin : begin / each * each;
    comm::parallel_for(team, (end - first + each - 1) / each, [&](int thread, std::uint64_t block) {
      const std::uint64_t site = std::max(begin, first + block * each);
      const std::uint64_t sites = std::min(first + (block + 1) * each, end) - site;
      reader(thread).pass(site, sites);
      report(thread, sites, end - begin);
    });
  }
  for (const auto& worker : workers) stats.add(worker->stats);
}

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
  base::fail(Code::internal, {}, "{}: the sites {} to {} were not forwarded; please report", path(), left_.begin,
             left_.end - 1);
}

}  // namespace lq::engine
