// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collective operations of threads: thread 0 does the rank's part for all.
#include "multifile/threads.hpp"

#include <algorithm>
#include <cstring>
#include <map>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/error.hpp"
#include "comm/agree.hpp"
#include "comm/wire.hpp"

namespace lq::multifile {
namespace {

[[noreturn]] void refuse(const char* operation) {
  throw Error(Code::unsupported, std::string("threads as tasks do not ") + operation);
}

using Parts = std::vector<std::vector<std::byte>>;

struct Envelope {
  std::int32_t from = 0, to = 0;  // threads
  std::uint64_t bytes = 0;
};

// Parts of all threads of a rank as one message, and back.
std::vector<std::byte> pack(const Parts& parts) {
  std::vector<std::byte> packed;
  for (const auto& part : parts) comm::append(packed, static_cast<std::uint64_t>(part.size()));
  for (const auto& part : parts) packed.insert(packed.end(), part.begin(), part.end());
  return packed;
}

void unpack(base::Bytes packed, int threads, Parts& parts) {
  std::vector<std::uint64_t> sizes;
  for (int t = 0; t < threads; ++t) sizes.push_back(comm::take<std::uint64_t>(packed));
  for (const std::uint64_t size : sizes) {
    parts.emplace_back(packed.begin(), packed.begin() + static_cast<std::ptrdiff_t>(size));
    packed = packed.subspan(size);
  }
}

}  // namespace

void ThreadGroup::meet() {
  std::unique_lock lock(mutex_);
  const std::uint64_t meeting = meeting_;
  if (++present_ == threads_) {
    present_ = 0;
    ++meeting_;
    return changed_.notify_all();
  }
  changed_.wait(lock, [&] { return meeting_ != meeting; });
}

void ThreadGroup::together(int thread, const void* deposit, Work work, Work take) {
  deposits_[static_cast<std::size_t>(thread)] = deposit;
  meet();
  if (thread == 0) {
    failure_ = nullptr;
    try {
      work();
    } catch (...) {
      failure_ = std::current_exception();
    }
  }
  meet();
  const std::exception_ptr failure = failure_;
  std::exception_ptr own;
  try {
    if (!failure) take();
  } catch (...) {
    own = std::current_exception();
  }
  meet();
  if (failure) std::rethrow_exception(failure);
  if (own) std::rethrow_exception(own);
}

void ThreadsComm::barrier() {
  shared_->group.together(
      thread_, nullptr, [&] { shared_->between->barrier(); }, [] {});
}

void ThreadsComm::broadcast(std::span<std::byte> data, int root) {
  const bool is_root_rank = shared_->between->rank() == root / threads_;
  const int source = is_root_rank ? root % threads_ : 0;
  const auto span_of = [&](int thread) { return shared_->group.deposit<std::span<std::byte>>(thread); };
  shared_->group.together(
      thread_, &data, [&] { shared_->between->broadcast(span_of(source), root / threads_); },
      [&] {
        if (thread_ != source && !data.empty()) std::memcpy(data.data(), span_of(source).data(), data.size());
      });
}

void ThreadsComm::all_reduce(std::span<std::uint64_t> values, comm::Reduce operation) {
  using Values = std::span<std::uint64_t>;
  shared_->group.together(
      thread_, &values,
      [&] {
        for (int t = 1; t < threads_; ++t) {
          const Values theirs = shared_->group.deposit<Values>(t);
          for (std::size_t i = 0; i < values.size(); ++i) values[i] = comm::combined(values[i], theirs[i], operation);
        }
        shared_->between->all_reduce(values, operation);
      },
      [&] {
        if (thread_ > 0) std::ranges::copy(shared_->group.deposit<Values>(0), values.begin());
      });
}

// The threads of the root's rank before it come last.
void ThreadsComm::gather_pieces(std::span<const std::byte> mine, int root, const Sink& sink) {
  struct Deposit {
    base::Bytes data;
    const Sink& sink;
  };
  const Deposit deposit{mine, sink};
  const int root_rank = root / threads_, root_thread = root % threads_;
  shared_->group.together(
      thread_, &deposit,
      [&] {
        std::exception_ptr failure;
        const auto joined = [&](int first, int last) {
          std::vector<std::byte> bytes;
          base::keep_failure(failure, [&] {
            for (int t = first; t < last; ++t) comm::append_all(bytes, shared_->group.deposit<Deposit>(t).data);
          });
          return bytes;
        };
        const bool is_there = shared_->between->rank() == root_rank;
        const Sink& to = shared_->group.deposit<Deposit>(root_thread).sink;
        const std::vector<std::byte> bytes = joined(is_there ? root_thread : 0, threads_);
        base::keep_failure(failure, [&] { shared_->between->gather_pieces(bytes, root_rank, to); });
        if (is_there && root_thread > 0 && !failure) {
          const std::vector<std::byte> last = joined(0, root_thread);
          if (!failure) to(last);
        }
        if (failure) std::rethrow_exception(failure);
      },
      [] {});
}

std::vector<std::byte> ThreadsComm::scatter_parts(const PartOf& part_of, int root) {
  std::vector<std::byte> mine;
  shared_->group.together(
      thread_, &part_of,
      [&] {
        const auto& part = shared_->group.deposit<PartOf>(root % threads_);
        const auto packed = shared_->between->scatter_parts(
            [&](int rank) {
              Parts parts;
              for (int t = 0; t < threads_; ++t) parts.push_back(part(rank * threads_ + t));
              return pack(parts);
            },
            root / threads_);
        shared_->parts.assign(packed.empty() ? static_cast<std::size_t>(threads_) : 0, {});
        if (!packed.empty()) unpack(packed, threads_, shared_->parts);
      },
      [&] { mine = std::move(shared_->parts[static_cast<std::size_t>(thread_)]); });
  return mine;
}

std::unique_ptr<comm::Comm> ThreadsComm::split(int colour, int key) {
  std::shared_ptr<Shared> next;
  shared_->group.together(
      thread_, nullptr,
      [&] {
        std::shared_ptr<comm::Comm> between = shared_->between->split(colour, key);
        shared_->next = between ? std::make_shared<Shared>(threads_, std::move(between)) : nullptr;
      },
      [&] { next = shared_->next; });
  return next ? std::make_unique<ThreadsComm>(next, thread_) : nullptr;
}

namespace {

// Messages between two ranks are combined into one, which lists the sending and receiving threads.
std::vector<comm::Message> messages_between(int threads, const ThreadGroup& group) {
  std::map<int, std::vector<std::byte>> packed;
  for (int t = 0; t < threads; ++t) {
    for (const comm::Message& message : group.deposit<std::vector<comm::Message>>(t)) {
      std::vector<std::byte>& bytes = packed[message.rank / threads];
      comm::append(bytes, Envelope{t, message.rank % threads, message.bytes.size()});
      comm::append_all(bytes, std::span(message.bytes));
    }
  }
  std::vector<comm::Message> between;
  for (auto& [rank, bytes] : packed) between.push_back({rank, std::move(bytes)});
  return between;
}

}  // namespace

std::vector<comm::Message> ThreadsComm::all_to_all(std::vector<comm::Message> outgoing) {
  using Outgoing = std::vector<comm::Message>;
  std::vector<comm::Message> mine;
  const auto work = [&] {
    std::exception_ptr failure;
    Outgoing between;
    base::keep_failure(failure, [&] { between = messages_between(threads_, shared_->group); });
    if (failure) between.clear();
    const Outgoing messages = shared_->between->all_to_all(std::move(between));
    if (failure) std::rethrow_exception(failure);
    shared_->mail.assign(static_cast<std::size_t>(threads_), {});
    for (const comm::Message& arrived : messages) {
      base::Bytes bytes = arrived.bytes;
      while (!bytes.empty()) {
        const auto envelope = comm::take<Envelope>(bytes);
        const base::Bytes content = bytes.first(envelope.bytes);
        shared_->mail[static_cast<std::size_t>(envelope.to)].push_back(
            {arrived.rank * threads_ + envelope.from, {content.begin(), content.end()}});
        bytes = bytes.subspan(envelope.bytes);
      }
    }
  };
  shared_->group.together(thread_, &outgoing, work,
                          [&] { mine = std::move(shared_->mail[static_cast<std::size_t>(thread_)]); });
  return mine;
}

std::unique_ptr<comm::Comm> ThreadsComm::split_by_node() { refuse("group by nodes"); }
comm::Flight ThreadsComm::start_send(std::span<const std::byte>, int, int) { refuse("send messages"); }
comm::Flight ThreadsComm::start_receive(std::span<std::byte>, int, int) { refuse("receive messages"); }

// Threads of a rank synchronise with each other, so they cannot be in different groups.
void ThreadsTeam::require_whole_ranks(const TaskLocation& location) {
  std::uint64_t is_parted = 0;
  ThreadGroup& threads = all_->shared().group;
  threads.together(
      all_->thread(), &location, [] {},
      [&] { is_parted = threads.deposit<TaskLocation>(0).file == location.file ? 0 : 1; });
  all_->all_reduce(std::span(&is_parted, 1), comm::Reduce::max);
  if (is_parted == 0) return;
  throw Error(Code::unsupported,
              fmt::format("threads of one rank would be tasks of different files, of {} in all; open "
                          "it by ranks without threads, mapped, or serially",
                          location.files));
}

FileGroup ThreadsTeam::form(const TaskLocation& location, bool collects) {
  require_whole_ranks(location);
  FileGroup group;
  const auto exchange = comm::agree(*all_, [&] {
    group.comm = all_->split(location.file, location.task);
    return collects ? std::make_shared<ThreadsExchange>(std::dynamic_pointer_cast<ThreadsComm>(group.comm)) : nullptr;
  });
  if (exchange) exchange->open();
  group.exchange = exchange;
  return group;
}

std::unique_ptr<BuddyExchange> ThreadsTeam::make_buddy_exchange(const BuddyNeighbours& neighbours) {
  auto exchange = comm::agree(*all_, [&] { return std::make_unique<ThreadsBuddyExchange>(all_, neighbours); });
  exchange->open();
  return exchange;
}

// Data of threads: data in the memory of the collector's rank need no message.

namespace {

template <class Data>
struct Deposit {
  FileExtent extent;
  Data data;
};

// The ranks of a group whose tasks are threads.
struct Ranks {
  int collector, last;
};

Ranks ranks_of(const CollectorGroup& group, int threads) {
  return {group.collector / threads, (group.collector + group.tasks - 1) / threads};
}

}  // namespace

ThreadsExchange::ThreadsExchange(std::shared_ptr<ThreadsComm> comm) : comm_(std::move(comm)) {
  if (comm_->thread() == 0) between_ = std::make_unique<CommExchange>(comm_->shared().between);
}

// For the collector's thread, if tasks of other ranks are in its group.
void ThreadsExchange::reserve(const CollectorGroup& group) {
  if (!between_) return;
  const Ranks ranks = ranks_of(group, comm_->shared().group.threads());
  if (comm_->shared().between->rank() == ranks.collector && ranks.last > ranks.collector) {
    between_->make_room(group.piece_bytes);
  }
}

void ThreadsExchange::open() {
  if (between_) between_->open();
}

// Common parts of collecting and scattering: thread 0 of the collector's rank calls `own` for each thread there and
// `remote` for each of the other ranks, which call `sent` for each of theirs; then it sends them the outcome.
template <class Data, class Own, class Remote, class Sent>
void ThreadsExchange::exchange(const CollectorGroup& group, const FileExtent& mine, Data data, const Own& own,
                               const Remote& remote, const Sent& sent) {
  using Mine = Deposit<Data>;
  const Mine deposit{mine, data};
  ThreadGroup& threads = comm_->shared().group;
  const Ranks ranks = ranks_of(group, threads.threads());
  const auto work = [&] {
    const bool collects = comm_->shared().between->rank() == ranks.collector;
    std::exception_ptr failure;
    for (int t = 0; t < threads.threads(); ++t) {
      const Mine& theirs = threads.deposit<Mine>(t);
      if (collects) {
        own(theirs.extent, theirs.data, failure);
      } else {
        sent(theirs.extent, theirs.data, ranks.collector);
      }
    }
    if (!collects) return between_->await_verdict(ranks.collector);
    for (int rank = ranks.collector + 1; rank <= ranks.last; ++rank) {
      for (int t = 0; t < threads.threads(); ++t) remote(rank, failure);
    }
    between_->give_verdict(ranks.collector + 1, ranks.last, failure);
  };
  threads.together(comm_->thread(), &deposit, work, [] {});
}

void ThreadsExchange::collect(const CollectorGroup& group, const FileExtent& mine, base::Bytes data,
                              const Write& write) {
  exchange(
      group, mine, data,
      [&](const FileExtent& extent, base::Bytes bytes, std::exception_ptr& failure) {
        CommExchange::write_own(extent, bytes, write, failure);
      },
      [&](int rank, std::exception_ptr& failure) { between_->accept(rank, group.piece_bytes, write, failure); },
      [&](const FileExtent& extent, base::Bytes bytes, int collector) {
        between_->offer(extent, bytes, collector, group.piece_bytes);
      });
}

void ThreadsExchange::scatter_data(const CollectorGroup& group, const FileExtent& mine, base::MutableBytes data,
                                   const Read& read) {
  exchange(
      group, mine, data,
      [&](const FileExtent& extent, base::MutableBytes bytes, std::exception_ptr& failure) {
        CommExchange::read_own(extent, bytes, group.piece_bytes, read, failure);
      },
      [&](int rank, std::exception_ptr& failure) { between_->serve(rank, group.piece_bytes, read, failure); },
      [&](const FileExtent& extent, base::MutableBytes bytes, int collector) {
        between_->ask(extent, bytes, collector, group.piece_bytes);
      });
}

ThreadsBuddyExchange::ThreadsBuddyExchange(std::shared_ptr<ThreadsComm> comm, const BuddyNeighbours& neighbours)
    : comm_(std::move(comm)) {
  if (comm_->thread() > 0) return;
  const int threads = comm_->shared().group.threads();
  BuddyNeighbours of_ranks = neighbours;
  of_ranks.keeper /= threads;
  for (int& client : of_ranks.clients) client /= threads;
  between_ = std::make_unique<CommBuddyExchange>(comm_->shared().between, of_ranks, threads);
}

void ThreadsBuddyExchange::open() {
  if (between_) between_->open();
}

void ThreadsBuddyExchange::pass(const FileExtent& mine, base::Bytes data, const CollectorExchange::Write& write,
                                std::exception_ptr& failure) {
  using Mine = Deposit<base::Bytes>;
  const Mine deposit{mine, data};
  ThreadGroup& threads = comm_->shared().group;
  const auto work = [&] {
    for (int t = 0; t < threads.threads(); ++t) {
      const Mine& theirs = threads.deposit<Mine>(t);
      between_->start(theirs.extent, theirs.data, failure);
    }
    between_->accept(write, failure);
    between_->finish();
  };
  threads.together(comm_->thread(), &deposit, work, [] {});
}

}  // namespace lq::multifile
