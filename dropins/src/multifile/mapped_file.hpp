// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A multifile whose tasks are distributed over processes in any way: each writes, or reads, those that it names. The
// metadata of physical file f are handled by process f modulo their number, so that every process knows
// which one to ask.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/wire.hpp"
#include "format/sion/tail.hpp"
#include "multifile/metadata.hpp"
#include "multifile/multifile.hpp"
#include "multifile/request.hpp"

namespace lq::multifile {

// A task that a process writes.
struct MappedTask {
  std::int64_t rank = 0;  // global
  std::int64_t chunk_bytes = 0;
  std::int32_t file = 0;
  std::int32_t number = 0;  // in that file
};

struct MappedCreation : Opening {
  std::int32_t files = 1;
  std::int32_t block_size = -1;
  std::vector<MappedTask> tasks;  // of this process; over all processes ranks are 0, 1, ... once each, and so
                                  // are the numbers in each file
};

class MappedFile final : public Multifile {
 public:
  // Collective over `all`.
  static std::unique_ptr<MappedFile> create(std::shared_ptr<comm::Comm> all, const MappedCreation& request);
  // Collective over `all`. Tasks by their global ranks, as each process names them; empty: they are distributed in
  // ranges, as evenly as possible.
  static std::unique_ptr<MappedFile> open(std::shared_ptr<comm::Comm> all, const Opening& request,
                                          std::optional<std::vector<std::int64_t>> ranks);

  void close() override;

 private:
  struct FileLayout {  // a physical file whose metadata this process handles
    format::sion::Head head;
    format::sion::Geometry geometry;
  };

  MappedFile(Facts facts, std::shared_ptr<comm::Comm> all) : Multifile(std::move(facts)), all_(std::move(all)) {}

  int keeper_of(std::int32_t file) const noexcept { return file % all_->size(); }
  // Sends each item to the keeper of its file, one message to each keeper.
  template <class Item, class FileOf>
  std::vector<comm::Message> sorted_by_keeper(const std::vector<Item>& items, const FileOf& file_of) const {
    std::map<int, std::vector<std::byte>> by_keeper;
    for (const Item& item : items) comm::append(by_keeper[keeper_of(file_of(item))], item);
    return messages_of(by_keeper);
  }
  static std::vector<comm::Message> messages_of(std::map<int, std::vector<std::byte>>& by_keeper) {
    std::vector<comm::Message> messages;
    for (auto& [keeper, bytes] : by_keeper) messages.push_back({keeper, std::move(bytes)});
    return messages;
  }

  std::vector<comm::Message> make_layout(const std::vector<comm::Message>& announced, const MappedCreation& request);
  FileLayout lay_out_file(std::int32_t file, std::vector<MappedTask>& tasks, const MappedCreation& request);
  void make_map(const std::vector<comm::Message>& announced);
  std::vector<comm::Message> describe(const std::vector<comm::Message>& wanted, const Opening& request);
  void take_descriptions(const std::vector<comm::Message>& described);
  // In the requested order.
  void put_in_order(const std::vector<format::sion::Place>& places);
  void open_data(const Opener& opener, const format::sion::NameRule& names);
  void write_tables(const std::vector<comm::Message>& filled);
  void send_ends();

  std::shared_ptr<comm::Comm> all_;
  // When writing:
  storage::Transport* transport_ = nullptr;
  format::sion::NameRule names_;
  storage::Owners owners_;
  std::map<std::int32_t, std::unique_ptr<multifile::MetadataWriter>> kept_;  // files handled by this process
  std::vector<format::sion::Place> map_;                                     // on process 0
};

}  // namespace lq::multifile
