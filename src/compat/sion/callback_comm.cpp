// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The operations of a group out of broadcast, gather and scatter. Everything travels as 64-bit integers, which every
// API knows.
#include "compat/sion/callback_comm.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "comm/wire.hpp"
#include "compat/sion/callback_courier.hpp"
#include "compat/sion/callback_relay.hpp"
#include "multifile/reduce.hpp"

namespace lq::compat::sion {
namespace {

using Parts = std::vector<std::vector<std::byte>>;
using Words = std::vector<sion_int64>;

constexpr std::size_t most_words = 1U << 27;  // of one message

std::size_t words_for(std::size_t bytes) noexcept { return (bytes + sizeof(sion_int64) - 1) / sizeof(sion_int64); }

class CallbackComm final : public comm::Comm {
 public:
  CallbackComm(std::shared_ptr<const Api> api, void* group, int rank, int size)
      : api_(std::move(api)), group_(group), rank_(rank), size_(size) {}

  int rank() const noexcept override { return rank_; }
  int size() const noexcept override { return size_; }
  void barrier() override { check(api_->barrier(group_), "barrier"); }

  void broadcast(std::span<std::byte> data, int root) override {
    for (std::size_t first = 0; first < data.size(); first += most_words * sizeof(sion_int64)) {
      const auto part = data.subspan(first, std::min(data.size() - first, most_words * sizeof(sion_int64)));
      Words words(words_for(part.size()));
      std::memcpy(words.data(), part.data(), part.size());
      check(api_->broadcast(words.data(), group_, _SION_INT64, static_cast<int>(words.size()), root), "broadcast");
      std::memcpy(part.data(), words.data(), part.size());
    }
  }

  void all_reduce(std::span<std::uint64_t> values, comm::Reduce operation) override {
    const auto parts = gather(std::as_bytes(values), 0);
    for (std::size_t r = 1; r < parts.size(); ++r) {
      const auto theirs = comm::take_all<std::uint64_t>(parts[r]);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = multifile::combine(values[i], theirs[i], operation);
    }
    broadcast(std::as_writable_bytes(values), 0);
  }

  // What the caller's functions gather is there at once.
  void gather_pieces(std::span<const std::byte> mine, int root, const Sink& sink) override {
    const bool is_root = rank_ == root;
    sion_int64 bytes = static_cast<sion_int64>(mine.size());
    Words sizes(is_root ? static_cast<std::size_t>(size_) : 0);
    check(api_->gather(&bytes, sizes.data(), group_, _SION_INT64, 1, root), "gather");
    std::vector<int> counts = counts_of(sizes);
    Words sent = words_of(mine);
    Words received(total(counts));
    check(api_->gather_many(sent.data(), received.data(), group_, _SION_INT64, counts.data(),
                            static_cast<int>(words_for(mine.size())), root),
          "gather of parts");
    const auto all = std::as_bytes(std::span(received));
    const auto pass = [&](std::size_t first, std::size_t last) {
      std::size_t place = 0;
      for (std::size_t r = 0; r < last; ++r) {
        if (r >= first && sizes[r] > 0)
          sink(all.subspan(place * sizeof(sion_int64), static_cast<std::size_t>(sizes[r])));
        place += static_cast<std::size_t>(counts[r]);
      }
    };
    if (!is_root) return;
    pass(static_cast<std::size_t>(root), sizes.size());
    pass(0, static_cast<std::size_t>(root));
  }

  std::vector<std::byte> scatter_parts(const PartOf& part_of, int root) override {
    Words sizes, sent;
    std::exception_ptr failure;
    for (int r = 0; rank_ == root && r < size_; ++r) {
      std::vector<std::byte> part;
      try {
        if (!failure) part = part_of(r);
      } catch (...) {
        failure = std::current_exception();
      }
      sizes.push_back(static_cast<sion_int64>(part.size()));
      const Words words = words_of(part);
      sent.insert(sent.end(), words.begin(), words.begin() + static_cast<std::ptrdiff_t>(words_for(part.size())));
    }
    sion_int64 bytes = 0;
    check(api_->scatter(sizes.data(), &bytes, group_, _SION_INT64, 1, root), "scatter");
    std::vector<int> counts = counts_of(sizes);
    sent.resize(std::max<std::size_t>(sent.size(), 1));
    const std::size_t mine = words_for(static_cast<std::size_t>(bytes));
    Words received(std::max<std::size_t>(mine, 1));
    check(api_->scatter_many(received.data(), sent.data(), group_, _SION_INT64, counts.data(), static_cast<int>(mine),
                             root),
          "scatter of parts");
    if (failure) std::rethrow_exception(failure);
    const auto* const begin = reinterpret_cast<const std::byte*>(received.data());
    return {begin, begin + bytes};
  }

  // Through the root, for there is nothing else.
  std::vector<comm::Message> all_to_all(std::vector<comm::Message> outgoing) override {
    std::vector<std::byte> packed;
    for (const comm::Message& message : outgoing) append_message(packed, message);
    const Parts gathered = gather(packed, 0);
    Parts sorted(gathered.empty() ? 0 : static_cast<std::size_t>(size_));
    for (std::size_t r = 0; r < gathered.size(); ++r) {
      for (const comm::Message& message : messages_of(gathered[r])) {
        append_message(sorted.at(static_cast<std::size_t>(message.rank)), {static_cast<int>(r), message.bytes});
      }
    }
    return messages_of(scatter(sorted, 0));
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

  static std::vector<int> counts_of(const Words& sizes) {
    std::vector<int> counts;
    for (const sion_int64 bytes : sizes) {
      const std::size_t words = words_for(static_cast<std::size_t>(bytes));
      if (words > most_words) throw Error(Code::too_large, "too much metadata of one task for the generic interface");
      counts.push_back(static_cast<int>(words));
    }
    if (counts.empty()) counts.push_back(0);
    return counts;
  }
  static std::size_t total(const std::vector<int>& counts) {
    std::size_t words = 0;
    for (const int count : counts) words += static_cast<std::size_t>(count);
    return std::max<std::size_t>(words, 1);
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
};

class CallbackTeam final : public multifile::Team {
 public:
  CallbackTeam(std::shared_ptr<const Api> api, void* group, int rank, int size)
      : api_(std::move(api)), group_(group), all_(api_, group, rank, size) {}
  comm::Comm& all() override { return all_; }

  multifile::FileGroup form(const multifile::Seat& seat) override {
    const std::shared_ptr<void> owned = form_group(seat);
    struct Group {
      Group(const std::shared_ptr<void>& group, const std::shared_ptr<const Api>& api, const multifile::Seat& of)
          : owned(group), comm(api, group.get(), of.task, of.tasks) {}
      std::shared_ptr<void> owned;
      CallbackComm comm;
    };
    const auto made = std::make_shared<Group>(owned, api_, seat);
    multifile::FileGroup group;
    group.comm = {made, &made->comm};
    group.courier = make_callback_courier(api_, owned, seat.task);
    return group;
  }

  bool may_collect() const override {
    constexpr int only_sender = 51, none = 52;
    if (api_->capability == nullptr) return true;
    const int capability = api_->capability(group_);
    return capability != only_sender && capability != none;
  }
  bool can_relay() const override { return api_->gather_execute != nullptr && api_->execute_scatter != nullptr; }
  std::unique_ptr<multifile::Relay> make_relay(const multifile::Vicinity& vicinity) override {
    return make_callback_relay(api_, vicinity, [this](const multifile::Seat& seat) { return form_group(seat); });
  }

 private:
  // Collective over all tasks, each with a seat of its own.
  std::shared_ptr<void> form_group(const multifile::Seat& seat) const {
    void* local = nullptr;
    const int rc =
        api_->create_group(&local, group_, all_.rank(), all_.size(), seat.task, seat.tasks, seat.file, seat.files);
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
