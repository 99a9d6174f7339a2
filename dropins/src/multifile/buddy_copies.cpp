// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The first task of each group writes for the tasks of another one.
#include "multifile/buddy_copies.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/error.hpp"
#include "comm/agree.hpp"
#include "comm/tree.hpp"
#include "comm/wire.hpp"
#include "format/sion/geometry.hpp"
#include "multifile/metadata.hpp"

namespace lq::multifile {
namespace {

// The group `distance` before a group, cyclically.
std::int32_t group_before(std::int32_t group, std::int32_t distance, std::int32_t groups) {
  return ((group - distance) % groups + groups) % groups;
}

std::vector<std::byte> bytes_of(base::Bytes bytes) { return {bytes.begin(), bytes.end()}; }

// Tasks of a physical file, and the rank of the first of them.
struct Group {
  std::int32_t first = 0, tasks = 0;
};

}  // namespace

BuddyCopies::BuddyCopies(std::shared_ptr<Team> team, std::shared_ptr<comm::Comm> group, const Creation& request,
                         std::int32_t block_size)
    : team_(std::move(team)),
      all_(team_, &team_->all()),
      group_(std::move(group)),
      location_(request.location),
      path_(request.path),
      names_(request.copy_names),
      block_size_(block_size),
      levels_(static_cast<std::size_t>(request.mode.buddies)) {}

void BuddyCopies::create(const Creation& request) {
  const Client mine{request.chunk_bytes, request.rank, all_->rank()};
  std::vector<Client> own;
  comm::agree(*all_, [&] {
    comm::gather_records(*group_, std::span(&mine, 1), 0, [&](const Client& task) { own.push_back(task); });
  });
  find_neighbours();
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    Level& level = levels_[i];
    create_level(level, static_cast<std::int32_t>(i), own, request);
    level.exchange = team_->make_buddy_exchange(level.neighbours);
  }
}

// Collective. Which groups keep which copies at each level, as far as this task is concerned.
void BuddyCopies::find_neighbours() {
  const format::sion::Place here{location_.file, location_.task};
  std::vector<format::sion::Place> places;
  std::vector<Group> groups;
  comm::agree(*all_, [&] {
    comm::gather_records(*all_, std::span(&here, 1), 0,
                         [&](const format::sion::Place& place) { places.push_back(place); });
    if (!places.empty()) groups.resize(static_cast<std::size_t>(location_.files));
    for (std::size_t rank = 0; rank < places.size(); ++rank) {
      Group& group = groups[static_cast<std::size_t>(places[rank].file)];
      ++group.tasks;
      if (places[rank].task == 0) group.first = static_cast<std::int32_t>(rank);
    }
  });
  const auto levels = static_cast<std::int32_t>(levels_.size());
  comm::agree(*all_, [&] {
    const auto answer = all_->scatter_parts(
        [&](int rank) {
          const format::sion::Place place = places[static_cast<std::size_t>(rank)];
          std::vector<std::byte> bytes;
          for (std::int32_t distance = 1; distance <= levels; ++distance) {
            comm::append(bytes, groups[static_cast<std::size_t>(group_before(place.file, distance, location_.files))]);
            comm::append(bytes, groups[static_cast<std::size_t>(group_before(place.file, -distance, location_.files))]);
          }
          return bytes;
        },
        0);
    if (answer.empty()) return;  // rank 0 reports the reason
    base::Bytes bytes = answer;
    for (std::int32_t level = 0; level < levels; ++level) {
      const auto keeper = comm::take<Group>(bytes);
      const auto client = comm::take<Group>(bytes);
      levels_[static_cast<std::size_t>(level)].neighbours = {location_,    level + 1,    keeper.first,
                                                             keeper.tasks, client.tasks, {}};
    }
  });
}

void BuddyCopies::create_level(Level& level, std::int32_t number, const std::vector<Client>& own,
                               const Creation& request) {
  const auto arrived = comm::exchange_messages(*all_, [&] {
    std::vector<comm::Message> outgoing;
    if (is_first()) outgoing.push_back({level.neighbours.keeper, bytes_of(std::as_bytes(std::span(own)))});
    return outgoing;
  });
  std::vector<std::vector<std::byte>> parts;
  const auto answers =
      comm::exchange_messages(*all_, [&] { return make_layout(level, number, own, arrived, request); });
  comm::agree(*all_, [&] {
    std::exception_ptr failure;
    base::keep_failure(failure, [&] {
      for (const comm::Message& message : answers) {
        base::Bytes bytes = message.bytes;
        while (!bytes.empty()) {
          parts.push_back(comm::to_bytes(comm::take<format::sion::ChunkPlaces>(bytes)));
          comm::append(parts.back(), comm::take<format::sion::Place>(bytes));
        }
      }
    });
    const auto mine = group_->scatter_parts(
        [&](int task) {
          if (failure) std::rethrow_exception(failure);
          return std::move(parts[static_cast<std::size_t>(task)]);
        },
        0);
    if (mine.empty()) return;  // the first task reports the reason
    base::Bytes bytes = mine;
    level.stream = LogicalFile(comm::take<format::sion::ChunkPlaces>(bytes));
    level.place = comm::take<format::sion::Place>(bytes);
  });
}

// On the first task of each group, which keeps the copy that `arrived` requests.
std::vector<comm::Message> BuddyCopies::make_layout(Level& level, std::int32_t number, const std::vector<Client>& own,
                                                    const std::vector<comm::Message>& arrived,
                                                    const Creation& request) {
  if (!is_first()) return {};
  level.clients = comm::take_all<Client>(arrived.at(0).bytes);
  Facts facts = facts_for_writing(request.path, request.mode);
  facts.block_size = block_size_;
  facts.files = location_.files;
  facts.file_number = group_before(location_.file, -(number + 1), location_.files);
  format::sion::Head head = head_of(facts);
  std::vector<std::int64_t> chunks(own.size(), 0);
  for (const Client& task : own) head.ranks.push_back(-(task.rank + 1));
  for (const Client& client : level.clients) {
    head.ranks.push_back(client.rank);
    chunks.push_back(client.chunk_bytes);
    level.neighbours.clients.push_back(static_cast<int>(client.place));
  }
  head.tasks = static_cast<std::int32_t>(chunks.size());
  const std::int64_t asked_for =
      request.mode.collectors.on ? request.mode.collectors.tasks_each_of(head.tasks) : head.tasks;
  head.widths = format::sion::collective_widths(chunks, block_size_,
                                                format::sion::collector_groups(chunks, block_size_, asked_for));
  const std::string path = format::sion::copy_name(path_, number, head.file_number, names_);
  level.metadata = std::make_unique<multifile::MetadataWriter>(request.opener.create(path));
  const format::sion::Geometry geometry = level.metadata->write_head(head);
  level.channel = request.opener.with(request.mode).open(path, Direction::write);

  level.file = head.file_number;
  comm::Message answer{arrived.at(0).rank, {}};
  for (auto task = static_cast<std::int32_t>(own.size()); task < head.tasks; ++task) {
    comm::append(answer.bytes, geometry.places(task));
    comm::append(answer.bytes, format::sion::Place{head.file_number, task});
  }
  return {answer};
}

void BuddyCopies::write(base::Bytes bytes) {
  for (Level& level : levels_) {
    FileExtent mine;
    LogicalFile& stream = level.stream;
    base::keep_failure(failure_, [&] {
      if (bytes.size() > stream.width()) {
        throw Error(Code::too_large, fmt::format("{} bytes do not fit into the {} of a chunk of the copy", bytes.size(),
                                                 stream.width()));
      }
      if (bytes.size() > stream.room()) stream.append_chunk();
      mine = {static_cast<std::int64_t>(stream.offset()), static_cast<std::int64_t>(bytes.size())};
    });
    const auto write = [&](const FileExtent& piece, base::Bytes data) {
      level.channel->write_at(static_cast<std::uint64_t>(piece.offset), data);
    };
    level.exchange->pass(mine, bytes, write, failure_);
    stream.advance(mine.offset < 0 ? 0 : bytes.size());
    stream.mark_filled();
  }
}

std::vector<BuddyCopies::Copy> BuddyCopies::copies() const {
  std::vector<Copy> all;
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    const auto number = static_cast<std::int32_t>(i);
    const std::int32_t kept = group_before(location_.file, -(number + 1), location_.files);
    all.push_back({format::sion::copy_name(path_, number, location_.file, names_), levels_[i].stream.size(),
                   format::sion::copy_name(path_, number, kept, names_)});
  }
  return all;
}

void BuddyCopies::close() {
  comm::agree(*all_, [&] {
    for (Level& level : levels_) {
      if (level.channel) level.channel->close();
    }
    if (failure_) std::rethrow_exception(failure_);
  });
  for (Level& level : levels_) close_level(level);
}

void BuddyCopies::close_level(Level& level) {
  // Filled bytes of the clients: sent by their first task to the keeper, each preceded by the number of chunks.
  const auto arrived = comm::exchange_messages(*all_, [&] {
    std::vector<comm::Message> outgoing;
    const auto gathered = group_->gather(std::as_bytes(std::span(level.stream.used())), 0);
    if (is_first()) outgoing.push_back({level.neighbours.keeper, {}});
    for (const auto& used : gathered) {
      comm::append(outgoing[0].bytes, static_cast<std::uint64_t>(used.size() / sizeof(std::int64_t)));
      outgoing[0].bytes.insert(outgoing[0].bytes.end(), used.begin(), used.end());
    }
    return outgoing;
  });
  const bool keeps_first = is_first() && level.file == 0;
  std::uint64_t root =
      keeps_first ? static_cast<std::uint64_t>(all_->rank()) : std::numeric_limits<std::uint64_t>::max();
  all_->all_reduce(std::span(&root, 1), comm::Reduce::min);
  comm::agree(*all_, [&] {
    const auto places = all_->gather(std::as_bytes(std::span(&level.place, 1)), static_cast<int>(root));
    if (is_first()) write_tables(level, arrived, places);
  });
}

void BuddyCopies::write_tables(Level& level, const std::vector<comm::Message>& arrived,
                               const std::vector<std::vector<std::byte>>& places) {
  std::vector<std::vector<std::int64_t>> filled(static_cast<std::size_t>(group_->size()), {0});  // placeholders
  base::Bytes bytes = arrived.at(0).bytes;
  while (!bytes.empty()) {
    const auto chunks = comm::take<std::uint64_t>(bytes);
    filled.push_back(comm::take_all<std::int64_t>(bytes, chunks));
  }
  format::sion::Tail tail{format::sion::ChunkTable::of(filled), std::nullopt};
  if (level.file == 0) {
    tail.map.emplace();
    for (const auto& place : places) tail.map->push_back(comm::from_bytes<format::sion::Place>(place));
  }
  level.metadata->write_tail(tail);
}

// Reading: the servers are assigned once, at the open.

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
                fmt::format("{}: another task reads this file for this one; use collective reads", path_));
  }
  std::string path_;
};

}  // namespace

std::unique_ptr<Channel> make_remote_channel(std::string path) {
  return std::make_unique<RemoteChannel>(std::move(path));
}

std::vector<comm::StatedArgument> BuddyService::prepare(const TaskLocation& location) {
  require_path(request_.path);
  if (location.files < 1 || location.files > all_->size() || location.file < 0 || location.file >= location.files) {
    throw Error(
        Code::invalid_argument,
        fmt::format("{}: group {} of {}, of {} tasks in total: this is impossible; to read with buddies, give the "
                    "groups that wrote the multifile",
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

// The levels and files that this task can read; only the first of each group searches.
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
      } catch (const Error&) {  // another task may have it
      }
    }
  }
  return found;
}

// On rank 0: for each file the lowest level, on the lowest rank that has it.
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
  refuse(Code::not_found, path_of(-1, file),
         fmt::format("no task can read file {} of {} or a copy of it; restore one of them", file, servers_.size()));
}

// On servers: descriptions for each task of the files that are served here.
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
