// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include <limequat/region_writer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/file.hpp>

#include "comm/agree.hpp"
#include "lattice/local_field.hpp"

namespace lq {

struct RegionWriter::State {
  std::string path;
  Grid grid;
  FieldSpec spec;
  WriteOptions options;
  std::vector<std::byte> sites;  // of the box, x fastest; never empty, so that it has an address
  std::vector<bool> is_given;
  std::uint64_t missing = 0;
  bool is_closed = false;

  const Box& box() const { return grid.local_box(); }
};

namespace {

std::string shown(const Box& box) { return fmt::format("{} from {} on", to_string(box.extents), to_string(box.lower)); }

// The number of a site in a box, x fastest.
std::uint64_t number_in(const Box& box, const Coord& x) {
  std::uint64_t number = 0;
  for (int d = box.extents.size(); d-- > 0;) {
    number = number * static_cast<std::uint64_t>(box.extents[d]) + static_cast<std::uint64_t>(x[d] - box.lower[d]);
  }
  return number;
}

Coord site_of(const Box& box, std::uint64_t number) {
  Coord x = box.lower;
  for (int d = 0; d < box.extents.size(); ++d) {
    const auto extent = static_cast<std::uint64_t>(box.extents[d]);
    x[d] += static_cast<std::int64_t>(number % extent);
    number /= extent;
  }
  return x;
}

void require_inside(const std::string& path, const Box& region, const Box& box) {
  bool is_inside = region.extents.size() == box.extents.size() && region.lower.size() == box.lower.size();
  for (int d = 0; is_inside && d < box.extents.size(); ++d) {
    is_inside = region.extents[d] > 0 && region.lower[d] >= box.lower[d] && region.extents[d] <= box.extents[d] &&
                region.lower[d] - box.lower[d] <= box.extents[d] - region.extents[d];
  }
  if (is_inside) return;
  throw Error(
      Code::invalid_argument,
      fmt::format("{}: the region of {} is not within {}, the box of this rank", path, shown(region), shown(box)),
      {.path = path, .expected = shown(box), .found = shown(region)});
}

void require_kind(const std::string& path, const FieldSpec& found, const FieldSpec& expected) {
  if (found == expected) return;
  const auto text = [](const FieldSpec& spec) {
    return fmt::format("{} in {} precision, {} {} numbers at a site", name(spec.kind), name(spec.precision),
                       spec.is_complex ? spec.numbers / 2 : spec.numbers, spec.is_complex ? "complex" : "real");
  };
  throw Error(Code::invalid_argument,
              fmt::format("{}: the region holds {}; the field is {}", path, text(found), text(expected)),
              {.path = path, .expected = text(expected), .found = text(found)});
}

}  // namespace

RegionWriter::RegionWriter(const std::string& path, const Grid& grid, const FieldSpec& spec,
                           const WriteOptions& options)
    : state_(comm::agree(grid.communicator().engine(), [&] {
        const FieldSpec resolved = lattice::resolve_spec(spec, grid.extents().size());
        const std::uint64_t volume = grid.local_volume();
        auto state = std::make_unique<State>(State{path, grid, resolved, options, {}, {}, volume, false});
        state->sites.resize(std::max<std::size_t>(static_cast<std::size_t>(volume * resolved.site_bytes()), 1));
        state->is_given.resize(static_cast<std::size_t>(volume));
        return state;
      })) {}

RegionWriter::~RegionWriter() = default;
RegionWriter::RegionWriter(RegionWriter&&) noexcept = default;
RegionWriter& RegionWriter::operator=(RegionWriter&&) noexcept = default;

void RegionWriter::write(const Box& region, const Field& field) {
  State& state = *state_;
  if (state.is_closed)
    throw Error(Code::wrong_state, state.path + ": the field is closed already", {.path = state.path});
  require_inside(state.path, region, state.box());
  const Grid part(region.extents);
  const Field resolved = lattice::resolve_field(part, field);
  require_kind(state.path, resolved.spec, state.spec);
  const std::uint64_t bytes = state.spec.site_bytes();
  std::vector<std::byte> taken(static_cast<std::size_t>(region.volume() * bytes));
  lattice::take_sites(part, resolved, taken.data());
  const auto row = static_cast<std::uint64_t>(region.extents[0]);
  for (std::uint64_t first = 0; first < region.volume(); first += row) {
    const std::uint64_t to = number_in(state.box(), site_of(region, first));
    std::memcpy(state.sites.data() + to * bytes, taken.data() + first * bytes, static_cast<std::size_t>(row * bytes));
    for (std::uint64_t x = to; x < to + row; ++x) {
      if (state.is_given[static_cast<std::size_t>(x)]) continue;
      state.is_given[static_cast<std::size_t>(x)] = true;
      --state.missing;
    }
  }
}

std::uint64_t RegionWriter::missing() const noexcept { return state_->missing; }

Report RegionWriter::close() {
  State& state = *state_;
  comm::agree(state.grid.communicator().engine(), [&] {
    if (state.is_closed) {
      throw Error(Code::wrong_state, state.path + ": the field is closed already", {.path = state.path});
    }
    if (state.missing == 0) return;
    const auto hole = std::find(state.is_given.begin(), state.is_given.end(), false) - state.is_given.begin();
    throw Error(
        Code::wrong_state,
        fmt::format("{}: {} of {} sites of this rank were not given, the first of them {}; the file is published when "
                    "all were",
                    state.path, state.missing, state.is_given.size(),
                    to_string(site_of(state.box(), static_cast<std::uint64_t>(hole)))),
        {.path = state.path});
  });
  const Field field{.spec = state.spec,
                    .data = state.sites.data(),
                    .available = state.grid.local_volume() * state.spec.numbers,
                    .order = {},
                    .fetch = {},
                    .memory = {},
                    .fetch_rows = {}};
  Report report = lq::write(state.path, state.grid, field, state.options);
  state.is_closed = true;
  state.sites = {};
  return report;
}

}  // namespace lq
