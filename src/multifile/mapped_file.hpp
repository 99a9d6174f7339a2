// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A multifile whose tasks are dealt out to processes in any way: each writes, or reads, those that it names. The
// metadata of physical file f are the business of process f modulo their number, so that whoever wants something of a
// file knows whom to ask.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "format/sion/tail.hpp"
#include "multifile/multifile.hpp"
#include "multifile/parallel_file.hpp"

namespace lq::multifile {

// A task that a process writes.
struct MappedTask {
  std::int64_t rank = 0;  // global
  std::int64_t chunk_bytes = 0;
  std::int32_t file = 0;
  std::int32_t number = 0;  // in that file
};

struct MappedCreation {
  std::string path;
  Mode mode = {};
  std::int32_t files = 1;
  std::int32_t block_size = -1;
  std::vector<MappedTask> tasks;  // of this process; of all processes together ranks are 0, 1, ... once each, and so
                                  // are the numbers in each file
  format::sion::NameRule names = {};
  Opener opener = {};
};

class MappedFile final : public Multifile {
 public:
  // Collective over `all`.
  static std::unique_ptr<MappedFile> create(std::shared_ptr<comm::Comm> all, const MappedCreation& request);
  // Collective over `all`. Tasks by their global ranks, as each process names them; nothing: they are dealt out in
  // ranges, as evenly as it goes.
  static std::unique_ptr<MappedFile> open(std::shared_ptr<comm::Comm> all, const Opening& request,
                                          std::optional<std::vector<std::int64_t>> ranks);

  void close() override;

 private:
  struct Description;  // of a task, as the keeper of its file knows it
  struct Kept {        // a physical file whose metadata are this process's business, when writing
    std::unique_ptr<transport::File> metadata;
    format::sion::Head head;
  };

  MappedFile(Facts facts, std::shared_ptr<comm::Comm> all) : Multifile(std::move(facts)), all_(std::move(all)) {}

  int keeper_of(std::int32_t file) const noexcept { return file % all_->size(); }
  // Sends each item to the keeper of its file, one message to each keeper.
  template <class Item, class FileOf>
  std::vector<comm::Message> sorted_by_keeper(const std::vector<Item>& items, const FileOf& file_of) const;

  std::vector<comm::Message> lay_out(const std::vector<comm::Message>& announced, const MappedCreation& request);
  void lay_out_file(Kept& kept, std::int32_t file, std::vector<MappedTask>& tasks, const MappedCreation& request);
  void make_map(const std::vector<comm::Message>& announced);
  std::vector<comm::Message> describe(const std::vector<comm::Message>& wanted, const Opening& request);
  void take_descriptions(const std::vector<comm::Message>& described);
  // As they were asked for.
  void put_in_order(const std::vector<format::sion::Place>& places);
  void open_data(const Opener& opener, const format::sion::NameRule& names);
  void write_tables(const std::vector<comm::Message>& filled);

  std::shared_ptr<comm::Comm> all_;
  std::map<std::int32_t, Kept> kept_;     // by file
  std::vector<format::sion::Place> map_;  // on process 0, when writing
};

}  // namespace lq::multifile
