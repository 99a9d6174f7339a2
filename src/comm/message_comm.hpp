// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A Comm built on messages alone: for callers that can send and receive between ranks and test for completion.
// Collective operations use a binomial tree.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "comm/comm.hpp"

namespace lq::comm {

// Transfers messages between ranks. Errors are Error(communication).
class MessageTransport {
 public:
  virtual ~MessageTransport() = default;
  virtual int rank() const noexcept = 0;
  virtual int size() const noexcept = 0;
  // The same number on ranks that may share memory.
  virtual std::uint64_t node() const noexcept = 0;
  // Tags are 0 to one less than this; groups that exist at the same time need `channels` each.
  virtual int tags() const noexcept = 0;
  // As in Comm, for each tag.
  virtual Flight start_send(std::span<const std::byte> bytes, int to, int tag) = 0;
  virtual Flight start_receive(std::span<std::byte> bytes, int from, int tag) = 0;
};

// Local. A group of all ranks of the messages. Error(too_large) if it is split and no tags are left.
std::unique_ptr<Comm> make_message_comm(std::shared_ptr<MessageTransport> messages);

}  // namespace lq::comm
