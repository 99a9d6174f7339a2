// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// QIO's part files have the sites of a field among them, and each has headers of its own. What the SciDAC file of the
// whole field has around its sites is its frame: with it they are a file like others.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <limequat/partition.hpp>

#include "transport/forwarding.hpp"

namespace lq::staging {

struct Frame {
  std::string before = {}, behind = {};

  bool is_empty() const noexcept { return before.empty() && behind.empty(); }
  // The file that part files make with it.
  PartitionedFile around(PartitionedFile parts) const;
};

// Of a file as partitioned_file() gives it; empty where that is no set of part files. unsupported: there are several
// fields in them.
Frame frame_of(const PartitionedFile& file);

// The sites with their frame; for reading.
class FramedFile final : public transport::ForwardingFile {
 public:
  FramedFile(std::unique_ptr<transport::File> sites, Frame frame)
      : ForwardingFile(std::move(sites)), frame_(std::move(frame)) {}
  transport::Identity identity() const override;
  std::uint64_t size() const override { return frame_.before.size() + inner().size() + frame_.behind.size(); }
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override;
  std::uint64_t next_data(std::uint64_t offset) const override { return std::min(offset, size()); }

 private:
  Frame frame_;
};

}  // namespace lq::staging
