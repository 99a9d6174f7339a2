// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "compat/lemon/state.hpp"

#include <algorithm>

#include <limequat/error.hpp>

#include "compat/lemon/background.hpp"
#include "compat/lemon/codes.hpp"
#include "mpi/file_view.hpp"

namespace lq::compat::lemon {
namespace {

// Local.
int judge(MPI_Comm comm, const Place& place, const LatticeCall& call, const Direction& direction, Shape& shape) {
  if (!place.is_open) return direction.failed;
  return outcome(direction.failed, [&] {
    shape = shape_of(comm, call);
    if (shape.bytes > place.left()) throw Error(Code::invalid_argument, "lemon: the lattice does not fit the record");
    if (call.data == nullptr && shape.local_bytes > 0) throw Error(Code::invalid_argument, "lemon: no memory");
  });
}

void add(Fingerprint& same, const Coord& coord) {
  for (const std::int64_t number : coord) same.add(static_cast<std::uint64_t>(number));
}

}  // namespace

const Direction reading{false, LEMON_ERR_READ};
const Direction writing{true, LEMON_ERR_WRITE};

Storage& CallersFile::open() {
  if (!storage_) storage_ = watched_storage(file_);
  return *storage_;
}

void State::take_over(const State& other) {
  group_ = other.group_;
  ways_ = other.ways_;
  written_end = other.written_end;
}

int State::begin(MPI_File* file, int code, const Direction& direction, const Fingerprint& same, const Place& place) {
  bool has_view = false;
  if (code == LEMON_SUCCESS) {
    code = code_from(direction.failed, [&] {
      if (*file == MPI_FILE_NULL) return direction.failed;
      has_view = !mpi::is_byte_view(*file);
      return static_cast<int>(LEMON_SUCCESS);
    });
  }
  Fingerprint all = same;
  all.add(place.is_open ? 1 : 0).add(place.here()).add(place.left());
  const Verdict verdict = group_->vote(code, all, has_view);
  if (verdict.code != LEMON_SUCCESS || !verdict.raised) return verdict.code;
  return group_->gravest(outcome(direction.failed, [&] { mpi::set_byte_view(*file); }));
}

int State::agree_on_lattice(MPI_File* file, const Place& place, const LatticeCall& call, const Direction& direction,
                            Shape& shape) {
  const int code = judge(group_->handle(), place, call, direction, shape);
  Fingerprint same("lattice");
  add(same, shape.extents);
  add(same, shape.processes);
  for (const int d : shape.rank_order) same.add(static_cast<std::uint64_t>(d));
  same.add(shape.site_bytes).add(shape.bytes);
  return begin(file, code, direction, same, place);
}

std::shared_ptr<const Way> State::way_for(const Shape& shape, bool is_writing) {
  const auto known =
      std::ranges::find_if(ways_, [&](const auto& way) { return way && way->is_for(shape, is_writing); });
  if (known != ways_.end()) return *known;
  auto made = Way::of(*group_, shape, is_writing);
  std::rotate(ways_.begin(), ways_.begin() + 1, ways_.end());
  ways_.back() = made;
  return made;
}

int State::move_lattice(MPI_File* file, const Place& place, const LatticeCall& call, const Direction& direction,
                        std::uint64_t& bytes) {
  Shape shape;
  if (const int code = agree_on_lattice(file, place, call, direction, shape); code != LEMON_SUCCESS) return code;
  bytes = shape.bytes;
  if (bytes == 0) return LEMON_SUCCESS;
  const std::shared_ptr<const Way> way = way_for(shape, direction.writing);
  CallersFile storage(*file);
  return group_->gravest(
      outcome(direction.failed, [&] { way->move(storage, place.here(), static_cast<std::byte*>(call.data)); }));
}

int State::start_lattice(MPI_File* file, const Place& place, const LatticeCall& call, const Direction& direction) {
  Shape shape;
  if (const int code = agree_on_lattice(file, place, call, direction, shape); code != LEMON_SUCCESS) return code;
  Flight flight;
  flight.bytes = shape.bytes;
  if (shape.bytes == 0) return start(std::move(flight), LEMON_SUCCESS);
  const std::shared_ptr<const Way> way = way_for(shape, direction.writing);
  auto* const data = static_cast<std::byte*>(call.data);
  const std::uint64_t offset = place.here();
  if (direction.writing && !way->is_direct()) {
    // Its memory is there before all ranks move their sites.
    const int ready = group_->gravest(outcome(direction.failed, [&] { flight.staging = std::make_shared<Staging>(); }));
    if (ready != LEMON_SUCCESS) return ready;
  }
  const int code = outcome(direction.failed, [&] {
    std::vector<Piece> pieces;
    if (way->is_direct()) {
      pieces = way->pieces(offset, data);
    } else if (direction.writing) {
      way->move(*flight.staging, offset, data);
      pieces = flight.staging->pieces();
    } else {
      flight.staging = way->reserve(offset);
      flight.arrive = [way, offset, data, staging = flight.staging] { way->move(*staging, offset, data); };
      pieces = flight.staging->pieces();
    }
    flight.background = std::make_unique<Background>(*file, direction.writing);
    flight.background->start_all(pieces);
  });
  return start(std::move(flight), code);
}

void State::start_piece(Flight& flight, MPI_File file, const Piece& piece, const Direction& direction) const {
  flight.bytes = piece.memory.size();
  flight.background = std::make_unique<Background>(file, direction.writing);
  flight.background->start_all({piece});
}

int State::start(Flight flight, int code) {
  const int gravest = group_->gravest(code);
  if (gravest == LEMON_SUCCESS) flight_ = std::move(flight);
  return gravest;
}

void State::detach_position() noexcept {
  if (flight_) flight_->bytes = 0;
}

int State::finish(const Direction& direction, std::uint64_t& bytes) {
  bytes = 0;
  if (!flight_) return LEMON_SUCCESS;
  const Flight flight = *std::exchange(flight_, std::nullopt);
  int code = LEMON_SUCCESS;
  if (flight.background) code = outcome(direction.failed, [&] { flight.background->finish(); });
  // Whoever failed takes part all the same.
  if (flight.arrive) code = std::min(code, outcome(direction.failed, flight.arrive));
  code = group_->gravest(code);
  if (code == LEMON_SUCCESS) bytes = flight.bytes;
  return code;
}

}  // namespace lq::compat::lemon
