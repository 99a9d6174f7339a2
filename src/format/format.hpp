// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The two small interfaces between formats and everything else: a container of records, and fields in it. A format
// never does I/O on payload and knows no ranks: it returns a file as data (which bytes go where), and io/ executes it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/field.hpp>
#include <limequat/inspect.hpp>
#include <limequat/metadata.hpp>
#include <limequat/options.hpp>

#include "base/byte_source.hpp"
#include "base/inner.hpp"
#include "format/findings.hpp"
#include "format/tile_codec.hpp"

namespace lq::format {

// Bytes at a known place in one of the physical files.
struct Literal {
  int file = 0;
  std::uint64_t offset = 0;
  std::vector<std::byte> bytes;
};

// Many bytes at a known place, generated while they are written: `fill` makes those from its byte `at` on, in
// pieces of a multiple of 4096 bytes except for the last one.
struct Bulk {
  int file = 0;
  std::uint64_t offset = 0, length = 0;
  std::function<void(std::uint64_t at, base::MutableBytes bytes)> fill;
};

// Facts about the data that the tail of a file may need.
struct Digest {
  Sums sums;                                // of Layout::sums
  std::vector<Tile> tiles = {};             // their positions: as planned, or as found when they were encoded
  std::vector<double> plaquette_sums = {};  // of Layout::plaquettes_of
  std::optional<double> plaquette = {}, link_trace = {};  // if FieldRequest::has_late_observables
};

// A piece of a file as data. Several physical files: `suffixes` are appended to the path, one per file. One rank plans
// it; head and tail stay there, all ranks receive the rest.
struct Layout {
  std::vector<std::string> suffixes = {""};
  std::vector<Literal> head;       // bytes known before the data
  std::vector<Bulk> bulk;          // the part of these that would take much memory
  std::vector<Payload> payload;    // where the sites (or streams) go
  std::vector<SumName> sums;       // needed by the tail
  std::vector<Box> plaquettes_of;  // also needed, over the sites of each: the sum of Re Tr U_P / N of all plaquettes
  std::function<std::vector<Literal>(const Digest&)> tail;  // bytes that depend on the data; may be empty
  std::vector<std::uint64_t> end;                           // size of each file after this piece
};

// Choices for a format with variants; empty: its own default.
struct Choices {
  std::string layout;           // by name
  std::string dataset_chunk;    // extents of chunks, or "slice"
  std::string filters;          // of chunks, in order, separated by commas
  std::string parts;            // the number of files that each dimension is divided into
  bool time_stamps = true;      // false: the bytes depend only on what is written
  std::uint64_t alignment = 0;  // data begin at its multiples if the format can choose; 0: no constraint
};
Choices choices_of(const WriteOptions& options);
// unsupported: a choice was made that is not in `known`; names the option.
void refuse_choices(const Choices& choices, std::span<const std::string_view> known, std::string_view format);

// A field to be placed in a file.
struct FieldRequest {
  std::string name;  // of the field
  FieldSpec spec;    // links and numbers filled in, precision as in the file
  Extents extents;
  Metadata metadata;
  std::optional<Box> stored;  // only a part of the lattice; empty: all of it
  std::uint64_t offset = 0;   // where this piece starts: the end of the existing contents
  bool first = true;          // first piece of the file: the file's own header comes before it
  bool checksum = true;
  bool slice_checksums = true;
  std::optional<double> plaquette, link_trace;  // of a gauge field, if known
  bool has_late_observables = false;            // they are known after the data have passed: Digest contains them
  Choices choices = {};
  // The file so far, readable until the tail was made. nullptr: it is empty, or nothing is written.
  base::ByteSource* before = nullptr;
};

// A user's record, without a lattice, to be placed in a file; members as above.
struct RecordRequest {
  std::string_view type;
  std::string_view contents;
  std::uint64_t offset = 0;
  bool first = true;
  Choices choices = {};
  base::ByteSource* before = nullptr;
};

// A contiguous part of a record.
struct RecordPiece {
  int file = 0;  // index into Catalog::files
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

enum class Likeness { no, maybe, yes };

// A format as a container of records of any kind. Stateless; one object per format.
class LQ_INNER Container {
 public:
  virtual ~Container() = default;
  // Decided by the content, for any bytes; only failures to read are thrown.
  virtual Likeness recognise(base::ByteSource& file) const = 0;
  // The contents of a file. Damage becomes findings; only failures to read are thrown.
  virtual Catalog scan(base::ByteSource& file, const Limits& limits) const = 0;
  // The positions of a record's payload, in order; contiguous in most formats.
  virtual std::vector<RecordPiece> pieces(base::ByteSource& file, const Catalog& catalog, const Record& record) const;
  // The payload of a record as one sequence of bytes, if it is more than the concatenation of pieces(): encoded
  // chunks. nullptr: it is not. Reads from `file`, which must outlive it. unsupported: it cannot be read.
  virtual std::unique_ptr<base::ByteSource> contents(base::ByteSource& file, const Catalog& catalog,
                                                     const Record& record) const;
  // Rules of the specification that the file breaks, including those of scan().
  virtual std::vector<Finding> validate(base::ByteSource& file, const Catalog& catalog) const = 0;
  // Every header byte, in order of offset.
  virtual std::vector<Annotation> explain(base::ByteSource& file, const Catalog& catalog) const = 0;
};

// A container for users' records.
class LQ_INNER RecordFormat {
 public:
  virtual ~RecordFormat() = default;
  // Which bytes go where for a record without a lattice.
  virtual Layout plan_record(const RecordRequest& request) const = 0;
  // The options of requests that it supports; others are refused.
  virtual std::span<const std::string_view> known_choices() const { return {}; }
};

// A contiguous field whose numbers are in a file of another format.
struct Reference {
  std::string name;
  std::string path;  // of that file, as it will be opened
  Payload payload;
  Sums sums;
  Metadata metadata;
};

// What files of a format state about a gauge field's plaquette and link trace.
enum class Observables {
  in_texts,  // stated in texts, if at all
  stated,    // both, as separate values
  measured,  // the plaquette, as the value by which readers check the links: as exact as possible
};

// The name of a field without a name.
std::string_view default_name(FieldKind kind) noexcept;

// How fields are stored in a container.
class LQ_INNER FieldFormat : public RecordFormat {
 public:
  // True if it is intended for such fields: among the formats with the path's suffix, the first such format is used.
  virtual bool is_for(const FieldSpec& spec, const Extents& extents) const = 0;
  // Which bytes go where for one field. unsupported / invalid_argument if the format cannot store it.
  virtual Layout plan(const FieldRequest& request) const = 0;
  // The texts of another file that can be stored with a field in this format. Omitted are names it cannot store, second
  // texts if it has only one, and texts that describe the numbers themselves if their precision changes.
  virtual Metadata carried(const Metadata& texts, bool precision_changes) const = 0;
  virtual Observables observables() const { return Observables::in_texts; }
  // True if they may be known after the data have passed: no other position depends on them.
  virtual bool takes_late_observables() const { return false; }
  // Of Payload::encoding; nullptr: unknown name.
  virtual const TileCodec* tile_codec(std::string_view encoding) const;
  // The bytes of a file that shows the numbers of other files, without a copy. unsupported: files of this
  // format must hold their own numbers, or the payload is not contiguous.
  virtual std::vector<Literal> refer(std::span<const Reference> fields) const;
  // Stores the sums of an existing field in their place, or adds the record for them.
  virtual void store_sums(base::EditedSource& file, const Catalog& catalog, const FieldEntry& entry,
                          const Digest& sums) const = 0;
};

// What a format knows of the correct bytes of a damaged file. Reports what it did; never changes payload.
class LQ_INNER Repairer {
 public:
  virtual ~Repairer() = default;
  // Headers and texts are corrected if their correct bytes are known. Missing data at the end become zeros: returns
  // the offset from which on they are missing.
  virtual std::optional<std::uint64_t> mend(base::EditedSource& file, const Limits& limits, Findings& done) const = 0;
  // True if files state elsewhere which records they have, so that none is lost unnoticed.
  virtual bool knows_all_records() const noexcept { return false; }
};

// Results of examining a file beyond its scan and the sums of its fields.
struct Examined {
  std::vector<Claim> claims;
  std::vector<Finding> findings;
};

// For a text that no checksum covers.
inline Claim uncovered(const Record& record) {
  return {record.type, "text", Evidence::structure, Outcome::uncovered, record.offset, record.data_length};
}

// For all records of that type.
inline void claim_uncovered(const Catalog& catalog, std::string_view type, Examined& examined) {
  for (const Record& record : catalog.records) {
    if (record.type == type) examined.claims.push_back(uncovered(record));
  }
}

// Comparisons of a format besides the sums of fields: records, small objects, an index, chunks, and
// anything stored twice. lq::verify() calls it once for each file, on one rank, and all ranks receive the result.
class LQ_INNER Examiner {
 public:
  virtual ~Examiner() = default;
  // A claim about all content that is not a field's payload, `absent` if nothing proves it, and a finding for
  // each fault that is not among the findings of the catalog. Reads in pieces, so that memory does not grow
  // with the file. Only failures to read are thrown.
  virtual Examined examine(base::ByteSource& file, const Catalog& catalog, const Limits& limits) const = 0;
};

// For formats whose header is a text without a checksum, and in which scans and readers compare everything else.
class LQ_INNER UncoveredHeader final : public Examiner {
 public:
  // Static storage.
  explicit constexpr UncoveredHeader(std::string_view record_type) noexcept : record_type_(record_type) {}
  Examined examine(base::ByteSource&, const Catalog& catalog, const Limits&) const override {
    Examined examined;
    claim_uncovered(catalog, record_type_, examined);
    return examined;
  }

 private:
  std::string_view record_type_;
};

// Texts with information that are not among the `kept` ones: what a conversion loses.
Metadata lost_texts(const Metadata& texts, const Metadata& kept);

// A row of the table of formats.
struct Format {
  FormatInfo info;
  const Container* container = nullptr;
  const RecordFormat* records = nullptr;                // nullptr: takes no records of the user
  const FieldFormat* fields = nullptr;                  // nullptr: takes no fields
  const Repairer* repairer = nullptr;                   // nullptr: the correct bytes of a damaged file are unknown
  const Examiner* examiner = nullptr;                   // nullptr: there is nothing but fields and what scan() checks
  std::span<const std::string_view> record_types = {};  // of LIME records that its readers search for

  std::string_view name() const noexcept { return info.name; }
  // unsupported: it takes none; lists the formats that do.
  const RecordFormat& for_records() const;
  const FieldFormat& for_fields() const;
};

// The format of a separate module or component. A static object there registers it: before the formats with
// the same beginning, else after those with a magic. It allocates nothing; other threads may use formats concurrently.
class LQ_INNER Registration {
 public:
  explicit Registration(const Format& (*make)()) noexcept;
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;

  const Format& format() const { return format_(); }
  const Registration* next() const noexcept { return next_; }

 private:
  const Format& (*format_)();
  const Registration* next_;
};

// An additional format before all others during the object's lifetime; the last one added comes first: for tests of
// features that no format of the table needs.
class AddedFormat {
 public:
  explicit AddedFormat(const Format& format);
  ~AddedFormat();
  AddedFormat(const AddedFormat&) = delete;
  AddedFormat& operator=(const AddedFormat&) = delete;
};

// All registered formats, most specific first. The span stays valid if another one is registered.
LQ_INNER std::span<const Format* const> formats();
// Types of LIME records that readers of any format search for.
std::span<const std::string_view> known_record_types();
// By name; nullptr: not registered.
const Format* find_format(std::string_view name);
// True if a suffix is that of a format, ignoring case.
bool is_suffix(std::string_view suffix, std::string_view of_format) noexcept;

// The following functions load the component with the format (component.hpp), or throw what to install.

// Loads it for a file to be written in the format of this name, or of its suffix if the name is empty.
void load_format_of(const std::string& path, std::string_view name);
// By name; invalid_argument lists the existing names.
const Format& format_named(std::string_view name);
// By suffix of the path; the default is as for ".lime": ILDG for gauge fields in four dimensions, SciDAC for others.
const Format& format_for(const std::string& path, const FieldSpec& spec, const Extents& extents);
// By content; unknown_format describes the beginning of the file.
LQ_INNER const Format& recognise(base::ByteSource& file);
// The contents of a file of any format.
Catalog scan(base::ByteSource& file, const Limits& limits);

// Additional interfaces that only some formats implement next to FieldFormat.

// No two fields of a file may have the same name.
class LQ_INNER RequiresUniqueNames {
 public:
  virtual ~RequiresUniqueNames() = default;
};

inline bool needs_unique_names(const FieldFormat& format) noexcept {
  return dynamic_cast<const RequiresUniqueNames*>(&format) != nullptr;
}

// Can warn about a field that the format supports but its original programs do not read.
class LQ_INNER AdviceProvider {
 public:
  virtual ~AdviceProvider() = default;
  // A sentence without the file name, or empty.
  virtual std::string advice(const FieldSpec& in_file) const = 0;
};

inline std::string advice_of(const FieldFormat& format, const FieldSpec& in_file) {
  const auto* const adviser = dynamic_cast<const AdviceProvider*>(&format);
  return adviser == nullptr ? std::string{} : adviser->advice(in_file);
}

// Marks left by a repair. The first marks data that nothing proves since the repair: a text of the
// field or of the file, which makes every examination call them unproven (io/judgement.hpp). FieldFormat::store_sums()
// without any sums stores it in their place. Conversions copy it like other texts.

inline constexpr std::string_view unproven_text = "limequat-unproven";
// The text of a part rescued from a field whose data ended early: which part it is.
inline constexpr std::string_view rescued_text = "limequat-rescued";

// A field spread over several files on writing: equal blocks of the lattice, one file each.
class Parts {
 public:
  // Empty: all in one file. invalid_argument, unsupported: the field cannot be divided like that.
  static std::optional<Parts> of(const FieldRequest& request);

  std::uint64_t count() const noexcept { return volume(counts_); }
  std::uint64_t sites() const noexcept { return volume(block_); }  // of each
  const Extents& extents() const noexcept { return extents_; }     // of the lattice
  const Extents& block() const noexcept { return block_; }
  // The first site of part `number`; the first dimension of `order` is the fastest.
  Coord lower(std::uint64_t number, const SiteOrder& order) const;
  // Assigns the parts of the field to these offsets: part k, in the payload's order, in file k.
  void place(Payload& payload, const std::vector<std::uint64_t>& offsets) const;

 private:
  Extents extents_, counts_, block_;
};

// Plausibility of numbers if a description and a length contradict each other: the lower half of a double is noise,
// which as a number in single precision would often be huge.

// The precision of the numbers in these bytes, from a sample of a few thousand; empty if it cannot be determined,
// as for zeros and small integers.
std::optional<Precision> likely_precision(base::ByteSource& file, std::uint64_t offset, std::uint64_t length,
                                          ByteOrder order);

}  // namespace lq::format
