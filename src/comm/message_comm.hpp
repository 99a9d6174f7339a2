// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A Comm out of messages alone: for whoever can send and receive between ranks and tell whether that is done.
// Collective operations go along a binomial tree.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "comm/comm.hpp"

namespace lq::comm {

// Carries messages between ranks. Errors are Error(communication).
class MessageTransport {
 public:
  virtual ~MessageTransport() = default;
  virtual int rank() const noexcept = 0;
  virtual int size() const noexcept = 0;
  // The same number on ranks that may share memory.
  virtual std::uint64_t node() const noexcept = 0;
  // Tags are 0 to one less than this; groups that exist at the same time need `channels` each.
  virtual int tags() const noexcept = 0;
  // As those of Comm, for each tag.
  virtual Flight start_send(std::span<const std::byte> bytes, int to, int tag) = 0;
  virtual Flight start_receive(std::span<std::byte> bytes, int from, int tag) = 0;
};

// Local. All ranks of the messages. Splitting one that has no tags left is Error(too_large).
std::unique_ptr<Comm> make_message_comm(std::shared_ptr<MessageTransport> messages);

}  // namespace lq::comm
