// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The decoded elements of datasets; the description of datasets and attributes, and the values of small ones.
#include "hdf5/tree/storage.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <limequat/options.hpp>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "hdf5/filters/filters.hpp"
#include "hdf5/headers/structures.hpp"
#include "hdf5/tree/tree.hpp"

// Datasets and attributes: their description, and the values of small ones.

namespace lq::hdf5 {
namespace {

constexpr std::uint64_t largest_chunk = base::gibi;
constexpr std::uint64_t most_kept = 64 * base::mebi;

[[noreturn]] void cannot_read(Code code, const ErrorPlace& where, const std::string& why) {
  base::fail(code, {.path = where.path, .record = where.object}, "{}: {}", base::printable(where.object, 200), why);
}

}  // namespace

DatasetContents::DatasetContents(const Opened& opened, hid_t dataset, std::vector<std::uint64_t> extents,
                                 std::uint64_t element_bytes, const ErrorPlace& where, std::uint64_t most_chunks)
    : file_(opened.source()),
      path_(where.path),
      extents_(std::move(extents)),
      element_bytes_(element_bytes),
      size_(element_bytes),
      storage_(describe_storage(opened, dataset, where)) {
  for (const std::uint64_t extent : extents_) size_ = base::multiply_or_throw(size_, extent, "the size of a dataset");
  switch (storage_.kind) {
    case StorageKind::contiguous:
    case StorageKind::compact:
      if (storage_.is_allocated && (storage_.offset > file_.size() || size_ > file_.size() - storage_.offset)) {
        cannot_read(Code::malformed, where, "its elements are not inside the file");
      }
      return;
    case StorageKind::chunked:
      place_chunks(opened, dataset, where, most_chunks);
      return;
    default:
      cannot_read(Code::unsupported, where, "its elements are in other files or datasets, which are not opened");
  }
}

void DatasetContents::place_chunks(const Opened& opened, hid_t dataset, const ErrorPlace& where,
                                   std::uint64_t most_chunks) {
  chunk_bytes_ = element_bytes_;
  for (const std::uint64_t extent : storage_.chunk) {
    chunk_bytes_ = base::checked_multiply(chunk_bytes_, extent).value_or(UINT64_MAX);
  }
  if (chunk_bytes_ > largest_chunk)
    cannot_read(Code::too_large, where, fmt::format("chunks of {} bytes", chunk_bytes_));
  choose_codec(where, 0);
  if (size_ > 0) chunks_ = chunks_of(opened, dataset, storage_, extents_, where, most_chunks);
  for (const Chunk& chunk : chunks_) {
    if (!codecs_.contains(chunk.skipped)) choose_codec(where, chunk.skipped);
  }
}

// Optional filters are omitted for chunks that they would not make smaller.
void DatasetContents::choose_codec(const ErrorPlace& where, std::uint32_t skipped) {
  std::vector<Filter> applied;
  for (std::size_t k = 0; k < storage_.filters.size(); ++k) {
    const bool is_skipped = k < 32 && (skipped >> k & 1) != 0;
    if (!is_skipped) {
      applied.push_back(storage_.filters[k]);
    } else if (!storage_.filters[k].is_optional) {
      cannot_read(Code::malformed, where, "a chunk has skipped a mandatory filter");
    }
  }
  const bool is_of_filters = storage_.filters.size() >= 32 || skipped >> storage_.filters.size() == 0;
  if (!is_of_filters) cannot_read(Code::malformed, where, "a chunk has skipped a filter that it does not have");
  const format::TileCodec*& codec = codecs_[skipped];
  if (applied.empty()) return;
  const std::string encoding = encoding_of(applied, element_bytes_);
  codec = tile_codec(encoding);
  if (codec == nullptr) {
    cannot_read(Code::unsupported, where,
                fmt::format("its chunks are encoded as \"{}\", which is not fully supported here", encoding));
  }
}

// Fills with the value of unwritten elements, starting at that byte.
void DatasetContents::fill(base::MutableBytes bytes, std::uint64_t offset) const {
  if (storage_.fill.empty()) {
    std::ranges::fill(bytes, std::byte{0});
    return;
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = storage_.fill[(offset + i) % storage_.fill.size()];
}

DatasetContents::Bytes DatasetContents::read_chunk(std::uint64_t number) const {
  const Chunk& chunk = chunks_.at(static_cast<std::size_t>(number));
  Bytes sites(static_cast<std::size_t>(chunk_bytes_));
  if (chunk.bytes == 0) {
    fill(sites, 0);
    return sites;
  }
  const format::TileCodec* const codec = codecs_.at(chunk.skipped);
  const auto fail = [&](const std::string& why) {
    base::fail(Code::malformed, {.path = path_, .offset = chunk.offset}, "chunk {}, {} bytes at byte {}: {}",
               chunk_text(number), chunk.bytes, chunk.offset, why);
  };
  const bool is_inside = chunk.offset <= file_.size() && chunk.bytes <= file_.size() - chunk.offset;
  if (!is_inside) fail("it is not inside the file");
  if (codec == nullptr) {
    if (chunk.bytes != chunk_bytes_) fail(fmt::format("its size differs from the {} bytes of a chunk", chunk_bytes_));
    file_.read_at(chunk.offset, sites);
    return sites;
  }
  if (chunk.bytes > codec->most_bytes(chunk_bytes_)) fail("more bytes than its filters can make of a chunk");
  Bytes encoded(static_cast<std::size_t>(chunk.bytes));
  file_.read_at(chunk.offset, encoded);
  try {
    codec->decode(encoded, sites);
  } catch (const Error& error) {
    if (error.code() != Code::malformed) throw;
    fail(error.what());
  }
  return sites;
}

std::string DatasetContents::chunk_text(std::uint64_t number) const {
  std::vector<std::uint64_t> place(extents_.size());
  for (std::size_t d = place.size(); d-- > 0;) {
    const std::uint64_t along = (extents_[d] + storage_.chunk[d] - 1) / storage_.chunk[d];
    place[d] = number % along;
    number /= along;
  }
  return fmt::format("({})", fmt::join(place, ", "));
}

const DatasetContents::Bytes& DatasetContents::chunk(std::uint64_t number) {
  const auto found = kept_by_number_.find(number);
  if (found != kept_by_number_.end()) {
    kept_.splice(kept_.begin(), kept_, found->second);
    return kept_.front().second;
  }
  while (!kept_.empty() && (kept_.size() + 1) * chunk_bytes_ > most_kept) {
    kept_by_number_.erase(kept_.back().first);
    kept_.pop_back();
  }
  kept_.emplace_front(number, read_chunk(number));
  kept_by_number_[number] = kept_.begin();
  return kept_.front().second;
}

std::size_t DatasetContents::read_run(std::uint64_t offset, base::MutableBytes buffer) {
  std::uint64_t element = offset / element_bytes_, number = 0, within = 0, stride = 1, chunk_stride = 1;
  std::uint64_t run = 1;  // elements up to the end of the chunk or of the dataset along the last dimension
  for (std::size_t d = extents_.size(); d-- > 0;) {
    const std::uint64_t x = element % extents_[d], extent = storage_.chunk[d];
    element /= extents_[d];
    if (d + 1 == extents_.size()) run = std::min(extent - x % extent, extents_[d] - x);
    number += x / extent * stride;
    within += x % extent * chunk_stride;
    stride *= (extents_[d] + extent - 1) / extent;
    chunk_stride *= extent;
  }
  const std::uint64_t skipped = offset % element_bytes_;
  const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(run * element_bytes_ - skipped, buffer.size()));
  const Bytes& sites = chunk(number);
  std::copy_n(sites.begin() + static_cast<std::ptrdiff_t>(within * element_bytes_ + skipped), bytes, buffer.begin());
  return bytes;
}

std::size_t DatasetContents::read_at(std::uint64_t offset, base::MutableBytes buffer) {
  if (offset >= size_) return 0;
  const base::MutableBytes wanted =
      buffer.first(static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), size_ - offset)));
  if (storage_.kind != StorageKind::chunked) {
    if (storage_.is_allocated) return file_.read_at(storage_.offset + offset, wanted);
    fill(wanted, offset);
    return wanted.size();
  }
  std::size_t done = 0;
  while (done < wanted.size()) done += read_run(offset + done, wanted.subspan(done));
  return done;
}

namespace {

class Joined final : public base::ByteSource {
 public:
  Joined(std::string path, std::string bytes) : path_(std::move(path)), bytes_(std::move(bytes)) {}
  const std::string& path() const noexcept override { return path_; }
  std::uint64_t size() const override { return bytes_.size(); }
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override {
    return base::MemorySource(base::as_bytes(bytes_), path_).read_at(offset, buffer);
  }

 private:
  std::string path_, bytes_;
};

}  // namespace

std::unique_ptr<base::ByteSource> contents_of(base::ByteSource& file, const std::string& object) {
  const Limits limits;
  const Opened opened(file);
  const auto found = find_object(opened, object);
  if (!found || found->object.kind != ObjectKind::dataset) {
    base::fail(Code::no_such_record, {.path = file.path(), .record = object}, "dataset {} does not exist",
               base::printable(object, 200));
  }
  const ErrorPlace where = opened.where(object);
  const Dataset data = describe_dataset(opened, found->handle.get(), where);
  if (data.type.is_variable) {
    std::string joined;
    const Value value = read_value(opened, found->handle.get(), where, limits.text_bytes);
    if (const auto* texts = std::get_if<std::vector<std::string>>(&value.elements)) {
      for (const std::string& text : *texts) joined.append(text).push_back('\0');
    }
    return std::make_unique<Joined>(file.path(), std::move(joined));
  }
  if (data.storage.is_allocated || data.bytes() == 0) return nullptr;
  return std::make_unique<DatasetContents>(opened, found->handle.get(), data.extents, data.type.bytes, where,
                                           limits.records);
}

namespace {

// Extents of the dataspace; empty: it has no elements.
std::optional<std::vector<std::uint64_t>> extents_of(hid_t space, const ErrorPlace& where) {
  switch (H5Sget_simple_extent_type(space)) {
    case H5S_NULL:
      return {};
    case H5S_SCALAR:
      return std::vector<std::uint64_t>();
    case H5S_SIMPLE:
      break;
    default:
      throw_failure(where, "a dataspace cannot be read");
  }
  std::array<hsize_t, H5S_MAX_RANK> extents{};
  const int rank =
      require(H5Sget_simple_extent_dims(space, extents.data(), nullptr), where, "a dataspace cannot be read");
  return std::vector<std::uint64_t>(extents.begin(), extents.begin() + rank);
}

std::uint64_t product(const std::vector<std::uint64_t>& extents, std::uint64_t bytes) noexcept {
  if (std::ranges::find(extents, 0U) != extents.end()) return 0;
  for (const std::uint64_t extent : extents) bytes = base::checked_multiply(bytes, extent).value_or(UINT64_MAX);
  return bytes;
}

// True if elements of the type are stored inline, without references to other places of the file.
bool lies_in_place(const Type& type) {
  if (type.kind == TypeClass::list || type.kind == TypeClass::reference || type.is_variable) return false;
  return std::ranges::all_of(type.parts, lies_in_place);
}

// Type and shape, and the number of bytes to read; 0: elements that do not exist or are stored elsewhere.
struct Shape {
  Value value;
  std::uint64_t element_bytes = 0;
  std::uint64_t bytes = 0;
  bool are_texts = false;  // texts of variable length
};

Shape shape_of(const Opened& file, hid_t type, hid_t space, const ErrorPlace& where, std::uint64_t most_bytes) {
  Shape shape;
  Value& value = shape.value;
  value.type = describe_type(type, where);
  auto extents = extents_of(space, where);
  value.is_null = !extents;
  if (extents) value.extents = std::move(*extents);
  shape.are_texts = value.type.kind == TypeClass::string && value.type.is_variable;
  if (value.is_null || (!lies_in_place(value.type) && !shape.are_texts)) return shape;
  shape.element_bytes = shape.are_texts ? bytes_of_reference(file.superblock()) : value.type.bytes;
  shape.bytes = product(value.extents, shape.element_bytes);
  if (shape.bytes > most_bytes) {
    base::fail(Code::too_large, {.path = where.path, .record = where.object}, "{}: {} bytes are more than {}",
               base::printable(where.object), shape.bytes, most_bytes);
  }
  return shape;
}

Value value_of(const Opened& file, Shape shape, base::Bytes raw, std::uint64_t most_bytes) {
  Value& value = shape.value;
  if (shape.element_bytes == 0) return std::move(value);
  if (!shape.are_texts) return decode(std::move(value.type), std::move(value.extents), raw);
  value.elements = read_texts(file.source(), file.superblock(), raw, most_bytes);
  return std::move(value);
}

extern "C" herr_t lq_hdf5_take_attribute(hid_t, const char* name, const H5A_info_t*, void* data) {
  try {
    static_cast<std::vector<std::string>*>(data)->emplace_back(name);
    return 0;
  } catch (...) {
    keep_driver_failure();
    return -1;
  }
}

}  // namespace

std::uint64_t Dataset::bytes() const noexcept { return is_null ? 0 : product(extents, type.bytes); }

Dataset describe_dataset(const Opened& file, hid_t dataset, const ErrorPlace& where) {
  Dataset made;
  const Handle type = require(H5Dget_type(dataset), H5Tclose, where, "its type cannot be read");
  made.type = describe_type(type.get(), where);
  made.is_committed = H5Tcommitted(type.get()) > 0;
  const Handle space = require(H5Dget_space(dataset), H5Sclose, where, "its dataspace cannot be read");
  auto extents = extents_of(space.get(), where);
  made.is_null = !extents;
  if (extents) made.extents = std::move(*extents);
  made.storage = describe_storage(file, dataset, where);
  return made;
}

std::vector<std::string> attribute_names(hid_t object, const ErrorPlace& where) {
  std::vector<std::string> names;
  hsize_t at = 0;
  require(H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_NATIVE, &at, lq_hdf5_take_attribute, &names), where,
          "its attributes cannot be listed");
  std::ranges::sort(names);
  return names;
}

Value read_attribute(const Opened& file, hid_t object, const std::string& name, const ErrorPlace& where,
                     std::uint64_t most_bytes) {
  const Handle attribute =
      require(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose, where, "an attribute cannot be opened");
  const Handle type = require(H5Aget_type(attribute.get()), H5Tclose, where, "an attribute has no type");
  const Handle space = require(H5Aget_space(attribute.get()), H5Sclose, where, "an attribute has no dataspace");
  Shape shape = shape_of(file, type.get(), space.get(), where, most_bytes);
  std::vector<std::byte> raw(static_cast<std::size_t>(shape.bytes));
  if (shape.are_texts && !raw.empty()) {
    const std::uint64_t address = object_of(file, object, where).address - file.superblock().offset;
    const auto place = find_attribute(file.source(), file.superblock(), address, name);
    if (!place || place->bytes < raw.size()) {
      base::fail(Code::unsupported, {.path = where.path, .record = where.object},
                 "{}: its attribute {} is a text of variable length among many attributes, which is not read",
                 base::printable(where.object), base::printable(name));
    }
    file.source().read_at(place->offset, raw);
  } else if (!raw.empty()) {
    require(H5Aread(attribute.get(), type.get(), raw.data()), where, "the value of an attribute cannot be read");
  }
  return value_of(file, std::move(shape), raw, most_bytes);
}

Attributes read_attributes(const Opened& file, hid_t object, const ErrorPlace& where, std::uint64_t most_bytes,
                           const std::function<void(const std::string& name, const Error& error)>& unreadable) {
  Attributes attributes;
  for (const std::string& name : attribute_names(object, where)) {
    try {
      attributes.emplace_back(name, read_attribute(file, object, name, where, most_bytes));
    } catch (const Error& error) {
      if (error.code() != Code::malformed && error.code() != Code::too_large && error.code() != Code::unsupported) {
        throw;
      }
      unreadable(name, error);
    }
  }
  return attributes;
}

Value read_value(const Opened& file, hid_t dataset, const ErrorPlace& where, std::uint64_t most_bytes) {
  const Handle type = require(H5Dget_type(dataset), H5Tclose, where, "its type cannot be read");
  const Handle space = require(H5Dget_space(dataset), H5Sclose, where, "its dataspace cannot be read");
  Shape shape = shape_of(file, type.get(), space.get(), where, most_bytes);
  std::vector<std::byte> raw(static_cast<std::size_t>(shape.bytes));
  if (!raw.empty()) {
    DatasetContents(file, dataset, shape.value.extents, shape.element_bytes, where, most_bytes).read_at(0, raw);
  }
  return value_of(file, std::move(shape), raw, most_bytes);
}

}  // namespace lq::hdf5
