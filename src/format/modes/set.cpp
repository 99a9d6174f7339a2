// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/modes/set.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include <fmt/format.h>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "format/lime/header.hpp"

namespace lq::format::modes {
namespace {

constexpr SumName total{SumKind::scidac, SumOf::field};
constexpr SumName slice_checksums{SumKind::scidac, SumOf::slices};
constexpr SumName slice_weights{SumKind::weighted, SumOf::slices};

constexpr std::uint64_t fixed_bytes = 56, slice_bytes = 24, error_bytes = 8, sum_bytes = 8;
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t most_blocks = 64;  // each has twice the capacity of the previous one

class Writer {
 public:
  template <class Number>
  void put(Number number) {
    bytes.resize(bytes.size() + sizeof number);
    base::store_be(bytes.data() + bytes.size() - sizeof number, number);
  }
  void put_real(double number) { put(std::bit_cast<std::uint64_t>(number)); }
  std::vector<std::byte> sealed() {
    put(fnv1a(bytes));
    return std::move(bytes);
  }

  std::vector<std::byte> bytes;
};

class Reader {
 public:
  explicit Reader(base::Bytes bytes) : at_(bytes.data()) {}
  template <class Number>
  Number take() {
    at_ += sizeof(Number);
    return base::load_be<Number>(at_ - sizeof(Number));
  }
  double take_real() { return std::bit_cast<double>(take<std::uint64_t>()); }

 private:
  const std::byte* at_;
};

bool is_sealed(base::Bytes bytes) noexcept {
  const std::size_t held = bytes.size() - sum_bytes;
  return base::load_be<std::uint64_t>(bytes.data() + held) == fnv1a(bytes.first(held));
}

const Sum& required(const Sums& sums, const SumName& name, std::uint64_t values) {
  const Sum* const sum = sums.find(name);
  if (sum != nullptr && sum->values() == values) return *sum;
  base::fail(Code::internal, {}, "the sum {} of a mode was not computed; please report", to_string(name));
}

std::vector<std::byte> read_up_to(base::ByteSource& file, std::uint64_t offset, std::uint64_t bytes) {
  const std::uint64_t there = offset < file.size() ? file.size() - offset : 0;
  std::vector<std::byte> read(static_cast<std::size_t>(std::min(bytes, there)));
  read.resize(file.read_at(offset, read));
  return read;
}

[[noreturn]] void fail(base::ByteSource& file, std::uint64_t offset, const std::string& what) {
  base::fail(Code::malformed, {.path = file.path(), .offset = offset}, "{} at byte {}", what, offset);
}

// The header of a record of that type; empty if the type differs.
std::optional<lime::Header> record_at(base::ByteSource& file, std::uint64_t offset, std::string_view type) {
  const auto bytes = read_up_to(file, offset, lime::header_bytes);
  if (bytes.size() < lime::header_bytes || !lime::has_magic(bytes)) return std::nullopt;
  lime::Header header = lime::decode(base::Bytes(bytes).first<lime::header_bytes>());
  if (header.type != type) return std::nullopt;
  return header;
}

std::optional<Block> block_at(base::ByteSource& file, std::uint64_t offset, std::uint64_t entry) {
  const auto header = record_at(file, offset - lime::header_bytes, type::index);
  const auto bytes = read_up_to(file, offset, Block::head_bytes);
  const auto block = decode_block(bytes);
  const bool fits = header && block && block->entry_bytes == entry && block->count <= block->room &&
                    block->room <= header->data_length / block->entry_bytes && header->data_length == block->bytes();
  return fits ? block : std::nullopt;
}

}  // namespace

std::vector<SumName> sum_names() { return {total, slice_checksums, slice_weights}; }

std::uint64_t entry_bytes(const Description& description) {
  const bool has_errors = description.coherence.basis > 0;
  return fixed_bytes + slice_bytes * slices_of(description) + (has_errors ? error_bytes : 0);
}

std::vector<std::byte> encode(const Entry& entry, const Description& description) {
  const std::uint64_t slices = slices_of(description, entry.is_whole());
  Writer to;
  to.put(entry.number);
  to.put(entry.offset);
  to.put_real(entry.mode.eigenvalue.real());
  to.put_real(entry.mode.eigenvalue.imag());
  to.put_real(entry.mode.residual.value_or(unknown));
  for (const std::uint32_t word : required(entry.sums, total, 1).words) to.put(word);
  const Sum& checksums = required(entry.sums, slice_checksums, slices);
  const Sum& weights = required(entry.sums, slice_weights, slices);
  for (std::size_t slice = 0; slice < slices; ++slice) {
    for (std::size_t i = 0; i < 2; ++i) to.put(checksums.words[2 * slice + i]);
    for (std::size_t i = 0; i < 4; ++i) to.put(weights.words[4 * slice + i]);
  }
  to.bytes.resize(to.bytes.size() + static_cast<std::size_t>(slice_bytes * (slices_of(description) - slices)));
  if (description.coherence.basis > 0) to.put_real(entry.mode.error.value_or(unknown));
  return to.sealed();
}

std::optional<Entry> decode_entry(base::Bytes bytes, const Description& description) {
  if (bytes.size() != entry_bytes(description) || !is_sealed(bytes)) return std::nullopt;
  Reader from(bytes);
  Entry entry;
  entry.number = from.take<std::uint64_t>();
  entry.offset = from.take<std::uint64_t>();
  const double re = from.take_real(), im = from.take_real(), residual = from.take_real();
  entry.mode.eigenvalue = {re, im};
  if (!(residual != residual)) entry.mode.residual = residual;
  if (description.coherence.basis > 0) {
    const double error = Reader(bytes.last(error_bytes + sum_bytes)).take_real();
    if (!(error != error)) entry.mode.error = error;
    if (!entry.is_whole() && !(error >= 0 && entry.number >= description.coherence.basis)) return std::nullopt;
  }
  const std::uint64_t slices = slices_of(description, entry.is_whole());
  const auto suma = from.take<std::uint32_t>(), sumb = from.take<std::uint32_t>();
  entry.sums.set_checksum({suma, sumb});
  Sum checksums{slice_checksums}, weights{slice_weights};
  for (std::uint64_t slice = 0; slice < slices; ++slice) {
    for (int i = 0; i < 2; ++i) checksums.words.push_back(from.take<std::uint32_t>());
    for (int i = 0; i < 4; ++i) weights.words.push_back(from.take<std::uint32_t>());
  }
  entry.sums.set(std::move(checksums));
  entry.sums.set(std::move(weights));
  return entry;
}

std::vector<std::byte> encode(const Block& block) {
  Writer to;
  for (const std::uint64_t number : {block.entry_bytes, block.room, block.first, block.count, block.next}) {
    to.put(number);
  }
  return to.sealed();
}

std::optional<Block> decode_block(base::Bytes bytes) {
  if (bytes.size() != Block::head_bytes || !is_sealed(bytes)) return std::nullopt;
  Reader from(bytes);
  Block block;
  for (std::uint64_t* number : {&block.entry_bytes, &block.room, &block.first, &block.count, &block.next}) {
    *number = from.take<std::uint64_t>();
  }
  return block;
}

Head read_head(base::ByteSource& file) {
  const auto header = record_at(file, 0, type::head);
  if (!header) fail(file, 0, fmt::format("no record \"{}\"", type::head));
  if (header->data_length > largest_document) fail(file, 8, fmt::format("a \"{}\" of more than 1 MiB", type::head));
  const auto document = read_up_to(file, lime::header_bytes, header->data_length);
  Head head;
  try {
    head.description = decode_description(base::as_text(document));
    head.has_sum = has_sum(base::as_text(document));
    head.unproven = unproven_texts(base::as_text(document));
  } catch (const Error& error) {
    base::fail(Code::malformed, {.path = file.path(), .record = std::string(type::head), .offset = 0}, "\"{}\": {}",
               type::head, error.what());
  }
  head.document_bytes = header->data_length;
  const std::uint64_t entry = entry_bytes(head.description);
  std::uint64_t offset = 2 * lime::header_bytes + header->data_length + lime::padding(header->data_length);
  while (offset != 0) {
    const auto block = block_at(file, offset, entry);
    const bool follows = block && (head.blocks.empty() || offset > head.blocks.back().offset) &&
                         block->first == head.size() && head.blocks.size() < most_blocks;
    if (!follows) {
      head.is_whole = false;
      return head;
    }
    head.blocks.push_back({*block, offset});
    offset = block->next;
    if (offset != 0 && block->count != block->room) {
      head.is_whole = false;
      return head;
    }
  }
  head.description.room = head.blocks.front().block.room;
  return head;
}

Head read_whole_head(base::ByteSource& file) {
  Head head = read_head(file);
  if (head.is_whole && !head.blocks.empty()) return head;
  base::fail(Code::malformed, {.path = file.path(), .record = std::string(type::index)},
             "the index of the set is damaged; `lq repair {} -o GOOD` rebuilds it from the modes", file.path());
}

namespace {

// Records of a set with known positions.
class Records {
 public:
  void begin_message() noexcept {
    ++message_;
    number_ = 0;
  }
  // Returns its index among all.
  std::uint64_t add(std::string_view type, std::uint64_t offset, std::uint64_t length, bool is_last) {
    Record record;
    record.type = type;
    record.message = message_;
    record.number = ++number_;
    record.mb_flag = number_ == 1;
    record.me_flag = is_last;
    record.header_offset = offset - lime::header_bytes;
    record.offset = offset;
    record.data_length = length;
    all_.push_back(std::move(record));
    return all_.size() - 1;
  }
  std::vector<Record> take() { return std::move(all_); }

 private:
  std::vector<Record> all_;
  std::uint64_t message_ = 0, number_ = 0;
};

// The position of a mode's record, after its data.
std::uint64_t record_behind(const Payload& payload) noexcept {
  return payload.offset + payload.length + lime::padding(payload.length) + lime::header_bytes;
}

class Scan {
 public:
  Scan(base::ByteSource& file, const Limits& limits) : file_(file), limits_(limits) {
    catalog_.path = file.path();
    catalog_.format = "modes";
    catalog_.file_bytes = file.size();
  }

  Catalog run() {
    try {
      head_ = read_head(file_);
      entry_bytes_ = entry_bytes(head_.description);
      catalog_.metadata.emplace_back(type::head, encode(head_.description, false));
      for (const std::string& text : head_.unproven) catalog_.metadata.emplace_back(unproven_text, text);
      if (head_.is_whole && read_index()) {
        for (const PlacedBlock& at : head_.blocks) blocks_.push_back({at.offset, at.block.bytes()});
      } else {
        walk();
      }
      list();
    } catch (const Error& error) {
      if (error.code() != Code::malformed && error.code() != Code::too_large) throw;
      add({.severity = Severity::error,
           .code = error.code(),
           .rule = "modes-head",
           .message = error.what(),
           .record = std::string(type::head),
           .offset = error.facts().offset.value_or(0)});
    }
    catalog_.findings = findings_.take();
    return std::move(catalog_);
  }

 private:
  void add(Finding finding) { findings_.add(std::move(finding)); }

  // False: an entry is damaged.
  bool read_index() {
    if (head_.size() > limits_.records) {
      base::fail(Code::too_large, {}, "{}: {} modes are more than the limit of {} records", file_.path(), head_.size(),
                 limits_.records);
    }
    const std::uint64_t entry = entry_bytes_;
    for (const PlacedBlock& at : head_.blocks) {
      std::vector<std::byte> bytes(static_cast<std::size_t>(std::min(at.block.count * entry, file_.size())));
      if (file_.read_at(at.offset + Block::head_bytes, bytes) != at.block.count * entry) return false;
      for (std::uint64_t k = 0; k < at.block.count; ++k) {
        auto one =
            decode_entry(base::Bytes(bytes).subspan(static_cast<std::size_t>(k * entry), entry), head_.description);
        if (!one || one->number != at.block.first + k) return false;
        entries_.push_back(std::move(*one));
      }
    }
    return true;
  }

  void walk() {
    add({.severity = Severity::error,  // without a code: readers use the records of the modes
         .rule = "modes-index-damaged",
         .message = fmt::format("the index is damaged; the modes are read from their own records instead. `lq "
                                "repair {} -o GOOD` rebuilds the index",
                                file_.path()),
         .record = std::string(type::index),
         .offset = head_.blocks.empty() ? 0 : head_.blocks.back().offset});
    entries_.clear();
    ReadAhead window(file_);
    Findings of_records;
    const lime::Walk walked = lime::walk(window, limits_, of_records, lime::Ending::closed);
    std::vector<FoundMode> found = find_modes(file_, head_.description, walked.records);
    if (head_.is_whole && found.size() > head_.size()) {  // others were never committed
      found.erase(found.begin() + static_cast<std::ptrdiff_t>(head_.size()), found.end());
    }
    std::vector<Finding> wrong = of_records.take();
    // Which modes are left is known if the head states their number, or if nothing else is wrong.
    const bool is_broken =
        std::ranges::any_of(wrong, [](const Finding& one) { return one.severity == Severity::error; });
    const auto is_of_mode = [](const Record& one) { return one.type == type::data || one.type == type::coefficients; };
    const bool has_others = static_cast<std::size_t>(std::ranges::count_if(walked.records, is_of_mode)) > found.size();
    if (head_.is_whole ? found.size() < head_.size() : is_broken || has_others) {
      add({.severity = Severity::error,
           .code = walked.truncated ? Code::truncated : Code::malformed,
           .rule = "modes-lost",
           .message =
               fmt::format("the index is damaged, and records are found of {} modes only; `lq repair {} -o GOOD` "
                           "saves what the file holds",
                           found.size(), file_.path()),
           .record = std::string(type::index),
           .offset = head_.blocks.empty() ? 0 : head_.blocks.back().offset});
    }
    for (Finding& one : wrong) add(std::move(one));
    for (FoundMode& one : found) entries_.push_back(std::move(one.entry));
    catalog_.complete = !walked.truncated;
    for (const Record& record : walked.records) {
      if (record.type == type::index) blocks_.push_back({record.offset, record.data_length});
    }
  }

  void list() {
    Records records;
    records.begin_message();
    records.add(type::head, lime::header_bytes, head_.document_bytes, false);
    std::size_t block = 0;
    const auto add_blocks = [&](std::uint64_t before) {
      for (; block < blocks_.size() && blocks_[block].offset < before; ++block) {
        if (block > 0) records.begin_message();
        records.add(type::index, blocks_[block].offset, blocks_[block].bytes, true);
      }
    };
    std::uint64_t end = 0;
    for (const Entry& entry : entries_) {
      const Payload payload = payload_at(head_.description, entry.offset, entry.is_whole());
      const std::uint64_t behind = is_possible(payload, end) ? record_behind(payload) : 0;
      if (behind == 0 || behind + entry_bytes_ > catalog_.file_bytes) {
        refuse(entry, behind);
        break;
      }
      end = behind + entry_bytes_;
      add_blocks(payload.offset);
      records.begin_message();
      const std::string_view kind = entry.is_whole() ? type::data : type::coefficients;
      const std::uint64_t record = records.add(kind, payload.offset, payload.length, false);
      records.add(type::mode, behind, entry_bytes_, true);
      FieldEntry field;
      field.name = "mode";
      field.payload = payload;
      field.record = record;
      field.sums = entry.sums;
      field.metadata = texts_of(entry.mode);
      catalog_.fields.push_back(std::move(field));
    }
    add_blocks(catalog_.file_bytes);
    catalog_.records = records.take();
  }

  // Data that begin before the preceding contents end, or after the largest file size, are invalid.
  bool is_possible(const Payload& payload, std::uint64_t end) const {
    return payload.offset >= end + lime::header_bytes && payload.offset <= catalog_.file_bytes &&
           payload.length <= lime::length_limit;
  }

  void refuse(const Entry& entry, std::uint64_t behind) {
    const bool is_cut = behind != 0 || entry.offset > catalog_.file_bytes;
    catalog_.complete = !is_cut;
    add({.severity = Severity::error,
         .code = is_cut ? Code::truncated : Code::malformed,
         .rule = is_cut ? "modes-truncated" : "modes-entry",
         .message = is_cut ? fmt::format("the file ends within mode {} of {}; `lq repair {} -o GOOD` keeps the modes "
                                         "before it",
                                         entry.number, entries_.size(), file_.path())
                           : fmt::format("the index states that mode {} begins at byte {}, which is impossible",
                                         entry.number, entry.offset),
         .record = std::string(is_cut ? type::data : type::index),
         .offset = entry.offset});
  }

  base::ByteSource& file_;
  const Limits& limits_;
  Catalog catalog_;
  Findings findings_;
  Head head_;
  std::uint64_t entry_bytes_ = 0;
  std::vector<Entry> entries_;
  struct IndexRecord {
    std::uint64_t offset = 0, bytes = 0;  // of its payload
  };
  std::vector<IndexRecord> blocks_;
};

}  // namespace

std::vector<FoundMode> all_modes(base::ByteSource& file, const Description& description,
                                 const std::vector<Record>& records) {
  const std::uint64_t entry_length = entry_bytes(description), length = payload_at(description, 0).length;
  const std::uint64_t short_length = payload_at(description, 0, description.coherence.basis == 0).length;
  std::vector<FoundMode> modes;
  for (std::size_t i = 1; i < records.size(); ++i) {
    const Record &data = records[i - 1], &record = records[i];
    const bool is_whole = data.type == type::data && data.data_length == length;
    const bool is_short = data.type == type::coefficients && data.data_length == short_length;
    const bool is_mode = (is_whole || is_short) && record.type == type::mode && record.data_length == entry_length;
    if (!is_mode) continue;
    std::vector<std::byte> bytes(static_cast<std::size_t>(record.data_length));
    bytes.resize(file.read_at(record.offset, bytes));
    auto entry = decode_entry(bytes, description);
    const bool fits = entry && entry->offset == data.offset && entry->is_whole() == is_whole;
    if (!fits) continue;
    modes.push_back({std::move(*entry), record.offset + record.data_length + lime::padding(record.data_length)});
  }
  return modes;
}

std::vector<FoundMode> find_modes(base::ByteSource& file, const Description& description,
                                  const std::vector<Record>& records) {
  std::vector<FoundMode> modes = all_modes(file, description, records);
  std::size_t whole = 0;
  while (whole < modes.size() && modes[whole].entry.number == whole) ++whole;
  modes.erase(modes.begin() + static_cast<std::ptrdiff_t>(whole), modes.end());
  return modes;
}

Catalog scan_set(base::ByteSource& file, const Limits& limits) { return Scan(file, limits).run(); }

}  // namespace lq::format::modes
