// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Shares of a file against loops over all its bytes and sites.
#include "engine/shares.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "lattice/site_order.hpp"
#include "support/transfers.hpp"

namespace lq::engine {
namespace {

struct ShareCase {
  const char* name;
  Extents lattice, processes;
  int shared_dimensions;
  std::uint64_t owners, site_bytes, chunk_bytes, domain_bytes, offset;
  SiteOrder order = {};
  Box region = {};  // empty: everything
  bool writing = true;
  bool root_owns_edges = false;
};

std::ostream& operator<<(std::ostream& out, const ShareCase& c) { return out << c.name; }

testing::TransferCase transfer_case(const ShareCase& c) {
  return {.name = c.name,
          .lattice = c.lattice,
          .processes = c.processes,
          .site_bytes = c.site_bytes,
          .offset = c.offset,
          .writing = c.writing,
          .order = c.order,
          .rank_order = {},
          .region = c.region};
}

class SharesOf : public ::testing::TestWithParam<ShareCase> {
 protected:
  SharesOf() : made_(transfer_case(GetParam())) {
    const ShareCase& c = GetParam();
    shares_ = std::make_unique<Shares>(
        transfer_, ShareOptions{c.shared_dimensions, c.owners, c.domain_bytes, c.chunk_bytes, c.root_owns_edges});
  }

  std::vector<Chunk> owned(int rank) const {
    std::vector<Chunk> chunks;
    for (auto c = shares_->next_owned(rank, 0); c; c = shares_->next_owned(rank, c->number + 1)) chunks.push_back(*c);
    return chunks;
  }
  Coord site(std::uint64_t number) const {
    return lattice::site_at(number, transfer_.payload.stored,
                            lattice::resolve_order(transfer_.payload.order, transfer_.payload.extents.size()));
  }
  bool moves(std::uint64_t number) const { return transfer_.region.contains(site(number)); }

  testing::TransferOf made_;
  const Transfer& transfer_ = made_.transfer();
  std::unique_ptr<Shares> shares_;
  int ranks_ = made_.ranks();
};

TEST_P(SharesOf, EveryByteHasOneOwnerAndEverySiteIsCountedOnce) {
  const std::uint64_t site_bytes = transfer_.site_bytes();
  std::map<std::uint64_t, int> bytes, counted;
  for (int rank = 0; rank < ranks_; ++rank) {
    for (const Chunk& chunk : owned(rank)) {
      EXPECT_EQ(chunk.owner, rank);
      EXPECT_EQ(shares_->chunk(chunk.number).owner, rank);
      EXPECT_LE(chunk.sites(), shares_->max_chunk_sites());
      // Its sites cover its bytes.
      EXPECT_LE(transfer_.payload.offset + chunk.first_site * site_bytes, chunk.first_byte);
      EXPECT_GE(transfer_.payload.offset + chunk.end_site * site_bytes, chunk.end_byte);
      for (std::uint64_t b = chunk.first_byte; b < chunk.end_byte; ++b) ++bytes[b];
      for (std::uint64_t s = chunk.first_counted; s < chunk.end_site; ++s) counted[s] += moves(s) ? 1 : 0;
    }
  }
  for (std::uint64_t s = 0; s < transfer_.payload.stored.volume(); ++s) {
    if (!moves(s)) continue;
    EXPECT_EQ(counted[s], 1) << s;
    const std::uint64_t begin = transfer_.payload.offset + s * site_bytes;
    for (std::uint64_t b = begin; b < begin + site_bytes; ++b) ASSERT_EQ(bytes[b], 1) << b;
  }
}

TEST_P(SharesOf, DomainsBeginAtTheirMultiplesWhenWriting) {
  if (!transfer_.writing) return;
  std::map<std::uint64_t, int> owner_of_domain;
  for (int rank = 0; rank < ranks_; ++rank) {
    for (const Chunk& chunk : owned(rank)) {
      for (std::uint64_t b = chunk.first_byte; b < chunk.end_byte; ++b) {
        const auto [entry, is_new] = owner_of_domain.emplace(b / GetParam().domain_bytes, rank);
        ASSERT_EQ(entry->second, rank) << "two ranks write between two multiples";
      }
    }
  }
}

TEST_P(SharesOf, TheRootOwnsTheEdgesWhereItIsToldTo) {
  if (!GetParam().root_owns_edges) return;
  EXPECT_EQ(shares_->chunk(shares_->first_chunk()).owner, 0);
  EXPECT_EQ(shares_->chunk(shares_->end_chunk() - 1).owner, 0);
  EXPECT_NE(shares_->chunk((shares_->first_chunk() + shares_->end_chunk()) / 2).owner, 0);
}

TEST_P(SharesOf, HoldersAreThoseWhoseSitesAreNeeded) {
  std::map<std::uint64_t, std::set<int>> expected;
  std::vector<int> holders;
  for (std::uint64_t number = shares_->first_chunk(); number < shares_->end_chunk(); ++number) {
    const Chunk chunk = shares_->chunk(number);
    for (std::uint64_t s = chunk.first_site; s < chunk.end_site; ++s) {
      if (!moves(s)) continue;
      for (int rank = 0; rank < ranks_; ++rank) {
        if (transfer_.box_of(rank).contains(site(s))) expected[number].insert(rank);
      }
    }
    shares_->holders(chunk, holders);
    EXPECT_EQ(std::set<int>(holders.begin(), holders.end()), expected[number]);
    EXPECT_EQ(holders.size(), expected[number].size());
  }
  for (int rank = 0; rank < ranks_; ++rank) {
    std::set<std::uint64_t> numbers, due;
    const Box mine = transfer_.box_of(rank);
    for (auto c = shares_->next_held(mine, 0); c; c = shares_->next_held(mine, c->number + 1))
      numbers.insert(c->number);
    for (const auto& [number, ranks] : expected) {
      if (ranks.contains(rank)) due.insert(number);
    }
    EXPECT_EQ(numbers, due) << "rank " << rank;
  }
}

TEST_P(SharesOf, OwnersOfAGroupHaveEqualShares) {
  if (GetParam().region.extents.size() > 0 || GetParam().root_owns_edges) return;
  std::vector<std::size_t> domains;
  for (int rank = 0; rank < ranks_; ++rank) {
    std::set<std::uint64_t> mine;
    for (const Chunk& chunk : owned(rank)) mine.insert(chunk.number * GetParam().chunk_bytes / GetParam().domain_bytes);
    if (!mine.empty()) domains.push_back(mine.size());
  }
  const auto [least, most] = std::ranges::minmax(domains);
  // One more or less at either end of each contiguous piece of the group.
  EXPECT_LE(most - least, 2U + domains.size() / 4);
}

// Were chunks before it looked at one by one, this would not end.
TEST(Shares, OfASmallRegionFarIntoALargeFileAreFoundAtOnce) {
  Payload payload;
  payload.spec = generic_spec(Precision::single, 4, false);
  payload.extents = {1 << 20, 1 << 20, 1 << 8, 1};
  payload.stored = whole(payload.extents);
  payload.length = volume(payload.extents) * 16;
  const Box region{{1 << 19, 1 << 19, 1 << 7, 0}, {2, 1, 1, 1}};
  const lattice::Decomposition dealt(region.extents, {2, 1, 1, 1});
  const std::uint64_t far = ((std::uint64_t{1} << 47) + (std::uint64_t{1} << 39) + (1 << 19)) * 16;
  for (const bool root_owns_edges : {false, true}) {
    const Shares shares({payload, region, &dealt, true}, {1, 0, std::uint64_t{1} << 60, 128, root_owns_edges});
    const std::optional<Chunk> found = shares.next_owned(0, 0);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->number, far / 128);
    EXPECT_FALSE(shares.next_owned(0, found->number + 1));
  }
}

const ShareCase cases[] = {
    {"one rank", {4, 4, 4, 4}, {1, 1, 1, 1}, 0, 0, 8, 64, 64, 0},
    {"x split", {8, 4, 4, 4}, {2, 1, 1, 1}, 1, 0, 12, 64, 128, 100},
    {"xyz split", {4, 4, 4, 6}, {2, 2, 2, 1}, 3, 0, 20, 128, 128, 7},
    {"xyz split, planes share", {4, 4, 4, 6}, {2, 2, 2, 1}, 2, 0, 20, 128, 256, 7},
    {"two of eight own", {4, 4, 4, 6}, {2, 2, 2, 1}, 3, 2, 24, 128, 128, 96},
    {"t split, alone", {4, 4, 4, 6}, {1, 1, 1, 3}, 0, 0, 20, 128, 128, 33},
    {"uneven, idle ranks", {3, 5, 2, 2}, {4, 2, 1, 1}, 2, 0, 12, 64, 64, 5},
    {"t runs fastest", {3, 4, 2, 6}, {1, 2, 1, 3}, 2, 0, 12, 64, 64, 5, {3, 2, 1, 0}},
    {"reading", {8, 4, 4, 4}, {2, 1, 2, 1}, 3, 0, 12, 64, 128, 100, {}, {}, false},
    {"reading a region", {8, 6, 4, 4}, {2, 1, 1, 2}, 1, 0, 12, 64, 64, 10, {}, Box{{1, 2, 1, 0}, {5, 3, 2, 4}}, false},
    {"edges of the root", {4, 4, 4, 6}, {1, 1, 1, 3}, 0, 0, 20, 64, 128, 33, {}, {}, true, true},
    {"edges of the root, x split", {8, 4, 4, 8}, {2, 1, 1, 2}, 1, 0, 12, 64, 64, 100, {}, {}, true, true},
    {"two dimensions", {64, 32}, {4, 2}, 1, 3, 4, 64, 256, 1},
};
INSTANTIATE_TEST_SUITE_P(Geometries, SharesOf, ::testing::ValuesIn(cases));

}  // namespace
}  // namespace lq::engine
