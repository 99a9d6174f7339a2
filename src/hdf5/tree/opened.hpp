// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A file opened for reading, after its superblock was looked at.
#pragma once

#include <string>

#include "hdf5/driver/driver.hpp"
#include "hdf5/headers/superblock.hpp"

namespace lq::hdf5 {

// The library is locked while it lives.
class Opened {
 public:
  // Throws what read_superblock() throws, and malformed where the library refuses the file.
  explicit Opened(base::ByteSource& source);

  const std::string& path() const noexcept { return image_.path(); }
  base::ByteSource& source() const noexcept { return source_; }
  hid_t id() const noexcept { return file_.get(); }
  const Superblock& superblock() const noexcept { return superblock_; }
  std::uint64_t bytes() const { return image_.size(); }
  // malformed: the header of an object says what the library would not survive. `address` in the file.
  void require_sound(std::uint64_t address) const;
  Where where(std::string object) const { return {image_.path(), std::move(object)}; }

 private:
  Lock lock_;
  base::ByteSource& source_;
  Superblock superblock_;
  Image image_;
  Handle file_;
};

}  // namespace lq::hdf5
