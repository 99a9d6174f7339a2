// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Checks that a copy of a file is made from its actual contents: sites of fields are
// compared with the file's sums in transit; all other bytes are read twice.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/error.hpp>

#include "base/byte_source.hpp"
#include "base/bytes.hpp"
#include "base/function_ref.hpp"
#include "comm/comm.hpp"

namespace lq::io {

// True if every bit flip in the field's data changes at least one of its sums.
bool sums_see_every_bit(const FieldEntry& entry);

class SourceCheck {
 public:
  // The position of a physical file of the catalogue in the bytes in transit; empty: not included.
  using BeginOf = base::FunctionRef<std::optional<std::uint64_t>(int file)>;
  // Covers the contiguous fields of the catalogue, which must outlive the object.
  SourceCheck(const Catalog& catalog, BeginOf begin_of);
  SourceCheck(SourceCheck&&) noexcept;
  ~SourceCheck();
  // A new object for another thread.
  SourceCheck fresh() const;

  // True if everything that can be checked of the fields is compared here; for an encoded or non-contiguous field
  // an examination checks more.
  bool sees_all() const noexcept { return sees_all_; }

  // A stretch of bytes, passed in order: end() has read its last site completely. Each byte of the file is in one
  // stretch. io: bytes without a sum differed when they were read again.
  void begin(std::uint64_t offset) noexcept;
  void pass(base::ByteSource& source, base::Bytes bytes);
  void end(base::ByteSource& source);

  // Adds the results of another thread.
  void add(SourceCheck& other) noexcept;
  // Collective. Combines the results of all ranks.
  void reduce(comm::Comm& comm);
  // After all bytes have passed: an error for each field that differs from its sums.
  std::vector<Error> mismatches() const;

 private:
  struct Watched;
  explicit SourceCheck(const Catalog& catalog);

  const Catalog& catalog_;
  bool sees_all_ = true;
  std::vector<std::unique_ptr<Watched>> watched_;  // in file order, without overlaps
  std::uint64_t stretch_ = 0, at_ = 0;             // first byte of the stretch, and the next one
  Watched* cut_ = nullptr;                         // the field whose next site has passed in part
};

}  // namespace lq::io
