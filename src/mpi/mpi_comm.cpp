// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The collective operations in messages of at most chunk_bytes.
#include "mpi/mpi_comm.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <limequat/error.hpp>
#include <limequat/stall.hpp>

#include "base/error.hpp"
#include "mpi/calls.hpp"

namespace lq::mpi {

// MPI_Init and MPI_Finalize for programs that leave these calls to Limequat, and the handle of a duplicated
// communicator.

namespace {

void watch_stalls_of_this_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  watch_stalls_by_default(30, "limequat: rank " + std::to_string(rank));
}

}  // namespace

Environment::Environment(int& argc, char**& argv) {
  require_own_mpi();
  int initialised = 0;
  MPI_Initialized(&initialised);
  if (initialised == 0) {
    int provided = 0;
    check(MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided), "initialise");
    owner_ = true;
  }
  watch_stalls_of_this_rank();
}

Environment::~Environment() {
  int finalised = 0;
  MPI_Finalized(&finalised);
  if (owner_ && finalised == 0) MPI_Finalize();
}

Communicator communicator(MPI_Comm comm) {
  require_running();
  if (comm == MPI_COMM_NULL) {
    throw Error(Code::invalid_argument, "communicator: MPI_COMM_NULL; call on the ranks that are in the communicator");
  }
  int is_inter = 0;
  check(MPI_Comm_test_inter(comm, &is_inter), "inspect the communicator");
  if (is_inter != 0) {
    throw Error(Code::invalid_argument, "communicator: an intercommunicator; merge it first (MPI_Intercomm_merge)");
  }
  return Communicator(duplicate_of(comm));
}

// The sparse all-to-all: each rank sends to the few ranks it names, and does not know which ranks send to it.

// One exchange by non-blocking consensus: send synchronously, receive whatever arrives, enter a non-blocking barrier
// once all own messages have been received, and stop when all ranks have entered it. Work and memory grow with the
// messages of this rank; an MPI_Alltoall of sizes would need an entry for every other rank each time, although a halo
// exchange has at most sixteen partners.
class Exchange {
 public:
  // `parity` alternates between calls. A rank may see the barrier complete late, while a faster one already sends for
  // the next exchange: its messages have another tag. Ranks cannot be two exchanges apart.
  Exchange(MPI_Comm comm, std::size_t chunk_bytes, int parity);

  // Messages received, by sender.
  std::vector<comm::Message> run(std::vector<comm::Message> outgoing);

 private:
  void send(const comm::Message& message);
  bool receive_one();
  std::vector<std::byte> receive_from(int sender);
  void discard(int sender, int tag);
  bool all_sent();

  MPI_Comm comm_;
  std::size_t chunk_bytes_;
  int tag_first_;  // tag of the first piece, which announces a message
  int tag_rest_;   // tag of the following pieces
  std::vector<MPI_Request> sends_;
  std::vector<comm::Message> incoming_;
  std::exception_ptr failure_;  // lack of memory
};

Exchange::Exchange(MPI_Comm comm, std::size_t chunk_bytes, int parity)
    : comm_(comm), chunk_bytes_(chunk_bytes), tag_first_(2 + parity), tag_rest_(4 + parity) {}

std::vector<comm::Message> Exchange::run(std::vector<comm::Message> outgoing) {
  int rank = 0;
  MPI_Comm_rank(comm_, &rank);
  // A rank without memory sends nothing, but receives, because other ranks wait until their messages are received.
  base::keep_failure(failure_, [&] {
    std::size_t pieces = 0;
    for (const auto& message : outgoing) pieces += message.bytes.size() / chunk_bytes_ + 1;
    sends_.reserve(pieces);
    incoming_.reserve(1);
  });
  for (auto& message : outgoing) {
    if (failure_) break;
    if (message.rank == rank) {
      incoming_.push_back(std::move(message));
    } else {
      send(message);
    }
  }
  MPI_Request barrier = MPI_REQUEST_NULL;
  bool in_barrier = false;
  int done = 0;
  while (done == 0) {
    if (receive_one()) continue;
    if (in_barrier) {
      check(MPI_Test(&barrier, &done, MPI_STATUS_IGNORE), "exchange messages");
    } else if (all_sent()) {
      check(MPI_Ibarrier(comm_, &barrier), "exchange messages");
      in_barrier = true;
    }
    // If ranks share a core, the rank on which this one waits needs it.
    std::this_thread::yield();
  }
  if (failure_) std::rethrow_exception(failure_);
  std::sort(incoming_.begin(), incoming_.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
  return std::move(incoming_);
}

void Exchange::send(const comm::Message& message) {
  std::size_t sent = 0;
  bool ended = false;
  while (!ended) {
    const std::size_t count = std::min(chunk_bytes_, message.bytes.size() - sent);
    const auto start = sent == 0 ? &MPI_Issend : &MPI_Isend;
    const int tag = sent == 0 ? tag_first_ : tag_rest_;
    MPI_Request& request = sends_.emplace_back(MPI_REQUEST_NULL);
    check(start(message.bytes.data() + sent, static_cast<int>(count), MPI_BYTE, message.rank, tag, comm_, &request),
          "send a message");
    sent += count;
    ended = count < chunk_bytes_;
  }
}

// Receives one message, if there is one.
bool Exchange::receive_one() {
  int waiting = 0;
  MPI_Status status;
  check(MPI_Iprobe(MPI_ANY_SOURCE, tag_first_, comm_, &waiting, &status), "look for messages");
  if (waiting == 0) return false;
  const int sender = status.MPI_SOURCE;
  std::vector<std::byte> bytes = receive_from(sender);
  base::keep_failure(failure_, [&] { incoming_.push_back({sender, std::move(bytes)}); });
  return true;
}

std::vector<std::byte> Exchange::receive_from(int sender) {
  std::vector<std::byte> bytes;
  std::size_t piece = chunk_bytes_;
  for (int tag = tag_first_; piece == chunk_bytes_; tag = tag_rest_) {
    MPI_Status status;
    int count = 0;
    int waiting = 0;
    while (waiting == 0) {
      check(MPI_Iprobe(sender, tag, comm_, &waiting, &status), "look for a message");
      if (waiting == 0) std::this_thread::yield();
    }
    check(MPI_Get_count(&status, MPI_BYTE, &count), "find the size of a message");
    piece = static_cast<std::size_t>(count);
    const std::size_t before = bytes.size();
    base::keep_failure(failure_, [&] { bytes.resize(before + piece); });
    if (bytes.size() < before + piece) {
      discard(sender, tag);
      continue;
    }
    complete("receive a message", [&](MPI_Request* request) {
      return MPI_Irecv(bytes.data() + before, count, MPI_BYTE, sender, tag, comm_, request);
    });
  }
  return bytes;
}

// A receive with too small a buffer also consumes a message; the expected result is a truncation error. A blocking call
// is used, because the message is available: MPICH (4.0.2) passes the error of MPI_Recv to the communicator's handler,
// but ends the program after that of MPI_Test.
void Exchange::discard(int sender, int tag) { MPI_Recv(nullptr, 0, MPI_BYTE, sender, tag, comm_, MPI_STATUS_IGNORE); }

bool Exchange::all_sent() {
  int sent = 0;
  check(MPI_Testall(static_cast<int>(sends_.size()), sends_.data(), &sent, MPI_STATUSES_IGNORE), "send messages");
  return sent != 0;
}

namespace {

constexpr int tag_channels = 16;  // and up

// The requests of one message. Sizes that need more requests than fit here occur in tests, and for messages of several
// gibibytes.
class Requests {
 public:
  explicit Requests(std::size_t pieces) {
    if (pieces > few_.size()) many_.reserve(pieces);
  }
  MPI_Request* next() {
    if (many_.capacity() == 0) return &few_[count_++];
    ++count_;
    return &many_.emplace_back(MPI_REQUEST_NULL);
  }
  bool is_done() {
    require_running();
    int done = 0;
    check(MPI_Testall(static_cast<int>(count_), many_.capacity() == 0 ? few_.data() : many_.data(), &done,
                      MPI_STATUSES_IGNORE),
          "exchange messages");
    return done != 0;
  }

 private:
  std::array<MPI_Request, 4> few_;
  std::vector<MPI_Request> many_;
  std::size_t count_ = 0;
};

MPI_Op mpi_op(comm::Reduce operation) noexcept {
  switch (operation) {
    case comm::Reduce::sum:
      return MPI_SUM;
    case comm::Reduce::min:
      return MPI_MIN;
    case comm::Reduce::max:
      return MPI_MAX;
    case comm::Reduce::bit_xor:
      return MPI_BXOR;
    case comm::Reduce::bit_or:
      return MPI_BOR;
  }
  return MPI_OP_NULL;
}

// MPICH 4.0.2 computes minimum and maximum of MPI_UINT64_T as if it were signed. So these two use MPI_INT64_T, with the
// top bit inverted before and after, which preserves the order on any MPI.
void turn_top_bits(std::span<std::uint64_t> values) noexcept {
  for (std::uint64_t& value : values) value ^= std::uint64_t{1} << 63;
}

extern "C" void combine_terms(void* theirs, void* mine, int* count, MPI_Datatype*) {
  const auto* const from = static_cast<const comm::Term*>(theirs);
  auto* const to = static_cast<comm::Term*>(mine);
  for (int i = 0; i < *count; ++i) to[i].value = comm::combined(to[i].value, from[i].value, to[i].operation);
}

// A term as an MPI type, and its combination as an operation: each term contains its operation, because MPI may divide
// a message into pieces of whole elements.
struct TermReduction {
  TermReduction() {
    static_assert(sizeof(comm::Term) == 2 * sizeof(std::uint64_t));
    check(MPI_Type_contiguous(2, MPI_UINT64_T, &type), "make a type");
    check(MPI_Type_commit(&type), "make a type");
    check(MPI_Op_create(combine_terms, 1, &operation), "make an operation");
  }
  ~TermReduction() {
    MPI_Op_free(&operation);
    MPI_Type_free(&type);
  }
  TermReduction(const TermReduction&) = delete;
  TermReduction& operator=(const TermReduction&) = delete;

  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op operation = MPI_OP_NULL;
};

// Calls work(first, count) for consecutive pieces of at most `chunk` elements.
template <class Work>
void for_each_chunk(std::size_t total, std::size_t chunk, Work work) {
  for (std::size_t first = 0; first < total; first += chunk) {
    work(first, static_cast<int>(std::min(chunk, total - first)));
  }
}

}  // namespace

MpiComm::MpiComm(MPI_Comm owned, std::size_t chunk_bytes) : comm_(owned), chunk_bytes_(chunk_bytes) {
  MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &size_);
}

MpiComm::~MpiComm() {
  int finalised = 0;
  MPI_Finalized(&finalised);
  if (finalised == 0) MPI_Comm_free(&comm_);
}

MPI_Comm MpiComm::running() const {
  require_running();
  return comm_;
}

void MpiComm::barrier() {
  complete("wait for the other ranks", [&](MPI_Request* request) { return MPI_Ibarrier(running(), request); });
}

void MpiComm::broadcast(std::span<std::byte> data, int root) {
  for_each_chunk(data.size(), chunk_bytes_, [&](std::size_t first, int count) {
    complete("broadcast", [&](MPI_Request* request) {
      return MPI_Ibcast(data.data() + first, count, MPI_BYTE, root, running(), request);
    });
  });
}

void MpiComm::all_reduce(std::span<std::uint64_t> values, comm::Reduce operation) {
  const bool ordered = operation == comm::Reduce::min || operation == comm::Reduce::max;
  const MPI_Datatype type = ordered ? MPI_INT64_T : MPI_UINT64_T;
  if (ordered) turn_top_bits(values);
  for_each_chunk(values.size(), chunk_bytes_ / sizeof(std::uint64_t), [&](std::size_t first, int count) {
    complete("reduce over the ranks", [&](MPI_Request* request) {
      return MPI_Iallreduce(MPI_IN_PLACE, values.data() + first, count, type, mpi_op(operation), running(), request);
    });
  });
  if (ordered) turn_top_bits(values);
}

void MpiComm::combine(std::span<comm::Term> terms) {
  require_running();
  const TermReduction reduction;
  for_each_chunk(terms.size(), std::max<std::size_t>(chunk_bytes_ / sizeof(comm::Term), 1),
                 [&](std::size_t first, int count) {
                   complete("reduce over the ranks", [&](MPI_Request* request) {
                     return MPI_Iallreduce(MPI_IN_PLACE, terms.data() + first, count, reduction.type,
                                           reduction.operation, running(), request);
                   });
                 });
}

std::vector<comm::Message> MpiComm::all_to_all(std::vector<comm::Message> outgoing) {
  exchanges_ ^= 1;
  return Exchange(running(), chunk_bytes_, exchanges_).run(std::move(outgoing));
}

// A group is created even if there is no memory for its object here: the other ranks are in it.
std::unique_ptr<comm::Comm> MpiComm::hold(MPI_Comm part) const {
  if (part == MPI_COMM_NULL) return nullptr;
  try {
    return std::make_unique<MpiComm>(part, chunk_bytes_);
  } catch (...) {
    MPI_Comm_free(&part);
    throw;
  }
}

std::unique_ptr<comm::Comm> MpiComm::split(int colour, int key) {
  MPI_Comm part = MPI_COMM_NULL;
  check(MPI_Comm_split(running(), colour < 0 ? MPI_UNDEFINED : colour, key, &part), "split the communicator");
  return hold(part);
}

std::unique_ptr<comm::Comm> MpiComm::split_by_node() {
  MPI_Comm part = MPI_COMM_NULL;
  check(MPI_Comm_split_type(running(), MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &part),
        "find the ranks of this node");
  return hold(part);
}

comm::Flight MpiComm::start_send(std::span<const std::byte> bytes, int to, int channel) {
  Requests requests(pieces_of(bytes.size()));
  for_each_chunk(bytes.size(), chunk_bytes_, [&](std::size_t first, int count) {
    check(MPI_Isend(bytes.data() + first, count, MPI_BYTE, to, tag_channels + channel, running(), requests.next()),
          "send");
  });
  return comm::Flight(std::move(requests));
}

comm::Flight MpiComm::start_receive(std::span<std::byte> bytes, int from, int channel) {
  Requests requests(pieces_of(bytes.size()));
  for_each_chunk(bytes.size(), chunk_bytes_, [&](std::size_t first, int count) {
    check(MPI_Irecv(bytes.data() + first, count, MPI_BYTE, from, tag_channels + channel, running(), requests.next()),
          "receive");
  });
  return comm::Flight(std::move(requests));
}

std::shared_ptr<MpiComm> duplicate_of(MPI_Comm theirs) {
  MPI_Comm duplicate = MPI_COMM_NULL;
  check(MPI_Comm_dup(theirs, &duplicate), "duplicate the communicator");
  std::shared_ptr<MpiComm> made;
  std::exception_ptr failure;
  base::keep_failure(failure, [&] { made = std::make_shared<MpiComm>(duplicate); });
  // There is not yet a communicator on which ranks could agree.
  int is_well = failure ? 0 : 1;
  MPI_Allreduce(MPI_IN_PLACE, &is_well, 1, MPI_INT, MPI_MIN, duplicate);
  if (is_well == 1) return made;
  if (!made) MPI_Comm_free(&duplicate);
  throw Error(Code::out_of_memory, "MPI: a rank has no memory for the duplicate of the communicator");
}

}  // namespace lq::mpi
