// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is read of a file of which another one is made, byte for byte, is what the file holds: sites of fields are
// compared with the sums that the file states of them, while they pass; all other bytes are read a second time.
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

// Whether no bit of the field's data can change without that one of its sums does.
bool sums_see_every_bit(const FieldEntry& entry);

class SourceCheck {
 public:
  // Where a physical file of the catalogue begins in the bytes that pass; nothing: it does not.
  using BeginOf = base::FunctionRef<std::optional<std::uint64_t>(int file)>;
  // Of the catalogue, which outlives the object, fields count whose sites lie in one piece.
  SourceCheck(const Catalog& catalog, BeginOf begin_of);
  SourceCheck(SourceCheck&&) noexcept;
  ~SourceCheck();
  // The same for another thread, which has seen nothing yet.
  SourceCheck fresh() const;

  // Whether all that can be told of the fields is compared here; of one that is encoded, or does not lie in one piece,
  // an examination tells more.
  bool sees_all() const noexcept { return sees_all_; }

  // A stretch of bytes, which pass in order: end() has read its last site to the end. Each byte of the file is in one
  // stretch. io: bytes without a sum came differently when they were read again.
  void begin(std::uint64_t offset) noexcept;
  void pass(base::ByteSource& source, base::Bytes bytes);
  void end(base::ByteSource& source);

  // What another thread saw.
  void add(SourceCheck& other) noexcept;
  // Collective. What all ranks saw.
  void reduce(comm::Comm& comm);
  // When all has passed: an error for each field that differs from its sums.
  std::vector<Error> mismatches() const;

 private:
  struct Watched;
  explicit SourceCheck(const Catalog& catalog);

  const Catalog& catalog_;
  bool sees_all_ = true;
  std::vector<std::unique_ptr<Watched>> watched_;  // in the order of the file, none overlaps another
  std::uint64_t stretch_ = 0, at_ = 0;             // first byte of the stretch, and the next one
  Watched* cut_ = nullptr;                         // of whose next site a part has passed
};

}  // namespace lq::io
