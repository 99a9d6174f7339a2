// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Common parts of formats whose files are a header followed by the numbers of a field, and nothing else: one
// field, or several in sequence; or fields divided into blocks, each in such a file; or with the
// header in a separate file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/lattice.hpp>

#include "base/byte_source.hpp"
#include "base/function_ref.hpp"
#include "format/format.hpp"

namespace lq::format::flat {

// The contents of a header.
struct Head {
  std::string name;  // of the field; empty: named after its kind
  Payload payload;  // its offset is the end of the header, its length follows from the rest; or tiles, one in each file
  // For a field divided into blocks, one for each; or this one and that of the data, which are then in file 1.
  std::vector<std::string> files = {};
  std::uint64_t data_file_bytes = 0;  // of the file with the data
  Sums sums = {};
  Metadata metadata = {};
  std::optional<double> plaquette = {}, link_trace = {};
  std::vector<Annotation> parts = {};  // every byte of the header (of the opened file), in order
};

class FlatFormat : public Container, public FieldFormat {
 public:
  Catalog scan(base::ByteSource& file, const Limits& limits) const final;
  std::vector<Finding> validate(base::ByteSource& file, const Catalog& catalog) const final;
  std::vector<Annotation> explain(base::ByteSource& file, const Catalog& catalog) const final;
  std::vector<RecordPiece> pieces(base::ByteSource& file, const Catalog& catalog, const Record& record) const final;
  // unsupported: there is only a header and a field.
  Layout plan_record(const RecordRequest& request) const final;
  void store_sums(base::EditedSource& file, const Catalog& catalog, const FieldEntry& entry,
                  const Digest& sums) const final;

 private:
  virtual std::string_view name() const = 0;
  bool take(Catalog& catalog, Head& head, std::uint64_t begin, Findings& findings) const;
  void report_trailing(const Catalog& catalog, const Record& data, Findings& findings) const;
  void take_blocks(Catalog& catalog, Head& head) const;
  void take_data_file(Catalog& catalog, Head& head) const;
  // The section of the format's page that describes the data: "formats/nersc.md 4".
  virtual std::string_view data_section() const = 0;
  // malformed, unsupported, truncated: the error, in a sentence without the file name. Tolerable faults
  // become findings; their rules begin with the name of the format.
  virtual Head read(base::ByteSource& file, const Limits& limits, Findings& findings) const = 0;
  // For field `number` (1, 2, ...) after the previous ones, whose data end at byte `end`; empty: there are no more
  // fields.
  virtual std::optional<Head> read_further(base::ByteSource& file, std::uint64_t number, std::uint64_t end) const;
};

// The table row of a format with a single object.
template <class OneFormat>
const Format& row_of(const FormatInfo& info, const Examiner* examiner = nullptr) {
  static const OneFormat format;
  static const Format row{.info = info, .container = &format, .fields = &format, .examiner = examiner};
  return row;
}

// Names of metadata that repeat values stored elsewhere.
bool is_measured(std::string_view name) noexcept;

// The types of the two records that represent a file: "nersc-header", "nersc-data".
std::string header_type(std::string_view format);
std::string data_type(std::string_view format);

// Sets payload.length; too_large: it does not fit 63 bits; malformed: an extent below 1. The other members must be
// set.
void set_length(Payload& payload);

// A file of one field whose header is known except for parts that depend on the data.
Layout layout_of(std::string_view header, Payload payload);
Literal literal_at(std::uint64_t offset, std::string_view bytes);

// unsupported, with the message "format "NAME" holds ..., not ...".
[[noreturn]] void refuse(std::string_view format, std::string_view holds, const std::string& what);
// unsupported unless a whole gauge field in four dimensions is requested, the first field of its file.
void require_gauge(const FieldRequest& request, std::string_view format, std::string_view holds);
// unsupported unless it is the first field of its file, on the whole lattice.
void require_alone(const FieldRequest& request, std::string_view format, std::string_view holds);
// unsupported: a text was given that the format cannot store.
void require_held(const FieldRequest& request, const Metadata& held, std::string_view format);

// The file contains all rows of each matrix except the last.
void leave_third_rows_out(Payload& payload);
// If the number of bytes after the header differs from the announced one and is exactly that of other matrices, of one
// kind only (another SU(N), two rows, the other precision): makes the payload that, and returns a message; empty:
// no message.
std::string fit_matrices(Payload& payload, base::ByteSource& file);

// The order of numbers in a file with these `directions` (of the links, as stored), of the given number of numbers
// each.
std::vector<std::uint32_t> link_order(const std::vector<int>& directions, std::uint32_t numbers);

// A check value for formats without a magic: the plaquette at a few sites, read by the format's rules, is near the
// stated one, or the links are stored differently.

// The first byte of a link, a matrix of doubles, row by row.
using LinkAt = base::FunctionRef<std::uint64_t(const Coord& site, int direction)>;

struct Sampled {
  double mean = 0;         // of Re Tr U_P / N; plaquettes of links that are zero or invalid are omitted
  double uncertainty = 0;  // 0: these are all existing plaquettes
  double average = 0;      // including the omitted ones, as programs do that average links outside SU(N)
  // True if a stated average is practically equal.
  bool agrees_with(double stated) const noexcept;
  // True if far from noise, which links in a wrong order give, and from 1, which unit links give in any order.
  bool is_telling() const noexcept;
  // The distance from a stated average.
  double distance_from(double stated) const noexcept;
};

// Empty if the file is too short, or the sample contains no valid plaquette. On a lattice of up to `all_up_to` sites
// all are used.
std::optional<Sampled> sample_plaquette(base::ByteSource& file, const Extents& extents, int colors, ByteOrder order,
                                        LinkAt link_at, std::uint64_t all_up_to = 256);

}  // namespace lq::format::flat
