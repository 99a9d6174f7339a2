// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Compares blocks with the sums of a sidecar while the file is read for another purpose, so that they need not be read
// again.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "protection/sidecar.hpp"
#include "storage/forwarding.hpp"

namespace lq::protection {

// The blocks of a file that agreed with their sums. Any thread.
class LQ_INNER PassedBlocks {
 public:
  explicit PassedBlocks(Cover cover);

  const Cover& cover() const noexcept { return cover_; }
  // Sets the file whose bytes pass from now on; results are valid as long as the file is the same and not written to.
  void begin(const storage::Identity& identity);
  void take(std::uint64_t offset, base::Bytes bytes);
  // True if `now` is the same file in the same state, so that the results are valid.
  bool are_of(const storage::Identity& now) const;
  bool have_agreed(std::uint64_t block) const;

 private:
  Cover cover_;
  mutable std::mutex mutex_;
  std::optional<storage::Identity> identity_;
  bool is_one_file_ = true;
  std::vector<bool> agreed_;
};

// Files of another transport; reads of one of them are checked.
class LQ_INNER PassingTransport final : public storage::ForwardingTransport {
 public:
  // `passed` outlives the object and its files.
  PassingTransport(storage::Transport& inner, std::string path, PassedBlocks& passed)
      : ForwardingTransport(inner), path_(std::move(path)), passed_(passed) {}
  std::unique_ptr<storage::File> open_read(const std::string& path) override;

 private:
  std::string path_;
  PassedBlocks& passed_;
};

}  // namespace lq::protection
