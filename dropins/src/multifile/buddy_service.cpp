// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Who serves what is decided once, at the open.
#include "multifile/buddy_copies.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/error.hpp"
#include "comm/agree.hpp"
#include "multifile/metadata.hpp"

namespace lq::multifile {
namespace {

constexpr std::size_t round_bytes = 4U << 20;  // of each task at a time

class RemoteChannel final : public Channel {
 public:
  explicit RemoteChannel(std::string path) : path_(std::move(path)) {}
  const std::string& path() const noexcept override { return path_; }
  void write_at(std::uint64_t, base::Bytes) override { refuse(); }
  std::size_t read_at(std::uint64_t, base::MutableBytes) override { refuse(); }
  void flush() override {}
  void close() override {}

 private:
  [[noreturn]] void refuse() const {
    throw Error(Code::wrong_state,
                fmt::format("{}: another task reads this file for us; read it with collective calls", path_));
  }
  std::string path_;
};

}  // namespace

std::unique_ptr<Channel> make_remote_channel(std::string path) {
  return std::make_unique<RemoteChannel>(std::move(path));
}

std::vector<comm::Stated> BuddyService::prepare(const TaskLocation& location) {
  require_path(request_.path);
  if (location.files < 1 || location.files > all_->size() || location.file < 0 || location.file >= location.files) {
    throw Error(Code::invalid_argument,
                fmt::format("{}: group {} of {}, of {} tasks in all: that cannot be; to read with buddies, give the "
                            "groups that have written",
                            request_.path, location.file, location.files, all_->size()));
  }
  servers_.resize(static_cast<std::size_t>(location.files));
  return stated_request(request_.path, request_.mode, 0, location.files);
}

void BuddyService::find_servers(const TaskLocation& location) {
  comm::agree(*all_, [&] {
    std::exception_ptr failure;
    std::vector<std::byte> mine;
    std::vector<std::vector<std::byte>> found;
    base::keep_failure(failure, [&] { mine = describe_copies(location); });
    base::keep_failure(failure, [&] { found = all_->gather(mine, 0); });
    if (failure) std::rethrow_exception(failure);
    if (all_->rank() == 0) choose_servers(found);
  });
  all_->broadcast(std::as_writable_bytes(std::span(servers_)), 0);
}

std::string BuddyService::path_of(std::int32_t level, std::int32_t file) const {
  if (level >= 0) return format::sion::copy_name(request_.path, level, file, request_.copy_names);
  return multifile::path_of(request_.names, request_.path, file);
}

// The levels and files that this task can read; only the first of each group looks.
std::vector<std::byte> BuddyService::describe_copies(const TaskLocation& location) const {
  std::vector<std::byte> found;
  if (location.task != 0) return found;
  for (std::int32_t level = -1; level < request_.mode.buddies; ++level) {
    for (std::int32_t file = 0; file < location.files; ++file) {
      try {
        const auto physical = request_.opener.transport->open_read(path_of(level, file));
        const format::sion::Head head = format::sion::read_head(*physical);
        const bool belongs = head.is_closed() && head.files == location.files && head.file_number == file;
        if (belongs) comm::append(found, format::sion::Place{level, file});
      } catch (const Error&) {  // somebody else may have it
      }
    }
  }
  return found;
}

// On rank 0: of each file the lowest level, on the lowest rank that has it.
void BuddyService::choose_servers(const std::vector<std::vector<std::byte>>& found) {
  for (std::size_t rank = 0; rank < found.size(); ++rank) {
    for (const auto& place : comm::take_all<format::sion::Place>(found[rank])) {
      Server& server = servers_[static_cast<std::size_t>(place.task)];
      if (server.rank >= 0 && server.level <= place.file) continue;
      server = {static_cast<std::int32_t>(rank), place.file};
    }
  }
  const auto missing = std::ranges::find_if(servers_, [](const Server& server) { return server.rank < 0; });
  if (missing == servers_.end()) return;
  const auto file = static_cast<std::int32_t>(missing - servers_.begin());
  ErrorFacts facts;
  facts.path = path_of(-1, file);
  throw Error(Code::not_found,
              fmt::format("{}: neither file {} of {} nor a copy of it can be read by anybody; restore one of them",
                          facts.path, file, servers_.size()),
              facts);
}

// On servers: to each task of the files that are served here.
std::vector<comm::Message> BuddyService::describe() {
  std::map<int, std::vector<std::byte>> by_rank;
  for (std::size_t f = 0; f < servers_.size(); ++f) {
    if (servers_[f].rank != all_->rank()) continue;
    const auto file = static_cast<std::int32_t>(f);
    const multifile::Metadata metadata =
        multifile::read_metadata(*request_.opener.transport, path_of(servers_[f].level, file));
    const format::sion::Head& head = metadata.head;
    Opener opener = request_.opener;
    opener.access = Access::descriptors;
    served_[file] = opener.open(metadata.path, Direction::read);
    for (std::int32_t task = 0; task < head.tasks; ++task) {
      const std::int64_t rank = head.ranks[static_cast<std::size_t>(task)];
      if (rank < 0) continue;
      if (rank >= all_->size() || by_rank.contains(static_cast<int>(rank))) {
        throw Error(Code::invalid_argument,
                    fmt::format("{}: has data of global rank {}, which is not one of the {} tasks that read, or has "
                                "two of it",
                                metadata.path, rank, all_->size()));
      }
      std::vector<std::byte>& bytes = by_rank[static_cast<int>(rank)];
      comm::append(bytes, servers_[f].level);
      append_description(bytes, head, metadata.geometry, file, task, rank, metadata.tail.table.used(task));
    }
  }
  std::vector<comm::Message> messages;
  for (auto& [rank, bytes] : by_rank) messages.push_back({rank, std::move(bytes)});
  return messages;
}

BuddyService::Share BuddyService::find_share() {
  const auto arrived = comm::exchange_messages(*all_, [&] { return describe(); });
  return comm::agree(*all_, [&] {
    if (arrived.size() != 1) {
      throw Error(Code::invalid_argument,
                  fmt::format("{}: {} of its files have data of task {}; it was written by another number of tasks",
                              request_.path, arrived.size(), all_->rank()));
    }
    base::Bytes bytes = arrived[0].bytes;
    const auto level = comm::take<std::int32_t>(bytes);
    const auto found = comm::from_bytes<Description>(bytes);
    file_ = found.file;
    return Share{
        {found.file, found.files, found.number, found.tasks}, path_of(level, found.file), {bytes.begin(), bytes.end()}};
  });
}

void BuddyService::read(std::uint64_t offset, base::MutableBytes buffer) {
  std::uint64_t most = buffer.size();
  all_->all_reduce(std::span(&most, 1), comm::Reduce::max);
  for (std::uint64_t done = 0; done < most; done += round_bytes) {
    const std::uint64_t from = std::min<std::uint64_t>(done, buffer.size());
    read_round(offset + from, buffer.subspan(from, std::min(round_bytes, buffer.size() - from)));
  }
}

void BuddyService::read_round(std::uint64_t offset, base::MutableBytes buffer) {
  const Wanted wanted{static_cast<std::int64_t>(offset), static_cast<std::int64_t>(buffer.size()), file_, 0};
  const auto asked = comm::exchange_messages(*all_, [&] {
    std::vector<comm::Message> questions;
    if (!buffer.empty()) {
      questions.push_back({servers_[static_cast<std::size_t>(file_)].rank, comm::to_bytes(wanted)});
    }
    return questions;
  });
  const auto answers = comm::exchange_messages(*all_, [&] {
    std::vector<comm::Message> read;
    for (const comm::Message& message : asked) {
      const auto theirs = comm::from_bytes<Wanted>(message.bytes);
      comm::Message& answer = read.emplace_back(comm::Message{message.rank, {}});
      answer.bytes.resize(static_cast<std::size_t>(theirs.bytes));
      Channel& channel = *served_.at(theirs.file);
      if (channel.read_at(static_cast<std::uint64_t>(theirs.offset), answer.bytes) == answer.bytes.size()) continue;
      throw Error(Code::truncated, channel.path() + ": ends inside a chunk; it was cut short: restore it from a copy");
    }
    return read;
  });
  for (const comm::Message& message : answers) {
    std::ranges::copy(message.bytes, buffer.begin());
  }
}

}  // namespace lq::multifile
