// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "compat/qio/open_reader.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "compat/qio/nodes.hpp"
#include "compat/qio/records.hpp"

namespace lq::compat::qio {
namespace {

// A text of ours as functions of XML want it.
class Xml {
 public:
  explicit Xml(std::string text) : text_(std::move(text)) { string_ = {text_.data(), text_.size() + 1}; }
  QIO_String* get() { return &string_; }

 private:
  std::string text_;
  QIO_String string_;
};

// One of the names that the file may have: that of a single file first.
std::unique_ptr<storage::File> open_by_name(FilesOfSet& files, const std::string& name, int wanted, int node,
                                            int& volfmt) {
  std::vector<int> tries;
  if (wanted == QIO_UNKNOWN || wanted == QIO_SINGLEFILE) tries.push_back(QIO_SINGLEFILE);
  if (wanted != QIO_PARTFILE_DIR) tries.push_back(QIO_PARTFILE);
  tries.push_back(QIO_PARTFILE_DIR);
  for (const int one : tries) {
    const std::string path = name_of_part(name, one, node);
    volfmt = one;
    try {
      return files.open(path);
    } catch (const Error& error) {
      if (error.code() != Code::not_found || one == tries.back()) throw;
    }
  }
  return nullptr;
}

void take_file_info(FileFacts& facts, std::string text, const std::string& path) {
  QIO_FileInfo info = QIO_FILE_INFO_TEMPLATE;
  Xml xml(std::move(text));
  if (decoded(QIO_decode_file_info, info, xml.get()) != QIO_SUCCESS) {
    throw Refusal(QIO_ERR_PRIVATE_FILE_INFO, path + ": its record of file information is not complete");
  }
  facts.format = QIO_SCIDAC_NATIVE;
  facts.volfmt = info.volfmt.value;
  facts.latdim = info.dims.n;
  std::copy_n(info.dims.value, info.dims.n, facts.latsize);
}

void take_ildg_format(FileFacts& facts, std::string text, const std::string& path) {
  QIO_ILDGFormatInfo info = QIO_ILDG_FORMAT_INFO_TEMPLATE;
  Xml xml(std::move(text));
  if (decoded(QIO_decode_ILDG_format_info, info, xml.get()) != QIO_SUCCESS) {
    throw Refusal(QIO_ERR_PRIVATE_FILE_INFO, path + ": its ildg-format record is not complete");
  }
  facts.format = QIO_ILDG_ALIEN;
  facts.ildgstyle = QIO_ILDGLAT;
  facts.ildg_precision = info.precision.value;
  facts.latdim = 4;
  const int extents[4] = {info.lx.value, info.ly.value, info.lz.value, info.lt.value};
  std::copy_n(extents, 4, facts.latsize);
}

QIO_RecordInfo alien_info(int precision) {
  const bool is_single = precision == 32;
  char single_type[] = "USQCD_F3_ColorMatrix", double_type[] = "USQCD_D3_ColorMatrix", f[] = "F", d[] = "D";
  QIO_RecordInfo* const made =
      QIO_create_record_info(QIO_FIELD, nullptr, nullptr, 0, is_single ? single_type : double_type, is_single ? f : d,
                             3, 0, is_single ? 72 : 144, 4);
  if (made == nullptr) throw std::bad_alloc();
  const QIO_RecordInfo info = *made;
  QIO_destroy_record_info(made);
  return info;
}

bool is_data(const std::string& type) {
  return type == QIO_LIMETYPE_BINARY_DATA || type == QIO_LIMETYPE_ILDG_BINARY_DATA;
}

}  // namespace

storage::Identity FilesOfSet::opened(const std::string& path) const {
  return files_.opened(path).value_or(storage::Identity{});
}

void FilesOfSet::expect(const std::string& path, const storage::Identity& identity) { files_.expect(path, identity); }

void FilesOfSet::tell_replacement(comm::Comm& nodes, int master) {
  std::string record, text;
  comm::agree(nodes, [&] {
    if (nodes.rank() != master || !replacement()) return;
    record = replacement()->record;
    text = base::as_text(replacement()->bytes);
  });
  broadcast_text(nodes, record, master);
  if (record.empty()) return;
  broadcast_text(nodes, text, master);
  comm::agree(nodes, [&] { replaced_.take(io::decode_replacement(base::as_bytes(text), record)); });
}

bool FilesOfSet::has(const std::string& path) {
  const auto is_it = [&](const io::Replacement::Member& member) { return member.to == path; };
  if (replacement() && std::ranges::any_of(replacement()->members, is_it)) return true;
  return storage::resolve(path).kind(path) == storage::PathKind::file;
}

bool FilesOfSet::stand_still(bool is_master) const {
  bool is_so = !files_.has_seen_replacement() && files_.mean_the_same();
  const Outcome looked = outcome_of(QIO_ERR_OPEN_READ, [&] {
    if (is_master && !replaced_.is_still_so(first_)) is_so = false;
  });
  return is_so && looked.code == QIO_SUCCESS;
}

bool FilesOfSet::were_replaced(comm::Comm& nodes, int master) const {
  std::uint64_t other = stand_still(nodes.rank() == master) ? 0 : 1;
  nodes.all_reduce({&other, 1}, comm::Reduce::max);
  return other != 0;
}

FileBeginning read_beginning(FilesOfSet& files, const std::string& name, const QIO_Iflag* iflag, int node,
                             bool is_alone) {
  FileBeginning found;
  int volfmt = QIO_SINGLEFILE;
  // One node writes single files, whatever it is asked for.
  const int wanted = is_alone || iflag == nullptr ? QIO_UNKNOWN : iflag->volfmt;
  found.file = open_by_name(files, name, wanted, node, volfmt);
  found.records = std::make_unique<RecordsIn>(*found.file);
  const std::string& path = found.file->path();
  found.facts.volfmt = volfmt;
  while (const auto record = found.records->next()) {
    if (record->type == QIO_LIMETYPE_ILDG_FORMAT) {
      take_ildg_format(found.facts, found.records->text_of(*record), path);
      found.xml = QIO_NONSCIDAC_FILE;
      return found;
    }
    if (record->type == QIO_LIMETYPE_PRIVATE_FILE_XML) {
      take_file_info(found.facts, found.records->text_of(*record), path);
      return found;
    }
  }
  throw Refusal(QIO_ERR_PRIVATE_FILE_INFO, path + ": neither a SciDAC file nor one of ILDG");
}

void take_file_information(RecordsIn& records, FileFacts& facts, const std::string& path) {
  const auto record = records.next();
  if (!record || record->type != QIO_LIMETYPE_PRIVATE_FILE_XML) {
    throw Refusal(QIO_ERR_PRIVATE_FILE_INFO, path + ": no record of file information");
  }
  take_file_info(facts, records.text_of(*record), path);
}

void read_beginning_of_record(RecordsIn& records, const QIO_Reader& reader, RecordBeginning& found) {
  const bool is_native = reader.format == QIO_SCIDAC_NATIVE;
  bool has_information = !is_native;
  bool is_any = false;
  if (!is_native) {
    found.facts.info = alien_info(reader.ildg_precision);
    found.xml = QIO_NONSCIDAC_RECORD;
  }
  while (const auto record = records.peek()) {
    if (is_data(record->type)) {
      if (has_information) return;
      throw Refusal(QIO_ERR_PRIVATE_REC_INFO, "data without record information");
    }
    records.next();
    if (!is_native) continue;
    is_any = is_any || record->type == QIO_LIMETYPE_PRIVATE_RECORD_XML;
    if (record->type == QIO_LIMETYPE_PRIVATE_RECORD_XML) {
      Xml xml(records.text_of(*record));
      if (decoded(QIO_decode_record_info, found.facts.info, xml.get()) != QIO_SUCCESS) {
        throw Refusal(QIO_ERR_PRIVATE_REC_INFO, "a record of record information is not complete");
      }
      has_information = true;
    } else if (record->type == QIO_LIMETYPE_RECORD_XML) {
      found.xml = records.text_of(*record);
    } else if (record->type == QIO_LIMETYPE_ILDG_FORMAT) {
      found.facts.is_ildg = 1;
    } else if (record->type == QIO_LIMETYPE_ILDG_DATA_LFN) {
      found.lfn = records.text_of(*record);
    }
  }
  if (is_any) throw Refusal(QIO_ERR_PRIVATE_REC_INFO, "record information without data");
  throw Refusal(QIO_EOF, "no further record");
}

FoundRecord next_data(RecordsIn& records) {
  while (const auto record = records.next()) {
    if (is_data(record->type)) return *record;
  }
  throw Refusal(QIO_EOF, "no further data");
}

QIO_ChecksumInfo read_stored(RecordsIn& records, const std::string& path) {
  std::optional<FoundRecord> record = records.next();
  while (record && record->type != "scidac-checksum" && !record->ends) record = records.next();
  if (!record || record->type != "scidac-checksum") {
    throw Refusal(QIO_ERR_CHECKSUM_INFO, path + ": no checksum after the data");
  }
  QIO_ChecksumInfo info = QIO_CHECKSUM_INFO_TEMPLATE;
  Xml xml(records.text_of(*record));
  const int code = decoded(QIO_decode_checksum_info, info, xml.get());
  // The original writes neither of the sums where one of them is 0.
  const bool has_none = info.suma.occur == 0 && info.sumb.occur == 0;
  if (code == QIO_SUCCESS || (code != QIO_BAD_XML && has_none)) return info;
  throw Refusal(QIO_ERR_CHECKSUM_INFO, path + ": the record of the checksum is not complete");
}

void compare_with_stored(RecordsIn& records, const DML_Checksum& sum, const std::string& path) {
  const QIO_ChecksumInfo info = read_stored(records, path);
  const bool has_sums = info.suma.occur == 1;
  if (!has_sums && (sum.suma == 0 || sum.sumb == 0)) return;
  if (!has_sums) throw Refusal(QIO_ERR_CHECKSUM_INFO, path + ": the record of the checksum has no sums");
  if (info.suma.value == sum.suma && info.sumb.value == sum.sumb) return;
  throw Refusal(QIO_CHECKSUM_MISMATCH, fmt::format("{}: the data have checksum {:x} {:x}, the file says {:x} {:x}",
                                                   path, sum.suma, sum.sumb, info.suma.value, info.sumb.value));
}

}  // namespace lq::compat::qio
