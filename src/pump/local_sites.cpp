// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "pump/local_sites.hpp"

namespace lq::pump {
namespace {

// One site of a piece.
Run single(const Piece& piece, std::uint64_t k) {
  return {piece.file_site() + k, 1, piece.site_rank() + k * piece.row.rank_stride, piece.row.rank_stride};
}

// The first sites of what is left of a piece.
Run some_of(const Piece& piece, std::uint64_t skip, std::uint64_t sites) {
  Run run = Run(piece).behind(skip);
  run.sites = sites;
  return run;
}

std::size_t site_buffer(bool one_by_one, const SitePacker& packer) {
  return one_by_one ? static_cast<std::size_t>(packer.memory_bytes()) : 0;
}

}  // namespace

LocalSource::LocalSource(const Field& field, const Payload& payload, const lattice::RowPlan& plan, const SiteSums& sums)
    : field_(field),
      rows_(plan),
      packer_(payload, field.spec.precision, sums),
      one_site_(site_buffer(static_cast<bool>(field.fetch), packer_)) {
  device::Home home;
  if (field.fetch || plan.memory.volume() == 0) return;
  if (const device::Driver* const driver = device::driver_of(field.data, home); driver != nullptr) {
    device_ =
        std::make_unique<device::SitesOut>(*driver, home, static_cast<const std::byte*>(field.data),
                                           plan.memory.volume(), static_cast<std::size_t>(packer_.memory_bytes()));
  }
}

void LocalSource::pack(const Piece& piece, std::byte* file, SiteSums& sums, std::uint64_t counted_from) {
  if (field_.fetch) {
    for (std::uint64_t k = 0; k < piece.sites; ++k) {
      field_.fetch(rows_.site(piece.row, piece.skip + k), one_site_.data());
      packer_.pack(one_site_.data(), 0, single(piece, k), file + k * packer_.site_bytes(), sums, counted_from);
    }
    return;
  }
  if (device_) return pack_from_device(piece, file, sums, counted_from);
  const std::byte* const memory =
      static_cast<const std::byte*>(field_.data) + piece.memory_site() * packer_.memory_bytes();
  packer_.pack(memory, static_cast<std::ptrdiff_t>(piece.row.memory_stride * packer_.memory_bytes()), Run(piece), file,
               sums, counted_from);
}

void LocalSource::pack_from_device(const Piece& piece, std::byte* file, SiteSums& sums, std::uint64_t counted_from) {
  const std::byte* const memory =
      static_cast<const std::byte*>(field_.data) + piece.memory_site() * packer_.memory_bytes();
  const auto stride = static_cast<std::ptrdiff_t>(piece.row.memory_stride * packer_.memory_bytes());
  for (std::uint64_t k = 0; k < piece.sites;) {
    const auto some = device_->take(memory + static_cast<std::ptrdiff_t>(k) * stride, stride, piece.sites - k);
    packer_.pack(some.at, packer_.memory_bytes(), some_of(piece, k, some.sites), file + k * packer_.site_bytes(), sums,
                 counted_from);
    k += some.sites;
  }
}

LocalSink::LocalSink(const MutableField& field, const Payload& payload, const lattice::RowPlan& plan,
                     const SiteSums& sums)
    : field_(field),
      rows_(plan),
      packer_(payload, field.spec.precision, sums),
      one_site_(site_buffer(static_cast<bool>(field.store), packer_)) {
  device::Home home;
  if (field.store || plan.memory.volume() == 0) return;
  if (const device::Driver* const driver = device::driver_of(field.data, home); driver != nullptr) {
    device_ = std::make_unique<device::SitesIn>(*driver, home, static_cast<std::size_t>(packer_.memory_bytes()));
  }
}

void LocalSink::unpack(const Piece& piece, const std::byte* file, SiteSums& sums) {
  if (field_.store) {
    for (std::uint64_t k = 0; k < piece.sites; ++k) {
      packer_.unpack(file + k * packer_.site_bytes(), single(piece, k), one_site_.data(), 0, sums);
      field_.store(rows_.site(piece.row, piece.skip + k), one_site_.data());
    }
    return;
  }
  if (device_) return unpack_to_device(piece, file, sums);
  std::byte* const memory = static_cast<std::byte*>(field_.data) + piece.memory_site() * packer_.memory_bytes();
  packer_.unpack(file, Run(piece), memory,
                 static_cast<std::ptrdiff_t>(piece.row.memory_stride * packer_.memory_bytes()), sums);
}

// Complete when it returns: nobody comes again when the last piece has passed.
void LocalSink::unpack_to_device(const Piece& piece, const std::byte* file, SiteSums& sums) {
  std::byte* const memory = static_cast<std::byte*>(field_.data) + piece.memory_site() * packer_.memory_bytes();
  const auto stride = static_cast<std::ptrdiff_t>(piece.row.memory_stride * packer_.memory_bytes());
  for (std::uint64_t k = 0; k < piece.sites;) {
    const auto room = device_->room(piece.sites - k);
    packer_.unpack(file + k * packer_.site_bytes(), some_of(piece, k, room.sites), room.at, packer_.memory_bytes(),
                   sums);
    device_->put(memory + static_cast<std::ptrdiff_t>(k) * stride, stride, room.sites);
    k += room.sites;
  }
  device_->finish();
}

std::byte* LocalSink::in_place(const Piece& piece) const noexcept {
  if (field_.store || device_ || !packer_.lies_as_in_file() || piece.row.memory_stride != 1) return nullptr;
  return static_cast<std::byte*>(field_.data) + piece.memory_site() * packer_.memory_bytes();
}

}  // namespace lq::pump
