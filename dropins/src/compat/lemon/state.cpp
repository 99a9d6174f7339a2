// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "compat/lemon/state.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include <lemon_defines.h>
#include <lemon_header.h>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/checked.hpp"
#include "comm/agree.hpp"
#include "compat/lemon/position.hpp"
#include "compat/record_header.hpp"
#include "engine/stepwise_transfer.hpp"
#include "io/storage_file.hpp"
#include "mpi/calls.hpp"

namespace lq::compat::lemon {

// FNV-1a.
Fingerprint& Fingerprint::add(std::string_view text) noexcept {
  add(text.size());
  for (const char c : text) hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return *this;
}

Fingerprint& Fingerprint::add(std::uint64_t number) noexcept {
  for (int byte = 0; byte < 8; ++byte) hash_ = (hash_ ^ (number >> (8 * byte) & 0xff)) * 0x100000001b3;
  return *this;
}

Group::Group(std::shared_ptr<mpi::MpiComm> engine) : handle_(engine->handle()), communicator_(std::move(engine)) {}

std::shared_ptr<const Group> Group::of(MPI_Comm theirs) {
  mpi::require_running();
  if (theirs == MPI_COMM_NULL) throw Error(Code::invalid_argument, "lemon: the communicator is MPI_COMM_NULL");
  const auto engine = mpi::duplicate_of(theirs);
  return comm::agree(*engine, [&] { return std::shared_ptr<const Group>(new Group(engine)); });
}

Verdict Group::vote(int code, const Fingerprint& same, bool raised) const {
  // Codes are 0 or negative; the maximum of the complements is the minimum.
  std::array<std::uint64_t, 4> ballot{static_cast<std::uint64_t>(-code), same.value(), ~same.value(), raised ? 1U : 0U};
  communicator_.engine().all_reduce(ballot, comm::Reduce::max);
  const int worst_code = -static_cast<int>(ballot[0]);
  if (worst_code == LEMON_SUCCESS && ballot[1] != ~ballot[2]) return {LEMON_ERR_PARAM, ballot[3] != 0};
  return {worst_code, ballot[3] != 0};
}

int Group::worst_code(int code) const {
  std::array<std::uint64_t, 1> worst{static_cast<std::uint64_t>(-code)};
  communicator_.engine().all_reduce(worst, comm::Reduce::max);
  return -static_cast<int>(worst[0]);
}

void Group::broadcast(std::span<std::byte> bytes) const { communicator_.engine().broadcast(bytes, 0); }

namespace {

[[noreturn]] void refuse(const std::string& what) { throw Error(Code::invalid_argument, what); }

struct Topology {
  std::vector<int> ranks;  // in each dimension
  std::vector<int> here;   // coordinates of this rank
};

Topology topology_of(MPI_Comm comm) {
  int kind = MPI_UNDEFINED, count = 0;
  mpi::check(MPI_Topo_test(comm, &kind), "inspect the communicator");
  if (kind != MPI_CART) refuse("lemon: a lattice needs a Cartesian communicator");
  mpi::check(MPI_Cartdim_get(comm, &count), "inspect the Cartesian communicator");
  Topology topology{std::vector<int>(static_cast<std::size_t>(count)),
                    std::vector<int>(static_cast<std::size_t>(count))};
  std::vector<int> periods(topology.ranks.size());
  mpi::check(MPI_Cart_get(comm, count, topology.ranks.data(), periods.data(), topology.here.data()),
             "inspect the Cartesian communicator");
  return topology;
}

// One dimension of the file.
struct Axis {
  std::int64_t extent = 1, ranks = 1, here = 0;
  int of_communicator = 0;
};

// Slowest first.
std::vector<Axis> axes_of(const Topology& topology, const LatticeCall& call) {
  const std::size_t count = topology.ranks.size();
  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  if (call.mapping != nullptr) {
    const std::vector<int> mapping(call.mapping, call.mapping + count);
    if (!std::is_permutation(mapping.begin(), mapping.end(), order.begin()))
      refuse("lemon: the mapping is not a permutation");
    order = mapping;
  }
  std::vector<Axis> axes;
  for (const int d : order) {
    const auto i = static_cast<std::size_t>(d);
    const Axis axis{call.extents[i], topology.ranks[i], topology.here[i], d};
    if (axis.extent < 0 || axis.extent % axis.ranks != 0) {
      refuse(fmt::format("lemon: extent {} in dimension {} is not a multiple of its {} ranks", axis.extent, d,
                         axis.ranks));
    }
    axes.push_back(axis);
  }
  return axes;
}

// An undivided axis continues the slower one.
std::vector<Axis> joined(const std::vector<Axis>& axes) {
  std::vector<Axis> result;
  for (const Axis& axis : axes) {
    if (result.empty() || axis.ranks > 1) {
      result.push_back(axis);
    } else if (__builtin_mul_overflow(result.back().extent, axis.extent, &result.back().extent)) {
      throw Error(Code::too_large, "lemon: more than 2^63 sites");
    }
  }
  return result;
}

void set_axes(Shape& shape, const std::vector<Axis>& axes) {
  const int count = static_cast<int>(axes.size());
  if (count > max_dimensions)
    refuse(fmt::format("lemon: {} dimensions are divided; at most {} can be", count, max_dimensions));
  shape.extents = shape.processes = Coord::filled(count, 1);
  shape.mine = whole(shape.extents);
  for (int d = 0; d < count; ++d) {
    const Axis& axis = axes[static_cast<std::size_t>(count - 1 - d)];
    shape.extents[d] = axis.extent;
    shape.processes[d] = axis.ranks;
    shape.mine.extents[d] = axis.extent / axis.ranks;
    shape.mine.lower[d] = axis.here * shape.mine.extents[d];
    shape.rank_order.push_back(d);
  }
  // MPI numbers ranks with the last dimension fastest.
  std::ranges::sort(shape.rank_order, std::greater(),
                    [&](int d) { return axes[static_cast<std::size_t>(count - 1 - d)].of_communicator; });
}

// If a site has an odd number of bytes, a whole row of this rank counts as one site, if that is a multiple of four.
void join_odd_sites(Shape& shape) {
  const std::int64_t row = shape.mine.extents[0];
  if (shape.site_bytes % 4 == 0 || static_cast<std::uint64_t>(row) * (shape.site_bytes % 4) % 4 != 0) return;
  shape.site_bytes *= static_cast<std::uint64_t>(row);
  shape.extents[0] /= row;
  shape.mine.extents[0] = 1;
  shape.mine.lower[0] /= row;
}

const std::string no_name = "MPI file";

// Opaque bytes, as numbers.
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

Shape shape_of(MPI_Comm cartesian, const LatticeCall& call) {
  const Topology topology = topology_of(cartesian);
  if (call.extents == nullptr) refuse("lemon: no extents");
  if (call.site_bytes < 0) refuse(fmt::format("lemon: sites of {} bytes", call.site_bytes));
  const std::vector<Axis> axes = axes_of(topology, call);
  const bool is_empty = call.site_bytes == 0 || std::ranges::any_of(axes, [](const Axis& a) { return a.extent == 0; });
  Shape shape;
  if (is_empty) return shape;
  set_axes(shape, axes.empty() ? std::vector<Axis>(1) : joined(axes));
  shape.site_bytes = static_cast<std::uint64_t>(call.site_bytes);
  shape.bytes = base::multiply_or_throw(volume(shape.extents), shape.site_bytes, "the bytes of the lattice");
  shape.local_bytes = shape.mine.volume() * shape.site_bytes;
  join_odd_sites(shape);
  return shape;
}

CachedTransfer::CachedTransfer(const Grid& grid, const Shape& shape, bool writes)
    : shape_(shape), writes_(writes), spec_(spec_of(shape.site_bytes)), grid_(grid) {
  io::SitePlan plan{.path = no_name, .payload = payload_of(shape, spec_), .region = whole(shape.extents), .unit = {}};
  plan.route.threads = 1;  // the program may not have requested more from MPI
  // The engine cannot exchange sites with an odd number of bytes.
  if (shape.site_bytes % 4 != 0) plan.route.strategy = Strategy::direct;
  // The field in memory, at any address.
  if (writes) {
    sites_ = std::make_unique<io::SiteTransfer>(grid_, std::move(plan), Field{spec_, this, 0, {}, {}});
  } else {
    sites_ = std::make_unique<io::SiteTransfer>(grid_, std::move(plan), MutableField{spec_, this, 0, {}, {}});
  }
}

std::shared_ptr<const CachedTransfer> CachedTransfer::of(const Group& group, const Shape& shape, bool writes) {
  comm::Comm& comm = group.communicator().engine();
  GridOptions options;
  comm::agree(comm, [&] {
    options.processes = shape.processes;
    options.rank_order = shape.rank_order;
  });
  const Grid grid(group.communicator(), shape.extents, options);
  const auto way =
      comm::agree(comm, [&] { return std::shared_ptr<CachedTransfer>(new CachedTransfer(grid, shape, writes)); });
  way->sites_->choose_route();
  return way;
}

void CachedTransfer::repeat(std::uint64_t offset, std::byte* data) const {
  const std::uint64_t available = shape_.local_bytes / spec_.number_bytes();
  if (writes_) return sites_->repeat(offset, Field{spec_, data, available, {}, {}});
  sites_->repeat(offset, MutableField{spec_, data, available, {}, {}});
}

template <class Work>
void CachedTransfer::for_each_piece(std::uint64_t offset, std::byte* data, Work&& work) const {
  lattice::Rows rows(rows_of(shape_));
  lattice::Row row;
  while (rows.next(row)) {
    work(Piece{offset + row.file_site * shape_.site_bytes,
               {data + row.memory_site * shape_.site_bytes, static_cast<std::size_t>(row.sites * shape_.site_bytes)}});
  }
}

std::vector<Piece> CachedTransfer::pieces(std::uint64_t offset, std::byte* data) const {
  std::vector<Piece> all;
  for_each_piece(offset, data, [&](const Piece& piece) { all.push_back(piece); });
  return all;
}

std::unique_ptr<Staging> CachedTransfer::reserve(std::uint64_t offset) const {
  repeat(offset, nullptr);
  const engine::Shares& shares = *sites_->shares();
  const int rank = grid_.rank();
  auto staging = std::make_unique<Staging>();
  for (auto chunk = shares.next_owned(rank, 0); chunk; chunk = shares.next_owned(rank, chunk->number + 1)) {
    staging->reserve(chunk->first_byte, chunk->end_byte - chunk->first_byte);
  }
  return staging;
}

void CachedTransfer::move(Storage& storage, std::uint64_t offset, std::byte* data) const {
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

const Direction reading{false, LEMON_ERR_READ};
const Direction writing{true, LEMON_ERR_WRITE};

void State::take_over(const State& other) {
  group_ = other.group_;
  transfers_ = other.transfers_;
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
  return group_->worst_code(outcome(direction.failed, [&] { mpi::set_byte_view(*file); }));
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

std::shared_ptr<const CachedTransfer> State::transfer_for(const Shape& shape, bool is_writing) {
  const auto known =
      std::ranges::find_if(transfers_, [&](const auto& way) { return way && way->is_for(shape, is_writing); });
  if (known != transfers_.end()) return *known;
  auto made = CachedTransfer::of(*group_, shape, is_writing);
  std::rotate(transfers_.begin(), transfers_.begin() + 1, transfers_.end());
  transfers_.back() = made;
  return made;
}

int State::move_lattice(MPI_File* file, const Place& place, const LatticeCall& call, const Direction& direction,
                        std::uint64_t& bytes) {
  Shape shape;
  if (const int code = agree_on_lattice(file, place, call, direction, shape); code != LEMON_SUCCESS) return code;
  bytes = shape.bytes;
  if (bytes == 0) return LEMON_SUCCESS;
  const std::shared_ptr<const CachedTransfer> way = transfer_for(shape, direction.writing);
  CallersFile storage(*file);
  return group_->worst_code(
      outcome(direction.failed, [&] { way->move(storage, place.here(), static_cast<std::byte*>(call.data)); }));
}

int State::start_lattice(MPI_File* file, const Place& place, const LatticeCall& call, const Direction& direction) {
  Shape shape;
  if (const int code = agree_on_lattice(file, place, call, direction, shape); code != LEMON_SUCCESS) return code;
  Flight flight;
  flight.bytes = shape.bytes;
  if (shape.bytes == 0) return start(std::move(flight), LEMON_SUCCESS);
  const std::shared_ptr<const CachedTransfer> way = transfer_for(shape, direction.writing);
  auto* const data = static_cast<std::byte*>(call.data);
  const std::uint64_t offset = place.here();
  if (direction.writing && !way->is_direct()) {
    // Allocated before all ranks move their sites.
    const int ready =
        group_->worst_code(outcome(direction.failed, [&] { flight.staging = std::make_shared<Staging>(); }));
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
  const int worst_code = group_->worst_code(code);
  if (worst_code == LEMON_SUCCESS) flight_ = std::move(flight);
  return worst_code;
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
  // A failed rank takes part nevertheless.
  if (flight.arrive) code = std::min(code, outcome(direction.failed, flight.arrive));
  code = group_->worst_code(code);
  if (code == LEMON_SUCCESS) bytes = flight.bytes;
  return code;
}

}  // namespace lq::compat::lemon

// Header objects.

extern "C" {

LemonRecordHeader* lemonCreateHeader(int MB_flag, int ME_flag, char const* type, MPI_Offset reclen) {
  return lq::compat::create_header<LemonRecordHeader>(LEMON_VERSION, MB_flag, ME_flag, type,
                                                      static_cast<std::uint64_t>(reclen));
}

void lemonDestroyHeader(LemonRecordHeader* h) { lq::compat::destroy_header(h); }

}  // extern "C"
