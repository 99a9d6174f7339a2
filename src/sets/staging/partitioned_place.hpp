// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Presents a partitioned file as one file: its bytes are read, written and created through one name, that of its
// description, and operations on the name apply to all subfiles.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <limequat/partition.hpp>

#include "storage/forwarding.hpp"
#include "storage/transport.hpp"

namespace lq::sets {

// QIO's part files share the sites of a field, and each has its own headers. The data around the sites in a SciDAC file
// of the whole field are its frame: with it they form an ordinary file.
struct Frame {
  std::string before = {}, behind = {};

  bool is_empty() const noexcept { return before.empty() && behind.empty(); }
  // The file that the part files form with it.
  PartitionedFile around(PartitionedFile parts) const;
};

// For a file from partitioned_file(); empty if that is not a set of part files. unsupported: there are several
// fields in them.
Frame frame_of(const PartitionedFile& file);

// The sites with their frame; for reading.
class FramedFile final : public storage::ForwardingFile {
 public:
  FramedFile(std::unique_ptr<storage::File> sites, Frame frame)
      : ForwardingFile(std::move(sites)), frame_(std::move(frame)) {}
  storage::Identity identity() const override;
  std::uint64_t size() const override { return frame_.before.size() + inner().size() + frame_.behind.size(); }
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override;
  std::uint64_t next_data(std::uint64_t offset) const override { return std::min(offset, size()); }

 private:
  Frame frame_;
};

class PartitionedPlace final : public storage::Transport {
 public:
  // `source`, read with its frame, is known by its path; `target`, if it is a set, is created under the name
  // `unfinished`. Paths of subfiles are absolute; `description` is the target's as text.
  PartitionedPlace(PartitionedFile source, Frame frame, PartitionedFile target, std::string description,
                   std::string unfinished);

  std::unique_ptr<storage::File> open_read(const std::string& path) override;
  std::unique_ptr<storage::File> open_write(const std::string& path) override;
  std::unique_ptr<storage::File> create(const std::string& path, const storage::Creation& creation) override;
  void rename(const std::string& from, const std::string& to) override;
  void publish(const std::string& from, const std::string& to) override;
  // For an unfinished set also removes its subfiles.
  void remove(const std::string& path) override;
  void sync_directory(const std::string& path_of_file) override;
  void make_directory(const std::string& path) override { storage::resolve(path).make_directory(path); }
  storage::PathKind kind(const std::string& path) override;
  storage::Identity identity(const std::string& path) override;
  std::optional<std::uint64_t> free_space(const std::string& path) override;
  storage::StorageTraits unit(const std::string& path) override;
  void copy_permissions(const std::string& from, const std::string& to) override;
  void give_permissions(const std::string& from, const std::string& to) override;
  void set_modified(const std::string& path, std::int64_t nanoseconds) override;

 private:
  std::unique_ptr<storage::File> open(const std::string& path, bool writes);
  // Runs `give` for a file and, for an unfinished set, its subfiles, with their places in the transport of `from`.
  template <class Give>
  void for_each_file(const std::string& from, const std::string& to, const Give& give) const;
  bool is_new_set(const std::string& path) const { return target_.is_set && path == unfinished_; }

  PartitionedFile source_;
  Frame frame_;
  PartitionedFile target_;
  std::string description_, unfinished_;
};

}  // namespace lq::sets
