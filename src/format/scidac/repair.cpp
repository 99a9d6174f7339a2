// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/scidac/scidac_base.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/fnv1a.hpp"
#include "base/text.hpp"
#include "base/text_facts.hpp"
#include "format/format.hpp"
#include "format/lime/header.hpp"
#include "format/lime/lime_format.hpp"
#include "format/lime/walk.hpp"
#include "format/record_texts.hpp"
#include "format/scidac/describe.hpp"
#include "format/scidac/documents.hpp"
#include "format/scidac/plan.hpp"
#include "format/scidac/records.hpp"

namespace lq::format::scidac {
namespace {

// If flags contradict each other: the order of formats/scidac.md 2.1 decides.
bool ends_message(const std::vector<Record>& records, std::size_t i) {
  const std::string_view type = records[i].type, next = records[i + 1].type;
  if (type == type::private_file_xml) return false;
  if (type == type::checksum || type == type::file_xml) return true;
  if (next == type::private_file_xml || next == type::private_record_xml) return true;
  if (next == type::checksum) return false;
  for (std::size_t k = i + 1; k-- > 0;) {
    if (records[k].type == type::private_record_xml || records[k].type == type::ildg_format) return false;
    if (records[k].type == type::checksum || records[k].type == type::file_xml) break;
  }
  return true;
}

// decode(text), or empty if the text is damaged.
template <class Decode>
auto tried(Decode&& decode, std::string_view text) -> std::optional<std::invoke_result_t<Decode, std::string_view>> {
  try {
    return decode(text);
  } catch (const Error& error) {
    if (error.code() != Code::malformed && error.code() != Code::too_large) throw;
    return std::nullopt;
  }
}

std::optional<Extents> extents_of(std::string_view numbers) {
  std::string text(base::trim(numbers));
  std::ranges::replace(text, ' ', 'x');
  try {
    return parse_extents(text);
  } catch (const Error& error) {
    if (error.code() != Code::invalid_argument) throw;
    return std::nullopt;
  }
}

// What limequat-description is the sum of.
struct Described {
  std::string extents;                    // as in <dims>
  std::array<std::string, 3> texts = {};  // scidac-private-record-xml, limequat-name, limequat-site-shape

  std::string text() const { return described_text(extents, texts[0], texts[1], texts[2]); }
};

// With at most one byte of it or of its sum corrected; empty if that is not enough.
std::optional<Described> corrected(Described described, std::string_view stated) {
  std::string text = described.text();
  const std::string sum = sum_of_description(text);
  std::size_t differ = sum.size() == stated.size() ? 0 : sum.size();
  for (std::size_t i = 0; i < sum.size() && differ < sum.size(); ++i) differ += sum[i] != stated[i] ? 1 : 0;
  if (differ <= 1) return described;  // a sum of other bytes differs in nearly all digits
  std::uint64_t number = 0;
  const std::string_view digits = stated.substr(std::min<std::size_t>(stated.size(), sum.size() - 16));
  std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
  const auto found = base::byte_for(base::as_bytes(text), number);
  if (!found) return std::nullopt;
  text[found->at] = static_cast<char>(found->value);
  if (sum_of_description(text) != stated) return std::nullopt;
  std::size_t at = described.extents.size();
  described.extents = text.substr(0, at);
  for (std::string& one : described.texts) {
    one = text.substr(at + 1, one.size());
    at += 1 + one.size();
  }
  return described;
}

// True if one stretch of a text was damaged, and everything around it is what its new contents say.
bool is_restored(std::string_view damaged, std::string_view text) {
  if (damaged.size() != text.size()) return false;
  const auto differ = [&](std::size_t i) { return damaged[i] != text[i]; };
  std::size_t begin = 0, end = text.size();
  while (begin < end && !differ(begin)) ++begin;
  while (end > begin && !differ(end - 1)) --end;
  return end - begin <= text.size() / 2;
}

// The documents that describe fields, compared with each other and with the length of the data.
class Documents {
 public:
  Documents(base::EditedSource& file, const Limits& limits, const EncodeLattice& encode_lattice, Findings& done)
      : file_(file), encode_lattice_(encode_lattice), done_(done), window_(file), texts_(window_, limits) {
    Findings ignored;  // the scan of the repaired file reports what is left
    records_ = lime::walk(window_, limits, ignored).records;
    groups_ = group_records(records_, file.size());
  }

  void mend(const std::vector<lime::Doubt>& doubts) {
    for (const lime::Doubt& doubt : doubts) tell(doubt);
    for (const Group& group : groups_.groups) mend(group);
    // From the last on, so that records before it keep their positions.
    for (auto it = texts_to_write_.rbegin(); it != texts_to_write_.rend(); ++it) {
      const Record& record = records_[it->first];
      if (!is_restored(raw(it->first), it->second)) {
        done_.error(Code::malformed, "repair-doubtful", record,
                    "what its other words were is lost: they follow from no other record");
      }
      lime::replace_contents(file_, record, it->second);
      done_.warning("repair-text", record, "rewritten: it was damaged, and its contents follow from the other records");
    }
  }

 private:
  void mend(const Group& group);
  void tell(const lime::Doubt& doubt);
  bool are_proven(RecordIndex i);
  std::string raw(RecordIndex i) const;
  void correct_description(const Group& group);
  // Empty if it is too long for a document, which is as bad as an unreadable one.
  std::string text(RecordIndex i) {
    return tried([&](std::string_view) { return texts_.document(records_[i]); }, {}).value_or("");
  }
  // The date of a damaged document, if it is still readable.
  std::string date_in(RecordIndex i) {
    const std::string document = text(i);  // the facts point into it
    for (const base::TextFact& fact : base::facts_in(document, 16)) {
      if (fact.key == "date") return std::string(fact.value);
    }
    return {};
  }

  base::EditedSource& file_;
  const EncodeLattice& encode_lattice_;
  Findings& done_;
  ReadAhead window_;
  TextReader texts_;
  std::vector<Record> records_;
  Groups groups_;
  std::map<RecordIndex, std::string> texts_to_write_;
};

// The bytes of a record that are there, up to the length of a document.
std::string Documents::raw(RecordIndex i) const {
  const Record& record = records_[i];
  std::string bytes(static_cast<std::size_t>(std::min<std::uint64_t>(record.data_length, slices_limit)), '\0');
  bytes.resize(file_.read_at(record.offset, std::as_writable_bytes(std::span(bytes))));
  return bytes;
}

// Sums prove data. A description is proven byte by byte if it is what a writer makes of its meaning.
bool Documents::are_proven(RecordIndex i) {
  const std::string document = text(i);
  const auto is_again = [&](auto&& decode, auto&& encode) {
    const auto meaning = tried(decode, document);
    return meaning && encode(*meaning) == raw(i);
  };
  switch (role_of(records_[i].type)) {
    case Role::data:
      return true;
    case Role::file_info:
      return is_again(decode_file_info, [](const FileInfo& info) { return encode(info); });
    case Role::record_info:
      return is_again(decode_record_info, [](const RecordInfo& info) { return encode(info); });
    case Role::checksum:
      return is_again(decode_checksum, [](const auto& sum) { return sum ? encode(*sum) : std::string(); });
    case Role::slices:
      return is_again(decode_slices, [](const Sums& sums) { return encode_slices(sums); });
    default:
      return false;
  }
}

void Documents::tell(const lime::Doubt& doubt) {
  const auto record = std::ranges::find(records_, doubt.record, &Record::header_offset);
  if (record == records_.end()) return;  // it is cut, which is told
  if (doubt.is_of_contents && are_proven(static_cast<RecordIndex>(record - records_.begin()))) return;
  // It is the checksum that is lost at the end: the slices prove the data, or they are marked.
  const bool lacks_checksum = !groups_.groups.empty() && !groups_.groups.back().checksum;
  if (!doubt.is_of_contents && record + 1 == records_.end() && lacks_checksum) return;
  report(doubt, *record, done_);
}

// The contents of <dims> in a document of which one byte may be damaged.
std::string extents_in(std::string_view document) {
  constexpr std::string_view begin = "<dims>", end = "</dims>", numbers = "0123456789 ";
  const std::size_t from = document.find(begin), to = document.find(end);
  if (from != std::string_view::npos) {
    const std::string_view inside = document.substr(from + begin.size());
    const std::size_t length =
        to != std::string_view::npos && to > from ? to - from - begin.size() : inside.find_first_not_of(numbers);
    return std::string(inside.substr(0, length));
  }
  const std::string_view before = document.substr(0, std::min(to, document.size()));
  return std::string(before.substr(before.find_last_not_of(numbers) + 1));
}

// The sum of a description proves which one of its bytes is wrong, and what it should be.
void Documents::correct_description(const Group& group) {
  if (!group.description || !group.record_info || !group.file_info) return;
  const std::string file_text = text(*group.file_info);
  std::string stated = text(*group.description);
  if (records_[*group.description].data_length == stated.size() + 1) stated += '\0';
  const auto file_info = tried(decode_file_info, file_text);
  if (file_info && file_info->volume_format != 0) return;
  const auto shape =
      std::ranges::find_if(group.texts, [&](RecordIndex i) { return records_[i].type == type::limequat_site_shape; });
  std::vector<std::optional<RecordIndex>> parts = {*group.record_info, group.name, std::nullopt};
  if (shape != group.texts.end()) parts[2] = *shape;
  Described given{file_info ? extents_text(file_info->extents) : extents_in(file_text)};
  for (std::size_t k = 0; k < parts.size(); ++k) given.texts[k] = parts[k] ? text(*parts[k]) : std::string();
  std::vector<Described> readings = {given};
  // A damaged byte may be the NUL at the end of a text, or be one now.
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (!parts[k]) continue;
    const auto held = static_cast<std::size_t>(records_[*parts[k]].data_length);
    for (const std::size_t size : {held, std::max<std::size_t>(held, 1) - 1}) {
      readings.push_back(given);
      if (size <= given.texts[k].size() + 2) readings.back().texts[k].resize(size);
    }
  }
  for (const Described& reading : readings) {
    const auto right = corrected(reading, stated);
    if (!right) continue;
    const auto extents = extents_of(right->extents);
    if (!extents) continue;
    const std::string sum = sum_of_description(right->text());
    if (sum != stated) texts_to_write_[*group.description] = sum;
    if (!file_info || *extents != file_info->extents) {
      texts_to_write_[*group.file_info] = encode(FileInfo{*extents, 0});
    }
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (!parts[k] || right->texts[k] == given.texts[k]) continue;
      texts_to_write_[*parts[k]] = right->texts[k];
      texts_to_write_[*parts[k]].resize(static_cast<std::size_t>(records_[*parts[k]].data_length));
    }
    return;
  }
}

void Documents::mend(const Group& group) {
  correct_description(group);
  Description given;
  if (group.file_info) given.file = tried(decode_file_info, text(*group.file_info));
  if (group.record_info) given.record = tried(decode_record_info, text(*group.record_info));
  if (group.lattice) given.lattice = tried(decode_lattice, text(*group.lattice));
  if (given.file && given.file->volume_format != 0) return;
  Findings ignored;
  const auto payload = describe(given, records_[group.data], file_, ignored);
  if (!payload || payload->stored != whole(payload->extents)) return;

  if (group.file_info && (!given.file || given.file->extents != payload->extents)) {
    texts_to_write_[*group.file_info] = encode(FileInfo{payload->extents, 0});
  }
  const bool is_gauge = payload->spec.kind == FieldKind::gauge;
  const auto described = given.record ? site_of(*given.record, payload->extents.size()) : std::nullopt;
  if (group.record_info && given.lattice && is_gauge && (!described || described->numbers != payload->spec.numbers)) {
    RecordInfo info = record_info_of(payload->spec);
    info.date = date_in(*group.record_info);
    texts_to_write_[*group.record_info] = encode(info);
  }
  const bool is_ildg = group.lattice && records_[*group.lattice].type == type::ildg_format;
  const bool contradicts = !given.lattice || given.lattice->extents != payload->extents;
  if (is_ildg && encode_lattice_ && is_gauge && payload->extents.size() == 4 && contradicts) {
    std::string text = encode_lattice_(payload->spec, payload->extents);
    // Programs over QIO count a NUL in the length, tmLQCD and Limequat do not.
    if (records_[*group.lattice].data_length == text.size() + 1) text += '\0';
    texts_to_write_[*group.lattice] = std::move(text);
  }
}

// A record whose end is missing. Data are completed with zeros; a text before data cannot be.
std::optional<std::uint64_t> mend_end(base::EditedSource& file, const Record& last, Findings& done) {
  const std::uint64_t held = file.size();
  if (role_of(last.type) == Role::data) {
    const std::uint64_t missing = last.data_length - (held - last.offset);
    file.append_zeros(missing + lime::padding(last.data_length));
    return held;
  }
  // A checksum can be rebuilt if something else proves the data. Any other contents, or hidden records, are lost.
  const std::string what =
      fmt::format("omitted: it is truncated after {} of {} bytes", held - last.offset, last.data_length);
  if (role_of(last.type) == Role::checksum && !lime::may_hold_records(file, last.offset)) {
    done.warning("repair-left-out", last, what);
  } else {
    done.error(Code::truncated, "repair-left-out", last, what);
  }
  file.replace(last.header_offset, held - last.header_offset, {});
  return std::nullopt;
}

// In the place of the checksum (formats/scidac.md 5.3).
void state_unproven(base::EditedSource& file, const Catalog& catalog, const Group& group) {
  constexpr std::string_view why = "since a repair: the file had no readable checksum of them";
  if (!group.checksum) return lime::add_record_behind(file, catalog.records[group.data], unproven_text, why);
  const Record& record = catalog.records[*group.checksum];
  lime::replace_contents(file, record, why);
  lime::replace_type(file, record, unproven_text);
}

}  // namespace

std::optional<std::uint64_t> mend(base::EditedSource& file, const Limits& limits, const EncodeLattice& encode_lattice,
                                  Findings& done) {
  if (lime::has_record(file, [](std::string_view record) { return record == type::sitelist; })) {
    throw Error(
        Code::unsupported,
        fmt::format("{}: one of several files of a field, which cannot be repaired alone; copy it again from its "
                    "source, or convert the whole field to another file",
                    file.path()),
        {.path = file.path()});
  }
  static constexpr std::array<std::string_view, 2> first_types{type::private_file_xml, type::private_record_xml};
  static constexpr std::array<std::string_view, 2> last_types{type::file_xml, type::checksum};
  const lime::RepairRules rules{type::all, ends_message, first_types, last_types};
  lime::RepairedHeaders headers = lime::repair_headers(file, rules, done);
  std::optional<std::uint64_t> cut;
  if (headers.is_cut) {
    cut = mend_end(file, headers.records.back(), done);
    // The record before it now ends the message.
    if (!cut) lime::repair_headers(file, rules, done);
  }
  Documents(file, limits, encode_lattice, done).mend(headers.doubts);
  return cut;
}

void store_sums(base::EditedSource& file, const Catalog& catalog, const FieldEntry& entry, const Digest& sums) {
  for (const Group& group : group_records(catalog.records, catalog.file_bytes).groups) {
    if (group.data != entry.record) continue;
    // After the data first: insertions before them move them.
    if (sums.sums.all.empty()) return state_unproven(file, catalog, group);
    if (group.checksum) {
      lime::replace_contents(file, catalog.records[*group.checksum], encode(sums.sums.checksum().value()));
    } else {
      lime::add_record_behind(file, catalog.records[group.data], type::checksum, encode(sums.sums.checksum().value()));
    }
    if (group.slices) lime::replace_contents(file, catalog.records[*group.slices], encode_slices(sums.sums));
    return;
  }
}

}  // namespace lq::format::scidac
