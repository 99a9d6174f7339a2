// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The common operations for C++17, over the C interface: writing and reading fields, also in the background, files of
// several fields, questions about files. Everything else is in <limequat.h>. A program may use both this header and
// <limequat/limequat.hpp>: its names are in a separate namespace. <limequat/cxx17_mpi.hpp> adds MPI.
//
// All functions are collective over the grid or communicator unless they say Local, and throw lq::cxx17::Error, the
// same on every rank.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <limequat.h>

namespace lq::cxx17 {

// A failure: the message, and the facts as data ("" or -1: does not apply).
class Error : public std::runtime_error {
 public:
  // Local. The last failure of the C interface on this thread.
  Error()
      : std::runtime_error(lq_error_text()),
        code(lq_error_code()),
        path(lq_error_path()),
        record(lq_error_record()),
        expected(lq_error_expected()),
        found(lq_error_found()),
        offset(lq_error_offset()),
        rank(lq_error_rank()) {}

  lq_status code;
  std::string path, record, expected, found;
  std::int64_t offset;
  int rank;
};

// Local. Throws for every status except LQ_OK.
inline void check(lq_status status) {
  if (status != LQ_OK) throw Error();
}

// ---- Handles ---------------------------------------------------------------------------------------------------

template <class T, void (*Free)(T*)>
struct Freed {
  void operator()(T* handle) const noexcept { Free(handle); }
};
template <class T, void (*Free)(T*)>
using Handle = std::unique_ptr<T, Freed<T, Free>>;

// Local. The handle, or the text, that a function returns through a pointer.
template <class H, class Make>
H made(Make make) {
  typename H::pointer handle = nullptr;
  check(make(&handle));
  return H(handle);
}
template <class Make>
std::string text_made(Make make) {
  return made<Handle<char, lq_text_free>>(make).get();
}

// A group of ranks; without a handle this process alone.
using Communicator = Handle<lq_communicator, lq_communicator_free>;

// A lattice distributed over ranks. Extents are x, y, z, t.
class Grid {
 public:
  using pointer = lq_grid*;
  // Local. The whole lattice on this process.
  explicit Grid(const std::vector<std::int64_t>& extents)
      : handle_(made<Handle<lq_grid, lq_grid_free>>(
            [&](lq_grid** grid) { return lq_grid_self(extents.data(), static_cast<int>(extents.size()), grid); })) {}
  // Local. Takes ownership of a grid of the C interface.
  explicit Grid(lq_grid* grid) : handle_(grid) {}

  // Local.
  std::uint64_t volume() const { return lq_grid_volume(get()); }
  std::uint64_t local_volume() const { return lq_grid_local_volume(get()); }
  int rank() const { return lq_grid_rank(get()); }
  int size() const { return lq_grid_size(get()); }
  bool is_root() const { return rank() == 0; }
  std::vector<std::int64_t> processes() const {
    std::vector<std::int64_t> result(dimensions());
    check(lq_grid_processes(get(), result.data()));
    return result;
  }
  // Local. This rank's sites: the coordinate of the first, and extents.
  std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>> local_box() const {
    std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>> box{dimensions(), dimensions()};
    check(lq_grid_local_box(get(), box.first.data(), box.second.data()));
    return box;
  }
  const lq_grid* get() const noexcept { return handle_.get(); }

 private:
  std::size_t dimensions() const { return static_cast<std::size_t>(lq_grid_dimensions(get())); }
  Handle<lq_grid, lq_grid_free> handle_;
};

// ---- Fields ----------------------------------------------------------------------------------------------------

// The real numbers that an element of a container consists of.
template <class T>
struct RealOf {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                "expected float, double, std::complex of them, or arrays of these");
  using type = T;
};
template <class T>
struct RealOf<std::complex<T>> : RealOf<T> {};
template <class T, std::size_t N>
struct RealOf<std::array<T, N>> : RealOf<T> {};
template <class T, std::size_t N>
struct RealOf<T[N]> : RealOf<T> {};

// A field to be written, and one that can also be read into. SU(3), four spins, x fastest; set members of `c` for
// anything else: colors, spins, links, order, memory (limequat.h). The memory is borrowed.
struct Field {
  lq_field c;
};
struct MutableField : Field {};

// A pointer with data() and size(), the number of elements of type T.
template <class T>
struct Memory {
  T* first;
  std::size_t count;
  T* data() const noexcept { return first; }
  std::size_t size() const noexcept { return count; }
};

template <class Sites>
using Element = std::remove_reference_t<decltype(*std::data(std::declval<Sites&>()))>;
template <class Sites>
using FieldOf = std::conditional_t<std::is_const_v<Element<Sites>>, Field, MutableField>;

// `sites` is a vector or array, a Memory, or anything with data() and size().
template <class Sites>
FieldOf<Sites> field_of(Sites& sites, lq_field of_single, lq_field of_double) {
  using Real = typename RealOf<std::remove_const_t<Element<Sites>>>::type;
  FieldOf<Sites> field{};
  field.c = std::is_same_v<Real, float> ? of_single : of_double;
  field.c.data = const_cast<void*>(static_cast<const void*>(std::data(sites)));
  field.c.available = std::size(sites) * (sizeof(Element<Sites>) / sizeof(Real));
  return field;
}

// Local. A site of a gauge field: the links in x, y, z, t, each a row-major matrix; of a spinor [spin][color]; of a
// propagator [sink spin][source spin][sink color][source color].
template <class Sites>
FieldOf<Sites> gauge(Sites& sites) {
  return field_of(sites, lq_gauge_f32(nullptr), lq_gauge_f64(nullptr));
}
template <class Sites>
FieldOf<Sites> spinor(Sites& sites) {
  return field_of(sites, lq_spinor_f32(nullptr), lq_spinor_f64(nullptr));
}
template <class Sites>
FieldOf<Sites> propagator(Sites& sites) {
  return field_of(sites, lq_propagator_f32(nullptr), lq_propagator_f64(nullptr));
}
// Local. `numbers` real numbers per site, two for each complex one.
template <class Sites>
FieldOf<Sites> sites(Sites& data, std::uint64_t numbers, bool is_complex) {
  return field_of(data, lq_sites_f32(nullptr, numbers, is_complex), lq_sites_f64(nullptr, numbers, is_complex));
}

// ---- Options ---------------------------------------------------------------------------------------------------

// Options by their common names (docs/reference/options.md), as in `lq`:
//   write("conf.lime", grid, gauge(u), WriteOptions{{"format", "ildg"}, {"precision", "single"}})
template <class C, lq_status (*Init)(C*, std::size_t), lq_status (*Set)(C*, const char*, const char*)>
class Options {
 public:
  // Local, like set(). Both throw if a name or value is wrong.
  Options() { check(Init(&c_, sizeof c_)); }
  Options(std::initializer_list<std::pair<const char*, std::string>> values) : Options() {
    for (const auto& value : values) set(value.first, value.second);
  }
  // The struct points to the texts.
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;

  Options& set(const char* name, std::string value) {
    texts_.push_back(std::move(value));
    check(Set(&c_, name, texts_.back().c_str()));
    return *this;
  }
  // The struct of the C interface, for options without a name: regions, progress.
  C& c() noexcept { return c_; }
  const C& c() const noexcept { return c_; }

 private:
  C c_;
  std::deque<std::string> texts_;
};
using WriteOptions = Options<lq_write_options, lq_write_options_init, lq_write_options_set>;
using ReadOptions = Options<lq_read_options, lq_read_options_init, lq_read_options_set>;
using ScanOptions = Options<lq_scan_options, lq_scan_options_init, lq_scan_options_set>;
using VerifyOptions = Options<lq_verify_options, lq_verify_options_init, lq_verify_options_set>;
using ConvertOptions = Options<lq_convert_options, lq_convert_options_init, lq_convert_options_set>;
using DiffOptions = Options<lq_diff_options, lq_diff_options_init, lq_diff_options_set>;

// Texts stored with a field: {{"xlf-info", "plaquette = 0.5862"}}.
using Metadata = std::vector<std::pair<std::string, std::string>>;

// Local. The same for the C interface; they point into `metadata`.
inline std::vector<lq_metadata> pointers_to(const Metadata& metadata) {
  std::vector<lq_metadata> result;
  for (const auto& text : metadata) result.push_back({text.first.c_str(), text.second.c_str()});
  return result;
}
inline lq_write_options with(const WriteOptions& options, const std::vector<lq_metadata>& metadata) {
  lq_write_options c = options.c();
  c.metadata = metadata.data();
  c.metadata_count = metadata.size();
  return c;
}

// ---- One field -------------------------------------------------------------------------------------------------

// The report of a transfer (limequat.h).
using Report = lq_report;

inline Report read(const std::string& path, const Grid& grid, const MutableField& field,
                   const ReadOptions& options = {}) {
  Report report{};
  report.struct_size = sizeof report;
  lq_read_options c = options.c();
  c.report = &report;
  check(lq_read(path.c_str(), grid.get(), field.c, &c));
  return report;
}

inline Report write(const std::string& path, const Grid& grid, const Field& field, const WriteOptions& options = {},
                    const Metadata& metadata = {}) {
  Report report{};
  report.struct_size = sizeof report;
  const auto pointers = pointers_to(metadata);
  lq_write_options c = with(options, pointers);
  c.report = &report;
  check(lq_write(path.c_str(), grid.get(), field.c, &c));
  return report;
}

// A transfer in the background. Without wait it is cancelled: a write leaves no file.
class Pending {
 public:
  using pointer = lq_pending*;
  explicit Pending(lq_pending* pending) : handle_(pending) {}
  // Local. Returns true if wait has nothing left to do on this rank.
  bool test() {
    int done = 0;
    check(lq_pending_test(handle_.get(), &done));
    return done != 0;
  }
  // Throws the errors of the transfer.
  void wait() { check(lq_pending_wait(handle_.get(), nullptr)); }
  void cancel() { check(lq_pending_cancel(handle_.get())); }

 private:
  Handle<lq_pending, lq_pending_free> handle_;
};

// Until wait or cancel returns, do not touch a field that is being read, and do not change one that is being written.
inline Pending read_async(const std::string& path, const Grid& grid, const MutableField& field,
                          const ReadOptions& options = {}) {
  return made<Pending>(
      [&](lq_pending** pending) { return lq_read_async(path.c_str(), grid.get(), field.c, &options.c(), pending); });
}
inline Pending write_async(const std::string& path, const Grid& grid, const Field& field,
                           const WriteOptions& options = {}, const Metadata& metadata = {}) {
  const auto pointers = pointers_to(metadata);
  const lq_write_options c = with(options, pointers);
  return made<Pending>(
      [&](lq_pending** pending) { return lq_write_async(path.c_str(), grid.get(), field.c, &c, pending); });
}

// ---- Files of several fields -----------------------------------------------------------------------------------

// A new file, which appears when it is closed; otherwise it is abandoned.
class Writer {
 public:
  Writer(const std::string& path, const Grid& grid, const WriteOptions& options = {})
      : handle_(made<Handle<lq_writer, lq_writer_free>>(
            [&](lq_writer** writer) { return lq_writer_create(path.c_str(), grid.get(), &options.c(), writer); })) {}
  void write(const std::string& name, const Field& field, const Metadata& metadata = {}) {
    const auto pointers = pointers_to(metadata);
    check(lq_writer_write(handle_.get(), name.c_str(), field.c, pointers.data(), pointers.size(), nullptr));
  }
  // The contents of rank 0.
  void record(const std::string& type, const std::string& contents) {
    check(lq_writer_record(handle_.get(), type.c_str(), contents.data(), contents.size()));
  }
  void close() { check(lq_writer_close(handle_.get())); }

 private:
  Handle<lq_writer, lq_writer_free> handle_;
};
inline Writer create(const std::string& path, const Grid& grid, const WriteOptions& options = {}) {
  return Writer(path, grid, options);
}

// Writes a file with one field whose sites are given region by region, in any order and by any rank. The file appears
// when it is closed and has no holes.
class RegionWriter {
 public:
  // `like` describes a site; its data are not used.
  RegionWriter(const std::string& path, const Grid& grid, const Field& like, const WriteOptions& options = {})
      : handle_(made<Handle<lq_region_writer, lq_region_writer_free>>([&](lq_region_writer** writer) {
          return lq_region_writer_create(path.c_str(), grid.get(), like.c, &options.c(), writer);
        })),
        dimensions_(grid.processes().size()) {}
  // Local. Stores the sites of the region with these extents, x first, from `lower` on, in coordinates of the lattice.
  void write(const std::vector<std::int64_t>& lower, const std::vector<std::int64_t>& extents, const Field& field) {
    const auto numbers = [&](const auto& x) { return x.size() == dimensions_ ? x.data() : nullptr; };
    check(lq_region_writer_write(handle_.get(), numbers(lower), numbers(extents), field.c));
  }
  // Local. The number of sites of this rank's box that have not been given yet.
  std::uint64_t missing() const {
    std::uint64_t sites = 0;
    check(lq_region_writer_missing(handle_.get(), &sites));
    return sites;
  }
  void close() { check(lq_region_writer_close(handle_.get(), nullptr)); }

 private:
  Handle<lq_region_writer, lq_region_writer_free> handle_;
  std::size_t dimensions_;
};

// A file of any format that has been scanned once; fields are read without scanning again.
class File {
 public:
  explicit File(const std::string& path, const ScanOptions& options = {})
      : handle_(made<Handle<lq_file, lq_file_free>>(
            [&](lq_file** file) { return lq_file_open(path.c_str(), &options.c(), file); })) {}
  // The option "field" selects the name, and "index" one of the fields with that name.
  void read(const Grid& grid, const MutableField& field, const ReadOptions& options = {}) const {
    check(lq_file_read(handle_.get(), grid.get(), field.c, &options.c()));
  }
  // Local. The contents as JSON (docs/reference/json.md).
  std::string catalog() const {
    return text_made([&](char** json) { return lq_file_catalog(handle_.get(), json); });
  }

 private:
  Handle<lq_file, lq_file_free> handle_;
};
// Over the ranks of options.c().communicator, by default this process alone.
inline File open(const std::string& path, const ScanOptions& options = {}) { return File(path, options); }

// ---- Questions to files ----------------------------------------------------------------------------------------

// An answer, with the details as JSON (docs/reference/json.md).
struct Answer {
  bool is_so;
  std::string json;
  explicit operator bool() const noexcept { return is_so; }
};

// Returns whether a file is sound; a damaged file is an answer, not a failure.
inline Answer verify(const std::string& path, const VerifyOptions& options = {}) {
  int is_sound = 0;
  std::string json = text_made([&](char** text) { return lq_verify(path.c_str(), &options.c(), &is_sound, text); });
  return {is_sound != 0, std::move(json)};
}
// Returns whether two fields are the same.
inline Answer diff(const std::string& a, const std::string& b, const DiffOptions& options = {}) {
  int is_same = 0;
  std::string json =
      text_made([&](char** text) { return lq_diff(a.c_str(), b.c_str(), &options.c(), &is_same, text); });
  return {is_same != 0, std::move(json)};
}
// The contents of a file as JSON.
inline std::string inspect(const std::string& path, const ScanOptions& options = {}) {
  return text_made([&](char** json) { return lq_inspect(path.c_str(), &options.c(), json); });
}
// Converts any format to any other; checksums are verified in transit.
inline void convert(const std::string& from, const std::string& to, const WriteOptions& write = {},
                    const ConvertOptions& options = {}) {
  lq_convert_options c = options.c();
  c.write = &write.c();
  check(lq_convert(from.c_str(), to.c_str(), &c, nullptr));
}

// The plaquette of a gauge field in memory: average, spatial, temporal.
inline std::array<double, 3> plaquette(const Grid& grid, const Field& field) {
  std::array<double, 3> values{};
  check(lq_plaquette(grid.get(), field.c, values.data()));
  return values;
}

}  // namespace lq::cxx17
