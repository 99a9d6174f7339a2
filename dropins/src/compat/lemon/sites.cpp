// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "compat/lemon/sites.hpp"

#include <bit>

#include <limequat/error.hpp>

#include "comm/agree.hpp"
#include "engine/block.hpp"
#include "io/storage_file.hpp"

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

Payload payload_of(const Shape& shape, const FieldSpec& spec) {
  Payload payload;
  payload.length = shape.bytes;
  payload.spec = spec;
  payload.extents = shape.extents;
  payload.stored = whole(shape.extents);
  payload.byte_order = native;
  return payload;
}

}  // namespace

Way::Way(const Grid& grid, const Shape& shape, bool writes)
    : shape_(shape), writes_(writes), spec_(spec_of(shape.site_bytes)), grid_(grid) {
  io::SitePlan plan{.path = no_name, .payload = payload_of(shape, spec_), .region = whole(shape.extents), .unit = {}};
  plan.route.threads = 1;  // the program need not have asked MPI for more
  // Sites of an odd number of bytes are nothing the engine can exchange.
  if (shape.site_bytes % 4 != 0) plan.route.strategy = Strategy::direct;
  // In memory, wherever.
  if (writes) {
    sites_ = std::make_unique<io::SiteTransfer>(grid_, std::move(plan), Field{spec_, this, 0, {}, {}});
  } else {
    sites_ = std::make_unique<io::SiteTransfer>(grid_, std::move(plan), MutableField{spec_, this, 0, {}, {}});
  }
}

std::shared_ptr<const Way> Way::of(const Group& group, const Shape& shape, bool writes) {
  comm::Comm& comm = group.communicator().engine();
  GridOptions options;
  comm::agree(comm, [&] {
    options.processes = shape.processes;
    options.rank_order = shape.rank_order;
  });
  const Grid grid(group.communicator(), shape.extents, options);
  const auto way = comm::agree(comm, [&] { return std::shared_ptr<Way>(new Way(grid, shape, writes)); });
  way->sites_->choose_route();
  return way;
}

void Way::repeat(std::uint64_t offset, std::byte* data) const {
  const std::uint64_t available = shape_.local_bytes / spec_.number_bytes();
  if (writes_) return sites_->repeat(offset, Field{spec_, data, available, {}, {}});
  sites_->repeat(offset, MutableField{spec_, data, available, {}, {}});
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
  repeat(offset, nullptr);
  const engine::Shares& shares = *sites_->shares();
  const int rank = grid_.rank();
  auto staging = std::make_unique<Staging>();
  for (auto chunk = shares.next_owned(rank, 0); chunk; chunk = shares.next_owned(rank, chunk->number + 1)) {
    staging->reserve(chunk->first_byte, chunk->end_byte - chunk->first_byte);
  }
  return staging;
}

void Way::move(Storage& storage, std::uint64_t offset, std::byte* data) const {
  io::StorageFile file(storage);
  if (is_direct()) {
    for_each_piece(offset, data, [&](const Piece& piece) {
      if (writes_) return file.write_at(piece.offset, piece.memory);
      engine::read_whole(file, piece.offset, piece.memory);
    });
    return;
  }
  repeat(offset, data);
  sites_->start(&file);
  sites_->move();
}

}  // namespace lq::compat::lemon
