// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "compat/qio/records.hpp"

#include <fmt/format.h>

#include "compat/qio/nodes.hpp"

namespace lq::compat::qio {
namespace lime = format::lime;
namespace {

constexpr std::array<std::byte, 8> zeros{};

base::Bytes padding_of(std::uint64_t bytes) {
  return std::span(zeros).first(static_cast<std::size_t>(lime::padding(bytes)));
}

lime::HeaderBytes header_of(std::string_view type, const MessagePlace& place, std::uint64_t bytes) {
  lime::Header header;
  header.mb_flag = place.begins;
  header.me_flag = place.ends;
  header.data_length = bytes;
  header.type = type;
  return lime::encode(header);
}

[[noreturn]] void refuse_record(const std::string& path, std::uint64_t at, const std::string& why) {
  throw Refusal(QIO_ERR_OPEN_READ, fmt::format("{}: no record at byte {}: {}", path, at, why));
}

}  // namespace

void RecordsOut::write(std::string_view type, const MessagePlace& place, base::Bytes payload) {
  const lime::HeaderBytes header = header_of(type, place, payload.size());
  std::vector<std::byte> all(header.begin(), header.end());
  all.insert(all.end(), payload.begin(), payload.end());
  const base::Bytes padding = padding_of(payload.size());
  all.insert(all.end(), padding.begin(), padding.end());
  file_.write_at(end_, all);
  end_ += all.size();
}

void RecordsOut::write_text(std::string_view type, const MessagePlace& place, std::string text) {
  text.push_back('\0');
  write(type, place, std::as_bytes(std::span(text)));
}

std::uint64_t RecordsOut::begin(std::string_view type, const MessagePlace& place, std::uint64_t bytes) {
  file_.write_at(end_, header_of(type, place, bytes));
  end_ += lime::header_bytes;
  open_bytes_ = bytes;
  return end_;
}

void RecordsOut::finish() {
  const base::Bytes padding = padding_of(open_bytes_);
  if (!padding.empty()) file_.write_at(end_ + open_bytes_, padding);
  end_ += open_bytes_ + padding.size();
}

std::optional<FoundRecord> RecordsIn::peek() {
  if (position_ >= size_) return std::nullopt;
  lime::HeaderBytes bytes{};
  if (size_ - position_ < bytes.size() || file_.read_at(position_, bytes) < bytes.size()) {
    refuse_record(file_.path(), position_, "the file ends within its header");
  }
  if (!lime::has_magic(bytes)) {
    refuse_record(file_.path(), position_, fmt::format("it does not begin with {}", lime::beginning));
  }
  const lime::Header header = lime::decode(bytes);
  FoundRecord record{header.type,        position_,      position_ + lime::header_bytes,
                     header.data_length, header.mb_flag, header.me_flag};
  if (record.bytes > size_ - record.payload) {
    refuse_record(file_.path(), position_,
                  fmt::format("it says {} bytes, of which {} are in the file", record.bytes, size_ - record.payload));
  }
  return record;
}

std::optional<FoundRecord> RecordsIn::next() {
  auto record = peek();
  if (record) position_ = record->behind();
  return record;
}

std::vector<std::byte> RecordsIn::bytes_of(const FoundRecord& record) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(record.bytes));
  if (file_.read_at(record.payload, bytes) < bytes.size()) {
    refuse_record(file_.path(), record.header, "the file ends within it");
  }
  return bytes;
}

// Up to the first NUL.
std::string RecordsIn::text_of(const FoundRecord& record) {
  const std::vector<std::byte> bytes = bytes_of(record);
  if (bytes.empty()) return {};
  const auto* const begin = reinterpret_cast<const char*>(bytes.data());
  return {begin, ::strnlen(begin, bytes.size())};
}

}  // namespace lq::compat::qio
