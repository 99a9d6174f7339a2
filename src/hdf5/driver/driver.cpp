// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/driver/driver.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <iterator>
#include <limits>
#include <new>

#if H5_VERSION_GE(1, 14, 0)
#include <H5FDdevelop.h>
#endif

namespace lq::hdf5 {

std::size_t Image::read_at(std::uint64_t offset, base::MutableBytes buffer) {
  if (offset >= size_) return 0;
  const base::MutableBytes wanted =
      buffer.first(static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), size_ - offset)));
  const std::uint64_t end = offset + wanted.size();
  std::size_t there = 0;
  if (offset < before_bytes_) {
    there = before_->read_at(
        offset, wanted.first(static_cast<std::size_t>(std::min<std::uint64_t>(wanted.size(), before_bytes_ - offset))));
  }
  std::fill(wanted.begin() + static_cast<std::ptrdiff_t>(there), wanted.end(), std::byte{0});
  auto piece = written_.upper_bound(offset);
  if (piece != written_.begin()) --piece;
  for (; piece != written_.end() && piece->first < end; ++piece) {
    const std::uint64_t begin = std::max(offset, piece->first);
    const std::uint64_t stop = std::min(end, piece->first + piece->second.size());
    if (begin >= stop) continue;
    std::memcpy(wanted.data() + (begin - offset), piece->second.data() + (begin - piece->first),
                static_cast<std::size_t>(stop - begin));
  }
  return wanted.size();
}

std::unique_ptr<base::ByteSource> Image::open_other(const std::string& path) const {
  return before_ != nullptr ? before_->open_other(path) : ByteSource::open_other(path);
}

// Forgets earlier writes there. Memory is allocated before anything changes.
void Image::allocate_at(std::uint64_t begin, std::uint64_t end) {
  Written behind;
  auto piece = written_.lower_bound(end);
  if (piece != written_.begin()) {
    const auto& [first, bytes] = *std::prev(piece);
    if (first + bytes.size() > end)
      behind.emplace(end,
                     std::vector<std::byte>(bytes.begin() + static_cast<std::ptrdiff_t>(end - first), bytes.end()));
  }
  piece = written_.upper_bound(begin);
  if (piece != written_.begin()) --piece;
  while (piece != written_.end() && piece->first < end) {
    auto& [first, bytes] = *piece;
    if (first >= begin) {
      piece = written_.erase(piece);
      continue;
    }
    bytes.resize(static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), begin - first)));
    ++piece;
  }
  written_.merge(behind);
}

void Image::write_at(std::uint64_t offset, base::Bytes bytes) {
  if (bytes.empty()) return;
  Written fresh;
  fresh.emplace(offset, std::vector<std::byte>(bytes.begin(), bytes.end()));
  allocate_at(offset, offset + bytes.size());
  written_.merge(fresh);
  size_ = std::max(size_, offset + bytes.size());
}

void Image::resize(std::uint64_t bytes) {
  if (bytes < size_) allocate_at(bytes, size_);
  before_bytes_ = std::min(before_bytes_, bytes);
  size_ = bytes;
}

std::vector<std::pair<std::uint64_t, std::vector<std::byte>>> Image::changes() const {
  std::vector<std::pair<std::uint64_t, std::vector<std::byte>>> joined;
  for (const auto& [offset, bytes] : written_) {
    if (!joined.empty() && joined.back().first + joined.back().second.size() == offset) {
      joined.back().second.insert(joined.back().second.end(), bytes.begin(), bytes.end());
    } else {
      joined.emplace_back(offset, bytes);
    }
  }
  return joined;
}

std::vector<format::Literal> literals_of(const Image& image) {
  std::vector<format::Literal> literals;
  for (auto& [offset, bytes] : image.changes()) literals.push_back({0, offset, std::move(bytes)});
  return literals;
}

namespace {

// Begins with the library's own structure for a file.
struct DriverFile {
  H5FD_t library;
  Image* image;
};

Image& image_of(const H5FD_t* file) { return *reinterpret_cast<const DriverFile*>(file)->image; }

// Exceptions must not pass through the library. Only failures of reading are reported to it, and none while it closes
// the file: if writing or closing fails, it may keep an object that it has freed, and crashes the program. Instead,
// reads return zeros, and writes are discarded.
template <class Work>
herr_t guarded(Image& image, bool is_reported, Work&& work) noexcept {
  try {
    work();
    return 0;
  } catch (...) {
    keep_driver_failure();
    if (is_reported && !image.allocations.is_closing) return -1;
    if (image.allocations.failure == nullptr) image.allocations.failure = std::current_exception();
    return 0;
  }
}

extern "C" {

// The driver information in a property list is a pointer to the image: there is nothing to copy, which could fail.
static void* lq_hdf5_fapl_copy(const void* image) { return const_cast<void*>(image); }
static herr_t lq_hdf5_fapl_free(void*) { return 0; }

static H5FD_t* lq_hdf5_open(const char*, unsigned, hid_t fapl, haddr_t) {
  const void* const image = H5Pget_driver_info(fapl);
  if (image == nullptr) return nullptr;
  auto* file = new (std::nothrow) DriverFile{};
  if (file == nullptr) return nullptr;
  file->image = static_cast<Image*>(const_cast<void*>(image));
  file->image->allocations.end = 0;
  file->image->allocations.is_closing = false;
  file->image->allocations.failure = nullptr;
  return &file->library;
}

static herr_t lq_hdf5_close(H5FD_t* file) {
  delete reinterpret_cast<DriverFile*>(file);
  return 0;
}

static int lq_hdf5_cmp(const H5FD_t* a, const H5FD_t* b) {
  const Image *first = &image_of(a), *second = &image_of(b);
  return first == second ? 0 : std::less<>()(first, second) ? -1 : 1;
}

static herr_t lq_hdf5_query(const H5FD_t*, unsigned long* flags) {
  if (flags != nullptr) *flags = H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

static haddr_t lq_hdf5_get_eoa(const H5FD_t* file, H5FD_mem_t) { return image_of(file).allocations.end; }

static herr_t lq_hdf5_set_eoa(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  image_of(file).allocations.end = address;
  return 0;
}

static herr_t lq_hdf5_get_handle(H5FD_t* file, hid_t, void** handle) {
  *handle = file;
  return 0;
}

static haddr_t lq_hdf5_alloc(H5FD_t* file, H5FD_mem_t kind, hid_t, hsize_t bytes) {
  Image::Allocations& allocations = image_of(file).allocations;
  haddr_t address = allocations.end;
  if (kind == H5FD_MEM_DRAW && !allocations.decided.empty()) {
    address = allocations.decided.front();
    allocations.decided.pop_front();
  }
  allocations.end = std::max<std::uint64_t>(allocations.end, address + bytes);
  return address;
}

static haddr_t lq_hdf5_get_eof(const H5FD_t* file, H5FD_mem_t) { return image_of(file).size(); }

// After the end zeros are returned, as the library expects of bytes that were never written.
static herr_t lq_hdf5_read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, size_t size, void* buffer) {
  const base::MutableBytes wanted(static_cast<std::byte*>(buffer), size);
  Image& image = image_of(file);
  return guarded(image, true, [&] {
    if (buffer == elsewhere()) {
      image.allocations.last_read_elsewhere = {address, size};
      return;
    }
    if (image.allocations.is_closing) std::fill(wanted.begin(), wanted.end(), std::byte{0});
    const std::size_t got = image.read_at(address, wanted);
    std::fill(wanted.begin() + static_cast<std::ptrdiff_t>(got), wanted.end(), std::byte{0});
  });
}

static herr_t lq_hdf5_write(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, size_t size, const void* buffer) {
  if (buffer == elsewhere()) return 0;
  Image& image = image_of(file);
  return guarded(image, false, [&] { image.write_at(address, {static_cast<const std::byte*>(buffer), size}); });
}

static herr_t lq_hdf5_truncate(H5FD_t* file, hid_t, hbool_t) {
  Image& image = image_of(file);
  return guarded(image, false, [&] {
    if (image.allocations.end > image.size()) image.resize(image.allocations.end);
  });
}

}  // extern "C"

hid_t driver() {
  static const H5FD_class_t description = [] {
    H5FD_class_t made{};
#if H5_VERSION_GE(1, 14, 0)
    made.version = H5FD_CLASS_VERSION;
    made.value = static_cast<H5FD_class_value_t>(513);  // from the range for private use
#endif
    made.name = "limequat";
    made.maxaddr = static_cast<haddr_t>(std::numeric_limits<std::int64_t>::max());
    made.fc_degree = H5F_CLOSE_WEAK;  // see access_to()
    made.fapl_size = sizeof(Image*);
    made.fapl_copy = lq_hdf5_fapl_copy;
    made.fapl_free = lq_hdf5_fapl_free;
    made.open = lq_hdf5_open;
    made.close = lq_hdf5_close;
    made.cmp = lq_hdf5_cmp;
    made.query = lq_hdf5_query;
    made.get_handle = lq_hdf5_get_handle;
    made.alloc = lq_hdf5_alloc;
    made.get_eoa = lq_hdf5_get_eoa;
    made.set_eoa = lq_hdf5_set_eoa;
    made.get_eof = lq_hdf5_get_eof;
    made.read = lq_hdf5_read;
    made.write = lq_hdf5_write;
    made.truncate = lq_hdf5_truncate;
    const H5FD_mem_t map[] = H5FD_FLMAP_DICHOTOMY;
    std::copy(std::begin(map), std::end(map), made.fl_map);
    return made;
  }();
  // The program may have closed the library in between, which unregisters drivers.
  static hid_t id = H5I_INVALID_HID;
  if (id < 0 || H5Iget_type(id) != H5I_VFL) id = H5FDregister(&description);
  return id;
}

herr_t close_file(hid_t file) {
  void* handle = nullptr;
  if (H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) >= 0) {
    image_of(static_cast<const H5FD_t*>(handle)).allocations.is_closing = true;
  }
  const herr_t result = H5Fclose(file);
  forget_driver_failure();
  return result;
}

Handle access_to(Image& image) {
  const ErrorPlace where{image.path(), {}};
  Handle list = require(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, where, "no property list");
  require(H5Pset_driver(list.get(), driver(), &image), where, "the file driver is refused");
  require(H5Pset_libver_bounds(list.get(), H5F_LIBVER_V18, H5F_LIBVER_V110), where, "versions are refused");
  // If an operation fails for lack of bytes, the library (1.10.8) may count an object of the file as open indefinitely.
  // Closing a file together with its objects would then fail, and crash the program at exit; with this setting it does
  // not.
  require(H5Pset_fclose_degree(list.get(), H5F_CLOSE_WEAK), where, "the way of closing is refused");
  return list;
}

}  // namespace

Handle create_in(Image& image) {
  const ErrorPlace where{image.path(), {}};
  const Handle access = access_to(image);
  const Handle creation = untimed_list(H5P_FILE_CREATE, where);
  return require(H5Fcreate(image.path().c_str(), H5F_ACC_TRUNC, creation.get(), access.get()), close_file, where,
                 "the file cannot be created");
}

Handle open_in(Image& image, Access access) {
  const ErrorPlace where{image.path(),
                         {}};  // allocated before a file is open, which would stay open without memory for it
  const Handle list = access_to(image);
  const unsigned flags = access == Access::write ? H5F_ACC_RDWR : H5F_ACC_RDONLY;
  return require(H5Fopen(image.path().c_str(), flags, list.get()), close_file, where, "the file cannot be opened");
}

void* elsewhere() noexcept {
  static char place = 0;
  return &place;
}

// H5Dget_chunk_info() iterates over all chunks before the requested one. Reading a chunk uses the index, and the driver
// sees its place.
std::optional<ChunkPlace> find_chunk(hid_t file, hid_t dataset, const hsize_t* first) {
  void* handle = nullptr;
  if (H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) < 0) return std::nullopt;
  Image::Allocations& allocations = image_of(static_cast<const H5FD_t*>(handle)).allocations;
  allocations.last_read_elsewhere = {};
  std::uint32_t skipped = 0;
  if (read_chunk(dataset, first, skipped, elsewhere()) < 0 || allocations.last_read_elsewhere.second == 0)
    return std::nullopt;
  return ChunkPlace{allocations.last_read_elsewhere.first, allocations.last_read_elsewhere.second, skipped};
}

void close_in(Handle file, Image& image) {
  const ErrorPlace where{image.path(), {}};
  require(H5Fflush(file.get(), H5F_SCOPE_LOCAL), where, "the file cannot be completed");
  image.allocations.is_closing = true;
  require(H5Fclose(file.release()), where, "the file cannot be closed");
  throw_driver_failure();
  if (image.allocations.failure) std::rethrow_exception(image.allocations.failure);
}

}  // namespace lq::hdf5
