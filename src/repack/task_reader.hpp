// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The stream of a task from first to last byte, in the byte order of this machine where that concerns the format: the
// headers of key-value records are turned, data never are.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/byte_source.hpp"
#include "format/sion/stream.hpp"

namespace lq::repack {

class TaskReader {
 public:
  // A local task of `file`; both outlive the reader. `source` is the file, opened.
  TaskReader(const format::sion::PhysicalFile& file, std::int32_t task, base::ByteSource& source);

  // Fills all of `buffer`, which must not be longer than what is left of the stream. truncated where the file ends
  // before that; malformed where records do not fit.
  void read(base::MutableBytes buffer);

 private:
  std::size_t read_raw(base::MutableBytes buffer);
  std::size_t read_record(base::MutableBytes buffer);

  const format::sion::PhysicalFile& file_;
  base::ByteSource& source_;
  format::sion::LogicalFile stream_;
  std::uint64_t position_ = 0;
  // Where headers are turned: the walk from record to record, and what is left of the present one.
  std::optional<format::sion::KeyWalker> walker_;
  std::array<std::byte, format::sion::record_header_bytes> header_{};
  std::size_t header_left_ = 0;
  std::uint64_t data_left_ = 0;
};

}  // namespace lq::repack
