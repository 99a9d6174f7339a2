// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include <limequat/region_writer.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/file.hpp>

#include "base/bytes.hpp"
#include "comm/agree.hpp"
#include "lattice/decomposition.hpp"
#include "lattice/local_field.hpp"

namespace lq {

// Hidden: its members are not exported, though its class is.
struct __attribute__((visibility("hidden"))) RegionWriter::State {
  // By whom a site of this rank's box was given: its own numbers count before those of others.
  enum class GivenBy : std::uint8_t { nobody, others, this_rank };

  std::string path;
  Grid grid;
  FieldSpec spec;
  WriteOptions options;
  std::vector<std::byte> sites;  // of the box, x fastest; never empty, so that it has an address
  std::vector<GivenBy> given;
  std::uint64_t missing = 0;
  // Sites of other boxes, until close(): runs of x, each its first site's number in that box, how many, and their
  // bytes.
  std::map<int, std::vector<std::byte>> for_others;
  bool is_closed = false;

  const Box& box() const { return grid.local_box(); }
  void require_open() const;
  void take_run(std::uint64_t first, std::uint64_t count, const std::byte* bytes, GivenBy giver);
  void keep_run(const Coord& first, std::uint64_t count, const std::byte* bytes);
  void take_message(base::Bytes message);
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

void require_inside(const std::string& path, const Box& region, const Extents& lattice) {
  bool is_inside = region.extents.size() == lattice.size() && region.lower.size() == lattice.size();
  for (int d = 0; is_inside && d < lattice.size(); ++d) {
    is_inside = region.extents[d] > 0 && region.lower[d] >= 0 && region.extents[d] <= lattice[d] &&
                region.lower[d] <= lattice[d] - region.extents[d];
  }
  if (is_inside) return;
  throw Error(
      Code::invalid_argument,
      fmt::format("{}: the region of {} is not within the lattice, {}", path, shown(region), to_string(lattice)),
      {.path = path, .expected = to_string(lattice), .found = shown(region)});
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

void RegionWriter::State::require_open() const {
  if (is_closed) throw Error(Code::wrong_state, path + ": the field is already closed", {.path = path});
}

void RegionWriter::State::take_run(std::uint64_t first, std::uint64_t count, const std::byte* bytes, GivenBy giver) {
  const std::uint64_t size = spec.site_bytes();
  for (std::uint64_t x = first; x < first + count; ++x, bytes += size) {
    GivenBy& site = given[static_cast<std::size_t>(x)];
    if (site > giver) continue;
    if (site == GivenBy::nobody) --missing;
    site = giver;
    std::memcpy(sites.data() + x * size, bytes, static_cast<std::size_t>(size));
  }
}

// Sites that follow each other along x, those of other boxes for their ranks.
void RegionWriter::State::keep_run(const Coord& first, std::uint64_t count, const std::byte* bytes) {
  const lattice::Decomposition& dealt = grid.decomposition();
  Coord x = first;
  while (count > 0) {
    const int owner = dealt.owner(x);
    const Box other = dealt.box_of(owner);
    const std::uint64_t here = std::min(count, static_cast<std::uint64_t>(other.lower[0] + other.extents[0] - x[0]));
    const std::uint64_t size = here * spec.site_bytes();
    if (owner == grid.rank()) {
      take_run(number_in(other, x), here, bytes, GivenBy::this_rank);
    } else {
      std::vector<std::byte>& message = for_others[owner];
      const std::size_t end = message.size();
      message.resize(end + 2 * sizeof(std::uint64_t) + static_cast<std::size_t>(size));
      base::store_le(message.data() + end, number_in(other, x));
      base::store_le(message.data() + end + sizeof(std::uint64_t), here);
      std::memcpy(message.data() + end + 2 * sizeof(std::uint64_t), bytes, static_cast<std::size_t>(size));
    }
    x[0] += static_cast<std::int64_t>(here);
    count -= here;
    bytes += size;
  }
}

void RegionWriter::State::take_message(base::Bytes message) {
  while (!message.empty()) {
    const auto first = base::load_le<std::uint64_t>(message.data());
    const auto count = base::load_le<std::uint64_t>(message.data() + sizeof(std::uint64_t));
    message = message.subspan(2 * sizeof(std::uint64_t));
    take_run(first, count, message.data(), GivenBy::others);
    message = message.subspan(static_cast<std::size_t>(count * spec.site_bytes()));
  }
}

RegionWriter::RegionWriter(const std::string& path, const Grid& grid, const FieldSpec& spec,
                           const WriteOptions& options)
    : state_(comm::agree(grid.communicator().engine(), [&] {
        const FieldSpec resolved = lattice::resolve_spec(spec, grid.extents().size());
        const std::uint64_t volume = grid.local_volume();
        auto state = std::make_unique<State>(State{path, grid, resolved, options, {}, {}, volume, {}, false});
        state->sites.resize(std::max<std::size_t>(static_cast<std::size_t>(volume * resolved.site_bytes()), 1));
        state->given.resize(static_cast<std::size_t>(volume));
        return state;
      })) {}

RegionWriter::~RegionWriter() = default;
RegionWriter::RegionWriter(RegionWriter&&) noexcept = default;
RegionWriter& RegionWriter::operator=(RegionWriter&&) noexcept = default;

void RegionWriter::write(const Box& region, const Field& field) {
  State& state = *state_;
  state.require_open();
  require_inside(state.path, region, state.grid.extents());
  const Grid part(region.extents);
  const Field resolved = lattice::resolve_field(part, field);
  require_kind(state.path, resolved.spec, state.spec);
  const std::uint64_t bytes = state.spec.site_bytes();
  std::vector<std::byte> taken(static_cast<std::size_t>(region.volume() * bytes));
  lattice::take_sites(part, resolved, taken.data());
  const auto row = static_cast<std::uint64_t>(region.extents[0]);
  for (std::uint64_t first = 0; first < region.volume(); first += row) {
    state.keep_run(site_of(region, first), row, taken.data() + first * bytes);
  }
}

std::uint64_t RegionWriter::missing() const noexcept { return state_->missing; }

Report RegionWriter::close() {
  State& state = *state_;
  comm::Comm& comm = state.grid.communicator().engine();
  std::array<comm::Term, 2> terms{};  // the second: whether there are sites for others
  comm::agree(comm, terms, [&] {
    state.require_open();
    terms[1].value = state.for_others.empty() ? 0 : 1;
  });
  if (terms[1].value != 0) {
    state.is_closed = true;  // of what gets lost on the way nothing can be written
    comm::exchange_messages(
        comm,
        [&] {
          std::vector<comm::Message> outgoing;
          for (auto& [rank, bytes] : state.for_others) outgoing.push_back({rank, std::move(bytes)});
          state.for_others.clear();
          return outgoing;
        },
        [&](const std::vector<comm::Message>& arrived) {  // in the order of their senders
          for (const comm::Message& message : arrived) state.take_message(message.bytes);
        });
    state.is_closed = false;
  }
  comm::agree(comm, [&] {
    if (state.missing == 0) return;
    const auto hole = std::find(state.given.begin(), state.given.end(), State::GivenBy::nobody) - state.given.begin();
    throw Error(
        Code::wrong_state,
        fmt::format("{}: {} of {} sites of this rank's box were not given, the first of them {}; the file appears when "
                    "all were",
                    state.path, state.missing, state.given.size(),
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
