// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/lime/lime_format.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "format/lime/header.hpp"
#include "format/record_texts.hpp"

namespace lq::format::lime {
namespace {

constexpr const char* header_section = "formats/lime.md 2";
constexpr const char* padding_section = "formats/lime.md 4";
constexpr std::size_t quoted_bytes = 60;

class Explanation {
 public:
  Explanation(base::ByteSource& file, const MeaningOf& meaning_of) : window_(file), meaning_of_(meaning_of) {}

  void add_record(const Record& record);
  std::vector<Annotation> take();

 private:
  void add(std::uint64_t length, std::string name, std::string value, std::string section);
  void add_header(const Header& header);
  std::string quote(const Record& record);
  std::uint64_t left() const noexcept { return window_.size() - next_; }

  ReadAhead window_;
  const MeaningOf& meaning_of_;
  std::vector<Annotation> annotations_;
  std::uint64_t next_ = 0;
};

void Explanation::add(std::uint64_t length, std::string name, std::string value, std::string section) {
  length = std::min(length, left());  // the file may end early
  if (length == 0) return;
  annotations_.push_back({next_, length, std::move(name), std::move(value), std::move(section)});
  next_ += length;
}

void Explanation::add_header(const Header& header) {
  const char* messages[] = {"within a message", "ends the message (ME)", "begins a message (MB)",
                            "a message of one record (MB, ME)"};
  const char* message = messages[(header.mb_flag ? 2 : 0) + (header.me_flag ? 1 : 0)];
  const std::string reserved_bits =
      header.reserved_flags == 0 ? "" : fmt::format(", reserved bits {:#04x} set", header.reserved_flags);
  add(4, "magic", "45 67 89 ab", header_section);
  add(2, "version", fmt::format("{}", header.version), header_section);
  add(1, "flags", message + reserved_bits, header_section);
  add(1, "reserved", fmt::format("{}", header.reserved), header_section);
  add(8, "data_length", fmt::format("{} bytes", header.data_length), header_section);
  add(type_bytes, "type", fmt::format("\"{}\"", base::printable(header.type, type_bytes)), header_section);
}

// The beginning of a text, or the number of bytes.
std::string Explanation::quote(const Record& record) {
  const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(record.data_length, quoted_bytes));
  const std::string_view start = base::as_text(window_.view(record.offset, wanted));
  const std::string_view text = start.substr(0, start.find('\0'));
  const bool readable =
      std::ranges::all_of(text, [](char c) { return (c >= ' ' && c < 0x7f) || (c >= '\t' && c <= '\r'); });
  const bool whole = text.size() == start.size() || text.size() + 1 == record.data_length;
  if (!readable || !whole || text.empty()) return fmt::format("{} bytes", record.data_length);
  const bool cut = record.data_length > start.size();
  return fmt::format("\"{}\"{}", base::printable(text, quoted_bytes), cut ? " ..." : "");
}

void Explanation::add_record(const Record& record) {
  const base::Bytes bytes = window_.view(record.header_offset, header_bytes);
  if (record.header_offset != next_ || bytes.size() < header_bytes) return;
  const Header header = decode(bytes.first<header_bytes>());
  add_header(header);
  Meaning meaning = meaning_of_(record);
  std::string value = record.data_length == 0 ? std::string() : quote(record);
  add(record.data_length, std::move(meaning.name), std::move(value), std::move(meaning.section));
  add(padding(record.data_length), "padding", "zeros up to a multiple of 8", padding_section);
}

std::vector<Annotation> Explanation::take() {
  add(left(), "no record", fmt::format("{} bytes after the last readable record", left()), "formats/lime.md 6");
  return std::move(annotations_);
}

}  // namespace

std::vector<Annotation> explain(base::ByteSource& file, const Catalog& catalog, const MeaningOf& meaning_of) {
  Explanation explanation(file, meaning_of);
  for (const Record& record : catalog.records) explanation.add_record(record);
  return explanation.take();
}

namespace {

void check_header(const Record& record, const Header& header, Findings& findings) {
  if (header.reserved_flags != 0 || header.reserved != 0) {
    findings.warning("lime-reserved-bits", record, "reserved bits of the header are set", "0000",
                     fmt::format("{:02x}{:02x}", header.reserved_flags, header.reserved));
  }
  if (!header.type_tail_is_zero) {
    findings.warning("lime-type-tail", record, "bytes other than NUL follow the end of the type");
  }
  const bool ascii = std::ranges::all_of(header.type, [](char c) { return c >= ' ' && c < 0x7f; });
  if (!ascii) findings.warning("lime-type-ascii", record, "the type holds characters that are not printable ASCII");
}

void check_padding(ReadAhead& window, const Record& record, Findings& findings) {
  const std::uint64_t behind = record.offset + record.data_length;
  const base::Bytes pad = window.view(behind, padding(record.data_length));
  const bool zero = std::ranges::all_of(pad, [](std::byte b) { return b == std::byte{0}; });
  if (!zero) findings.warning("lime-padding-nonzero", record, "the padding holds bytes other than zero");
}

}  // namespace

void check_headers(base::ByteSource& file, const Catalog& catalog, Findings& findings) {
  ReadAhead window(file);
  for (const Record& record : catalog.records) {
    const base::Bytes bytes = window.view(record.header_offset, header_bytes);
    if (bytes.size() < header_bytes) return;
    check_header(record, decode(bytes.first<header_bytes>()), findings);
    if (record.data_length > window.size() - record.offset) return;
    check_padding(window, record, findings);
  }
}

}  // namespace lq::format::lime
