// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Internal state of a reader or a writer besides its public fields, and common parts of their calls. Everything that
// can fail on one rank comes before a vote of all.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/grid.hpp>
#include <limequat/mpi.hpp>
#include <limequat/storage.hpp>

#include "io/sites.hpp"
#include "mpi/mpi_comm.hpp"

namespace lq::compat::lemon {

// Transfers between memory and the caller's file while the program computes. MPI_File_iwrite_at and
// MPI_File_iread_at do the work: Open MPI and MPICH pass them to the threads of POSIX asynchronous I/O, whatever thread
// level the program requested, so that no thread of this library needs MPI_THREAD_MULTIPLE (measured:
// docs/guide/porting-from-lemon.md).

// Contiguous in memory and in the file.
struct Piece {
  std::uint64_t offset = 0;
  std::span<std::byte> memory;
};

// Memory for data that are not contiguous in the program's memory, as a file: written data are stored as pieces; read
// data come from pieces reserved before.
class Staging final : public Storage {
 public:
  std::string path() const override { return "MPI file"; }
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes) override;
  std::size_t read_at(std::uint64_t offset, std::span<std::byte> bytes) override;

  void reserve(std::uint64_t offset, std::uint64_t bytes);
  const std::vector<Piece>& pieces() const noexcept { return pieces_; }

 private:
  std::vector<std::unique_ptr<std::byte[]>> memory_;
  std::vector<Piece> pieces_;  // ascending, as the exchange goes through the file
};

// The caller's file, whose calls are watched like those of the file system (limequat/stall.hpp). It is inspected on
// first use: never on ranks that move nothing.
class CallersFile final : public Storage {
 public:
  explicit CallersFile(MPI_File file) noexcept : file_(file) {}
  std::string path() const override { return "MPI file"; }
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes) override;
  std::size_t read_at(std::uint64_t offset, std::span<std::byte> bytes) override;

 private:
  Storage& open();

  MPI_File file_;
  std::unique_ptr<Storage> storage_;
};
// MPI does not return its name.
inline const std::string name_of_callers_file = "the program's MPI file";

class Background {
 public:
  Background(MPI_File file, bool writing) : file_(file), writing_(writing) {}
  ~Background();  // waits for started requests, even if start_all() threw
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  // Local. Starts all of the pieces; their memory is in use until finish(). Pieces too small for a request, and
  // those that the file does not contain, are moved immediately.
  void start_all(const std::vector<Piece>& pieces);
  // Local. Throws any error.
  void finish();

 private:
  struct Request {
    MPI_Request handle = MPI_REQUEST_NULL;
    Piece piece;
  };
  std::uint64_t end_of_file() const;
  void start(const Piece& piece);
  void move_now(const Piece& piece);

  MPI_File file_;
  bool writing_;
  std::vector<Request> requests_;
};

// The ranks of a reader or writer, and how they agree: one reduction per decision.

// A hash of everything that must be the same on all ranks: the call, its arguments, the state of the object.
class Fingerprint {
 public:
  explicit Fingerprint(std::string_view call) { add(call); }
  Fingerprint& add(std::uint64_t number) noexcept;
  Fingerprint& add(std::string_view text) noexcept;
  std::uint64_t value() const noexcept { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325;
};

struct Verdict {
  int code = 0;         // the worst of all ranks; LEMON_ERR_PARAM if fingerprints differ
  bool raised = false;  // by any rank
};

class Group {
 public:
  // Collective. Uses a duplicate of the communicator, which returns its errors.
  static std::shared_ptr<const Group> of(MPI_Comm theirs);

  MPI_Comm handle() const noexcept { return handle_; }
  const Communicator& communicator() const noexcept { return communicator_; }
  int rank() const noexcept { return communicator_.rank(); }
  bool is_root() const noexcept { return communicator_.is_root(); }

  // Collective. The local error code, the values that must be the same, and a flag of this rank.
  Verdict vote(int code, const Fingerprint& same, bool raised = false) const;
  // Collective. The worst code of all ranks.
  int worst_code(int code) const;
  // Collective. Rank 0's bytes on all ranks.
  void broadcast(std::span<std::byte> bytes) const;

 private:
  explicit Group(std::shared_ptr<mpi::MpiComm> engine);

  MPI_Comm handle_ = MPI_COMM_NULL;
  Communicator communicator_;  // frees the handle
};

// Moves the sites of a lattice call between memory and file. Ranks with long rows move them themselves, from and to the
// program's memory; short rows are exchanged by the engine, and its chunk owners move those.

// The arguments of a lattice call: blocks of bytes, distributed over the ranks of a Cartesian communicator.
struct LatticeCall {
  void* data = nullptr;
  MPI_Offset site_bytes = 0;
  const int* extents = nullptr;  // of each dimension of the communicator
  const int* mapping = nullptr;  // the communicator's dimensions in file order, slowest first; null: unchanged
};

// Dimensions in file order, fastest first. Undivided dimensions are joined with their neighbours.
struct Shape {
  std::uint64_t bytes = 0;  // of all ranks; if 0 the rest means nothing
  std::uint64_t local_bytes = 0;
  Extents extents, processes;
  SiteOrder rank_order;
  Box mine;
  std::uint64_t site_bytes = 0;  // a site, or as many neighbours as form a multiple of four bytes
  bool operator==(const Shape&) const = default;
};

// Local. invalid_argument: not a Cartesian communicator, not a permutation, negative numbers, extents that the ranks
// do not divide; too_large.
Shape shape_of(MPI_Comm cartesian, const LatticeCall& call);

// The transfer of sites of a shape. Made once, used by all calls of the same shape and direction.
class CachedTransfer {
 public:
  // Collective.
  static std::shared_ptr<const CachedTransfer> of(const Group& group, const Shape& shape, bool writes);

  bool is_for(const Shape& shape, bool writes) const { return shape == shape_ && writes == writes_; }

  // Collective; throws this rank's error, or the same on all. `offset`: of the lattice in the file.
  void move(Storage& storage, std::uint64_t offset, std::byte* data) const;

  // Local. True if this rank's rows are long enough to be moved one by one.
  bool is_direct() const noexcept { return sites_->strategy() == Strategy::direct; }
  // Local. The pieces of this rank, if they are moved one by one.
  std::vector<Piece> pieces(std::uint64_t offset, std::byte* data) const;
  // Collective. Allocates memory for the part of the file that this rank reads for all.
  std::unique_ptr<Staging> reserve(std::uint64_t offset) const;

 private:
  // Local.
  CachedTransfer(const Grid& grid, const Shape& shape, bool writes);
  template <class Work>
  void for_each_piece(std::uint64_t offset, std::byte* data, Work&& work) const;
  // Collective. The same sites at another place, from or to `data`.
  void repeat(std::uint64_t offset, std::byte* data) const;

  Shape shape_;
  bool writes_;
  FieldSpec spec_;
  Grid grid_;
  std::unique_ptr<io::SiteTransfer> sites_;
};

// A non-blocking call in progress.
struct Flight {
  std::shared_ptr<Staging> staging;
  std::unique_ptr<Background> background;
  std::function<void()> arrive;  // collective; called when the bytes have arrived
  std::uint64_t bytes = 0;       // how far the position finally advances
};

// The object of a call, the same on all ranks.
struct Place {
  bool is_open = false;  // a record
  MPI_Offset off = 0, pos = 0, length = 0;

  std::uint64_t here() const noexcept { return static_cast<std::uint64_t>(off + pos); }
  std::uint64_t left() const noexcept { return is_open ? static_cast<std::uint64_t>(length - pos) : 0; }
};

// The direction of a lattice call, and its code if bytes fail: LEMON_ERR_READ or LEMON_ERR_WRITE.
struct Direction {
  bool writing = false;
  int failed = 0;
};
extern const Direction reading, writing;

class State {
 public:
  explicit State(std::shared_ptr<const Group> group) : group_(std::move(group)) {}

  const Group& group() const noexcept { return *group_; }
  // The state of another object, which is continued here.
  void take_over(const State& other);

  // Collective. The first step of a call: `code` is the local error. With LEMON_SUCCESS the file is open,
  // has the view of bytes, and all ranks continue.
  int begin(MPI_File* file, int code, const Direction& direction, const Fingerprint& same, const Place& place);

  // Collective. The sites of a lattice; `bytes`: how far the position moves.
  int move_lattice(MPI_File* file, const Place& place, const LatticeCall& call, const Direction& direction,
                   std::uint64_t& bytes);
  int start_lattice(MPI_File* file, const Place& place, const LatticeCall& call, const Direction& direction);
  // Local; start() is collective and assigns `flight` to the object, if all ranks could start theirs.
  void start_piece(Flight& flight, MPI_File file, const Piece& piece, const Direction& direction) const;
  int start(Flight flight, int code);

  std::uint64_t bytes_in_flight() const noexcept { return flight_ ? flight_->bytes : 0; }
  // Local. The position has moved on before the flight ends: a seek counts from after it.
  void detach_position() noexcept;
  // Collective, if a transfer is in flight. `bytes`: how far the position moves.
  int finish(const Direction& direction, std::uint64_t& bytes);

  // For writers.
  std::uint64_t written_end = 0;  // in the open record
  bool is_dirty = false;          // not yet synced

 private:
  std::shared_ptr<const CachedTransfer> transfer_for(const Shape& shape, bool writing);
  int agree_on_lattice(MPI_File* file, const Place& place, const LatticeCall& call, const Direction& direction,
                       Shape& shape);

  std::shared_ptr<const Group> group_;
  std::array<std::shared_ptr<const CachedTransfer>, 4> transfers_;  // the last ones used, the oldest first
  std::optional<Flight> flight_;
};

}  // namespace lq::compat::lemon
