// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/computed_sites.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/block.hpp"
#include "kernels/digest.hpp"
#include "lattice/device_rows.hpp"
#include "lattice/layout_rows.hpp"
#include "lattice/site_order.hpp"

namespace lq::engine {
namespace {

// Of memory that holds sites as they are.
std::vector<device::NumberPlace> plain_numbers(const FieldSpec& spec) {
  std::vector<device::NumberPlace> numbers;
  for (std::uint64_t i = 0; i < spec.numbers; ++i) {
    numbers.push_back({static_cast<std::int64_t>(i * spec.number_bytes()), 0});
  }
  return numbers;
}

// Numbers that are rounded to integers, and those that are rebuilt of others, are the host's.
bool is_known_form(const SiteCodec& codec, Way way) {
  return !codec.fixed16 && (way == Way::out || !(codec.third_rows_missing || codec.second_columns_missing));
}

device::FileForm file_form(const Payload& payload, const FieldSpec& spec,
                           const std::vector<device::NumberPlace>& numbers, const SiteSums& sums) {
  device::FileForm form;
  form.memory_bytes = static_cast<unsigned>(spec.number_bytes());
  form.file_bytes = static_cast<unsigned>(payload.spec.number_bytes());
  form.swap = form_of(payload, spec.precision).swap;
  form.has_crcs = sums.needs_crc();
  for (const std::uint32_t number : payload.codec.order) form.numbers.push_back(numbers[number]);
  if (payload.codec.order.empty()) form.numbers = numbers;
  return form;
}

// Memory by description is in one place, so that the first of its arrays tells which.
template <class AnyField>
const std::byte* first_array(const AnyField& field, const Extents& box) {
  return lattice::arrays_of(field.memory, field.spec, box, field.data).begin.front();
}

// What a GPU found of sites.
void add_crcs(SiteSums& sums, const std::uint32_t* crcs, const Run& run) {
  if (!sums.needs_crc()) return;
  sums.for_each_slice(run.file_site, run.sites,
                      [&](Checksum& sum, kernels::WeightedSum* weighted, std::uint64_t skip, std::uint64_t sites) {
                        for (std::uint64_t k = skip; k < skip + sites; ++k) {
                          const std::uint64_t rank = run.site_rank + k * run.rank_stride;
                          kernels::add_site(sum, rank, crcs[k]);
                          if (weighted != nullptr) kernels::add_site(*weighted, rank, crcs[k]);
                        }
                      });
}

}  // namespace

template <class AnyField>
std::unique_ptr<ComputedMemory> ComputedMemory::find(const AnyField& field, const Payload& payload,
                                                     const lattice::RowPlan& plan, TransferStats& stats, Way way) {
  if (!device::has_driver() || lattice::has_function(field) || field.data == nullptr) return nullptr;
  const bool is_plain = lattice::is_plain(field);
  const std::byte* const first =
      is_plain ? static_cast<const std::byte*>(field.data) : first_array(field, plan.memory.extents);
  device::DeviceContext home;
  const device::Driver* const driver = device::driver_of(first, home);
  if (driver == nullptr) return nullptr;
  const auto leave_to_host = [&](std::string_view reason) {
    stats.device.host_computes(reason);
    return nullptr;
  };
  if (!is_known_form(payload.codec, way)) return leave_to_host("the file leaves numbers out, or rounds them");
  if (!is_plain && !lattice::is_moved_by_number(field.memory)) return leave_to_host("half precision, with norms");
  const device::Program* const program = device::program_of(*driver, home);
  if (program == nullptr) return leave_to_host(device::why_no_program(*driver, home));
  const std::vector<device::NumberPlace> numbers =
      is_plain ? plain_numbers(field.spec)
               : lattice::numbers_of(field.memory, field.spec, plan.memory.extents, field.data);
  device::FileForm form = file_form(payload, field.spec, numbers, stats.sums);
  auto memory = std::make_unique<ComputedMemory>();
  memory->wanted_ = plan.wanted;
  memory->file_order_ = lattice::resolve_order(plan.file_order, plan.wanted.extents.size());
  memory->memory_ = is_plain ? const_cast<std::byte*>(first) : nullptr;
  memory->memory_sites_ = plan.memory.volume();
  memory->site_bytes_ = static_cast<std::int64_t>(field.spec.site_bytes());
  memory->number_bytes_ = static_cast<std::int64_t>(field.spec.number_bytes());
  if (!is_plain) {
    memory->described_.emplace(
        Described{{field.memory, field.spec, plan.memory}, {plan.wanted, memory->file_order_, 1}});
    form.groups = memory->described_->places.groups();
  }
  const auto is_aligned = [&](const device::NumberPlace& number) {
    return (reinterpret_cast<std::intptr_t>(memory->memory_) + number.offset) % memory->number_bytes_ == 0;
  };
  if (!form.fits()) return leave_to_host("a site has more numbers than the kernels take");
  if (!std::ranges::all_of(form.numbers, is_aligned)) return leave_to_host("numbers that are not aligned in memory");
  stats.device.gpu_computes();
  memory->blocks_ = std::make_unique<device::FileBlocks>(*driver, home, *program, form);
  if (!is_plain) {
    const std::uint64_t most = memory->blocks_->most_sites();
    memory->described_->walk = lattice::RowWalk(plan.wanted, memory->file_order_, most);
    memory->described_->places.reserve(most);
  }
  return memory;
}

template std::unique_ptr<ComputedMemory> ComputedMemory::find(const Field&, const Payload&, const lattice::RowPlan&,
                                                              TransferStats&, Way);
template std::unique_ptr<ComputedMemory> ComputedMemory::find(const MutableField&, const Payload&,
                                                              const lattice::RowPlan&, TransferStats&, Way);

std::int64_t ComputedMemory::position(const lattice::Rows& rows, const Piece& piece) const {
  if (!described_) return piece.memory_site() * site_bytes_;
  return static_cast<std::int64_t>(lattice::site_number(rows.site(piece.row, piece.skip), wanted_, file_order_));
}

std::int64_t ComputedMemory::stride(const Piece& piece) const noexcept {
  return described_ ? 1 : piece.row.memory_stride * site_bytes_;
}

device::Windows ComputedMemory::windows() const {
  const std::uint64_t most = blocks_->most_sites();
  if (described_) return {0, wanted_.volume(), 1, most};
  return {0, memory_sites_, site_bytes_, most};
}

device::MemorySites ComputedMemory::sites(std::int64_t position, std::int64_t stride, std::uint64_t count) {
  if (!described_) return {count, memory_ + position, stride, {}};
  described_->walk.walk(static_cast<std::uint64_t>(position), count,
                        [&](const auto& parts, std::uint64_t, std::uint64_t) { described_->places.find(parts); });
  return {count, nullptr, 0, described_->places.all()};
}

device::MemorySites ComputedMemory::sites(std::span<const std::int64_t> places) const noexcept {
  return {places.size(), memory_, 0, places};
}

ComputedSource::ComputedSource(std::unique_ptr<ComputedMemory> memory)
    : memory_(std::move(memory)), windows_(memory_->windows()) {}

void ComputedSource::pack(const lattice::Rows& rows, const Piece& piece, std::byte* file, SiteSums& sums,
                          std::uint64_t counted_from) {
  device::FileBlocks& blocks = memory_->blocks();
  const std::int64_t first = memory_->position(rows, piece), stride = memory_->stride(piece);
  const auto fetch = [&](std::size_t i, std::int64_t at, std::int64_t step, std::uint64_t count) {
    blocks.begin_out(i, memory_->sites(at, step, count));
  };
  const auto wait = [&](std::size_t i) { blocks.wait(i); };
  for (std::uint64_t k = 0; k < piece.sites;) {
    const auto some =
        windows_.take(first + static_cast<std::int64_t>(k) * stride, stride, piece.sites - k, fetch, wait);
    const Run run = Run(piece).part(k, some.sites);
    const base::Bytes bytes(blocks.file(some.block) + some.skip * blocks.site_bytes(),
                            static_cast<std::size_t>(some.sites) * blocks.site_bytes());
    std::memcpy(file + k * blocks.site_bytes(), bytes.data(), bytes.size());
    const std::uint64_t uncounted =
        counted_from > run.file_site ? std::min(counted_from - run.file_site, run.sites) : 0;
    sums.add_others(bytes.subspan(static_cast<std::size_t>(uncounted) * blocks.site_bytes()), run.behind(uncounted));
    add_crcs(sums, blocks.crcs(some.block) + some.skip + uncounted, run.behind(uncounted));
    k += some.sites;
  }
}

ComputedSink::ComputedSink(std::unique_ptr<ComputedMemory> memory) : memory_(std::move(memory)) {
  const auto most = static_cast<std::size_t>(memory_->blocks().most_sites());
  for (Filling& filling : filling_) filling.parts.reserve(std::min(most, most_pieces));
  if (memory_->takes_places()) places_.reserve(most);
}

void ComputedSink::unpack(const lattice::Rows& rows, const Piece& piece, const std::byte* file, SiteSums& sums) {
  const std::size_t site_bytes = memory_->blocks().site_bytes();
  const std::int64_t first = memory_->position(rows, piece), stride = memory_->stride(piece);
  for (std::uint64_t k = 0; k < piece.sites;) {
    const std::uint64_t room = memory_->blocks().most_sites() - filling_[turn_].sites;
    const std::uint64_t some = std::min(piece.sites - k, room);
    add({Run(piece).part(k, some), first + static_cast<std::int64_t>(k) * stride, stride}, file + k * site_bytes, sums);
    k += some;
  }
}

// Joins it to the one before where they are one both in the file and in memory.
void ComputedSink::add(Part part, const std::byte* file, SiteSums& sums) {
  const auto follows = [](const Part& last, const Part& next) {
    const auto sites = static_cast<std::int64_t>(last.run.sites);
    return last.stride == next.stride && last.position + sites * last.stride == next.position &&
           last.run.rank_stride == next.run.rank_stride && last.run.file_site + last.run.sites == next.run.file_site &&
           last.run.site_rank + last.run.sites * last.run.rank_stride == next.run.site_rank;
  };
  device::FileBlocks& blocks = memory_->blocks();
  const bool is_next = filling_[turn_].parts.empty() || follows(filling_[turn_].parts.back(), part);
  if (!is_next && (!memory_->takes_places() || filling_[turn_].parts.size() == most_pieces)) send(sums);
  Filling& filling = filling_[turn_];
  const std::size_t bytes = static_cast<std::size_t>(part.run.sites) * blocks.site_bytes();
  std::memcpy(blocks.file(turn_) + filling.sites * blocks.site_bytes(), file, bytes);
  sums.add_others({file, bytes}, part.run);
  filling.sites += part.run.sites;
  if (is_next && !filling.parts.empty()) {
    filling.parts.back().run.sites += part.run.sites;
  } else {
    filling.parts.push_back(part);
  }
  if (filling.sites == blocks.most_sites()) send(sums);
}

// Sends a block off, and makes the other one ready.
void ComputedSink::send(SiteSums& sums) {
  const Filling& filling = filling_[turn_];
  if (filling.parts.size() == 1) {
    const Part& part = filling.parts.front();
    memory_->blocks().begin_in(turn_, memory_->sites(part.position, part.stride, part.run.sites));
  } else if (!filling.parts.empty()) {
    places_.clear();
    for (const Part& part : filling.parts) {
      for (std::uint64_t k = 0; k < part.run.sites; ++k) {
        places_.push_back(memory_->place(part.position + static_cast<std::int64_t>(k) * part.stride));
      }
    }
    memory_->blocks().begin_in(turn_, memory_->sites(places_));
  }
  turn_ = 1 - turn_;
  settle(turn_, sums);
}

void ComputedSink::settle(std::size_t i, SiteSums& sums) {
  Filling& filling = filling_[i];
  if (memory_->blocks().wait(i)) {
    const std::uint32_t* crcs = memory_->blocks().crcs(i);
    for (const Part& part : filling.parts) {
      add_crcs(sums, crcs, part.run);
      crcs += part.run.sites;
    }
  }
  filling.parts.clear();
  filling.sites = 0;
}

void ComputedSink::finish(SiteSums& sums) {
  send(sums);
  send(sums);
}

}  // namespace lq::engine
