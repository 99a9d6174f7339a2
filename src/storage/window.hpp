// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One part of a logical partition of a file as a sequence of bytes, wherever its subfiles hold them: what a view reads
// and writes. For each subfile the requested bytes that it has are gathered into few requests, in ascending order.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/function_ref.hpp"
#include "storage/part_bytes.hpp"
#include "storage/subfiles.hpp"
#include "storage/transport.hpp"

namespace lq::storage {

class Window : public storage::File {
 public:
  // All bytes of the file, those around its array included.
  explicit Window(std::shared_ptr<Subfiles> subfiles);
  // invalid_argument: there is no such part, or the array reaches beyond the file.
  Window(std::shared_ptr<Subfiles> subfiles, Partition logical, std::uint64_t part);

  const Partition& logical() const noexcept { return logical_; }
  std::uint64_t part() const noexcept { return part_; }
  const std::string& path() const noexcept override { return subfiles_->file().path; }
  std::uint64_t size() const override { return size_; }
  // Any thread.
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override;
  void write_at(std::uint64_t offset, base::Bytes bytes) override;
  storage::Identity identity() const override { return identity_of(subfiles_->file()); }
  void sync() override { subfiles_->sync(); }
  void close() override { subfiles_->close(); }
  // Takes time per run. Whether another part of the same partition has elements in a subfile that this one has elements
  // in.
  bool shares_subfiles() const;
  // It has the size that its partition gives it.
  void resize(std::uint64_t) override {}
  void reserve(std::uint64_t, std::uint64_t) override {}

 private:
  struct Request;
  using Work = base::FunctionRef<void(std::size_t k, const Request& request)>;

  // For each subfile what it has of these bytes; requests bridge gaps of the given number of bytes.
  void for_each_request(std::uint64_t offset, std::uint64_t bytes, std::uint64_t gap, Work work);
  std::uint64_t file_byte(std::uint64_t position) const;

  std::shared_ptr<Subfiles> subfiles_;
  Partition logical_;
  std::uint64_t part_, size_;
};

}  // namespace lq::storage
