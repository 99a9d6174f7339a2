// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A group of ranks one of which may lose its network, and whose messages and collective operations may take their time.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include <limequat/error.hpp>

#include "comm/comm.hpp"
#include "support/held_memory.hpp"

namespace lq::testing {

// From operation `fail_at` of a rank on, counted from 0 once it is on, none begins any more; -1: never.
struct NetworkFault {
  explicit NetworkFault(std::int64_t at) : fail_at(at) {}
  void pass() {
    if (!is_on || fail_at < 0 || operations++ < fail_at) return;
    throw Error(Code::communication, "the rank has lost its network (injected fault)");
  }
  bool has_failed() const noexcept { return fail_at >= 0 && operations > fail_at; }

  std::int64_t fail_at;
  std::atomic<bool> is_on{false};
  std::atomic<std::int64_t> operations{0};
};

class TroubledComm final : public comm::Comm {
 public:
  // By how much an operation begins late, or is told of late.
  using Delay = std::function<std::chrono::microseconds()>;

  // `fault` outlives it. Without `delay` nothing is late.
  TroubledComm(std::shared_ptr<comm::Comm> inner, NetworkFault& fault, Delay delay = {})
      : inner_(std::move(inner)), fault_(fault), delay_(std::move(delay)) {}

  int rank() const noexcept override { return inner_->rank(); }
  int size() const noexcept override { return inner_->size(); }
  void barrier() override { return begin(), inner_->barrier(); }
  void broadcast(std::span<std::byte> data, int root) override { return begin(), inner_->broadcast(data, root); }
  void all_reduce(std::span<std::uint64_t> values, comm::Reduce operation) override {
    return begin(), inner_->all_reduce(values, operation);
  }
  void combine(std::span<comm::Term> terms) override { return begin(), inner_->combine(terms); }
  std::vector<comm::Message> all_to_all(std::vector<comm::Message> outgoing) override {
    return begin(), inner_->all_to_all(std::move(outgoing));
  }
  std::unique_ptr<comm::Comm> split(int colour, int key) override {
    begin();
    return troubled(inner_->split(colour, key));
  }
  std::unique_ptr<comm::Comm> split_by_node() override {
    begin();
    return troubled(inner_->split_by_node());
  }
  comm::Flight start_send(std::span<const std::byte> bytes, int to, int channel) override {
    begin();
    return late(inner_->start_send(bytes, to, channel));
  }
  comm::Flight start_receive(std::span<std::byte> bytes, int from, int channel) override {
    begin();
    return late(inner_->start_receive(bytes, from, channel));
  }

 private:
  using Clock = std::chrono::steady_clock;

  // Told of only some while after it has arrived.
  class LateFlight {
   public:
    LateFlight(comm::Flight inner, Clock::time_point due)
        : inner_(std::make_unique<comm::Flight>(std::move(inner))), due_(due) {}
    bool is_done() { return inner_->is_done() && Clock::now() >= due_; }

   private:
    std::unique_ptr<comm::Flight> inner_;
    Clock::time_point due_;
  };

  std::chrono::microseconds delay() const { return delay_ ? delay_() : std::chrono::microseconds(0); }
  void begin() {
    fault_.pass();
    if (const auto time = delay(); time.count() > 0) std::this_thread::sleep_for(time);
  }
  comm::Flight late(comm::Flight flight) {
    const auto time = delay();
    if (time.count() == 0) return flight;
    const OwnedBy network(nullptr);
    return comm::Flight(LateFlight(std::move(flight), Clock::now() + time));
  }
  std::unique_ptr<comm::Comm> troubled(std::unique_ptr<comm::Comm> group) {
    if (group == nullptr) return nullptr;
    const OwnedBy network(nullptr);
    return std::make_unique<TroubledComm>(std::shared_ptr<comm::Comm>(std::move(group)), fault_, delay_);
  }

  std::shared_ptr<comm::Comm> inner_;
  NetworkFault& fault_;
  Delay delay_;
};

}  // namespace lq::testing
