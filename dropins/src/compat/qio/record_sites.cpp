// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "compat/qio/record_sites.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/error.hpp"
#include "comm/agree.hpp"
#include "comm/node.hpp"
#include "compat/qio/nodes.hpp"
#include "io/sites.hpp"
#include "lattice/site_order.hpp"

namespace lq::compat::qio {

namespace {

constexpr std::uint64_t largest_unit = 512 * 1024;

std::uint64_t rounded_up(std::uint64_t byte, std::uint64_t unit) noexcept { return (byte + unit - 1) / unit * unit; }

std::unique_ptr<std::byte[]> room(std::uint64_t bytes) {
  return std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
}

Coord coord_of(const int* numbers, int count) {
  Coord coord = Coord::filled(count, 0);
  for (int d = 0; d < count; ++d) coord[d] = numbers[d];
  return coord;
}

}  // namespace

// If only one node may write to a unit, it must fit into a chunk.
Domains SiteExchange::domains_of(const comm::Comm& comm, const SitePlace& place, std::uint64_t site_bytes) {
  const bool is_alone = place.unit.one_writer || (place.unit.single_owner && place.unit.bytes > largest_unit);
  return {place.sites, site_bytes, comm.size(), is_alone ? 1 : comm.size(), place.leader};
}

SiteExchange::SiteExchange(comm::Comm& comm, const NodeSites& sites, const SitePlace& place, const SiteCall& call)
    : comm_(comm),
      sites_(sites),
      place_(place),
      form_(comm::agree(comm, [&] { return SiteForm(call); })),
      domains_(domains_of(comm, place, call.site_bytes)),
      channel_(comm),
      mine_(domains_.owner_at(comm.rank())),
      storage_(comm::thread_count(comm, 0, place.sites * call.site_bytes) > 1 && mine_ >= 0) {
  place_.unit.bytes = std::clamp<std::uint64_t>(place_.unit.bytes, 1, largest_unit);
  learn_peers();
  comm::agree(comm, [&] { reserve(); });
}

// --- Who has what ----------------------------------------------------------------------------------------------------

template <class Runs, class Work>
void SiteExchange::for_each_piece(const Runs& runs, const Domains::Chunk& chunk, Work&& work) {
  const auto behind = [](std::uint64_t position, const auto& run) { return position < run.end(); };
  for (auto run = std::upper_bound(runs.begin(), runs.end(), chunk.begin, behind);
       run != runs.end() && run->position < chunk.end; ++run) {
    const std::uint64_t skip = chunk.begin > run->position ? chunk.begin - run->position : 0;
    work(*run, skip, std::min(run->sites, chunk.end - run->position) - skip);
  }
}

template <class Runs>
std::uint64_t SiteExchange::sites_in(const Runs& runs, const Domains::Chunk& chunk) {
  std::uint64_t sites = 0;
  for_each_piece(runs, chunk, [&](const auto&, std::uint64_t, std::uint64_t count) { sites += count; });
  return sites;
}

// Every node sends the owners the list of its sites in their domains.
void SiteExchange::learn_peers() {
  const auto told = comm::exchange_messages(comm_, [&] {
    std::vector<comm::Message> messages;
    for (int owner = 0; owner < domains_.owners(); ++owner) {
      if (owner == mine_) continue;
      std::vector<Span> spans;
      for_each_piece(sites_.runs(), {domains_.begin(owner), domains_.end(owner)},
                     [&](const SiteRun& run, std::uint64_t skip, std::uint64_t count) {
                       const std::uint64_t position = run.position + skip;
                       if (spans.empty() || spans.back().end() != position) spans.push_back({position, 0});
                       spans.back().sites += count;
                     });
      const auto bytes = std::as_bytes(std::span(spans));
      if (!spans.empty()) messages.push_back({domains_.node_of(owner), {bytes.begin(), bytes.end()}});
    }
    return messages;
  });
  comm::agree(comm_, [&] {
    for (const comm::Message& message : told) {
      Peer peer{message.rank, std::vector<Span>(message.bytes.size() / sizeof(Span))};
      std::memcpy(peer.spans.data(), message.bytes.data(), message.bytes.size());
      peers_.push_back(std::move(peer));
    }
    // Each site of a domain belongs to exactly one node.
    if (mine_ < 0) return;
    const Domains::Chunk domain{domains_.begin(mine_), domains_.end(mine_)};
    std::uint64_t known = sites_in(sites_.runs(), domain);
    for (const Peer& peer : peers_) known += sites_in(peer.spans, domain);
    if (known == domain.end - domain.begin) return;
    throw Error(Code::invalid_argument, "qio: the nodes do not have each site of the lattice exactly once");
  });
}

void SiteExchange::reserve() {
  const std::uint64_t site_bytes = form_.site_bytes();
  std::uint64_t most_leaving = 0;
  for (std::uint64_t round = 0; round < domains_.rounds(); ++round) {
    std::uint64_t leaving = 0;
    for (int owner = 0; owner < domains_.owners(); ++owner) {
      if (owner != mine_) leaving += sites_in(sites_.runs(), domains_.chunk(owner, round));
    }
    most_leaving = std::max(most_leaving, leaving);
  }
  if (most_leaving > 0) leaving_ = room(most_leaving * site_bytes);
  for (std::size_t turn = 0; mine_ >= 0 && turn < (storage_.has_thread() ? 2U : 1U); ++turn) {
    chunks_[turn] = room(domains_.chunk_sites() * site_bytes);
  }
  if (!peers_.empty()) arriving_ = room(domains_.chunk_sites() * site_bytes);
  flights_.reserve(peers_.size() + static_cast<std::size_t>(domains_.owners()));
  head_.resize(static_cast<std::size_t>(place_.unit.bytes));
  tail_.resize(static_cast<std::size_t>(place_.unit.bytes));
  arriving_border_.resize(static_cast<std::size_t>(place_.unit.bytes));
}

void SiteExchange::wait_for_all() {
  for (comm::Flight& flight : flights_) comm::wait(std::move(flight));
  flights_.clear();
}

// --- Borders ---------------------------------------------------------------------------------------------------------

std::uint64_t SiteExchange::head_end(int owner) const noexcept {
  const std::uint64_t begin = byte_of(domains_.begin(owner));
  return owner == 0 ? begin : std::min(rounded_up(begin, place_.unit.bytes), byte_of(domains_.end(owner)));
}

std::uint64_t SiteExchange::tail_begin() const noexcept {
  const int last = domains_.owners() - 1;
  const std::uint64_t end = byte_of(domains_.end(last));
  return last == 0 ? end : std::max(head_end(last), end / place_.unit.bytes * place_.unit.bytes);
}

// Of a complete chunk, writes the part in this node's blocks of the file and keeps the rest.
void SiteExchange::store(const Domains::Chunk& chunk) {
  const std::uint64_t begin = byte_of(chunk.begin), end = byte_of(chunk.end);
  const bool is_last = mine_ == domains_.owners() - 1;
  const std::uint64_t mine_from = std::clamp(head_end(mine_), begin, end);
  const std::uint64_t mine_to = std::max(mine_from, is_last ? std::clamp(tail_begin(), begin, end) : end);
  const std::byte* const bytes = chunk_;
  if (mine_from > begin) {
    std::memcpy(head_.data() + (begin - byte_of(domains_.begin(mine_))), bytes,
                static_cast<std::size_t>(mine_from - begin));
  }
  if (mine_to < end) {
    std::memcpy(tail_.data() + (mine_to - tail_begin()), bytes + (mine_to - begin),
                static_cast<std::size_t>(end - mine_to));
  }
  const std::span mine(bytes + (mine_from - begin), static_cast<std::size_t>(mine_to - mine_from));
  base::keep_failure(failure_, [&] { storage_.finish(); });
  if (failure_ || mine.empty()) return;
  base::keep_failure(failure_,
                     [&] { storage_.begin([this, mine_from, mine] { place_.file->write_at(mine_from, mine); }); });
}

// Sends the blocks at the borders of domains to the nodes that write them: no two nodes write to one block of the file.
void SiteExchange::hand_over_borders() {
  if (domains_.owners() == 1) return;
  const int last = domains_.owners() - 1;
  const int me = comm_.rank();
  const auto size_of_head = [&](int owner) {
    return static_cast<std::size_t>(head_end(owner) - byte_of(domains_.begin(owner)));
  };
  const auto tail_bytes = static_cast<std::size_t>(byte_of(domains_.end(last)) - tail_begin());
  if (mine_ > 0)
    flights_.push_back(
        comm_.start_send(std::span(head_).first(size_of_head(mine_)), domains_.node_of(mine_ - 1), channel_.number()));
  if (mine_ == last)
    flights_.push_back(comm_.start_send(std::span(tail_).first(tail_bytes), place_.leader, channel_.number()));
  const auto take = [&](std::size_t bytes, int from, std::uint64_t to) {
    const std::span<std::byte> here(arriving_border_.data(), bytes);
    comm::wait(comm_.start_receive(here, from, channel_.number()));
    if (failure_ || bytes == 0) return;
    base::keep_failure(failure_, [&] { place_.file->write_at(to, here); });
  };
  if (mine_ >= 0 && mine_ < last) {
    take(size_of_head(mine_ + 1), domains_.node_of(mine_ + 1), byte_of(domains_.begin(mine_ + 1)));
  }
  if (me == place_.leader) take(tail_bytes, domains_.node_of(last), tail_begin());
  wait_for_all();
}

// --- Rounds ----------------------------------------------------------------------------------------------------------

void SiteExchange::write_round(std::uint64_t round) {
  const std::uint64_t site_bytes = form_.site_bytes();
  const Domains::Chunk chunk = mine_ < 0 ? Domains::Chunk{} : domains_.chunk(mine_, round);
  chunk_ = chunk_of(round);
  std::byte* arriving = arriving_.get();
  for (const Peer& peer : peers_) {
    const std::uint64_t sites = sites_in(peer.spans, chunk);
    if (sites == 0) continue;
    const std::span<std::byte> bytes(arriving, static_cast<std::size_t>(sites * site_bytes));
    flights_.push_back(comm_.start_receive(bytes, peer.node, channel_.number()));
    arriving += bytes.size();
  }
  std::byte* leaving = leaving_.get();
  for (int owner = 0; owner < domains_.owners(); ++owner) {
    if (owner == mine_) continue;
    std::byte* const begin = leaving;
    for_each_piece(sites_.runs(), domains_.chunk(owner, round),
                   [&](const SiteRun& run, std::uint64_t skip, std::uint64_t count) {
                     form_.get(sites_, run, skip, count, leaving);
                     leaving += count * site_bytes;
                   });
    if (leaving == begin) continue;
    flights_.push_back(comm_.start_send({begin, leaving}, domains_.node_of(owner), channel_.number()));
  }
  for_each_piece(sites_.runs(), chunk, [&](const SiteRun& run, std::uint64_t skip, std::uint64_t count) {
    form_.get(sites_, run, skip, count, chunk_at(chunk, run.position + skip));
  });
  wait_for_all();
  arriving = arriving_.get();
  for (const Peer& peer : peers_) {
    for_each_piece(peer.spans, chunk, [&](const Span& span, std::uint64_t skip, std::uint64_t count) {
      std::memcpy(chunk_at(chunk, span.position + skip), arriving, static_cast<std::size_t>(count * site_bytes));
      arriving += count * site_bytes;
    });
  }
  if (!chunk.is_empty()) store(chunk);
}

void SiteExchange::begin_reading(std::uint64_t round) {
  const Domains::Chunk chunk = mine_ < 0 ? Domains::Chunk{} : domains_.chunk(mine_, round);
  if (chunk.is_empty()) return;
  const std::span bytes(chunk_of(round), static_cast<std::size_t>((chunk.end - chunk.begin) * form_.site_bytes()));
  base::keep_failure(missing_, [&] {
    storage_.begin([this, bytes, from = byte_of(chunk.begin)] {
      if (place_.file->read_at(from, bytes) == bytes.size()) return;
      throw Error(Code::truncated, place_.file->path() + ": the file ends within the sites of a record");
    });
  });
}

// Zeros replace unreadable data.
void SiteExchange::finish_reading(const Domains::Chunk& chunk) {
  base::keep_failure(missing_, [&] { storage_.finish(); });
  if (!missing_) return;
  std::fill_n(chunk_, (chunk.end - chunk.begin) * form_.site_bytes(), std::byte{});
  if (!failure_) failure_ = missing_;
  missing_ = nullptr;
}

void SiteExchange::read_round(std::uint64_t round) {
  const std::uint64_t site_bytes = form_.site_bytes();
  const Domains::Chunk chunk = mine_ < 0 ? Domains::Chunk{} : domains_.chunk(mine_, round);
  std::byte* leaving = leaving_.get();
  for (int owner = 0; owner < domains_.owners(); ++owner) {
    const std::uint64_t sites = owner == mine_ ? 0 : sites_in(sites_.runs(), domains_.chunk(owner, round));
    if (sites == 0) continue;
    const std::span<std::byte> bytes(leaving, static_cast<std::size_t>(sites * site_bytes));
    flights_.push_back(comm_.start_receive(bytes, domains_.node_of(owner), channel_.number()));
    leaving += bytes.size();
  }
  chunk_ = chunk_of(round);
  if (!chunk.is_empty()) finish_reading(chunk);
  if (storage_.has_thread()) begin_reading(round + 1);
  std::byte* arriving = arriving_.get();
  for (const Peer& peer : peers_) {
    std::byte* const begin = arriving;
    for_each_piece(peer.spans, chunk, [&](const Span& span, std::uint64_t skip, std::uint64_t count) {
      std::memcpy(arriving, chunk_at(chunk, span.position + skip), static_cast<std::size_t>(count * site_bytes));
      arriving += count * site_bytes;
    });
    if (arriving != begin) flights_.push_back(comm_.start_send({begin, arriving}, peer.node, channel_.number()));
  }
  for_each_piece(sites_.runs(), chunk, [&](const SiteRun& run, std::uint64_t skip, std::uint64_t count) {
    form_.put(sites_, run, skip, count, chunk_at(chunk, run.position + skip));
  });
  wait_for_all();
  leaving = leaving_.get();
  for (int owner = 0; owner < domains_.owners(); ++owner) {
    if (owner == mine_) continue;
    for_each_piece(sites_.runs(), domains_.chunk(owner, round),
                   [&](const SiteRun& run, std::uint64_t skip, std::uint64_t count) {
                     form_.put(sites_, run, skip, count, leaving);
                     leaving += count * site_bytes;
                   });
  }
  if (!storage_.has_thread()) begin_reading(round + 1);
}

std::exception_ptr SiteExchange::write() {
  for (std::uint64_t round = 0; round < domains_.rounds(); ++round) write_round(round);
  base::keep_failure(failure_, [&] { storage_.finish(); });
  hand_over_borders();
  return failure_;
}

std::exception_ptr SiteExchange::read() {
  begin_reading(0);
  for (std::uint64_t round = 0; round < domains_.rounds(); ++round) read_round(round);
  return failure_;
}

void RecordPart::place_at(const FoundRecord& found, comm::Comm& comm, int leader) {
  std::array<std::uint64_t, 2> facts{found.payload, found.type == QIO_LIMETYPE_ILDG_BINARY_DATA ? 1U : 0U};
  broadcast_facts(comm, facts, leader);
  offset = facts[0];
  is_ildg = facts[1] != 0;
}

Hypercube hypercube_of(const DML_Layout& layout) {
  Hypercube hypercube{coord_of(layout.latsize, layout.latdim), whole(coord_of(layout.latsize, layout.latdim))};
  for (int d = 0; d < layout.latdim; ++d) {
    hypercube.box.lower[d] = layout.hyperlower[d];
    hypercube.box.extents[d] = layout.hyperupper[d] - layout.hyperlower[d] + 1;
  }
  return hypercube;
}

void set_bounds(DML_Layout& layout, const int* lowest, const int* highest, int count) {
  std::uint64_t sites = 1;
  for (int d = 0; d < layout.latdim; ++d) {
    const int lower = d < count ? lowest[d] : -1, upper = d < count ? highest[d] : -1;
    if (lower < 0 || lower > upper || upper >= layout.latsize[d]) {
      throw Refusal(QIO_ERR_BAD_SUBSET, "the bounds of the hypercube are not inside the lattice");
    }
    layout.hyperlower[d] = lower;
    layout.hyperupper[d] = upper;
    sites *= static_cast<std::uint64_t>(upper - lower + 1);
  }
  layout.subsetvolume = sites;
}

void check_call(const SiteCall& call) {
  if (call.count < 1) throw Refusal(QIO_BAD_ARG, "no data per site");
  if (!is_word(call.word_bytes)) throw Refusal(QIO_BAD_ARG, fmt::format("words of {} bytes", call.word_bytes));
}

void set_record(DML_Layout& layout, const QIO_RecordInfo& info) {
  const int type = info.recordtype.value;
  if (type != QIO_FIELD && type != QIO_GLOBAL && type != QIO_HYPER) {
    throw Refusal(QIO_ERR_BAD_GLOBAL_TYPE, "the record is neither a field, nor global, nor a hypercube");
  }
  if (type == QIO_HYPER) {
    set_bounds(layout, info.hyperlower.value, info.hyperupper.value, info.spacetime.value);
  } else {
    layout.subsetvolume = layout.volume;
  }
  layout.recordtype = type;
}

RecordSites sites_of_record(comm::Comm& all, const FileNodes& family, const DML_Layout& layout, int volfmt) {
  if (layout.recordtype != QIO_HYPER) return {&family.order, family.sites, {}, family.boxes};
  const Hypercube hypercube = hypercube_of(layout);
  RecordSites sites;
  sites.of_family = layout.subsetvolume;
  comm::agree(all, [&] {
    sites.own = std::make_unique<NodeSites>(family.order.within(hypercube.lattice, hypercube.box));
    sites.order = sites.own.get();
  });
  // Each family separately, and then all of them.
  comm::agree(all, [&] {
    if (volfmt == QIO_MULTIFILE) {
      sites.own->number_anew();
      sites.of_family = sites.own->count();
    } else if (is_in_parts(volfmt)) {
      const std::vector<std::uint64_t> ranks = ranks_of_all(*family.comm, *sites.own);
      comm::agree(*family.comm, [&] { *sites.own = sites.own->among(ranks); });
      sites.of_family = ranks.size();
    }
    sites.boxes = boxes_of(*family.comm, hypercube.lattice, *sites.order);
  });
  return sites;
}

void require_same_record(comm::Comm& nodes, const QIO_RecordInfo& info, const SiteCall& call) {
  comm::require_same(nodes, [&] {
    std::string bounds;
    for (int d = 0; info.recordtype.value == QIO_HYPER && d < info.spacetime.value && d < QIO_MAXINTARRAY; ++d) {
      bounds += fmt::format(", {} to {}", info.hyperlower.value[d], info.hyperupper.value[d]);
    }
    return std::vector<comm::StatedArgument>{
        {"qio: the record", fmt::format("type {}{}, {} times {} bytes, {} dimensions", info.recordtype.value, bounds,
                                        info.datacount.value, info.typesize.value, info.spacetime.value)},
        {"qio: the data of a site", fmt::format("{} bytes in words of {}", call.site_bytes, call.word_bytes)}};
  });
}

DML_Checksum combined(comm::Comm& comm, const Checksum& mine) {
  std::array<std::uint64_t, 2> sums{mine.suma, mine.sumb};
  comm.all_reduce(sums, comm::Reduce::bit_xor);
  return {static_cast<std::uint32_t>(sums[0]), static_cast<std::uint32_t>(sums[1])};
}

namespace {

// Sites made of whole numbers, written by several nodes only if these see each other's bytes.
bool is_plain(const SitePlace& place, const SiteCall& call) {
  return (call.word_bytes == 4 || call.word_bytes == 8) && call.site_bytes > 0 &&
         call.site_bytes % static_cast<std::uint64_t>(call.word_bytes) == 0 && !place.unit.single_owner;
}

io::SitePlan plan_of(const Boxes& boxes, const SitePlace& place, const SiteCall& call) {
  const auto word = static_cast<std::uint64_t>(call.word_bytes);
  Payload payload;
  payload.offset = place.offset;
  payload.length = place.sites * call.site_bytes;
  payload.spec = generic_spec(word == 8 ? Precision::double_ : Precision::single, call.site_bytes / word, false);
  payload.extents = boxes.lattice;
  payload.stored = boxes.region;
  return {.path = place.file->path(),
          .payload = payload,
          .region = payload.stored,
          .unit = place.unit,
          .sums = {{SumKind::scidac, SumOf::field}}};
}

// Adapts the program's function to a row of the file, along the fastest dimension.
template <class Byte>
auto row_by_site(const NodeSites& sites, const Box& own, const SiteCall& call) {
  return
      [&, order = lattice::resolve_order({}, own.lower.size())](const Coord& x, int, std::uint64_t count, Byte* row) {
        char* site = static_cast<char*>(const_cast<void*>(static_cast<const void*>(row)));
        const std::uint64_t first = lattice::site_number(x, own, order);
        for (std::uint64_t k = 0; k < count; ++k, site += call.site_bytes) {
          call.function(site, sites.index(first + k), call.count, call.arg);
        }
      };
}

// Collective, agreed. AnyField: Field to write, MutableField to read; it calls the program's function.
template <class AnyField>
Checksum move_boxes(const RecordSites& sites, const SitePlace& place, const SiteCall& call,
                    std::exception_ptr& failure) {
  const Grid& grid = sites.boxes->grid;
  const auto transfer = comm::agree(grid.communicator().engine(), [&] {
    io::SitePlan plan = plan_of(*sites.boxes, place, call);
    AnyField field;
    field.spec = plan.payload.spec;
    if constexpr (std::is_same_v<AnyField, Field>) {
      field.fetch_rows = row_by_site<void>(*sites.order, sites.boxes->own, call);
    } else {
      field.store_rows = row_by_site<const void>(*sites.order, sites.boxes->own, call);
    }
    return std::make_unique<io::SiteTransfer>(grid, std::move(plan), field);
  });
  transfer->choose_route();
  transfer->start(place.file);
  base::keep_failure(failure, [&] { transfer->move(); });
  return transfer->stats().sums.total();
}

}  // namespace

Checksum move_sites(comm::Comm& nodes, const RecordSites& sites, const SitePlace& place, const SiteCall& call,
                    std::exception_ptr& failure) {
  if (sites.boxes && sites.boxes->region.volume() == place.sites && is_plain(place, call)) {
    return place.writes ? move_boxes<Field>(sites, place, call, failure)
                        : move_boxes<MutableField>(sites, place, call, failure);
  }
  SiteExchange exchange(nodes, *sites.order, place, call);
  failure = place.writes ? exchange.write() : exchange.read();
  return exchange.checksum();
}

}  // namespace lq::compat::qio
