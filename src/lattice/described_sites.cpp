// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The places of all sites of some rows are computed once and used for all bundles, one after the other.
#include "lattice/described_sites.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "kernels/site_numbers.hpp"
#include "lattice/stripe_loops.hpp"

namespace lq::lattice {
namespace {

// Sites moved at a time: they fit in the first cache level or, if memory has many streams or is written with
// non-temporal stores, in longer pieces of each; in lines, as many as the second level allows.
constexpr std::size_t near_bytes = 8192, far_bytes = 65536, line_run_bytes = 262144;
// A field of this size fits in the second cache level. Memory is fetched this many sites ahead, for larger and smaller
// ones.
constexpr std::size_t near_cache_bytes = 1 << 20, far_ahead = 16, near_ahead = 8;
// For each lane of vectors; loops over sites process this many, or multiples.
constexpr std::size_t sites_of_lane = 4;

std::vector<std::byte*> begins_of(const SitePlaces& places, const MemoryLayout& layout, const void* data) {
  const bool has_norms = layout.norms != NormPlaces::none;
  std::vector<std::byte*> begins;
  if (layout.links != LinkPlaces::in_arrays && !has_norms) {
    begins.push_back(static_cast<std::byte*>(const_cast<void*>(data)));
    return begins;
  }
  for (int i = 0; i < places.arrays() + (has_norms ? 1 : 0); ++i) {
    void* const array = data == nullptr ? nullptr : static_cast<void* const*>(data)[i];
    if (array == nullptr) {
      throw Error(Code::invalid_argument,
                  i == places.arrays()
                      ? "the array of norms is missing: the last of the pointers that `data` points to"
                      : fmt::format("the array for direction {} of {} is missing: `data` points to as many pointers as "
                                    "a site has links",
                                    i, places.arrays()));
    }
    begins.push_back(static_cast<std::byte*>(array));
  }
  return begins;
}

void require_one_context(const std::vector<std::byte*>& arrays) {
  device::DeviceContext first, other;
  const device::Driver* const driver = device::driver_of(arrays.front(), first);
  for (const std::byte* array : arrays) {
    if (device::driver_of(array, other) == driver && first.handle == other.handle) continue;
    throw Error(Code::invalid_argument,
                "the arrays of a described field are partly on the host and partly in the memory of a GPU, or on "
                "several GPUs; put all of them in one place");
  }
}

// Layout of the norms, which are separate numbers, one for each site.
MemoryLayout layout_of_norms(const MemoryLayout& layout) {
  MemoryLayout norms = layout;
  norms.norms = NormPlaces::none;
  norms.links = LinkPlaces::in_site;
  norms.directions.clear();
  norms.columns_first = false;
  norms.block = 0;
  return norms;
}

constexpr auto out_of_memory = [](const auto& loop, const std::byte* memory, std::byte* row, std::size_t bytes) {
  loop(row, memory, bytes);
};
constexpr auto into_memory = [](const auto& loop, std::byte* memory, const std::byte* row, std::size_t bytes) {
  loop(memory, row, bytes);
};

FieldSpec spec_of_norms() { return generic_spec(Precision::single, 1, false); }

}  // namespace

// Numbers of half precision in transit, and the norms of their sites.
struct DescribedSites::Norms {
  DescribedSites sites;
  std::uint64_t numbers = 0;  // per site
  std::vector<std::int16_t> integers = {};
  std::vector<float> norms = {};

  void make_room(std::uint64_t of_sites) {
    integers.resize(static_cast<std::size_t>(of_sites * numbers));
    norms.resize(static_cast<std::size_t>(of_sites));
  }
};

Arrays arrays_of(const MemoryLayout& layout, const FieldSpec& spec, const Extents& box, const void* data) {
  const SitePlaces places(layout, spec, box);
  Arrays arrays{begins_of(places, layout, data), places.numbers_in_array()};
  if (data != nullptr) require_one_context(arrays.begin);
  return arrays;
}

DescribedSites::DescribedSites(const MemoryLayout& layout, const FieldSpec& spec, const Box& box, const void* data,
                               Way way, std::size_t beyond_caches)
    : DescribedSites(
          layout, spec, box, begins_of(SitePlaces(layout, spec, box.extents), layout, data),
          layout.norms == NormPlaces::none ? static_cast<std::size_t>(spec.number_bytes()) : sizeof(std::int16_t), way,
          beyond_caches) {}

DescribedSites::DescribedSites(const MemoryLayout& layout, const FieldSpec& spec, const Box& box,
                               std::span<std::byte* const> arrays, std::size_t number_bytes, Way way,
                               std::size_t beyond_caches)
    : places_(layout, spec, box),
      bundles_(bundles_of(places_.rule(), arrays, number_bytes)),
      number_bytes_(number_bytes),
      site_bytes_(static_cast<std::size_t>(spec.numbers) * number_bytes),
      has_absent_(layout.parity >= ParityOrder::even_only),
      lanes_(static_cast<std::size_t>(places_.rule().lanes())),
      turns_(layout.parity != ParityOrder::none ? 2 : 1),
      way_(way),
      bytes_(box.volume() * site_bytes_) {
  std::size_t stripes = 0;
  for (const Bundle& bundle : bundles_) stripes = std::max(stripes, bundle.stripes.size());
  use_device(arrays.front());
  if (!copies_) in_lines_ = stripe_bytes_in_lines();
  // An image needs sites that are consecutive both in a file and in memory, so that lines are written whole.
  const bool has_rows = layout.places == PlaceTable::none && (layout.order.empty() || layout.order.front() == 0);
  if (!copies_ && in_lines_ == 0 && has_rows && way == Way::give && bytes_ >= beyond_caches) {
    image_ = MemoryImage::find(bundles_, lanes_, number_bytes, far_bytes / (site_bytes_ * lanes_) + sites_of_lane);
  }
  const std::size_t most = std::max(best_bytes(false), line_run_bytes) / site_bytes_ + lanes_ * sites_of_lane + 1;
  places_.reserve(most);
  ahead_.reserve(bundles_.size());
  staged_.resize(stripes);
  if (copies_ || in_lines_ > 0) runs_.resize(static_cast<std::size_t>(places_.groups()));
  for (SiteRuns& runs : runs_) runs.reserve(most);
  if (layout.norms == NormPlaces::none) {
    use_one_pass(most);
    return;
  }
  norms_ = std::make_unique<Norms>(Norms{
      DescribedSites(layout_of_norms(layout), spec_of_norms(), box, arrays.last(1), sizeof(float), way, beyond_caches),
      spec.numbers});
  norms_->make_room(most);
  norms_->sites.places_.reserve(most);
}

DescribedSites::~DescribedSites() = default;
DescribedSites::DescribedSites(DescribedSites&&) noexcept = default;

void DescribedSites::use_device(std::byte* memory) {
  device::DeviceContext context;
  const device::Driver* const driver = device::driver_of(memory, context);
  if (driver == nullptr) return;
  copies_ = std::make_unique<device::Copies>(*driver, context, std::max(device::block_bytes, site_bytes_));
}

// The size of a stripe if it is a pair or four numbers, and each bundle is at most a cache line of a row.
std::size_t DescribedSites::stripe_bytes_in_lines() const noexcept {
  const std::size_t bytes = bundles_.front().bytes_each;
  const bool are_lines = std::ranges::all_of(bundles_, [&](const Bundle& bundle) {
    const bool is_even = bundle.step != 0 || bundle.stripes.size() == 1;
    return bundle.bytes_each == bytes && bundle.stripes.size() * bytes <= line_bytes && is_even && bundle.group == 0;
  });
  return are_lines && (bytes == 8 || bytes == 16) ? bytes : 0;
}

// Many bundles of short stripes mean many streams through memory.
std::size_t DescribedSites::best_bytes(bool in_one_pass) const noexcept {
  if (copies_) return device::block_bytes;
  if (in_lines_ > 0) return line_run_bytes;
  const bool has_streams = bundles_.size() > 1 && bundles_.front().stripes.size() > 1;
  const std::size_t vectors = lanes_ > 1 ? lanes_ * sites_of_lane * site_bytes_ : 1;
  if (in_one_pass && one_pass_ && !image_) return (line_run_bytes + vectors - 1) / vectors * vectors;
  const bool is_far = has_streams || image_;
  return ((is_far ? far_bytes : near_bytes) + vectors - 1) / vectors * vectors;
}

void DescribedSites::find_runs() {
  const std::int64_t dense = places_.rule().site_stride();
  goes_by_image_ = image_ != nullptr && lanes_at_once_ == lanes_ &&
                   image_->aim_at(lanes_ > 1 ? vectors() : places_.of_group(0), dense, turns_);
  for (std::size_t group = 0; group < runs_.size(); ++group) {
    runs_[group].find(places_.of_group(group), dense, turns_);
  }
}

std::span<base::PrefetchList> DescribedSites::aim_at(std::span<const RowPart> parts) {
  places_.find(parts);
  lanes_at_once_ = lanes_at_once();
  if (copies_ || image_) find_runs();
  if (norms_) norms_->sites.aim_at(parts);
  ahead_.clear();
  if (copies_ && way_ == Way::take) fetch_from_device();
  if (copies_ || goes_by_image_) return ahead_;
  for (const Bundle& bundle : bundles_) {
    const Piece piece = near_piece(bundle);
    if (piece.bytes == 0) continue;
    ahead_.push_back({reinterpret_cast<std::uintptr_t>(piece.memory), piece.bytes, number_bytes_,
                      places_.of_group(bundle.group).data(),
                      static_cast<std::size_t>(places_.sites()) / lanes_at_once_});
  }
  return ahead_;
}

// The part of a bundle worth prefetching for each site, or for each vector; 0 bytes: none.
Piece DescribedSites::near_piece(const Bundle& bundle) const noexcept {
  if (bundle.is_near) return bundle.pieces.front();
  const auto vector_bytes = static_cast<std::ptrdiff_t>(lanes_at_once_ * bundle.bytes_each);
  if (lanes_at_once_ == 1 || bundle.step != vector_bytes) return {};
  return {bundle.stripes.front().memory, bundle.stripes.size() * lanes_at_once_ * bundle.bytes_each};
}

// All lanes, if the current sites are equally many of each, lane by lane, and share their vectors.
std::size_t DescribedSites::lanes_at_once() const noexcept {
  const std::span<const std::int64_t> places = places_.of_group(0);
  const std::size_t vectors = places.size() / lanes_;
  if (lanes_ == 1 || vectors * lanes_ != places.size()) return 1;
  for (std::size_t lane = 1; lane < lanes_; ++lane) {
    const auto behind = static_cast<std::int64_t>(2 * lane);
    for (std::size_t k = 0; k < vectors; ++k) {
      if (places[lane * vectors + k] != places[k] + behind) return 1;
    }
  }
  return lanes_;
}

// All bundles, if each is at most a cache line of a row.
template <std::size_t bytes, class Byte, class Copy>
void DescribedSites::move_lines(Byte* row, const Copy& copy) {
  const auto width = static_cast<std::ptrdiff_t>(number_bytes_);
  find_runs();
  const auto runs = runs_.front().runs();
  for (const Bundle& bundle : bundles_) {
    const Stripe& first = bundle.stripes.front();
    for (const SiteRun& run : runs) {
      std::byte* const memory = first.memory + run.place * width;
      const auto sites = runs_.front().sites_of(run);
      LineSquares<bytes>(bundle, memory, run.step * width, memory_behind(bundle, run))
          .move(sites, row + first.in_site, site_bytes_, copy);
    }
  }
}

// The address of what is moved after a run of a bundle; after the last run, of the next sites if they continue there.
std::uintptr_t DescribedSites::memory_behind(const Bundle& bundle, const SiteRun& run) const noexcept {
  const auto runs = runs_.front().runs();
  const bool is_last_run = &run == &runs.back(), is_last = is_last_run && &bundle == &bundles_.back();
  const Bundle& next = is_last ? bundles_.front() : is_last_run ? (&bundle)[1] : bundle;
  const std::int64_t place = is_last ? runs.front().end() : is_last_run ? runs.front().place : (&run)[1].place;
  return reinterpret_cast<std::uintptr_t>(next.stripes.front().memory) +
         static_cast<std::uintptr_t>(place) * number_bytes_;
}

template <class Byte, class Copy>
void DescribedSites::move(Byte* row, const Copy& copy) {
  if (lanes_at_once_ == 1 && in_lines_ == 8) return move_lines<8>(row, copy);
  if (lanes_at_once_ == 1 && in_lines_ == 16) return move_lines<16>(row, copy);
  for (const Bundle& bundle : bundles_) {
    move_bundle(bundle, lanes_at_once_ > 1 ? vectors() : places_.of_group(bundle.group), row, copy);
  }
}

template <class Byte, class Copy>
void DescribedSites::move_bundle(const Bundle& bundle, std::span<const std::int64_t> places, Byte* row,
                                 const Copy& copy) {
  if (lanes_at_once_ > 1) return move_vectors(bundle, places, row, copy);
  with_copy(bundle, [&](const auto& loop) {
    for_each_stripe(bundle, places, number_bytes_, site_bytes_, row,
                    [&](std::byte* memory, Byte* in_row, std::size_t bytes) { copy(loop, memory, in_row, bytes); });
  });
}

// The places of the current vectors, all of whose lanes are present.
std::span<const std::int64_t> DescribedSites::vectors() const noexcept {
  return places_.of_group(0).first(static_cast<std::size_t>(places_.sites()) / lanes_);
}

// All lanes of a vector while its cache lines are loaded.
template <class Byte, class Copy>
void DescribedSites::move_vectors(const Bundle& bundle, std::span<const std::int64_t> places, Byte* row,
                                  const Copy& copy) {
  with_lanes(lanes_, bundle, [&](const auto& lanes, const auto& loop) {
    for_each_stripe(bundle, places, number_bytes_, site_bytes_, row,
                    [lanes, lane_bytes = places.size() * site_bytes_, &loop, &copy](std::byte* memory, Byte* in_row,
                                                                                    std::size_t bytes) {
                      for (std::size_t lane = 0; lane < lanes(); ++lane) {
                        copy(loop, memory + lane * bytes, in_row + lane * lane_bytes, bytes);
                      }
                    });
  });
}

void DescribedSites::give_image(const std::byte* in) {
  for (std::size_t k = 0; k < bundles_.size(); ++k) {
    move_bundle(image_->bundle(k), image_->places(), in, into_memory);
    image_->put(k);
  }
}

// Calls work(bundle, run) for each run of each bundle.
template <class Work>
void DescribedSites::for_each_run(const Work& work) {
  for (const Bundle& bundle : bundles_) {
    for (const SiteRun& run : runs_[static_cast<std::size_t>(bundle.group)].runs()) work(bundle, run);
  }
}

// Records the stripes of a piece of a run, whose sites begin there in a buffer.
void DescribedSites::stage_at(const Bundle& bundle, std::size_t piece, std::byte* at) noexcept {
  const Piece& whole = bundle.pieces[piece];
  for (std::size_t k = 0; k < bundle.stripes.size(); ++k) {
    if (&bundle.piece_of(k) == &whole) staged_[k] = {at + (bundle.stripes[k].memory - whole.memory), whole.bytes};
  }
}

// Calls copy(loop, memory in the buffer, place in the row, bytes) for each stripe of each site of a staged run.
template <class Byte, class Copy>
void DescribedSites::move_run(const Bundle& bundle, const SiteRun& run, Byte* row, const Copy& copy) {
  const SiteRuns& runs = runs_[static_cast<std::size_t>(bundle.group)];
  with_copy(bundle, [&](const auto& loop) {
    for (const std::size_t site : runs.sites_of(run)) {
      Byte* const at = row + site * site_bytes_;
      for (std::size_t s = 0; s < bundle.stripes.size(); ++s) {
        copy(loop, staged_[s].at, at + bundle.stripes[s].in_site, bundle.stripes[s].bytes);
        staged_[s].at += staged_[s].step;
      }
    }
  });
}

// Stages all pieces of a run contiguously. Returns their end.
std::byte* DescribedSites::stage(const Bundle& bundle, const SiteRun& run, std::byte* at) noexcept {
  for (std::size_t k = 0; k < bundle.pieces.size(); ++k) {
    stage_at(bundle, k, at);
    at += run.sites * bundle.pieces[k].bytes;
  }
  return at;
}

// Starts copies between a GPU and a block, from `offset` on, as few as the memory allows. Returns their end.
std::size_t DescribedSites::begin_copies(device::Direction direction, const Bundle& bundle, const SiteRun& run,
                                         std::size_t offset) {
  const auto width = static_cast<std::ptrdiff_t>(number_bytes_);
  const std::ptrdiff_t place = run.place * width, step = run.step * width;
  const Piece& first = bundle.pieces.front();
  const bool is_dense = step == static_cast<std::ptrdiff_t>(first.bytes) || run.sites == 1;
  const auto copy = [&](const device::Rows& rows) {
    copies_->begin(direction, rows, turn_, offset);
    offset += rows.count * rows.row_bytes;
  };
  if (is_dense && bundle.step > 0 && bundle.pieces.size() > 1) {
    copy({first.memory + place, run.sites * first.bytes, bundle.step, bundle.pieces.size()});
    return offset;
  }
  for (const Piece& piece : bundle.pieces) copy({piece.memory + place, piece.bytes, step, run.sites});
  return offset;
}

void DescribedSites::fetch_from_device() {
  std::size_t offset = 0;
  for_each_run([&](const Bundle& bundle, const SiteRun& run) {
    offset = begin_copies(device::Direction::to_host, bundle, run, offset);
  });
}

void DescribedSites::take_from_device(std::byte* out) {
  copies_->wait(turn_);
  std::byte* at = copies_->block(turn_);
  for_each_run([&](const Bundle& bundle, const SiteRun& run) {
    at = stage(bundle, run, at);
    move_run(bundle, run, out, out_of_memory);
  });
}

// One block is gathered while the other is copied.
void DescribedSites::give_to_device(const std::byte* in) {
  copies_->wait(turn_);
  std::byte* at = copies_->block(turn_);
  std::size_t offset = 0;
  for_each_run([&](const Bundle& bundle, const SiteRun& run) {
    at = stage(bundle, run, at);
    move_run(bundle, run, in, into_memory);
    offset = begin_copies(device::Direction::to_device, bundle, run, offset);
  });
  turn_ = 1 - turn_;
}

void DescribedSites::take_numbers(std::byte* out) {
  if (has_absent_) std::memset(out, 0, static_cast<std::size_t>(places_.sites()) * site_bytes_);
  if (copies_) return take_from_device(out);
  move(out, out_of_memory);
}

void DescribedSites::give_numbers(const std::byte* in) {
  if (copies_) return give_to_device(in);
  if (goes_by_image_) return give_image(in);
  move(in, into_memory);
}

void DescribedSites::take(std::byte* out) {
  if (!norms_) return take_numbers(out);
  norms_->make_room(places_.sites());
  take_numbers(reinterpret_cast<std::byte*>(norms_->integers.data()));
  norms_->sites.take(reinterpret_cast<std::byte*>(norms_->norms.data()));
  kernels::from_half(norms_->numbers, norms_->integers.data(), norms_->norms.data(), places_.sites(), out);
}

void DescribedSites::give(const std::byte* in) {
  if (!norms_) return give_numbers(in);
  norms_->make_room(places_.sites());
  kernels::to_half(norms_->numbers, in, places_.sites(), norms_->integers.data(), norms_->norms.data());
  give_numbers(reinterpret_cast<const std::byte*>(norms_->integers.data()));
  norms_->sites.give(reinterpret_cast<const std::byte*>(norms_->norms.data()));
}

void DescribedSites::use_one_pass(std::size_t most) {
  // Lines of many arrays are written faster in two passes, where the second reads the file's bytes in order.
  if (copies_ || has_absent_ || (in_lines_ > 0 && way_ == Way::give)) return;
  one_pass_ = OnePass::find(bundles_, number_bytes_, site_bytes_, most);
  if (!image_ || !one_pass_) return;
  image_pass_ = OnePass::find(image_->bundles(), number_bytes_, site_bytes_, most, image_.get());
  in_image_.reserve(lanes_ > 1 ? most : 0);
}

OnePass::Sites DescribedSites::sites_at(std::span<const std::int64_t> places) const noexcept {
  OnePass::Sites sites{places, static_cast<std::size_t>(places_.sites())};
  sites.lanes = sites.shared_by = lanes_at_once_;
  if (in_lines_ > 0) {
    sites.parted_at = places_.rule().parted_at();
    sites.shared_by = line_bytes / in_lines_;
  }
  return sites;
}

// For a field in the caches this pays off for the lines of vectors, and if stores would wait for their lines.
OnePass::Sites DescribedSites::sites_in_memory() const noexcept {
  OnePass::Sites sites = sites_at(places_.all());
  const bool is_worth_it = way_ == Way::give || sites.lanes > 1;
  sites.ahead = bytes_ > near_cache_bytes ? far_ahead : is_worth_it ? near_ahead : 0;
  return sites;
}

std::span<const std::uint32_t> DescribedSites::take(const SummedForm& form, const FileParts<std::byte>& to) {
  return one_pass_->take(form, sites_in_memory(), to);
}

std::span<const std::uint32_t> DescribedSites::give(const SummedForm& form, const FileParts<const std::byte>& from) {
  if (goes_by_image_) return give_image(form, from);
  return one_pass_->give(form, sites_in_memory(), from);
}

std::span<const std::uint32_t> DescribedSites::give_image(const SummedForm& form,
                                                          const FileParts<const std::byte>& from) {
  std::span<const std::int64_t> places = image_->places();
  if (lanes_ > 1) {
    in_image_.resize(static_cast<std::size_t>(places_.sites()));
    for (std::size_t lane = 0, k = 0; lane < lanes_; ++lane) {
      for (const std::int64_t vector : places) in_image_[k++] = vector + static_cast<std::int64_t>(2 * lane);
    }
    places = in_image_;
  }
  return image_pass_->give(form, sites_at(places), from);
}

void DescribedSites::finish() {
  if (copies_) {
    for (std::size_t i = 0; i < device::Copies::blocks; ++i) copies_->wait(i);
  }
  if (image_) image_->settle();
  if (norms_) norms_->sites.finish();
}

}  // namespace lq::lattice
