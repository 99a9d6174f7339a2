// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/local_sites.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/stepwise_transfer.hpp"
#include "kernels/digest.hpp"
#include "lattice/site_order.hpp"

namespace lq::engine {

namespace {

// For memory that holds sites in plain form.
std::vector<device::NumberPlace> plain_numbers(const FieldSpec& spec) {
  std::vector<device::NumberPlace> numbers;
  for (std::uint64_t i = 0; i < spec.numbers; ++i) {
    numbers.push_back({static_cast<std::int64_t>(i * spec.number_bytes()), 0});
  }
  return numbers;
}

// Only the host computes numbers that are rounded to integers or rebuilt from others.
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

// Described memory is all in one kind of memory, so the first of its arrays determines which.
template <class AnyField>
const std::byte* first_array(const AnyField& field, const Extents& box) {
  return lattice::arrays_of(field.memory, field.spec, box, field.data).begin.front();
}

// Adds the CRCs that a GPU computed.
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
  device::DeviceContext context;
  const device::Driver* const driver = device::driver_of(first, context);
  if (driver == nullptr) return nullptr;
  const auto leave_to_host = [&](std::string_view reason) {
    stats.device.host_computes(reason);
    return nullptr;
  };
  if (!is_known_form(payload.codec, way)) return leave_to_host("the file leaves numbers out, or rounds them");
  if (!is_plain && !lattice::is_moved_by_number(field.memory)) return leave_to_host("half precision, with norms");
  const device::Program* const program = device::program_of(*driver, context);
  if (program == nullptr) return leave_to_host(device::why_no_program(*driver, context));
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
  if (!form.fits()) return leave_to_host("a site has more numbers than the kernels support");
  if (!std::ranges::all_of(form.numbers, is_aligned)) return leave_to_host("numbers that are not aligned in memory");
  stats.device.gpu_computes();
  memory->blocks_ = std::make_unique<device::FileBlocks>(*driver, context, *program, form);
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

// Joins it to the previous one if they are contiguous both in the file and in memory.
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

// Submits a block, and prepares the other one.
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

namespace {

// For rows that are moved in one pass, or through a buffer.
lattice::RowWalk walk_of(const lattice::RowPlan& plan, std::size_t best_bytes, const SitePacker& packer) {
  return {plan.wanted, plan.file_order, best_bytes / static_cast<std::size_t>(packer.memory_bytes())};
}

std::size_t buffer_for(const lattice::RowWalk& walk, const SitePacker& packer) {
  return static_cast<std::size_t>(walk.most()) * static_cast<std::size_t>(packer.memory_bytes());
}

// The sites of pieces: work(parts, sites of each piece before them, sites of each).
template <class Work>
void walk_group(lattice::RowWalk& walk, const lattice::Rows& rows, const PieceGroup& pieces, const Work& work) {
  std::array<Coord, max_sequences> first;
  for (std::size_t i = 0; i < pieces.count; ++i) first[i] = rows.site(pieces[i].row, pieces[i].skip);
  walk.walk(std::span(first).first(pieces.count), pieces.sites(), work);
}

// All of it is fetched while the given number of bytes are processed.
kernels::isa::PrefetchPlan fetched_meanwhile(std::span<base::PrefetchList> memory, std::size_t bytes) {
  constexpr std::size_t line_bytes = 64;
  std::size_t lines = 0;
  for (const base::PrefetchList& ahead : memory) lines += ahead.sites * (ahead.bytes / line_bytes + 1);
  return {memory.data(), memory.data() + memory.size(), lines * line_bytes / bytes + 1};
}

}  // namespace

LocalSource::LocalSource(const Field& field, const Payload& payload, const lattice::RowPlan& plan, TransferStats& stats)
    : field_(field), payload_(payload), rows_(plan), packer_(payload, field.spec.precision, stats.sums) {
  if (plan.memory.volume() == 0) return;
  if (auto memory = ComputedMemory::find(field, payload, plan, stats, Way::out)) {
    computed_.emplace(std::move(memory));
    return;
  }
  if (!lattice::is_plain(field)) {
    elsewhere_ = std::make_unique<lattice::RowsOut>(field, plan.memory);
    in_one_pass_ = elsewhere_->go_in_one_pass() && packer_.crc_in_one_pass() != nullptr;
    walk_.emplace(walk_of(rows_.plan(), elsewhere_->best_bytes(in_one_pass_), packer_));
    if (!in_one_pass_) staged_.resize(buffer_for(*walk_, packer_));
    return;
  }
  device::DeviceContext context;
  if (const device::Driver* const driver = device::driver_of(field.data, context); driver != nullptr) {
    device_ =
        std::make_unique<device::SitesOut>(*driver, context, static_cast<const std::byte*>(field.data),
                                           plan.memory.volume(), static_cast<std::size_t>(packer_.memory_bytes()));
  }
}

void LocalSource::pack(const PieceGroup& pieces, std::byte* file, TransferStats& stats, std::uint64_t counted_from) {
  pack_sites(pieces, file, stats.sums, counted_from);
  for (std::size_t i = 0; i < pieces.count; ++i) {
    watch_written(payload_, file + i * pieces.apart * packer_.site_bytes(), pieces[i], counted_from, stats);
  }
}

void LocalSource::pack_sites(const PieceGroup& pieces, std::byte* file, SiteSums& sums, std::uint64_t counted_from) {
  if (in_one_pass_) return pack_in_one_pass(pieces, file, sums, counted_from);
  if (elsewhere_) return pack_staged(pieces, file, sums, counted_from);
  const Piece& piece = pieces[0];
  if (computed_) return computed_->pack(rows_, piece, file, sums, counted_from);
  if (device_) return pack_from_device(piece, file, sums, counted_from);
  const std::byte* const memory =
      static_cast<const std::byte*>(field_.data) + piece.memory_site() * packer_.memory_bytes();
  packer_.pack(memory, static_cast<std::ptrdiff_t>(piece.row.memory_stride * packer_.memory_bytes()), Run(piece), file,
               sums, counted_from);
}

void LocalSource::pack_in_one_pass(const PieceGroup& pieces, std::byte* file, SiteSums& sums,
                                   std::uint64_t counted_from) {
  const auto apart = static_cast<std::size_t>(pieces.apart * packer_.site_bytes());
  walk_group(*walk_, rows_, pieces, [&](const auto& parts, std::uint64_t skip, std::uint64_t sites) {
    std::byte* const to = file + skip * packer_.site_bytes();
    elsewhere_->aim_at(parts);
    const auto crcs = elsewhere_->take({packer_.form(), *packer_.crc_in_one_pass()}, {to, pieces.count, apart});
    for (std::size_t i = 0; i < pieces.count; ++i) {
      packer_.sum(crcs.subspan(i * sites, sites), {to + i * apart, sites * packer_.site_bytes()},
                  Run(pieces[i]).part(skip, sites), sums, counted_from);
    }
  });
}

// Sites are packed while the memory of later sites is fetched.
void LocalSource::pack_staged(const PieceGroup& pieces, std::byte* file, SiteSums& sums, std::uint64_t counted_from) {
  std::uint64_t before = 0, staged = 0;
  const auto pack_staged_ones = [&](std::span<base::PrefetchList> behind) {
    kernels::isa::PrefetchPlan coming = fetched_meanwhile(behind, staged_.size());
    for (std::size_t i = 0; staged > 0 && i < pieces.count; ++i) {
      packer_.pack(staged_.data() + i * staged * static_cast<std::uint64_t>(packer_.memory_bytes()),
                   packer_.memory_bytes(), Run(pieces[i]).part(before, staged),
                   file + (i * pieces.apart + before) * packer_.site_bytes(), sums, counted_from,
                   behind.empty() ? nullptr : &coming);
    }
  };
  walk_group(*walk_, rows_, pieces, [&](const auto& parts, std::uint64_t skip, std::uint64_t sites) {
    pack_staged_ones(elsewhere_->aim_at(parts));
    elsewhere_->take(staged_.data());
    before = skip;
    staged = sites;
  });
  pack_staged_ones({});
}

void LocalSource::pack_from_device(const Piece& piece, std::byte* file, SiteSums& sums, std::uint64_t counted_from) {
  const std::byte* const memory =
      static_cast<const std::byte*>(field_.data) + piece.memory_site() * packer_.memory_bytes();
  const auto stride = static_cast<std::ptrdiff_t>(piece.row.memory_stride * packer_.memory_bytes());
  for (std::uint64_t k = 0; k < piece.sites;) {
    const auto some = device_->take(memory + static_cast<std::ptrdiff_t>(k) * stride, stride, piece.sites - k);
    packer_.pack(some.at, packer_.memory_bytes(), Run(piece).part(k, some.sites), file + k * packer_.site_bytes(), sums,
                 counted_from);
    k += some.sites;
  }
}

LocalSink::LocalSink(const MutableField& field, const Payload& payload, const lattice::RowPlan& plan,
                     TransferStats& stats)
    : field_(field), rows_(plan), packer_(payload, field.spec.precision, stats.sums) {
  if (plan.memory.volume() == 0) return;
  if (auto memory = ComputedMemory::find(field, payload, plan, stats, Way::in)) {
    computed_.emplace(std::move(memory));
    return;
  }
  if (!lattice::is_plain(field)) {
    elsewhere_ = std::make_unique<lattice::RowsIn>(field, plan.memory);
    in_one_pass_ = elsewhere_->go_in_one_pass() && packer_.crc_in_one_pass() != nullptr;
    walk_.emplace(walk_of(rows_.plan(), elsewhere_->best_bytes(in_one_pass_), packer_));
    if (!in_one_pass_) staged_.resize(buffer_for(*walk_, packer_));
    return;
  }
  device::DeviceContext context;
  if (const device::Driver* const driver = device::driver_of(field.data, context); driver != nullptr) {
    device_ = std::make_unique<device::SitesIn>(*driver, context, static_cast<std::size_t>(packer_.memory_bytes()));
  }
}

void LocalSink::unpack(const PieceGroup& pieces, const std::byte* file, SiteSums& sums) {
  if (in_one_pass_) return unpack_in_one_pass(pieces, file, sums);
  if (elsewhere_) return unpack_staged(pieces, file, sums);
  const Piece& piece = pieces[0];
  if (computed_) return computed_->unpack(rows_, piece, file, sums);
  if (device_) return unpack_to_device(piece, file, sums);
  std::byte* const memory = static_cast<std::byte*>(field_.data) + piece.memory_site() * packer_.memory_bytes();
  packer_.unpack(file, Run(piece), memory,
                 static_cast<std::ptrdiff_t>(piece.row.memory_stride * packer_.memory_bytes()), sums);
}

void LocalSink::unpack_in_one_pass(const PieceGroup& pieces, const std::byte* file, SiteSums& sums) {
  const auto apart = static_cast<std::size_t>(pieces.apart * packer_.site_bytes());
  walk_group(*walk_, rows_, pieces, [&](const auto& parts, std::uint64_t skip, std::uint64_t sites) {
    const std::byte* const from = file + skip * packer_.site_bytes();
    elsewhere_->aim_at(parts);
    const auto crcs = elsewhere_->give({packer_.form(), *packer_.crc_in_one_pass()}, {from, pieces.count, apart});
    for (std::size_t i = 0; i < pieces.count; ++i) {
      packer_.sum(crcs.subspan(i * sites, sites), {from + i * apart, sites * packer_.site_bytes()},
                  Run(pieces[i]).part(skip, sites), sums);
    }
  });
}

// Sites are unpacked while their destination is fetched.
void LocalSink::unpack_staged(const PieceGroup& pieces, const std::byte* file, SiteSums& sums) {
  walk_group(*walk_, rows_, pieces, [&](const auto& parts, std::uint64_t skip, std::uint64_t sites) {
    const auto target = elsewhere_->aim_at(parts);
    kernels::isa::PrefetchPlan coming = fetched_meanwhile(target, staged_.size());
    for (std::size_t i = 0; i < pieces.count; ++i) {
      packer_.unpack(file + (i * pieces.apart + skip) * packer_.site_bytes(), Run(pieces[i]).part(skip, sites),
                     staged_.data() + i * sites * static_cast<std::uint64_t>(packer_.memory_bytes()),
                     packer_.memory_bytes(), sums, target.empty() ? nullptr : &coming);
    }
    elsewhere_->give(staged_.data());
  });
}

void LocalSink::give(const Piece& piece, const std::byte* sites) {
  walk_->walk(rows_.site(piece.row, piece.skip), piece.sites,
              [&](const auto& parts, std::uint64_t skip, std::uint64_t) {
                elsewhere_->give(parts, sites + static_cast<std::ptrdiff_t>(skip) * packer_.memory_bytes());
              });
}

void LocalSink::unpack_to_device(const Piece& piece, const std::byte* file, SiteSums& sums) {
  std::byte* const memory = static_cast<std::byte*>(field_.data) + piece.memory_site() * packer_.memory_bytes();
  const auto stride = static_cast<std::ptrdiff_t>(piece.row.memory_stride * packer_.memory_bytes());
  for (std::uint64_t k = 0; k < piece.sites;) {
    const auto buffer = device_->buffer(piece.sites - k);
    packer_.unpack(file + k * packer_.site_bytes(), Run(piece).part(k, buffer.sites), buffer.at, packer_.memory_bytes(),
                   sums);
    device_->put(memory + static_cast<std::ptrdiff_t>(k) * stride, stride, buffer.sites);
    k += buffer.sites;
  }
}

void LocalSink::finish(SiteSums& sums) {
  if (computed_) computed_->finish(sums);
  if (elsewhere_) elsewhere_->finish();
  if (device_) device_->finish();
}

std::byte* LocalSink::in_place(const Piece& piece) const noexcept {
  if (computed_ || elsewhere_ || device_ || !packer_.lies_as_in_file() || piece.row.memory_stride != 1) return nullptr;
  return static_cast<std::byte*>(field_.data) + piece.memory_site() * packer_.memory_bytes();
}

}  // namespace lq::engine
