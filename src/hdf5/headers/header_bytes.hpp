// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Bytes of headers, which are untrusted: numbers, the parts of attributes, and the checksum of metadata.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <limequat/error.hpp>

#include "base/byte_source.hpp"

namespace lq::hdf5 {

// Reads consecutive numbers from untrusted bytes.
class Cursor {
 public:
  // `what` and `path`: for messages.
  Cursor(base::Bytes bytes, std::string_view what, const std::string& path) : bytes_(bytes), what_(what), path_(path) {}

  std::uint64_t left() const noexcept { return bytes_.size() - at_; }
  std::uint64_t at() const noexcept { return at_; }

  std::uint64_t take(std::uint64_t bytes) {
    const base::Bytes taken = skip(bytes);
    std::uint64_t number = 0;
    for (std::size_t i = taken.size(); i-- > 0;) number = number << 8 | std::to_integer<std::uint64_t>(taken[i]);
    return number;
  }
  base::Bytes skip(std::uint64_t bytes) {
    if (bytes > left()) refuse("it ends early");
    const base::Bytes taken = bytes_.subspan(at_, bytes);
    at_ += bytes;
    return taken;
  }
  // A NUL-terminated text.
  std::string_view text() {
    const std::string_view rest = base::as_text(bytes_.subspan(at_));
    const std::size_t end = rest.find('\0');
    if (end == std::string_view::npos) refuse("a name does not end");
    at_ += end + 1;
    return rest.substr(0, end);
  }
  // Aligns to a multiple of `bytes`, counted from `from`.
  void align(std::uint64_t from, std::uint64_t bytes) {
    const std::uint64_t over = (at_ - from) % bytes;
    if (over > 0) skip(bytes - over);
  }
  [[noreturn]] void refuse(std::string_view why) const {
    throw Error(Code::malformed, path_ + ": " + std::string(what_) + " is damaged: " + std::string(why),
                {.path = path_});
  }

 private:
  base::Bytes bytes_;
  std::uint64_t at_ = 0;
  std::string_view what_;
  const std::string& path_;
};

// Bytes of object headers, and the parts of attributes in them.

using HeaderBytes = std::vector<std::byte>;

// malformed: they are not inside the file, or exceed the size of a header.
HeaderBytes bytes_at(base::ByteSource& file, std::uint64_t offset, std::uint64_t bytes);

struct AttributeParts {
  base::Bytes name, type, space;  // the name with its NUL
  bool shares_type = false, shares_space = false;
};

// All parts of an attribute before its value, to which `cursor` then points.
AttributeParts take_attribute(Cursor& cursor);

// The checksum of HDF5 metadata from version 1.8 on: Bob Jenkins's hash lookup3 with initial value 0.
std::uint32_t metadata_sum(base::Bytes bytes) noexcept;

}  // namespace lq::hdf5
