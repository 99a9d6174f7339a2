// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/hdf5_format.hpp"

#include <algorithm>
#include <limits>
#include <memory>

#include "base/checked.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/function_ref.hpp"
#include "base/text.hpp"
#include "hdf5/driver/driver.hpp"
#include "hdf5/filters/filters.hpp"
#include "hdf5/layouts/layout_writer.hpp"

namespace lq::hdf5 {

// The place of the numbers of a field in a planned file: contiguous, in several arrays, or in chunks.

namespace {

using format::FieldRequest;

constexpr std::uint64_t max_chunks = 1 << 24;

std::uint64_t aligned(std::uint64_t offset, std::uint64_t alignment) {
  return base::multiply_or_throw((base::add_or_throw(offset, alignment - 1, "the size of the file")) / alignment,
                                 alignment, "the size of the file");
}

// The sites of a chunk: all, one slice of the slowest dimension, or the given extents.
Extents chunk_of(const FieldRequest& request, const SiteOrder& order) {
  const std::string& text = request.choices.dataset_chunk;
  Extents chunk = request.extents;
  if (text == "slice") {
    chunk[order.back()] = 1;
    return chunk;
  }
  const Extents given = parse_extents(text);
  bool fits = given.size() == chunk.size();
  for (int d = 0; fits && d < chunk.size(); ++d) fits = given[d] >= 1 && given[d] <= chunk[d];
  if (!fits) {
    base::fail(Code::invalid_argument, {.expected = to_string(request.extents), .found = text},
               "chunks of {} do not fit a lattice of {}; give extents of a part of it, or \"slice\"",
               base::printable(text), to_string(request.extents));
  }
  return given;
}

// True if the sites of each chunk are contiguous, and all chunks are full.
bool are_runs(const Extents& chunk, const Extents& extents, const SiteOrder& order) {
  std::size_t k = 0;
  while (k < order.size() && chunk[order[k]] == extents[order[k]]) ++k;
  if (k == order.size()) return true;
  if (extents[order[k]] % chunk[order[k]] != 0) return false;
  return std::all_of(order.begin() + static_cast<std::ptrdiff_t>(k) + 1, order.end(),
                     [&](int d) { return chunk[d] == 1; });
}

}  // namespace

// Sets the requested chunks and filters of the datasets, and of the payload.
void add_chunks(FieldDatasets& field, Payload& payload, const FieldRequest& request) {
  const Extents chunk = chunk_of(request, field.order);
  const std::vector<Filter> filters = parse_filters(request.choices.filters);
  for (DatasetPlan& dataset : field.datasets) {
    dataset.chunk = dataset.extents;
    const std::vector<hsize_t> sites = dataspace_of(chunk, field.order);
    std::copy(sites.begin(), sites.end(), dataset.chunk.begin());
    dataset.filters = filters;
  }
  const bool runs = are_runs(chunk, request.extents, field.order);
  payload.tile_sites = volume(chunk);
  if (!runs) payload.block = chunk;
  if (filters.empty()) return;
  const std::uint64_t number = payload.spec.number_bytes();
  const DatasetPlan& dataset = field.datasets.front();
  std::uint64_t element = dataset.element.is_complex ? 2 * number : number;
  for (const auto& array : dataset.element.arrays) {
    for (const hsize_t extent : array) element *= extent;
  }
  payload.encoding = encoding_of(filters, element);
}

// Places each of the arrays, or their chunks, from `first` on; arrays begin at the alignment.
void place_data(Payload& payload, const std::vector<DatasetPlan>& datasets, std::uint64_t first,
                std::uint64_t alignment) {
  first = aligned(first, alignment);
  if (payload.tile_sites == 0 && datasets.size() == 1) {
    payload.offset = first;
    return;
  }
  if (payload.tile_sites == 0) payload.tile_sites = payload.stored.volume();
  payload.arrays = datasets.size();
  const std::uint64_t bytes =
      base::multiply_or_throw(payload.tile_sites, payload.site_bytes() / payload.arrays, "the size of a chunk");
  for (const DatasetPlan& dataset : datasets) {
    const std::uint64_t pieces = pieces_of(dataset);
    if (pieces > max_chunks) {
      base::fail(Code::invalid_argument, {},
                 "{} chunks are too many; choose larger ones, of which there are at most {}", pieces, max_chunks);
    }
    if (payload.encoding.empty()) first = aligned(first, alignment);
    for (std::uint64_t k = 0; k < pieces; ++k) {
      payload.tiles.push_back({0, first, bytes});
      if (payload.encoding.empty()) first = base::add_or_throw(first, bytes, "the size of the file");
    }
  }
  payload.offset = payload.tiles.front().offset;
}

namespace {

using format::Layout;
using format::Literal;

// The beginning of data in a new file: after the superblock and the root group, at the beginning of a page.
constexpr std::uint64_t page = 4096;

std::uint64_t end_of(const std::vector<Literal>& literals) {
  std::uint64_t end = 0;
  for (const Literal& literal : literals) end = std::max(end, literal.offset + literal.bytes.size());
  return end;
}

// A planned file: the existing one, or a new one.
class PlannedFile {
 public:
  explicit PlannedFile(base::ByteSource* before)
      : image_(before != nullptr ? std::make_unique<Image>(*before)
                                 : std::make_unique<Image>(std::string("a new file"))),
        file_(before != nullptr ? open_in(*image_, Access::write) : create_in(*image_)) {}

  hid_t file() const noexcept { return file_.get(); }
  Image& image() noexcept { return *image_; }
  // End of the existing contents.
  std::uint64_t end() const noexcept { return std::max(image_->allocations.end, image_->size()); }
  // Nothing further is placed before it.
  void continue_at(std::uint64_t end) noexcept { image_->allocations.end = std::max(image_->allocations.end, end); }

  std::vector<Literal> take() {
    close_in(std::move(file_), *image_);
    std::vector<Literal> literals = literals_of(*image_);
    // The superblock states the length of the file; a shorter file would be treated as truncated.
    if (end_of(literals) < image_->size()) literals.push_back({0, image_->size() - 1, {std::byte{0}}});
    return literals;
  }

 private:
  std::unique_ptr<Image> image_;  // the open file refers to it
  Handle file_;
};

void check_extents(const FieldRequest& request) {
  bool sound = request.extents.size() >= 1 && request.spec.numbers >= 1;
  for (const std::int64_t extent : request.extents) {
    sound = sound && extent >= 1 && extent <= std::numeric_limits<std::int32_t>::max();
  }
  if (sound && (!request.stored || *request.stored == whole(request.extents))) return;
  base::fail(sound ? Code::unsupported : Code::invalid_argument, {},
             "a field on \"{}\" with {} numbers per site cannot be written to an HDF5 file, which holds whole lattices "
             "with extents from 1 to 2147483647",
             to_string(request.extents), request.spec.numbers);
}

// Inputs for the metadata, which are created once the data are written.
struct PendingMetadata {
  FieldRequest request;
  const LayoutWriter* layout = nullptr;
  FieldDatasets field;
  Payload payload;
  std::optional<std::int64_t> microseconds;
};

std::vector<Tile> tiles_of(const PendingMetadata& pending, const format::Digest& digest) {
  if (!digest.tiles.empty()) return digest.tiles;
  if (!pending.payload.tiles.empty()) return pending.payload.tiles;
  return {{0, pending.payload.offset, pending.payload.length}};
}

// `draft`: the file in its current state.
std::vector<Literal> carry_out(PlannedFile draft, const PendingMetadata& pending, const format::Digest& digest) {
  const std::vector<Tile> tiles = tiles_of(pending, digest);
  for (const Tile& tile : tiles) draft.continue_at(tile.offset + tile.bytes);
  std::vector<Handle> datasets;
  std::span<const Tile> rest = tiles;
  for (const DatasetPlan& dataset : pending.field.datasets) {
    const auto pieces = static_cast<std::size_t>(pieces_of(dataset));
    datasets.push_back(create_dataset(draft.file(), draft.image(), dataset, rest.first(pieces)));
    rest = rest.subspan(pieces);
  }
  const FieldFacts facts{pending.request, digest, pending.microseconds};
  pending.layout->describe(draft.file(), datasets, pending.field, facts);
  if (!pending.field.sums.empty()) pending.layout->put_sums(datasets, pending.field, facts);
  datasets.clear();
  return draft.take();
}

// Tiles whose sizes are not known yet, with the maximum size.
format::Digest largest(const Payload& payload) {
  format::Digest digest{{}, payload.tiles};
  if (payload.encoding.empty()) return digest;
  std::uint64_t next = payload.offset;
  for (Tile& tile : digest.tiles) {
    tile.offset = next;
    next += tile.bytes;
  }
  return digest;
}

}  // namespace

Layout plan_field(const FieldRequest& request) {
  const Lock lock;
  check_extents(request);
  const auto pending = std::make_shared<PendingMetadata>();
  pending->request = request;
  pending->layout = &layout_writer(request.choices.layout);
  pending->field = pending->layout->datasets(request);
  if (request.choices.time_stamps) pending->microseconds = base::microseconds_now();
  Payload& payload = pending->payload;
  payload.spec = request.spec;
  payload.extents = request.extents;
  payload.stored = whole(request.extents);
  payload.order = pending->field.order;
  payload.byte_order = pending->field.byte_order;
  payload.length = base::multiply_or_throw(payload.stored.volume(), request.spec.site_bytes(), "the size of the field");
  if (!request.choices.dataset_chunk.empty()) {
    add_chunks(pending->field, payload, request);
  } else if (!request.choices.filters.empty()) {
    throw Error(Code::invalid_argument,
                "filters work on chunks; choose their extents (options.dataset_chunk = slice, for example)");
  }
  PlannedFile draft(request.before);
  place_data(payload, pending->field.datasets, draft.end(),
             request.choices.alignment > 1 ? request.choices.alignment : page);

  Layout layout;
  layout.payload.push_back(payload);
  layout.sums = pending->field.sums;
  // A trial with zeros for unknown values, so that errors are reported before the data are written.
  const std::uint64_t end = end_of(carry_out(std::move(draft), *pending, largest(payload)));
  layout.end.push_back(end);
  layout.tail = [pending, end](const format::Digest& digest) {
    const Lock again;
    std::vector<Literal> literals = carry_out(PlannedFile(pending->request.before), *pending, digest);
    if (pending->payload.encoding.empty() && end_of(literals) != end) {
      base::fail(
          Code::io, {.record = pending->request.name},
          "{}: with it the file would end at {}, and at {} when it was planned: the metadata of the file were read "
          "differently, by a fault of the storage or because another program writes to it; try again",
          pending->request.name, end_of(literals), end);
    }
    return literals;
  };
  return layout;
}

Layout plan_record(const format::RecordRequest& request) {
  const Lock lock;
  PlannedFile draft(request.before);
  const DatasetPlan plan{.path = absolute_path(request.type), .extents = {request.contents.size()}, .element = {}};
  put_bytes(draft.file(), plan.path, base::as_bytes(request.contents), {draft.image().path(), plan.path});
  Layout layout;
  layout.head = draft.take();
  layout.end.push_back(end_of(layout.head));
  return layout;
}

std::vector<Literal> refer(std::span<const format::Reference> fields) {
  const Lock lock;
  PlannedFile draft(nullptr);
  for (const format::Reference& field : fields) {
    const Payload& payload = field.payload;
    FieldRequest request;
    request.name = field.name;
    request.spec = payload.spec;
    request.extents = payload.extents;
    request.stored = payload.stored;
    request.metadata = field.metadata;
    request.checksum = field.sums.checksum().has_value();
    request.slice_checksums = false;
    check_extents(request);
    FieldDatasets plan = native_writer().datasets(request);
    const bool is_in_order = payload.order.empty() || payload.order == plan.order;
    if (payload.tile_sites != 0 || payload.codec != SiteCodec{} || !is_in_order) {
      base::fail(Code::unsupported, {.path = field.path, .record = field.name},
                 "\"{}\" is not stored there as contiguous plain numbers with x fastest, the only kind that another "
                 "file can refer to; convert it",
                 field.name);
    }
    DatasetPlan& dataset = plan.datasets.front();
    dataset.element.byte_order = payload.byte_order;
    dataset.external = ExternalData{field.path, payload.offset, payload.length};
    std::vector<Handle> datasets;
    datasets.push_back(create_dataset(draft.file(), draft.image(), dataset, {}));
    const format::Digest digest{field.sums};
    const FieldFacts facts{request, digest, base::microseconds_now()};
    native_writer().describe(draft.file(), datasets, plan, facts);
    if (request.checksum) native_writer().put_sums(datasets, plan, facts);
  }
  return draft.take();
}

}  // namespace lq::hdf5
