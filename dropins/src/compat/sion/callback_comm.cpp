// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The operations of a group, built from broadcast, gather and scatter. Data are sent as 64-bit integers, which every
// API supports.
#include "compat/sion/callback_comm.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/error.hpp"
#include "comm/agree.hpp"
#include "comm/wire.hpp"

namespace lq::compat::sion {

// Data for copies over the callbacks of the generic interface.

namespace {

using multifile::BuddyNeighbours;
using multifile::FileExtent;
using multifile::TaskLocation;

constexpr std::int64_t piece_bytes = 1 << 20;

// Groups that keep copies for each other cyclically: their number, and the position of a file's group.
struct CopyRing {
  int length = 1, position = 0;
};

CopyRing ring_of(const BuddyNeighbours& v) {
  const int common = std::gcd(v.distance, v.location.files);
  CopyRing ring{v.location.files / common, 0};
  const int back = v.location.files - v.distance % v.location.files;
  for (int file = v.location.file % common; file != v.location.file; file = (file + back) % v.location.files)
    ++ring.position;
  return ring;
}

int steps_of(int length) { return length == 1 ? 1 : 2 + length % 2; }

// The step in which the next group makes the copy for the group at a position of the circle: neighbours at different
int step_of(int position, int length) { return length % 2 == 1 && position == length - 1 ? 2 : position % 2; }

// Made collectively over all tasks of the API; `form` is collective, too, and makes a group of those with the same
// file.
class CallbackBuddyExchange final : public multifile::BuddyExchange {
 public:
  CallbackBuddyExchange(std::shared_ptr<const Api> api, const BuddyNeighbours& v,
                        const std::function<std::shared_ptr<void>(const TaskLocation&)>& form)
      : api_(std::move(api)) {
    const CopyRing ring = ring_of(v);
    const int length = ring.length, position = ring.position;
    const TaskLocation& location = v.location;
    if (length == 1) {  // the neighbour is the group itself
      pairs_.push_back({form(location), location.task, 1, location.tasks - 1, true});
      return;
    }
    // The next step still waits for tasks that fail in this one.
    std::exception_ptr failure;
    for (int step = 0; step < steps_of(length); ++step) {
      base::keep_failure(failure, [&] {
        if (step_of(position, length) == step) {
          const int tasks = v.keeper_tasks + location.tasks, task = v.keeper_tasks + location.task;
          pairs_.push_back({form({location.file, location.files, task, tasks}), task, v.keeper_tasks, tasks - 1, true});
        } else if (step_of((position + length - 1) % length, length) == step) {
          const int tasks = location.tasks + v.client_tasks, file = (location.file + v.distance) % location.files;
          pairs_.push_back(
              {form({file, location.files, location.task, tasks}), location.task, location.tasks, tasks - 1, false});
        } else {
          form(location);
        }
      });
    }
    if (failure) std::rethrow_exception(failure);
  }

  void pass(const FileExtent& mine, base::Bytes data, const multifile::CollectorExchange::Write& write,
            std::exception_ptr& failure) override {
    for (const Pair& pair : pairs_) {
      const GroupRange where{pair.group.get(), pair.task, 0, pair.first, pair.last, piece_bytes};
      base::keep_failure(failure, [&] {
        gather_and_write(*api_, where, pair.sends ? mine : FileExtent(), pair.sends ? data : base::Bytes(), write);
      });
    }
  }

 private:
  struct Pair {
    std::shared_ptr<void> group;
    int task = 0;             // in its file
    int first = 0, last = 0;  // of those that send their data to task 0
    bool sends = false;       // this task is one of them
  };

  std::shared_ptr<const Api> api_;
  std::vector<Pair> pairs_;
};

using Parts = std::vector<std::vector<std::byte>>;
using Words = std::vector<sion_int64>;

constexpr std::size_t most_words = 1U << 27;            // per message
constexpr std::size_t most_values = 16;                 // reduced at a time
constexpr std::size_t most_scattered_words = 1U << 16;  // at a time, to all tasks together

std::size_t words_for(std::size_t bytes) noexcept { return (bytes + sizeof(sion_int64) - 1) / sizeof(sion_int64); }

class CallbackComm final : public comm::Comm {
 public:
  CallbackComm(std::shared_ptr<const Api> api, void* group, int rank, int size)
      : api_(std::move(api)),
        group_(group),
        rank_(rank),
        size_(size),
        sizes_(static_cast<std::size_t>(size)),
        counts_(static_cast<std::size_t>(size)),
        gathered_(rank == 0 ? most_values * static_cast<std::size_t>(size) : 1) {
    static_cast<void>(comm::preallocated_out_of_memory());  // created while there is memory
  }

  int rank() const noexcept override { return rank_; }
  int size() const noexcept override { return size_; }
  void barrier() override { check(api_->barrier(group_), "barrier"); }

  void broadcast(std::span<std::byte> data, int root) override {
    std::array<sion_int64, 512> words;
    constexpr std::size_t most_bytes = sizeof words;
    for (; !data.empty(); data = data.subspan(std::min(data.size(), most_bytes))) {
      const auto part = data.first(std::min(data.size(), most_bytes));
      std::memcpy(words.data(), part.data(), part.size());
      check(api_->broadcast(words.data(), group_, _SION_INT64, static_cast<int>(words_for(part.size())), root),
            "broadcast");
      std::memcpy(part.data(), words.data(), part.size());
    }
  }

  void all_reduce(std::span<std::uint64_t> values, comm::Reduce operation) override {
    for (; !values.empty(); values = values.subspan(std::min(values.size(), most_values))) {
      const auto part = values.first(std::min(values.size(), most_values));
      std::array<sion_int64, most_values> mine;
      std::ranges::copy(part, mine.begin());
      check(api_->gather(mine.data(), gathered_.data(), group_, _SION_INT64, static_cast<int>(part.size()), 0),
            "gather");
      for (std::size_t i = part.size(); rank_ == 0 && i < part.size() * static_cast<std::size_t>(size_); ++i) {
        std::uint64_t& value = part[i % part.size()];
        value = comm::combined(value, static_cast<std::uint64_t>(gathered_[i]), operation);
      }
      broadcast(std::as_writable_bytes(part), 0);
    }
  }

  // The caller's functions return only after gathering everything.
  void gather_pieces(std::span<const std::byte> mine, int root, const Sink& sink) override {
    const bool is_root = rank_ == root;
    sion_int64 bytes = static_cast<sion_int64>(mine.size());
    check(api_->gather(&bytes, sizes_.data(), group_, _SION_INT64, 1, root), "gather");
    Words sent, received;
    require_room([&] {
      sent = words_of(mine);
      received.resize(is_root ? count_words() : 1);
    });
    check(api_->gather_many(sent.data(), received.data(), group_, _SION_INT64, counts_.data(),
                            static_cast<int>(words_for(mine.size())), root),
          "gather of parts");
    const auto all = std::as_bytes(std::span(received));
    const auto pass = [&](std::size_t first, std::size_t last) {
      std::size_t place = 0;
      for (std::size_t r = 0; r < last; ++r) {
        if (r >= first && sizes_[r] > 0)
          sink(all.subspan(place * sizeof(sion_int64), static_cast<std::size_t>(sizes_[r])));
        place += static_cast<std::size_t>(counts_[r]);
      }
    };
    if (!is_root) return;
    pass(static_cast<std::size_t>(root), sizes_.size());
    pass(0, static_cast<std::size_t>(root));
  }

  // In rounds of the callback for equal parts. The one for parts of any size has its arguments in either order in
  // programs that worked with SIONlib, which calls it in mapped opens for writing only.
  std::vector<std::byte> scatter_parts(const PartOf& part_of, int root) override {
    const bool is_root = rank_ == root;
    const auto tasks = static_cast<std::size_t>(size_);
    Parts parts;  // on the root
    std::exception_ptr failure;
    std::ranges::fill(sizes_, 0);
    base::keep_failure(failure, [&] {
      for (int r = 0; is_root && r < size_; ++r) {
        parts.push_back(part_of(r));
        sizes_[static_cast<std::size_t>(r)] = static_cast<sion_int64>(parts.back().size());
      }
    });
    sion_int64 bytes = 0;
    check(api_->scatter(sizes_.data(), &bytes, group_, _SION_INT64, 1, root), "scatter");
    sion_int64 longest = *std::ranges::max_element(sizes_);
    broadcast(std::as_writable_bytes(std::span(&longest, 1)), root);
    const std::size_t words = std::clamp<std::size_t>(words_for(static_cast<std::size_t>(longest)), 1,
                                                      std::max<std::size_t>(most_scattered_words / tasks, 1));
    Words sent, received;
    std::vector<std::byte> result;
    try {
      require_room([&] {
        sent.resize(is_root ? words * tasks : 1);
        received.resize(words);
        result.resize(static_cast<std::size_t>(bytes));
      });
    } catch (...) {
      std::rethrow_exception(failure ? failure : std::current_exception());
    }
    const std::size_t round = words * sizeof(sion_int64);
    for (std::size_t done = 0; done < static_cast<std::size_t>(longest); done += round) {
      for (std::size_t r = 0; r < parts.size(); ++r) {
        const auto left = std::span(parts[r]).subspan(std::min(done, parts[r].size()));
        std::ranges::copy(left.first(std::min(left.size(), round)),
                          std::as_writable_bytes(std::span(sent).subspan(r * words)).begin());
      }
      check(api_->scatter(sent.data(), received.data(), group_, _SION_INT64, static_cast<int>(words), root),
            "scatter of parts");
      const auto mine = std::span(result).subspan(std::min(done, result.size()));
      std::ranges::copy(std::as_bytes(std::span(received)).first(std::min(mine.size(), round)), mine.begin());
    }
    if (failure) std::rethrow_exception(failure);
    return result;
  }

  // Through the root, the only possible way.
  std::vector<comm::Message> all_to_all(std::vector<comm::Message> outgoing) override {
    std::exception_ptr failure;
    std::vector<std::byte> packed;
    base::keep_failure(failure, [&] {
      for (const comm::Message& message : outgoing) append_message(packed, message);
    });
    Parts sorted;
    base::keep_failure(failure, [&] {
      const Parts gathered = gather(failure ? base::Bytes() : base::Bytes(packed), 0);
      sorted.resize(gathered.empty() ? 0 : static_cast<std::size_t>(size_));
      for (std::size_t r = 0; r < gathered.size(); ++r) {
        for (const comm::Message& message : messages_of(gathered[r])) {
          append_message(sorted.at(static_cast<std::size_t>(message.rank)), {static_cast<int>(r), message.bytes});
        }
      }
    });
    std::vector<comm::Message> arrived;
    base::keep_failure(failure, [&] {
      arrived = messages_of(scatter_parts(
          [&](int r) {
            if (failure) std::rethrow_exception(failure);
            return std::move(sorted.at(static_cast<std::size_t>(r)));
          },
          0));
    });
    if (failure) std::rethrow_exception(failure);
    return arrived;
  }

  std::unique_ptr<comm::Comm> split(int, int) override { refuse("be split"); }
  std::unique_ptr<comm::Comm> split_by_node() override { refuse("be split by nodes"); }
  comm::Flight start_send(std::span<const std::byte>, int, int) override { refuse("send messages"); }
  comm::Flight start_receive(std::span<std::byte>, int, int) override { refuse("receive messages"); }

 private:
  [[noreturn]] static void refuse(const char* what) {
    throw Error(Code::unsupported, fmt::format("a group of the generic interface cannot {}", what));
  }

  void check(int rc, const char* operation) const {
    if (rc == SION_STD_SUCCESS) return;
    throw Error(Code::communication,
                fmt::format("API {}: the callback for {} failed with {}", api_->name, operation, rc));
  }

  // Collective. Runs `work`, which allocates the memory for the following steps. If it fails on a rank, all stop.
  template <class Work>
  void require_room(const Work& work) {
    std::exception_ptr failure;
    base::keep_failure(failure, work);
    std::uint64_t has_room = failure ? 0 : 1;
    all_reduce(std::span(&has_room, 1), comm::Reduce::min);
    if (failure) std::rethrow_exception(failure);
    if (has_room == 0) std::rethrow_exception(comm::preallocated_out_of_memory());
  }

  // On the root: fills counts_ and adds them up.
  std::size_t count_words() {
    std::size_t total = 0;
    for (std::size_t r = 0; r < sizes_.size(); ++r) {
      const std::size_t words = words_for(static_cast<std::size_t>(sizes_[r]));
      if (words > most_words) throw Error(Code::too_large, "too much metadata of one task for the generic interface");
      counts_[r] = static_cast<int>(words);
      total += words;
    }
    return std::max<std::size_t>(total, 1);
  }
  static Words words_of(std::span<const std::byte> bytes) {
    Words words(std::max<std::size_t>(words_for(bytes.size()), 1));
    if (!bytes.empty()) std::memcpy(words.data(), bytes.data(), bytes.size());
    return words;
  }

  static void append_message(std::vector<std::byte>& packed, const comm::Message& message) {
    comm::append(packed, std::int64_t{message.rank});
    comm::append(packed, static_cast<std::uint64_t>(message.bytes.size()));
    packed.insert(packed.end(), message.bytes.begin(), message.bytes.end());
  }
  static std::vector<comm::Message> messages_of(base::Bytes packed) {
    std::vector<comm::Message> messages;
    while (!packed.empty()) {
      const auto rank = static_cast<int>(comm::take<std::int64_t>(packed));
      const auto bytes = comm::take<std::uint64_t>(packed);
      messages.push_back({rank, {packed.begin(), packed.begin() + static_cast<std::ptrdiff_t>(bytes)}});
      packed = packed.subspan(bytes);
    }
    return messages;
  }

  std::shared_ptr<const Api> api_;
  void* group_;
  int rank_;
  int size_;
  // Allocated before anything is exchanged, because agreements must not allocate.
  Words sizes_;
  std::vector<int> counts_;
  Words gathered_;
};

class CallbackTeam final : public multifile::Team {
 public:
  CallbackTeam(std::shared_ptr<const Api> api, void* group, int rank, int size)
      : api_(std::move(api)), group_(group), all_(api_, group, rank, size) {}
  comm::Comm& all() override { return all_; }

  multifile::FileGroup form(const multifile::TaskLocation& location, bool collects) override {
    struct Group {
      Group(const std::shared_ptr<void>& group, const std::shared_ptr<const Api>& api,
            const multifile::TaskLocation& of)
          : owned(group), comm(api, group.get(), of.task, of.tasks) {}
      std::shared_ptr<void> owned;
      CallbackComm comm;
    };
    return comm::agree(all_, [&] {
      const std::shared_ptr<void> owned = form_group(location);
      const auto made = std::make_shared<Group>(owned, api_, location);
      multifile::FileGroup group;
      group.comm = {made, &made->comm};
      if (collects) group.exchange = make_callback_exchange(api_, owned, location.task);
      return group;
    });
  }

  bool may_collect() const override {
    constexpr int only_sender = 51, none = 52;
    if (api_->capability == nullptr) return true;
    const int capability = api_->capability(group_);
    return capability != only_sender && capability != none;
  }
  bool can_keep_copies() const override { return api_->gather_execute != nullptr && api_->execute_scatter != nullptr; }
  std::unique_ptr<multifile::BuddyExchange> make_buddy_exchange(const multifile::BuddyNeighbours& neighbours) override {
    return comm::agree(all_, [&] {
      return std::make_unique<CallbackBuddyExchange>(
          api_, neighbours, [this](const multifile::TaskLocation& location) { return form_group(location); });
    });
  }

 private:
  // Collective over all tasks, each with its own location.
  std::shared_ptr<void> form_group(const multifile::TaskLocation& location) const {
    void* local = nullptr;
    const int rc = api_->create_group(&local, group_, all_.rank(), all_.size(), location.task, location.tasks,
                                      location.file, location.files);
    if (rc != SION_STD_SUCCESS) {
      throw Error(Code::communication,
                  fmt::format("API {}: the callback for local groups failed with {}", api_->name, rc));
    }
    return {local, [api = api_](void* group) { api->free_group(group); }};
  }

  std::shared_ptr<const Api> api_;
  void* group_;
  CallbackComm all_;
};

}  // namespace

std::shared_ptr<multifile::Team> make_callback_team(std::shared_ptr<const Api> api, void* group, int rank, int size) {
  return std::make_shared<CallbackTeam>(std::move(api), group, rank, size);
}

std::shared_ptr<comm::Comm> make_callback_comm(std::shared_ptr<const Api> api, void* group, int rank, int size) {
  return std::make_shared<CallbackComm>(std::move(api), group, rank, size);
}

}  // namespace lq::compat::sion
