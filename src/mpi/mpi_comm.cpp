// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The collective operations in messages of at most chunk_bytes. Sizes travel as 64-bit integers ahead of the data
// where the receiver cannot know them.
#include "mpi/mpi_comm.hpp"

#include <algorithm>

#include "mpi/exchange.hpp"
#include "mpi/mpi_error.hpp"
#include "mpi/wait.hpp"

namespace lq::mpi {
namespace {

constexpr int tag_data = 1;
constexpr int tag_channels = 16;  // and up

class Requests final : public comm::Flight {
 public:
  explicit Requests(std::vector<MPI_Request> requests) : requests_(std::move(requests)) {}
  bool is_done() override {
    int done = 0;
    check(MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE),
          "exchange messages");
    return done != 0;
  }

 private:
  std::vector<MPI_Request> requests_;
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

// MPICH 4.0.2 takes minimum and maximum of MPI_UINT64_T as if it were signed. So these two run on MPI_INT64_T, with
// the top bit turned over before and after, which keeps the order on any MPI.
void turn_top_bits(std::span<std::uint64_t> values) noexcept {
  for (std::uint64_t& value : values) value ^= std::uint64_t{1} << 63;
}

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

void MpiComm::barrier() {
  complete("wait for the other ranks", [&](MPI_Request* request) { return MPI_Ibarrier(comm_, request); });
}

void MpiComm::broadcast(std::span<std::byte> data, int root) {
  for_each_chunk(data.size(), chunk_bytes_, [&](std::size_t first, int count) {
    complete("broadcast", [&](MPI_Request* request) {
      return MPI_Ibcast(data.data() + first, count, MPI_BYTE, root, comm_, request);
    });
  });
}

void MpiComm::all_reduce(std::span<std::uint64_t> values, comm::Reduce operation) {
  const bool ordered = operation == comm::Reduce::min || operation == comm::Reduce::max;
  const MPI_Datatype type = ordered ? MPI_INT64_T : MPI_UINT64_T;
  if (ordered) turn_top_bits(values);
  for_each_chunk(values.size(), chunk_bytes_ / sizeof(std::uint64_t), [&](std::size_t first, int count) {
    complete("reduce over the ranks", [&](MPI_Request* request) {
      return MPI_Iallreduce(MPI_IN_PLACE, values.data() + first, count, type, mpi_op(operation), comm_, request);
    });
  });
  if (ordered) turn_top_bits(values);
}

// Point to point rather than MPI_Gatherv, whose displacements are int.
std::vector<std::vector<std::byte>> MpiComm::gather(std::span<const std::byte> mine, int root) {
  const bool at_root = rank_ == root;
  const std::uint64_t my_bytes = mine.size();
  std::vector<std::uint64_t> bytes(at_root ? static_cast<std::size_t>(size_) : 0);
  complete("gather sizes", [&](MPI_Request* request) {
    return MPI_Igather(&my_bytes, 1, MPI_UINT64_T, bytes.data(), 1, MPI_UINT64_T, root, comm_, request);
  });

  std::vector<MPI_Request> requests;
  std::vector<std::vector<std::byte>> all(bytes.size());
  if (!at_root) send(mine, root, requests, tag_data);
  for (std::size_t r = 0; r < all.size(); ++r) {
    if (static_cast<int>(r) == rank_) {
      all[r].assign(mine.begin(), mine.end());
    } else {
      all[r].resize(bytes[r]);
      receive(all[r], static_cast<int>(r), requests, tag_data);
    }
  }
  wait_all(requests, "gather");
  return all;
}

std::vector<std::byte> MpiComm::scatter(const std::vector<std::vector<std::byte>>& parts, int root) {
  const bool at_root = rank_ == root;
  std::vector<std::uint64_t> bytes;
  if (at_root) {
    for (const auto& part : parts) bytes.push_back(part.size());
  }
  std::uint64_t my_bytes = 0;
  complete("scatter sizes", [&](MPI_Request* request) {
    return MPI_Iscatter(bytes.data(), 1, MPI_UINT64_T, &my_bytes, 1, MPI_UINT64_T, root, comm_, request);
  });

  std::vector<MPI_Request> requests;
  std::vector<std::byte> mine;
  if (at_root) {
    mine = parts[static_cast<std::size_t>(rank_)];
    for (int r = 0; r < size_; ++r) {
      if (r != rank_) send(parts[static_cast<std::size_t>(r)], r, requests, tag_data);
    }
  } else {
    mine.resize(my_bytes);
    receive(mine, root, requests, tag_data);
  }
  wait_all(requests, "scatter");
  return mine;
}

std::vector<comm::Message> MpiComm::all_to_all(std::vector<comm::Message> outgoing) {
  exchanges_ ^= 1;
  return Exchange(comm_, chunk_bytes_, exchanges_).run(std::move(outgoing));
}

std::unique_ptr<comm::Comm> MpiComm::split(int colour, int key) {
  MPI_Comm part = MPI_COMM_NULL;
  check(MPI_Comm_split(comm_, colour < 0 ? MPI_UNDEFINED : colour, key, &part), "split the communicator");
  if (part == MPI_COMM_NULL) return nullptr;
  return std::make_unique<MpiComm>(part, chunk_bytes_);
}

std::unique_ptr<comm::Comm> MpiComm::split_by_node() {
  MPI_Comm part = MPI_COMM_NULL;
  check(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &part), "find the ranks of this node");
  return std::make_unique<MpiComm>(part, chunk_bytes_);
}

std::unique_ptr<comm::Flight> MpiComm::start_send(std::span<const std::byte> bytes, int to, int channel) {
  std::vector<MPI_Request> requests;
  send(bytes, to, requests, tag_channels + channel);
  return std::make_unique<Requests>(std::move(requests));
}

std::unique_ptr<comm::Flight> MpiComm::start_receive(std::span<std::byte> bytes, int from, int channel) {
  std::vector<MPI_Request> requests;
  receive(bytes, from, requests, tag_channels + channel);
  return std::make_unique<Requests>(std::move(requests));
}

void MpiComm::send(std::span<const std::byte> data, int to, std::vector<MPI_Request>& requests, int tag) {
  for_each_chunk(data.size(), chunk_bytes_, [&](std::size_t first, int count) {
    MPI_Request& request = requests.emplace_back();
    check(MPI_Isend(data.data() + first, count, MPI_BYTE, to, tag, comm_, &request), "send");
  });
}

void MpiComm::receive(std::span<std::byte> data, int from, std::vector<MPI_Request>& requests, int tag) {
  for_each_chunk(data.size(), chunk_bytes_, [&](std::size_t first, int count) {
    MPI_Request& request = requests.emplace_back();
    check(MPI_Irecv(data.data() + first, count, MPI_BYTE, from, tag, comm_, &request), "receive");
  });
}

}  // namespace lq::mpi
