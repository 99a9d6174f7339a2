// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "compat/qio/records.hpp"

#include <new>

#include <qio.h>

#include <fmt/format.h>

#include "compat/qio/elements.hpp"
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

void require_sites(const FoundRecord& record, const std::string& path, std::uint64_t sites, std::uint64_t site_bytes) {
  if (record.bytes == sites * site_bytes) return;
  throw Refusal(QIO_ERR_BAD_READ_BYTES, fmt::format("{}: the record has {} bytes, but {} sites of {} were requested",
                                                    path, record.bytes, sites, site_bytes));
}

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
                  fmt::format("it states {} bytes, of which {} are in the file", record.bytes, size_ - record.payload));
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

// The records of a gauge field in ILDG style, and their XML (qioxml_ildg_record.h).

int ildg_precision(const QIO_RecordInfo& info, int dimensions) {
  if (info.datacount.value != 4 || dimensions != 4) return 0;
  for (const auto* type : {"QDP_F3_ColorMatrix", "USQCD_F3_ColorMatrix"}) {
    if (std::strcmp(info.datatype.value, type) == 0) return 32;
  }
  for (const auto* type : {"QDP_D3_ColorMatrix", "USQCD_D3_ColorMatrix"}) {
    if (std::strcmp(info.datatype.value, type) == 0) return 64;
  }
  return 0;
}

void write_ildg_information(RecordsOut& records, int precision, const Extents& extents, const QIO_String* lfn) {
  int dims[4] = {};
  for (int d = 0; d < 4; ++d) dims[d] = static_cast<int>(extents[d]);
  records.write_text(QIO_LIMETYPE_ILDG_FORMAT, {false, false},
                     encoded(QIO_encode_ILDG_format_info, QIO_create_ildg_format_info(precision, dims)));
  if (lfn != nullptr) records.write_text(QIO_LIMETYPE_ILDG_DATA_LFN, {false, false}, text_of(lfn));
}

}  // namespace lq::compat::qio

// The description of an ILDG file's gauge field (qioxml_ildg_record.h).

using namespace lq::compat::qio;

extern "C" {

int QIO_decode_ILDG_format_info(QIO_ILDGFormatInfo* ildg_info, QIO_String* ildg_string) {
  QIO_ILDGFormatInfo& info = *ildg_info;
  info = QIO_ILDG_FORMAT_INFO_TEMPLATE;
  const int parsed = for_each_element(ildg_string, "ildgFormat", [&](char* tag, char* value) {
    for (QIO_TagCharValue* text : {&info.version, &info.field}) QIO_decode_as_string(tag, value, text);
    for (QIO_TagIntValue* number : {&info.precision, &info.lx, &info.ly, &info.lz, &info.lt}) {
      QIO_decode_as_int(tag, value, number);
    }
  });
  if (parsed != QIO_SUCCESS) return parsed;
  int errors = QIO_check_string_occur(&info.version) + QIO_check_string_occur(&info.field);
  for (QIO_TagIntValue* number : {&info.precision, &info.lx, &info.ly, &info.lz, &info.lt}) {
    errors += QIO_check_int_occur(number);
  }
  return errors;
}

void QIO_encode_ILDG_format_info(QIO_String* ildg_string, QIO_ILDGFormatInfo* ildg_info) {
  const QIO_ILDGFormatInfoWrapper wrapper = QIO_ILDG_FORMAT_INFO_WRAPPER;
  Encoder encoder;
  encoder.add(ildg_info->version).add(ildg_info->field).add(ildg_info->precision);
  encoder.add(ildg_info->lx).add(ildg_info->ly).add(ildg_info->lz).add(ildg_info->lt);
  encoder.wrap(wrapper.ildgformatinfo_tags, ildg_string);
}

int QIO_insert_ildgformat_tag_string(QIO_ILDGFormatInfoWrapper* wrapper, char* ildgformatinfo_tags) {
  return put(&wrapper->ildgformatinfo_tags, ildgformatinfo_tags);
}
int QIO_insert_ildgformat_version(QIO_ILDGFormatInfo* ildg_info, char* version) {
  return put(&ildg_info->version, version);
}
int QIO_insert_ildgformat_field(QIO_ILDGFormatInfo* ildg_info, char* field_string) {
  return put(&ildg_info->field, field_string);
}
int QIO_insert_ildgformat_precision(QIO_ILDGFormatInfo* ildg_info, int precision) {
  return put(&ildg_info->precision, precision);
}
int QIO_insert_ildgformat_lx(QIO_ILDGFormatInfo* ildg_info, int lx) { return put(&ildg_info->lx, lx); }
int QIO_insert_ildgformat_ly(QIO_ILDGFormatInfo* ildg_info, int ly) { return put(&ildg_info->ly, ly); }
int QIO_insert_ildgformat_lz(QIO_ILDGFormatInfo* ildg_info, int lz) { return put(&ildg_info->lz, lz); }
int QIO_insert_ildgformat_lt(QIO_ILDGFormatInfo* ildg_info, int lt) { return put(&ildg_info->lt, lt); }

char* QIO_get_ildgformat_info_tag_string(QIO_ILDGFormatInfoWrapper* wrapper) {
  return wrapper->ildgformatinfo_tags.value;
}
char* QIO_get_ildgformat_field(QIO_ILDGFormatInfo* ildg_info) { return ildg_info->field.value; }
int QIO_get_ildgformat_precision(QIO_ILDGFormatInfo* ildg_info) { return ildg_info->precision.value; }
int QIO_get_ildgformat_lx(QIO_ILDGFormatInfo* ildg_info) { return ildg_info->lx.value; }
int QIO_get_ildgformat_ly(QIO_ILDGFormatInfo* ildg_info) { return ildg_info->ly.value; }
int QIO_get_ildgformat_lz(QIO_ILDGFormatInfo* ildg_info) { return ildg_info->lz.value; }
int QIO_get_ildgformat_lt(QIO_ILDGFormatInfo* ildg_info) { return ildg_info->lt.value; }

QIO_ILDGFormatInfo* QIO_create_ildg_format_info(int precision, int* dims) {
  QIO_ILDGFormatInfo* const info = make<QIO_ILDGFormatInfo>(QIO_ILDG_FORMAT_INFO_TEMPLATE);
  if (info == nullptr) return nullptr;
  put(&info->version, QIO_ILDGFORMATVERSION);
  put(&info->field, "su3gauge");
  put(&info->precision, precision);
  if (dims == nullptr) return info;
  put(&info->lx, dims[0]);
  put(&info->ly, dims[1]);
  put(&info->lz, dims[2]);
  put(&info->lt, dims[3]);
  return info;
}

void QIO_destroy_ildg_format_info(QIO_ILDGFormatInfo* ildg_info) { std::free(ildg_info); }

}  // extern "C"
