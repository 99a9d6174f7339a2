// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The physical files of a scanned file as one sequence of bytes, one file behind the other.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/byte_source.hpp"
#include "transport/transport.hpp"

namespace lq::archive {

// Any number of threads at once.
class JoinedFiles final : public base::ByteSource {
 public:
  // Local. Opens all of them.
  JoinedFiles(transport::Transport& transport, const std::vector<std::string>& paths);

  const std::string& path() const noexcept override { return files_.front().file->path(); }
  std::uint64_t size() const override { return size_; }
  // io: a file has become shorter.
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override;
  std::vector<std::uint64_t> sizes() const;
  // Local. io: one of them was written to since it was opened.
  void require_unchanged() const;

 private:
  struct One {
    std::unique_ptr<transport::File> file;
    transport::Identity identity;  // when it was opened
    std::uint64_t begin = 0;       // in the sequence
  };
  std::vector<One> files_;
  std::uint64_t size_ = 0;
};

}  // namespace lq::archive
