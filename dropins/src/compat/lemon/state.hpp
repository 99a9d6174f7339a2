// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the library keeps of a reader or a writer beyond its public fields, and what their calls share. All that may
// fail on one rank comes before a vote of all.
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

// Bytes on their way between memory and the caller's file while the program computes. MPI_File_iwrite_at and
// MPI_File_iread_at do the work: Open MPI and MPICH hand them to the threads of POSIX asynchronous I/O, whatever thread
// level the program asked for, so that no thread of ours needs MPI_THREAD_MULTIPLE (measured:
// docs/guide/porting-from-lemon.md).

// Contiguous in memory and in the file.
struct Piece {
  std::uint64_t offset = 0;
  std::span<std::byte> memory;
};

// Memory for what does not lie in the program's in one piece, as a file: what is written is kept as pieces; what is
// read comes out of pieces that were reserved.
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

// The caller's file, whose calls are watched like those of the file system (limequat/stall.hpp). It is looked at when
// it is first used: on ranks that move nothing, never.
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
// MPI does not tell its name.
inline const std::string name_of_callers_file = "the program's MPI file";

class Background {
 public:
  Background(MPI_File file, bool writing) : file_(file), writing_(writing) {}
  ~Background();  // waits for what was started, also where start_all() threw
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  // Local. Starts all of the pieces; their memory is in use until finish(). Pieces too small to be worth a request, and
  // those that the file does not hold, are moved at once.
  void start_all(const std::vector<Piece>& pieces);
  // Local. Throws what went wrong.
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

// The ranks of a reader or writer, and how they come to one answer: one reduction per question.

// Of what must be the same on all ranks: the call, its arguments, the state of the object.
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
  int code = 0;         // the gravest of all ranks; LEMON_ERR_PARAM where fingerprints differ
  bool raised = false;  // by any rank
};

class Group {
 public:
  // Collective. Over a duplicate of the communicator, which returns its errors.
  static std::shared_ptr<const Group> of(MPI_Comm theirs);

  MPI_Comm handle() const noexcept { return handle_; }
  const Communicator& communicator() const noexcept { return communicator_; }
  int rank() const noexcept { return communicator_.rank(); }
  bool is_root() const noexcept { return communicator_.is_root(); }

  // Collective. What a rank found wrong, what must be the same, and whether this rank raises its hand.
  Verdict vote(int code, const Fingerprint& same, bool raised = false) const;
  // Collective. The gravest code of all ranks.
  int gravest(int code) const;
  // Collective. Rank 0's bytes on all ranks.
  void broadcast(std::span<std::byte> bytes) const;

 private:
  explicit Group(std::shared_ptr<mpi::MpiComm> engine);

  MPI_Comm handle_ = MPI_COMM_NULL;
  Communicator communicator_;  // frees the handle
};

// The sites of a lattice call between memory and file. Ranks whose rows are long move them themselves, from and to the
// program's memory; short rows are exchanged by the engine, and its owners of chunks move those.

// What the arguments of a lattice call mean: blocks of bytes, dealt out over the ranks of a Cartesian communicator.
struct LatticeCall {
  void* data = nullptr;
  MPI_Offset site_bytes = 0;
  const int* extents = nullptr;  // of each dimension of the communicator
  const int* mapping =
      nullptr;  // the communicator's dimensions as they lie in the file, slowest first; null: as they are
};

// Dimensions as the file has them, fastest first. Dimensions that are not cut are joined with their neighbours.
struct Shape {
  std::uint64_t bytes = 0;  // of all ranks; with 0 the rest means nothing
  std::uint64_t local_bytes = 0;
  Extents extents, processes;
  SiteOrder rank_order;
  Box mine;
  std::uint64_t site_bytes = 0;  // a site, or as many neighbours as are a multiple of four bytes together
  bool operator==(const Shape&) const = default;
};

// Local. invalid_argument: no Cartesian communicator, no permutation, negative numbers, extents that the ranks do not
// divide; too_large.
Shape shape_of(MPI_Comm cartesian, const LatticeCall& call);

// How sites of a shape travel. Made once, used by all calls of the same shape and direction.
class Way {
 public:
  // Collective.
  static std::shared_ptr<const Way> of(const Group& group, const Shape& shape, bool writes);

  bool is_for(const Shape& shape, bool writes) const { return shape == shape_ && writes == writes_; }

  // Collective; throws what went wrong on this rank, or the same everywhere. `offset`: of the lattice in the file.
  void move(Storage& storage, std::uint64_t offset, std::byte* data) const;

  // Local. This rank's rows are long enough to be moved one by one.
  bool is_direct() const noexcept { return sites_->strategy() == Strategy::direct; }
  // Local. The pieces of this rank, where they are moved one by one.
  std::vector<Piece> pieces(std::uint64_t offset, std::byte* data) const;
  // Collective. Memory for what this rank will read of the file for all.
  std::unique_ptr<Staging> reserve(std::uint64_t offset) const;

 private:
  // Local.
  Way(const Grid& grid, const Shape& shape, bool writes);
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

class State {
 public:
  explicit State(std::shared_ptr<const Group> group) : group_(std::move(group)) {}

  const Group& group() const noexcept { return *group_; }
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
