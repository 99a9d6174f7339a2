// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The LIME records of one file, by the node that has its headers: written contiguous, and found again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "format/lime/header.hpp"
#include "storage/transport.hpp"

namespace lq::compat::qio {

// Where a record stands in its message.
struct MessagePlace {
  bool begins = false, ends = false;
};

class RecordsOut {
 public:
  // Behind what the file holds.
  RecordsOut(storage::File& file, std::uint64_t end) : file_(file), end_(end) {}
  std::uint64_t end() const noexcept { return end_; }

  void write(std::string_view type, const MessagePlace& place, base::Bytes payload);
  // Text and the NUL after it.
  void write_text(std::string_view type, const MessagePlace& place, std::string text);
  // A header only; where the payload is to go.
  std::uint64_t begin(std::string_view type, const MessagePlace& place, std::uint64_t bytes);
  // The padding of a payload that was written by others.
  void finish();
  // What was written behind `end` is nothing; a later record takes its place.
  void go_back(std::uint64_t end) noexcept { end_ = end; }

 private:
  storage::File& file_;
  std::uint64_t end_;
  std::uint64_t open_bytes_ = 0;  // of the payload that is not finished
};

struct FoundRecord {
  std::string type;
  std::uint64_t header = 0, payload = 0, bytes = 0;
  bool begins = false, ends = false;
  std::uint64_t behind() const noexcept { return payload + bytes + format::lime::padding(bytes); }
};

class RecordsIn {
 public:
  explicit RecordsIn(storage::File& file) : file_(file), size_(file.size()) {}

  // Where the next header is.
  std::uint64_t position() const noexcept { return position_; }
  void move_to(std::uint64_t position) noexcept { position_ = position; }
  // Passes a record; nothing at the end of the file. QIO_ERR_OPEN_READ for what is none, or ends behind the file.
  std::optional<FoundRecord> next();
  // The same, moving nowhere.
  std::optional<FoundRecord> peek();
  std::string text_of(const FoundRecord& record);
  std::vector<std::byte> bytes_of(const FoundRecord& record);

 private:
  storage::File& file_;
  std::uint64_t size_, position_ = 0;
};

}  // namespace lq::compat::qio
