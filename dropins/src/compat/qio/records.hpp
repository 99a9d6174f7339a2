// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The LIME records of one file, on the node with its headers: written in sequence, and found again.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>

#include <qio.h>

#include <limequat/lattice.hpp>

#include "format/lime/header.hpp"
#include "storage/transport.hpp"

namespace lq::compat::qio {

// The position of a record in its message.
struct MessagePlace {
  bool begins = false, ends = false;
};

class RecordsOut {
 public:
  // After the existing contents.
  RecordsOut(storage::File& file, std::uint64_t end) : file_(file), end_(end) {}
  std::uint64_t end() const noexcept { return end_; }

  void write(std::string_view type, const MessagePlace& place, base::Bytes payload);
  // Text and the NUL after it.
  void write_text(std::string_view type, const MessagePlace& place, std::string text);
  // Writes only the header; returns the position of the payload.
  std::uint64_t begin(std::string_view type, const MessagePlace& place, std::uint64_t bytes);
  // The padding of a payload that was written by others.
  void finish();
  // Discards data after `end`; a later record replaces them.
  void go_back(std::uint64_t end) noexcept { end_ = end; }

 private:
  storage::File& file_;
  std::uint64_t end_;
  std::uint64_t open_bytes_ = 0;  // of the unfinished payload
};

struct FoundRecord {
  std::string type;
  std::uint64_t header = 0, payload = 0, bytes = 0;
  bool begins = false, ends = false;
  std::uint64_t behind() const noexcept { return payload + bytes + format::lime::padding(bytes); }
  bool is_data() const noexcept { return type == QIO_LIMETYPE_BINARY_DATA || type == QIO_LIMETYPE_ILDG_BINARY_DATA; }
};
// QIO_ERR_BAD_READ_BYTES: its length is not that of this number of sites.
void require_sites(const FoundRecord& record, const std::string& path, std::uint64_t sites, std::uint64_t site_bytes);

class RecordsIn {
 public:
  explicit RecordsIn(storage::File& file) : file_(file), size_(file.size()) {}

  // Position of the next header.
  std::uint64_t position() const noexcept { return position_; }
  void move_to(std::uint64_t position) noexcept { position_ = position; }
  // Skips a record; empty at the end of the file. QIO_ERR_OPEN_READ for anything else, or if it ends after the file.
  std::optional<FoundRecord> next();
  // The same without moving.
  std::optional<FoundRecord> peek();
  std::string text_of(const FoundRecord& record);
  std::vector<std::byte> bytes_of(const FoundRecord& record);

 private:
  storage::File& file_;
  std::uint64_t size_, position_ = 0;
};

// Texts of records from QIO's structures, and the records of a gauge field in ILDG style.

inline std::string text_of(const QIO_String* text) {
  if (text == nullptr || text->string == nullptr) return {};
  return {text->string, ::strnlen(text->string, text->length)};
}

// The output of one of the functions QIO_encode_...
template <class Info>
std::string encoded(void (*encode)(QIO_String*, Info*), Info& info) {
  QIO_String xml{};
  encode(&xml, &info);
  const std::unique_ptr<char, decltype(&std::free)> held(xml.string, &std::free);
  if (held == nullptr) throw std::bad_alloc();
  return text_of(&xml);
}

// The same for an object made for it; null: there was no memory.
template <class Info>
std::string encoded(void (*encode)(QIO_String*, Info*), Info* made) {
  const std::unique_ptr<Info, decltype(&std::free)> info(made, &std::free);
  if (info == nullptr) throw std::bad_alloc();
  return encoded(encode, *info);
}

// The result of one of the functions QIO_decode_... for a text; throws without memory.
template <class Info>
int decoded(int (*decode)(Info*, QIO_String*), Info& info, std::string text) {
  QIO_String xml{text.data(), text.size() + 1};
  const int code = decode(&info, &xml);
  if (code == QIO_ERR_ALLOC) throw std::bad_alloc();
  return code;
}

// 32 or 64 if a record is a gauge field in ILDG form; else 0.
int ildg_precision(const QIO_RecordInfo& info, int dimensions);

// The format, and the LFN if there is one.
void write_ildg_information(RecordsOut& records, int precision, const Extents& extents, const QIO_String* lfn);

}  // namespace lq::compat::qio
