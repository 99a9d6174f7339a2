// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A channel over a stdio stream.
#pragma once

#include <optional>
#include <vector>

#include "multifile/channel.hpp"

namespace lq::multifile {

class StdioChannel final : public Channel {
 public:
  // `path` exists.
  StdioChannel(std::string path, Direction direction, std::size_t buffer_bytes);
  ~StdioChannel() override;

  const std::string& path() const noexcept override { return path_; }
  void write_at(std::uint64_t offset, base::Bytes bytes) override;
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override;
  void flush() override;
  void close() override;

  FILE* share_stream() override;
  bool is_shared() const noexcept override { return shared_ || second_ != nullptr; }
  std::uint64_t tell() override;
  void seek(std::uint64_t offset) override;
  bool use_second_stream(FILE* stream) override;
  bool forget_stream() override;
  bool set_buffer(std::size_t bytes) override;

 private:
  FILE* stream() const;
  void move_to(std::uint64_t offset);

  std::string path_;
  Direction direction_;
  FILE* own_ = nullptr;
  FILE* second_ = nullptr;  // of the caller
  bool shared_ = false;
  std::optional<std::uint64_t> position_;  // where the stream stands, as long as nobody else moves it
  std::vector<char> buffer_;
};

}  // namespace lq::multifile
