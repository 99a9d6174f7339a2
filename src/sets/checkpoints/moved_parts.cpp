// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sets/checkpoints/moved_parts.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/path.hpp"
#include "comm/agree.hpp"
#include "comm/wire.hpp"

namespace lq::sets {
namespace {

constexpr std::uint64_t piece_bytes = 4 * base::mebi;

// Sends a part in pieces, each with its file and position.
class Sender {
 public:
  explicit Sender(const SentPart& part) : part_(part) {
    const std::string path = part.directory->of(part.name);
    if (const int reason = base::names_in(path, names_); reason != 0) throw base::errno_error(path, "list it", reason);
    for (const std::string& name : names_) {
      const std::uint64_t bytes = part.directory->transport().open_read(path + "/" + name)->size();
      pieces_ += std::max<std::uint64_t>(1, (bytes + piece_bytes - 1) / piece_bytes);
    }
  }

  std::uint64_t pieces() const noexcept { return pieces_; }
  bool has_more() const noexcept { return next_ < names_.size(); }
  comm::Message take() {
    const std::string& name = names_[next_];
    if (!file_) file_ = part_.directory->transport().open_read(part_.directory->of(part_.name) + "/" + name);
    std::vector<std::byte> bytes;
    comm::append(bytes, part_.step);
    comm::append_text(bytes, name);
    comm::append(bytes, offset_);
    const std::size_t head = bytes.size();
    bytes.resize(head + static_cast<std::size_t>(piece_bytes));
    const std::size_t got = file_->read_at(offset_, base::MutableBytes(bytes).subspan(head));
    bytes.resize(head + got);
    offset_ += got;
    if (got < piece_bytes || offset_ == file_->size()) {
      file_.reset();
      offset_ = 0;
      ++next_;
    }
    return {part_.to, std::move(bytes)};
  }

 private:
  SentPart part_;
  std::vector<std::string> names_;
  std::uint64_t pieces_ = 0, offset_ = 0;
  std::size_t next_ = 0;
  std::unique_ptr<storage::File> file_;
};

class Receiver {
 public:
  explicit Receiver(const CheckpointDirectory& directory) : directory_(directory) {}

  void take(base::Bytes bytes) {
    const auto step = comm::take<std::uint64_t>(bytes);
    const std::string name = comm::take_text(bytes);
    const auto offset = comm::take<std::uint64_t>(bytes);
    if (!part_) part_.emplace(directory_, step);
    if (offset == 0) {
      close();
      file_ = part_->create(name);
    }
    file_->write_at(offset, bytes);
  }
  std::string publish() {
    close();
    return part_->publish();
  }

 private:
  void close() {
    if (!file_) return;
    file_->sync();
    file_->close();
    file_.reset();
  }

  const CheckpointDirectory& directory_;
  std::optional<UnfinishedCheckpoint> part_;
  std::unique_ptr<storage::File> file_;  // closed before the folder is removed
};

}  // namespace

std::string move_parts(comm::Comm& comm, std::span<const SentPart> sent,
                       base::FunctionRef<const CheckpointDirectory&()> into) {
  std::vector<Sender> senders;
  std::uint64_t rounds = 0;
  comm::agree(comm, [&] {
    senders.reserve(sent.size());
    for (const SentPart& one : sent) rounds = std::max(rounds, senders.emplace_back(one).pieces());
  });
  comm.all_reduce({&rounds, 1}, comm::Reduce::max);
  std::unique_ptr<Receiver> receiver;
  for (; rounds > 0; --rounds) {
    comm::exchange_messages(
        comm,
        [&] {
          std::vector<comm::Message> pieces;
          for (Sender& one : senders) {
            if (one.has_more()) pieces.push_back(one.take());
          }
          return pieces;
        },
        [&](std::vector<comm::Message> arrived) {
          for (const comm::Message& piece : arrived) {
            if (!receiver) receiver = std::make_unique<Receiver>(into());
            receiver->take(piece.bytes);
          }
        });
  }
  return comm::agree(comm, [&] { return receiver ? receiver->publish() : std::string(); });
}

}  // namespace lq::sets
