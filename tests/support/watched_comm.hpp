// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A group of ranks that tells before each of its collective operations which number it has, counted from 0.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "comm/comm.hpp"

namespace lq::testing {

class WatchedComm final : public comm::Comm {
 public:
  using Watch = std::function<void(std::uint64_t operation)>;

  // `inner` outlives it.
  WatchedComm(comm::Comm& inner, Watch watch) : inner_(inner), watch_(std::move(watch)) {}

  int rank() const noexcept override { return inner_.rank(); }
  int size() const noexcept override { return inner_.size(); }
  void barrier() override { return tell(), inner_.barrier(); }
  void broadcast(std::span<std::byte> data, int root) override { return tell(), inner_.broadcast(data, root); }
  void all_reduce(std::span<std::uint64_t> values, comm::Reduce operation) override {
    return tell(), inner_.all_reduce(values, operation);
  }
  void combine(std::span<comm::Term> terms) override { return tell(), inner_.combine(terms); }
  std::vector<comm::Message> all_to_all(std::vector<comm::Message> outgoing) override {
    return tell(), inner_.all_to_all(std::move(outgoing));
  }
  std::unique_ptr<comm::Comm> split(int colour, int key) override { return tell(), inner_.split(colour, key); }
  std::unique_ptr<comm::Comm> split_by_node() override { return tell(), inner_.split_by_node(); }
  comm::Flight start_send(std::span<const std::byte> bytes, int to, int channel) override {
    return inner_.start_send(bytes, to, channel);
  }
  comm::Flight start_receive(std::span<std::byte> bytes, int from, int channel) override {
    return inner_.start_receive(bytes, from, channel);
  }

 private:
  void tell() { watch_(operations_++); }

  comm::Comm& inner_;
  Watch watch_;
  std::uint64_t operations_ = 0;
};

}  // namespace lq::testing
