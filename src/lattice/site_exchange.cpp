// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Requests are sorted by owner and sent to the owners as site numbers in the owner's local box. Data are then returned
// in the order of the requests, without further description.
#include "lattice/site_exchange.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "comm/agree.hpp"
#include "lattice/decomposition.hpp"
#include "lattice/site_order.hpp"

namespace lq::lattice {
namespace {

constexpr std::size_t number_bytes = sizeof(std::uint64_t);

struct SiteRequest {
  int owner = 0;
  std::uint64_t place = 0;   // among the requests of this rank
  std::uint64_t number = 0;  // in the owner's box
};

std::vector<SiteRequest> list_requests(const Grid& grid, std::span<const Coord> wanted) {
  const lattice::Decomposition& decomposition = grid.decomposition();
  const Box lattice = whole(grid.extents());
  std::vector<SiteRequest> wishes;
  wishes.reserve(wanted.size());
  for (const Coord& x : wanted) {
    if (!lattice.contains(x)) {
      base::fail(Code::invalid_argument, {}, "site ({}) is outside the lattice {}", fmt::join(x, ", "),
                 to_string(grid.extents()));
    }
    wishes.push_back({decomposition.owner(x), wishes.size(), 0});
  }
  std::stable_sort(wishes.begin(), wishes.end(),
                   [](const SiteRequest& a, const SiteRequest& b) { return a.owner < b.owner; });
  const SiteOrder natural = lattice::resolve_order({}, grid.extents().size());
  Box box;
  for (std::size_t i = 0; i < wishes.size(); ++i) {
    if (i == 0 || wishes[i].owner != wishes[i - 1].owner) box = decomposition.box_of(wishes[i].owner);
    wishes[i].number = lattice::site_number(wanted[wishes[i].place], box, natural);
  }
  return wishes;
}

[[noreturn]] void refuse_length(int rank, std::size_t found, std::size_t expected) {
  base::fail(Code::communication, {},
             "exchange of sites: rank {} sent {} bytes, expected {}; does the size of a site differ between ranks?",
             rank, found, expected);
}

}  // namespace

SiteExchange::SiteExchange(const Grid& grid, std::span<const Coord> wanted)
    : SiteExchange(grid, [&] { return std::vector<Coord>(wanted.begin(), wanted.end()); }) {}

SiteExchange::SiteExchange(const Grid& grid, base::FunctionRef<std::vector<Coord>()> list)
    : communicator_(grid.communicator()) {
  const auto requests = [&] {
    std::vector<comm::Message> made;
    for (const SiteRequest& request : list_requests(grid, list())) {
      if (from_.empty() || from_.back().rank != request.owner) {
        from_.push_back({request.owner, {}});
        made.push_back({request.owner, {}});
      }
      from_.back().sites.push_back(request.place);
      std::vector<std::byte>& bytes = made.back().bytes;
      bytes.resize(bytes.size() + number_bytes);
      base::store_le(bytes.data() + bytes.size() - number_bytes, request.number);
    }
    return made;
  };
  const auto answer = [&](const std::vector<comm::Message>& asked) {
    for (const comm::Message& request : asked) {
      Peer peer{request.rank, std::vector<std::uint64_t>(request.bytes.size() / number_bytes)};
      for (std::size_t i = 0; i < peer.sites.size(); ++i) {
        peer.sites[i] = base::load_le<std::uint64_t>(request.bytes.data() + i * number_bytes);
      }
      to_.push_back(std::move(peer));
    }
  };
  comm::exchange_messages(communicator_.engine(), requests, answer);
}

std::vector<comm::Message> SiteExchange::pack_answers(std::span<const Sites> fields, std::size_t site_bytes) const {
  std::vector<comm::Message> outgoing;
  outgoing.reserve(to_.size());
  for (const Peer& peer : to_) {
    comm::Message message{peer.rank, std::vector<std::byte>(fields.size() * peer.sites.size() * site_bytes)};
    std::byte* next = message.bytes.data();
    for (const Sites& field : fields) {
      for (const std::uint64_t site : peer.sites) {
        std::memcpy(next, field.local + site * site_bytes, site_bytes);
        next += site_bytes;
      }
    }
    outgoing.push_back(std::move(message));
  }
  return outgoing;
}

void SiteExchange::exchange(std::span<const Sites> fields, std::size_t site_bytes) const {
  // Each owner replies, in the order of the ranks on both sides.
  const std::vector<comm::Message> incoming =
      comm::exchange_messages(communicator_.engine(), [&] { return pack_answers(fields, site_bytes); });
  for (std::size_t i = 0; i < from_.size(); ++i) {
    const Peer& peer = from_[i];
    const std::size_t expected = fields.size() * peer.sites.size() * site_bytes;
    const bool answered = i < incoming.size() && incoming[i].rank == peer.rank;
    const std::size_t found = answered ? incoming[i].bytes.size() : 0;
    if (found != expected) refuse_length(peer.rank, found, expected);
    const std::byte* next = incoming[i].bytes.data();
    for (const Sites& field : fields) {
      for (const std::uint64_t place : peer.sites) {
        std::memcpy(field.out + place * site_bytes, next, site_bytes);
        next += site_bytes;
      }
    }
  }
}

}  // namespace lq::lattice
