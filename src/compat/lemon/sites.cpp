// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See sites.hpp.
#include "compat/lemon/sites.hpp"

#include <bit>

#include <limequat/error.hpp>

#include "comm/agree.hpp"
#include "io/storage_file.hpp"
#include "pump/block.hpp"

namespace lq::compat::lemon {
namespace {

const std::string no_name = "MPI file";

// Bytes that nobody looks into, as numbers.
FieldSpec spec_of(std::uint64_t site_bytes) {
  if (site_bytes % 8 == 0) return generic_spec(Precision::double_, site_bytes / 8, false);
  return generic_spec(Precision::single, std::max<std::uint64_t>(site_bytes / 4, 1), false);
}

constexpr ByteOrder native = std::endian::native == std::endian::little ? ByteOrder::little : ByteOrder::big;

lattice::RowPlan rows_of(const Shape& shape) {
  return {shape.extents, whole(shape.extents), {}, shape.mine, {}, shape.mine};
}

Grid grid_of(const Group& group, const Shape& shape) {
  return Grid(group.communicator(), shape.extents, {.processes = shape.processes, .rank_order = shape.rank_order});
}

}  // namespace

Way::Way(const Group& group, const Shape& shape, bool writes)
    : shape_(shape), writing_(writes), spec_(spec_of(shape.site_bytes)), grid_(grid_of(group, shape)) {
  const Payload payload = payload_at(0);
  RouteOptions options;
  options.threads = 1;  // the program need not have asked MPI for more
  // Sites of an odd number of bytes are nothing the engine can exchange.
  if (shape.site_bytes % 4 != 0) options.strategy = Strategy::direct;
  Field memory{spec_, this, 0, {}, {}};  // in memory, wherever
  route_ = io::route_sites({.path = no_name,
                            .grid = grid_,
                            .payload = payload,
                            .region = payload.stored,
                            .unit = {},
                            .writing = writes,
                            .checksum = false,
                            .options = options},
                           memory);
}

Payload Way::payload_at(std::uint64_t offset) const {
  Payload payload;
  payload.offset = offset;
  payload.length = shape_.bytes;
  payload.spec = spec_;
  payload.extents = shape_.extents;
  payload.stored = whole(shape_.extents);
  payload.byte_order = native;
  return payload;
}

// Which bytes belong to whom depends on where the lattice lies; how they travel does not.
io::SiteRoute Way::route_at(const Payload& payload) const {
  io::SiteRoute route = route_;
  comm::Comm& comm = grid_.communicator().engine();
  const route::Transfer transfer{payload, payload.stored, &grid_.decomposition(), writing_};
  comm::agree(comm, [&] {
    route.shares = std::make_shared<route::Shares>(transfer, route_.shares->options());
    route.touches_file = route.shares->next_owned(comm.rank(), 0).has_value();
  });
  return route;
}

template <class Work>
void Way::for_each_piece(std::uint64_t offset, std::byte* data, Work&& work) const {
  lattice::Rows rows(rows_of(shape_));
  lattice::Row row;
  while (rows.next(row)) {
    work(Piece{offset + row.file_site * shape_.site_bytes,
               {data + row.memory_site * shape_.site_bytes, static_cast<std::size_t>(row.sites * shape_.site_bytes)}});
  }
}

std::vector<Piece> Way::pieces(std::uint64_t offset, std::byte* data) const {
  std::vector<Piece> all;
  for_each_piece(offset, data, [&](const Piece& piece) { all.push_back(piece); });
  return all;
}

std::unique_ptr<Staging> Way::reserve(std::uint64_t offset) const {
  const io::SiteRoute route = route_at(payload_at(offset));
  const int rank = grid_.rank();
  auto staging = std::make_unique<Staging>();
  for (auto chunk = route.shares->next_owned(rank, 0); chunk;
       chunk = route.shares->next_owned(rank, chunk->number + 1)) {
    staging->reserve(chunk->first_byte, chunk->end_byte - chunk->first_byte);
  }
  return staging;
}

void Way::move(Storage& storage, std::uint64_t offset, std::byte* data) const {
  io::StorageFile file(storage);
  if (is_direct()) {
    for_each_piece(offset, data, [&](const Piece& piece) {
      if (writing_) return file.write_at(piece.offset, piece.memory);
      pump::read_whole(file, piece.offset, piece.memory);
    });
    return;
  }
  const Payload payload = payload_at(offset);
  io::SiteRoute route = route_at(payload);
  pump::Tally tally(payload, {});
  const pump::PumpOptions options;
  const std::uint64_t available = shape_.local_bytes / spec_.number_bytes();
  transport::File* const mine = route.touches_file ? &file : nullptr;
  const std::unique_ptr<pump::Movement> movement =
      writing_ ? io::move_sites_out(route, grid_, Field{spec_, data, available, {}, {}}, payload, mine, options, tally)
               : io::move_sites_in(route, grid_, MutableField{spec_, data, available, {}, {}}, payload, mine, options,
                                   tally);
  pump::run(*movement);
}

}  // namespace lq::compat::lemon
