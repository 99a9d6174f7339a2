// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The original file seen through an archive, without writing it: what its format needs to find fields in it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "archive/archive.hpp"
#include "base/byte_source.hpp"

namespace lq::archive {

class RestoredSource final : public base::ByteSource {
 public:
  // What to do about a tile that cannot be decoded. Formats look at headers: what they need is there without it.
  enum class Damage { is_thrown, reads_as_zeros };
  // All of it; of a set, the bytes of its files concatenated. Both outlive the object.
  RestoredSource(base::ByteSource& file, const Archive& archive, Damage damage = Damage::is_thrown)
      : file_(file), archive_(archive), damage_(damage), size_(archive.bytes), path_(file.path()) {}
  // The file that stands for the original, beside which the others of a set are found by their names: as if the archive
  // were a folder.
  static RestoredSource first_file(base::ByteSource& file, const Archive& archive, Damage damage = Damage::is_thrown) {
    return archive.files.empty() ? RestoredSource(file, archive, damage)
                                 : RestoredSource(file, archive, damage, archive.files.front());
  }
  const std::string& path() const noexcept override { return path_; }
  std::uint64_t size() const override { return size_; }
  std::unique_ptr<base::ByteSource> open_other(const std::string& path) const override;
  // truncated, malformed, checksum_mismatch: the archive is damaged there, unless that reads as zeros.
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override;

 private:
  RestoredSource(base::ByteSource& file, const Archive& archive, Damage damage, const OriginalFile& one);
  void read(const Segment& segment, std::uint64_t within, base::MutableBytes buffer);
  void read_tile(const Segment& segment, std::size_t tile);

  base::ByteSource& file_;
  const Archive& archive_;
  Damage damage_;
  std::uint64_t begin_ = 0, size_;  // in the original
  std::string path_;
  const Segment* held_of_ = nullptr;  // the tile decoded last
  std::size_t held_tile_ = 0;
  std::vector<std::byte> held_;
};

}  // namespace lq::archive
