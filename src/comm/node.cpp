// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "comm/node.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>

#include <fmt/format.h>

#include "base/random_number.hpp"
#include "base/system.hpp"
#include "comm/agree.hpp"
#include "comm/tree.hpp"

namespace lq::comm {
namespace {

constexpr std::size_t max_pieces = 256;                      // in one call
constexpr std::uint64_t max_bytes = std::uint64_t{1} << 30;  // in one call

}  // namespace

int pull(std::int64_t process, std::span<const NeighbourPiece> pieces, std::byte* to) noexcept {
  std::uint64_t skip = 0;  // bytes of the first piece already read
  while (!pieces.empty()) {
    std::array<iovec, max_pieces> remote;
    std::size_t count = 0;
    std::uint64_t bytes = 0;
    while (count < std::min(max_pieces, pieces.size()) && bytes < max_bytes) {
      const NeighbourPiece& piece = pieces[count];
      const std::uint64_t before = count == 0 ? skip : 0;
      const std::uint64_t part = std::min(piece.bytes - before, max_bytes - bytes);
      remote[count++] = {reinterpret_cast<void*>(piece.address + before), static_cast<std::size_t>(part)};
      bytes += part;
    }
    const iovec local{to, static_cast<std::size_t>(bytes)};
    const ssize_t got = base::read_memory_of(static_cast<pid_t>(process), local, std::span(remote).first(count));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0 && bytes > 0) return EFAULT;
    to += got;
    // Short reads end at the end of a piece or within it.
    for (auto left = static_cast<std::uint64_t>(got) + skip; !pieces.empty();) {
      if (left < pieces.front().bytes) {
        skip = left;
        break;
      }
      left -= pieces.front().bytes;
      pieces = pieces.subspan(1);
      skip = 0;
    }
  }
  return 0;
}

// One rank creates an object without a name, which the others open through its descriptor; if that is not possible, one
// with a name, which is removed immediately afterwards. Every rank reserves the pages of its own area: they are then on
// its memory node, and a page that is not available later would be a bus error. No rank allocates memory while others
// wait.

namespace {

constexpr std::uint64_t page_bytes = 4096;

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const noexcept { return value_; }

 private:
  int value_;
};

// How other ranks find an object: nothing else is sent between ranks.
struct Directions {
  bool exists = false;
  std::array<char, 64> path{};  // path of the descriptor, or name
  std::uint64_t device = 0, inode = 0;
};

int make_object(bool has_name, Directions& directions) noexcept try {
  std::array<char, 64>& path = directions.path;  // zero-filled
  int made = -1;
  if (has_name) {
    fmt::format_to_n(path.data(), path.size() - 1, "/limequat-{}-{:08x}{:08x}", ::getpid(), base::random_number(),
                     base::random_number());
    made = ::shm_open(path.data(), O_RDWR | O_CREAT | O_EXCL, 0600);
  } else {
    made = base::make_memory_file();
    fmt::format_to_n(path.data(), path.size() - 1, "/proc/{}/fd/{}", ::getpid(), made);
  }
  struct stat status {};
  if (made < 0 || ::fstat(made, &status) != 0) return made;
  directions.device = static_cast<std::uint64_t>(status.st_dev);
  directions.inode = status.st_ino;
  directions.exists = true;
  return made;
} catch (...) {
  return -1;  // no random numbers available
}

// From this rank's point of view that process number may belong to another process.
int open_object(bool has_name, const Directions& directions) noexcept {
  const int opened =
      has_name ? ::shm_open(directions.path.data(), O_RDWR, 0600) : ::open(directions.path.data(), O_RDWR | O_CLOEXEC);
  struct stat status {};
  if (opened < 0 || (::fstat(opened, &status) == 0 && static_cast<std::uint64_t>(status.st_dev) == directions.device &&
                     status.st_ino == directions.inode)) {
    return opened;
  }
  ::close(opened);
  return -1;
}

bool reserve(int descriptor, std::uint64_t offset, std::uint64_t bytes) noexcept {
  int reason = EINTR;
  for (int attempt = 0; reason == EINTR && attempt < 100; ++attempt) {
    reason = base::reserve_memory(descriptor, static_cast<off_t>(offset), static_cast<off_t>(bytes));
  }
  return reason == 0;
}

bool everywhere(Comm& node, bool here) {
  std::array<std::uint64_t, 1> all{here ? 1U : 0U};
  node.all_reduce(all, Reduce::min);
  return all[0] == 1;
}

}  // namespace

std::unique_ptr<SharedMemory> SharedMemory::create(Comm& node, std::uint64_t bytes_per_rank) {
  bytes_per_rank = (bytes_per_rank + page_bytes - 1) / page_bytes * page_bytes;
  for (const bool has_name : {false, true}) {
    if (auto memory = create(node, bytes_per_rank, has_name)) return memory;
  }
  return nullptr;
}

std::unique_ptr<SharedMemory> SharedMemory::create(Comm& node, std::uint64_t bytes_per_rank, bool has_name) {
  const std::uint64_t bytes = bytes_per_rank * static_cast<std::uint64_t>(node.size());
  const bool is_maker = node.rank() == 0;
  Directions directions;
  const Descriptor made(is_maker ? make_object(has_name, directions) : -1);
  node.broadcast(std::as_writable_bytes(std::span(&directions, 1)), 0);
  if (!directions.exists) return nullptr;

  const Descriptor opened(is_maker ? -1 : open_object(has_name, directions));
  const int descriptor = is_maker ? made.get() : opened.get();
  const bool all_opened = everywhere(node, descriptor >= 0);
  if (is_maker && has_name) ::shm_unlink(directions.path.data());
  if (!all_opened) return nullptr;

  std::unique_ptr<SharedMemory> memory(new (std::nothrow) SharedMemory(bytes, bytes_per_rank));
  const std::uint64_t own = static_cast<std::uint64_t>(node.rank()) * bytes_per_rank;
  const bool is_mapped = memory && reserve(descriptor, own, bytes_per_rank) && memory->map(descriptor);
  return everywhere(node, is_mapped) ? std::move(memory) : nullptr;
}

bool SharedMemory::map(int descriptor) noexcept {
  void* const start = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (start == MAP_FAILED) return false;
  start_ = static_cast<std::byte*>(start);
  return true;
}

SharedMemory::~SharedMemory() {
  if (start_ != nullptr) ::munmap(start_, bytes_);
}

namespace {

std::uint64_t reduced(Comm& comm, std::uint64_t value, Reduce operation) {
  std::array<std::uint64_t, 1> values{value};
  comm.all_reduce(values, operation);
  return values[0];
}

// Information about a rank for the other ranks of its node.
struct RankInfo {
  std::int64_t rank = 0;
  std::int64_t process = 0;
  std::uint64_t address = 0;  // address of a number that other ranks try to read
  base::CoreSet cores;        // on which it may run
  int own_cores = 0;
};

// Each core is assigned to one of the ranks that may run on it, the one that has the fewest so far. Ranks that are
// bound to separate cores keep all of them, others get even shares.
void deal_out_cores(std::span<RankInfo> infos) noexcept {
  for (std::size_t core = 0; core < base::CoreSet().size(); ++core) {
    RankInfo* poorest = nullptr;
    for (RankInfo& info : infos) {
      if (info.cores[core] && (poorest == nullptr || info.own_cores < poorest->own_cores)) poorest = &info;
    }
    if (poorest != nullptr) ++poorest->own_cores;
  }
}

// Reads the neighbour's number from its memory.
bool can_read(const RankInfo& info, std::uint64_t expected) noexcept {
  std::uint64_t found = 0;
  const std::array<NeighbourPiece, 1> piece{{{info.address, sizeof(found)}}};
  return pull(info.process, piece, reinterpret_cast<std::byte*>(&found)) == 0 && found == expected;
}

}  // namespace

Node& Comm::node() {
  if (node_) return *node_;
  const auto node = agree(*this, [&] { return std::make_shared<Node>(*this); });
  node->discover();
  node_ = node;
  return *node_;
}

void Node::discover() {
  std::vector<RankInfo> infos;
  comm_ = agree(all_, [&] {
    auto node = all_.split_by_node();
    ranks_.reserve(static_cast<std::size_t>(node->size()));
    infos.resize(static_cast<std::size_t>(node->size()));
    return node;
  });
  constexpr std::uint64_t mark = 0x6c696d6571756174;
  const std::uint64_t number = mark + static_cast<std::uint64_t>(all_.rank());
  const RankInfo mine{all_.rank(), ::getpid(), reinterpret_cast<std::uint64_t>(&number), base::usable_core_set()};
  all_gather(*comm_, mine, std::span(infos));
  for (const RankInfo& info : infos) ranks_.push_back(static_cast<int>(info.rank));

  const RankInfo& next = infos[static_cast<std::size_t>((index() + 1) % comm_->size())];
  const bool readable = can_read(next, mark + static_cast<std::uint64_t>(next.rank));
  std::array<Term, 3> terms{
      {{readable ? 1U : 0U, Reduce::min}, {ranks_.size(), Reduce::max}, {ranks_.size(), Reduce::min}}};
  all_.combine(terms);
  can_pull_ = terms[0].value == 1;  // also keeps `number` alive until all have read it
  largest_ = static_cast<int>(terms[1].value);
  is_only_ = terms[2].value == static_cast<std::uint64_t>(all_.size());
  deal_out_cores(infos);
  own_cores_ = std::max(infos[static_cast<std::size_t>(index())].own_cores, 1);
}

std::optional<int> Node::index_of(int rank) const noexcept {
  const auto found = std::lower_bound(ranks_.begin(), ranks_.end(), rank);
  if (found == ranks_.end() || *found != rank) return std::nullopt;
  return static_cast<int>(found - ranks_.begin());
}

// Leases may be returned in different orders on different ranks: only memory that is free on all of them is reused.
void Node::report_free(std::uint64_t bytes_per_rank, std::span<Term, lease_terms> terms) const noexcept {
  const auto fits =
      std::ranges::find_if(free_, [&](const Made& m) { return m.memory->bytes_per_rank() >= bytes_per_rank; });
  const std::uint64_t number = fits == free_.end() ? 0 : fits->number;
  terms[0] = {~number, Reduce::max};  // the minimum
  terms[1] = {number, Reduce::max};
}

bool Node::fill(Lease& lease, std::uint64_t bytes_per_rank, std::span<const Term, lease_terms> of_all) {
  const std::uint64_t number = ~of_all[0].value;
  if (number != 0 && number == of_all[1].value) {
    const auto fits = std::ranges::find(free_, number, &Made::number);
    lease.made_ = std::move(*fits);
    free_.erase(fits);
    return true;
  }
  free_.clear();
  lease.made_ = {++made_, SharedMemory::create(*comm_, bytes_per_rank)};
  return reduced(all_, lease.made_.memory ? 1 : 0, Reduce::min) == 1;
}

std::unique_ptr<Node::Lease> Node::lease(std::uint64_t bytes_per_rank) {
  std::array<Term, 1 + lease_terms> terms{};
  auto lease = agree(all_, terms, [&] {
    report_free(bytes_per_rank, std::span(terms).subspan<1>());
    return std::make_unique<Lease>(*this);
  });
  if (!fill(*lease, bytes_per_rank, std::span(terms).subspan<1>())) return nullptr;
  return lease;
}

Node::Lease::Lease(Node& node) : node_(&node) {
  node.free_.reserve(node.free_.size() + node.leases_ + 1);  // for its return
  ++node.leases_;
}

Node::Lease::~Lease() {
  --node_->leases_;
  if (made_.memory) node_->free_.push_back(std::move(made_));
}

namespace {

constexpr std::uint64_t worth_a_team = 16 * 1024 * 1024;  // per rank; below this the number of cores is not needed
constexpr std::uint64_t worth_a_thread = 4 * 1024 * 1024;
constexpr int most = 1024;  // limit for any request

}  // namespace

int thread_count(comm::Comm& comm, int asked, std::uint64_t bytes) {
  const std::uint64_t mine = bytes / static_cast<std::uint64_t>(comm.size());
  const int own = mine < worth_a_team ? 1 : comm.node().own_cores();
  if (asked > 0) return std::min(asked, most);
  return static_cast<int>(std::clamp<std::uint64_t>(mine / worth_a_thread, 1, static_cast<std::uint64_t>(own)));
}

int thread_count(int asked, std::uint64_t bytes) { return thread_count(*comm::make_self(), asked, bytes); }

int within(int threads, std::uint64_t memory_bytes, std::uint64_t bytes_each) noexcept {
  const std::uint64_t room = bytes_each == 0 ? most : memory_bytes / bytes_each;
  return static_cast<int>(std::clamp<std::uint64_t>(room, 1, static_cast<std::uint64_t>(std::max(threads, 1))));
}

}  // namespace lq::comm
