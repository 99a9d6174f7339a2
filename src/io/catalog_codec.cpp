// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One list of members per structure serves both directions, so that they cannot drift apart: the archive either appends
// or takes.
#include "io/catalog_codec.hpp"

#include <cstring>
#include <optional>
#include <type_traits>

#include <limequat/error.hpp>

#include "comm/agree.hpp"

namespace lq::io {

namespace {

template <class T>
concept Plain = std::is_arithmetic_v<T> || std::is_enum_v<T>;

class Encoder {
 public:
  template <Plain T>
  void operator()(const T& value) {
    const std::size_t at = bytes.size();
    bytes.resize(at + sizeof value);
    std::memcpy(bytes.data() + at, &value, sizeof value);
  }
  void text(const std::string& value) {
    (*this)(std::uint64_t{value.size()});
    const base::Bytes more = base::as_bytes(value);
    bytes.insert(bytes.end(), more.begin(), more.end());
  }
  template <class T>
  std::uint64_t count(const std::vector<T>& values) {
    (*this)(std::uint64_t{values.size()});
    return values.size();
  }

  static constexpr bool decodes = false;
  std::vector<std::byte> bytes;
};

class Decoder {
 public:
  explicit Decoder(base::Bytes bytes) : rest_(bytes) {}
  base::Bytes rest() const noexcept { return rest_; }
  template <Plain T>
  void operator()(T& value) {
    const base::Bytes taken = take(sizeof value);
    std::memcpy(&value, taken.data(), sizeof value);
  }
  void text(std::string& value) {
    std::uint64_t size = 0;
    (*this)(size);
    value = base::as_text(take(size));
  }
  template <class T>
  std::uint64_t count(std::vector<T>& values) {
    std::uint64_t size = 0;
    (*this)(size);
    values.resize(static_cast<std::size_t>(size));
    return size;
  }

  static constexpr bool decodes = true;

 private:
  base::Bytes take(std::uint64_t size) {
    if (size > rest_.size())
      throw Error(Code::internal, "the catalog of a file was truncated in transit between ranks; please report");
    const base::Bytes taken = rest_.first(static_cast<std::size_t>(size));
    rest_ = rest_.subspan(taken.size());
    return taken;
  }

  base::Bytes rest_;
};

template <class Archive, class T>
void each(Archive& archive, T& value);

template <class Archive, class T>
void archive_vector(Archive& archive, T& values) {
  archive.count(values);
  for (auto& value : values) each(archive, value);
}

template <class Archive, class T>
void archive_optional(Archive& archive, T& value) {
  bool present = value.has_value();
  archive(present);
  if constexpr (Archive::decodes) {
    if (present) value.emplace();
  }
  if (present) each(archive, *value);
}

template <class Archive, class T>
void archive_coord(Archive& archive, T& coord) {
  int size = coord.size();
  archive(size);
  if constexpr (Archive::decodes) coord = Coord::filled(size, 0);
  for (int d = 0; d < size; ++d) {
    std::int64_t value = coord[d];
    archive(value);
    if constexpr (Archive::decodes) coord[d] = value;
  }
}

template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

template <class Archive, class... T>
void all(Archive& archive, T&... members) {
  (each(archive, members), ...);
}

template <class Archive, class T>
void each(Archive& a, T& v) {
  using Value = std::remove_const_t<T>;
  if constexpr (Plain<Value>) {
    a(v);
  } else if constexpr (std::is_same_v<Value, std::string>) {
    a.text(v);
  } else if constexpr (is_vector<Value>) {
    archive_vector(a, v);
  } else if constexpr (is_optional<Value>) {
    archive_optional(a, v);
  } else if constexpr (std::is_same_v<Value, Coord>) {
    archive_coord(a, v);
  } else if constexpr (std::is_same_v<Value, Metadata::value_type>) {
    all(a, v.first, v.second);
  } else if constexpr (std::is_same_v<Value, Box>) {
    all(a, v.lower, v.extents);
  } else if constexpr (std::is_same_v<Value, SumName>) {
    all(a, v.kind, v.of);
  } else if constexpr (std::is_same_v<Value, Sum>) {
    all(a, v.name, v.words);
  } else if constexpr (std::is_same_v<Value, FieldSpec>) {
    all(a, v.kind, v.colors, v.spins, v.links, v.numbers, v.is_complex, v.precision);
  } else if constexpr (std::is_same_v<Value, Payload>) {
    all(a, v.file, v.offset, v.length, v.spec, v.extents, v.stored, v.order, v.byte_order, v.codec, v.tile_sites,
        v.tiles, v.encoding, v.arrays, v.block, v.at_odd_points);
  } else if constexpr (std::is_same_v<Value, SiteCodec>) {
    all(a, v.order, v.third_rows_missing, v.second_columns_missing, v.fixed16);
  } else if constexpr (std::is_same_v<Value, Tile>) {
    all(a, v.file, v.offset, v.bytes);
  } else if constexpr (std::is_same_v<Value, Record>) {
    all(a, v.type, v.file, v.message, v.number, v.mb_flag, v.me_flag, v.header_offset, v.offset, v.data_length,
        v.pieces);
  } else if constexpr (std::is_same_v<Value, FieldEntry>) {
    all(a, v.name, v.payload, v.record, v.sums.all, v.metadata, v.plaquette, v.link_trace);
  } else if constexpr (std::is_same_v<Value, Finding>) {
    all(a, v.severity, v.code, v.rule, v.message, v.record, v.offset, v.length, v.expected, v.found);
  } else if constexpr (std::is_same_v<Value, Claim>) {
    all(a, v.of, v.name, v.evidence, v.outcome, v.offset, v.length);
  } else if constexpr (std::is_same_v<Value, format::Examined>) {
    all(a, v.claims, v.findings);
  } else if constexpr (std::is_same_v<Value, format::Layout>) {
    all(a, v.suffixes, v.payload, v.sums, v.plaquettes_of, v.end);
  } else {
    static_assert(std::is_same_v<Value, Catalog>);
    all(a, v.path, v.format, v.file_bytes, v.files, v.records, v.fields, v.metadata, v.findings, v.complete);
  }
}

// Collective. What each() visits of the value that `make` makes on rank 0, on all ranks.
template <class T>
void broadcast_value(comm::Comm& comm, base::FunctionRef<T&()> make) {
  Encoder encoder;
  T& value = *comm::agree(comm, [&] {
    T& made = make();
    if (comm.rank() == 0 && comm.size() > 1) each(encoder, std::as_const(made));
    return &made;
  });
  if (comm.size() == 1) return;
  comm::agree(comm, [&] {
    const std::vector<std::byte> bytes = comm::broadcast_bytes(comm, encoder.bytes);
    if (comm.rank() == 0) return;
    Decoder decoder(bytes);
    each(decoder, value);
  });
}

template <class T>
std::vector<std::byte> encode_value(const T& value) {
  Encoder encoder;
  each(encoder, value);
  return std::move(encoder.bytes);
}

template <class T>
base::Bytes decode_value(base::Bytes bytes, T& value) {
  Decoder decoder(bytes);
  each(decoder, value);
  return decoder.rest();
}

}  // namespace

std::vector<std::byte> encode(const Catalog& catalog) { return encode_value(catalog); }
std::vector<std::byte> encode(const format::Layout& layout) { return encode_value(layout); }

Catalog decode(base::Bytes bytes) {
  Catalog catalog;
  decode(bytes, catalog);
  return catalog;
}
base::Bytes decode(base::Bytes bytes, Catalog& catalog) { return decode_value(bytes, catalog); }
base::Bytes decode(base::Bytes bytes, format::Layout& layout) { return decode_value(bytes, layout); }

void broadcast(comm::Comm& comm, base::FunctionRef<Catalog&()> make) { broadcast_value(comm, make); }
void broadcast(comm::Comm& comm, base::FunctionRef<format::Examined&()> make) { broadcast_value(comm, make); }

}  // namespace lq::io
