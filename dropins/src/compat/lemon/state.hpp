// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the library keeps of a reader or a writer beyond its public fields, and what their calls share. All that may
// fail on one rank comes before a vote of all.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "compat/lemon/background.hpp"
#include "compat/lemon/group.hpp"
#include "compat/lemon/sites.hpp"

namespace lq::compat::lemon {

// A non-blocking call under way.
struct Flight {
  std::shared_ptr<Staging> staging;
  std::unique_ptr<Background> background;
  std::function<void()> arrive;  // collective; when the bytes are there
  std::uint64_t bytes = 0;       // that the position advances in the end
};

// Where a call finds the object, the same on all ranks.
struct Place {
  bool is_open = false;  // a record
  MPI_Offset off = 0, pos = 0, length = 0;

  std::uint64_t here() const noexcept { return static_cast<std::uint64_t>(off + pos); }
  std::uint64_t left() const noexcept { return is_open ? static_cast<std::uint64_t>(length - pos) : 0; }
};

// What a lattice call does, and what it answers where bytes fail: LEMON_ERR_READ or LEMON_ERR_WRITE.
struct Direction {
  bool writing = false;
  int failed = 0;
};
extern const Direction reading, writing;

// The caller's file, looked at when it is first used: on ranks that move nothing, never.
class CallersFile final : public Storage {
 public:
  explicit CallersFile(MPI_File file) noexcept : file_(file) {}
  std::string path() const override { return "MPI file"; }
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes) override { open().write_at(offset, bytes); }
  std::size_t read_at(std::uint64_t offset, std::span<std::byte> bytes) override {
    return open().read_at(offset, bytes);
  }

 private:
  Storage& open();

  MPI_File file_;
  std::unique_ptr<Storage> storage_;
};

class State {
 public:
  explicit State(std::shared_ptr<const Group> group) : group_(std::move(group)) {}

  const Group& group() const noexcept { return *group_; }
  std::shared_ptr<const Group> shared_group() const noexcept { return group_; }
  // Those of another object, which goes on from here.
  void take_over(const State& other);

  // Collective. The first step of a call: `code` is what this rank found wrong. With LEMON_SUCCESS the file is open,
  // has the view of bytes, and all ranks go on.
  int begin(MPI_File* file, int code, const Direction& direction, const Fingerprint& same, const Place& place);

  // Collective. The sites of a lattice; `bytes`: how far the position moves.
  int move_lattice(MPI_File* file, const Place& place, const LatticeCall& call, const Direction& direction,
                   std::uint64_t& bytes);
  int start_lattice(MPI_File* file, const Place& place, const LatticeCall& call, const Direction& direction);
  // Local; start() is collective and makes `flight` that of the object, if all ranks could start theirs.
  void start_piece(Flight& flight, MPI_File file, const Piece& piece, const Direction& direction) const;
  int start(Flight flight, int code);

  bool is_busy() const noexcept { return flight_.has_value(); }
  std::uint64_t bytes_in_flight() const noexcept { return flight_ ? flight_->bytes : 0; }
  // Local. The position has moved on before the flight ends: a seek counts from after it.
  void detach_position() noexcept;
  // Collective, if something is on its way. `bytes`: how far the position moves.
  int finish(const Direction& direction, std::uint64_t& bytes);

  // Of writers.
  std::uint64_t written_end = 0;  // in the open record
  bool is_dirty = false;          // not yet synced

 private:
  std::shared_ptr<const Way> way_for(const Shape& shape, bool writing);
  int agree_on_lattice(MPI_File* file, const Place& place, const LatticeCall& call, const Direction& direction,
                       Shape& shape);

  std::shared_ptr<const Group> group_;
  std::array<std::shared_ptr<const Way>, 4> ways_;  // the last ones that were taken, the oldest first
  std::optional<Flight> flight_;
};

}  // namespace lq::compat::lemon
