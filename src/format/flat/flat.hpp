// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What formats have in common whose files are a header and the numbers of a field after it, and nothing else: of one
// field, or of several contiguous; or whose fields are cut into blocks, each in a file like that; or whose
// header is a file of its own.
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

// What a header says.
struct Head {
  std::string name;  // of the field; empty: as its kind
  Payload payload;  // its offset is the end of the header, its length follows from the rest; or tiles, one in each file
  // Of a field that is cut into blocks, one for each; or this one and that of the data, which are then in file 1.
  std::vector<std::string> files = {};
  std::uint64_t data_file_bytes = 0;  // of the latter
  Sums sums = {};
  Metadata metadata = {};
  std::optional<double> plaquette = {}, link_trace = {};
  std::vector<Annotation> parts = {};  // every byte of the header (of the file that was opened), in order
};

class FlatFormat : public Container, public FieldFormat {
 public:
  Catalog scan(base::ByteSource& file, const Limits& limits) const final;
  std::vector<Finding> validate(base::ByteSource& file, const Catalog& catalog) const final;
  std::vector<Annotation> explain(base::ByteSource& file, const Catalog& catalog) const final;
  std::vector<RecordPiece> pieces(base::ByteSource& file, const Catalog& catalog, const Record& record) const final;
  // unsupported: there is a header and a field, nothing else.
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
  // malformed, unsupported, truncated: what is wrong, in a sentence that does not name the file. What can be tolerated
  // becomes a finding; their rules begin with the name of the format.
  virtual Head read(base::ByteSource& file, const Limits& limits, Findings& findings) const = 0;
  // Of the field number `number` (1, 2, ...) after those before it, whose data end at byte `end`; nothing: that was
  // all.
  virtual std::optional<Head> read_further(base::ByteSource& file, std::uint64_t number, std::uint64_t end) const;
};

// The row of a format that is one object.
template <class OneFormat>
const Format& row_of(const FormatInfo& info, const Examiner* examiner = nullptr) {
  static const OneFormat format;
  static const Format row{.info = info, .container = &format, .fields = &format, .examiner = examiner};
  return row;
}

// Names of metadata that only tell what stands in a place of its own.
bool is_measured(std::string_view name) noexcept;

// The types of the two records that a file is shown as: "nersc-header", "nersc-data".
std::string header_type(std::string_view format);
std::string data_type(std::string_view format);

// Sets payload.length; too_large: it does not fit 63 bits; malformed: an extent below 1. The offset and the rest are
// set.
void set_length(Payload& payload);

// A file of one field whose header is known except for what depends on the data.
Layout layout_of(std::string_view header, Payload payload);
Literal literal_at(std::uint64_t offset, std::string_view bytes);

// unsupported, with the sentence "format "NAME" holds ..., not ...".
[[noreturn]] void refuse(std::string_view format, std::string_view holds, const std::string& what);
// unsupported unless a whole gauge field in four dimensions is asked for, the first field of its file.
void require_gauge(const FieldRequest& request, std::string_view format, std::string_view holds);
// unsupported unless it is the first field of its file, on the whole lattice.
void require_alone(const FieldRequest& request, std::string_view format, std::string_view holds);
// unsupported: a text was given that the format has no place for.
void require_held(const FieldRequest& request, const Metadata& held, std::string_view format);

// The numbers of all rows but the last of each matrix are in the file.
void leave_third_rows_out(Payload& payload);
// Where the bytes after the header are not as many as it announces, but just those of other matrices, of one kind
// alone (another SU(N), two rows, the other precision): makes the payload that, and says so; empty: there is nothing to
// say.
std::string fit_matrices(Payload& payload, base::ByteSource& file);

// The order of numbers in a file of `directions` (of the links, as the file has them), of the given number of numbers
// each.
std::vector<std::uint32_t> link_order(const std::vector<int>& directions, std::uint32_t numbers);

// A check value for formats without a magic: the plaquette at a few sites, read as the format says, is near the one
// that the header states, or the links are stored otherwise.

// The byte at which a link begins, a matrix of doubles, row by row.
using LinkAt = base::FunctionRef<std::uint64_t(const Coord& site, int direction)>;

struct Sampled {
  double mean = 0;         // of Re Tr U_P / N; plaquettes of links that are zero or none are left out
  double uncertainty = 0;  // 0: these are all plaquettes that there are
  double average = 0;      // with those that are left out, as a program averages links that are no matrices of SU(N)
  // A stated average as good as equal to it.
  bool agrees_with(double stated) const noexcept;
  // Far from what links in another order give, which is noise, and from links that are 1 in any order.
  bool is_telling() const noexcept;
  // Of a stated average.
  double distance_from(double stated) const noexcept;
};

// Nothing where the file is too short, or no plaquette of the sample is one. Of a lattice of up to `all_up_to` sites
// all are looked at.
std::optional<Sampled> sample_plaquette(base::ByteSource& file, const Extents& extents, int colors, ByteOrder order,
                                        LinkAt link_at, std::uint64_t all_up_to = 256);

}  // namespace lq::format::flat
