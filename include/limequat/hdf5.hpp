// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A session with an HDF5 file: browses its groups like folders, reads and writes small objects, lattice fields and
// attributes. Part of the component hdf5: link Limequat::hdf5. If that was built without HDF5, the constructor of File
// throws unsupported.
//
// Paths: absolute ("/a/b"), or relative to the group the session is in; "." and ".." as usual. Soft links are followed,
// links into other files never. All calls except pwd() are collective over the communicator of the File, with the same
// arguments on all ranks, and fail with the same error on all ranks; errors name the file and the object. Rank 0
// handles small objects and keeps changes in its memory until flush().
#pragma once

#include <limequat/language.hpp>

#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/field.hpp>
#include <limequat/grid.hpp>
#include <limequat/options.hpp>
#include <limequat/report.hpp>

namespace lq::hdf5 {

enum class Mode {
  read,    // an existing file
  create,  // a new file, which gets its name when it is closed; `overwrite` replaces an existing one
  append,  // an existing file, in place; it survives a kill at any moment. If there is none: as create
};

// How SHA-256 sums of small objects are treated in reading, as in QLUA.
enum class Digests {
  check,   // a wrong sum is an error (checksum_mismatch), and so is a missing one in an object of QLUA
  ignore,  // only the status reports it
};

}  // namespace lq::hdf5

namespace lq {

// Options of a session.
struct Hdf5Options {
  bool overwrite = false;   // create: replace an existing file
  std::string layout = {};  // of written objects: "native" (also if empty), "qdp" or "qlua"; a field may have another
  bool time_stamps = true;  // false: the bytes depend only on the data
  hdf5::Digests digests = hdf5::Digests::check;
  Sync sync = Sync::full;
  Limits limits = {};  // text_bytes: maximum size of a small object that is read or copied
};

}  // namespace lq

namespace lq::hdf5 {

// The name of a dimension and, if it has some, its coordinates: as many as the extent.
struct Axis {
  std::string name;
  std::vector<double> coordinates = {};
};

// A small object: one number or text, or an array of them, the last extent fastest.
struct LQ_API Array {
  using Elements = std::variant<std::vector<std::int32_t>, std::vector<std::int64_t>, std::vector<std::uint64_t>,
                                std::vector<float>, std::vector<double>, std::vector<std::complex<float>>,
                                std::vector<std::complex<double>>, std::vector<std::string>>;
  Elements elements;
  std::vector<std::uint64_t> extents = {};  // slowest first; empty: one number or text
  std::vector<Axis> axes = {};              // one for each extent, or none

  Array() : elements(std::vector<double>(1)) {}
  Array(std::int32_t number) : elements(std::vector{number}) {}
  Array(std::int64_t number) : elements(std::vector{number}) {}
  Array(std::uint64_t number) : elements(std::vector{number}) {}
  Array(float number) : elements(std::vector{number}) {}
  Array(double number) : elements(std::vector{number}) {}
  Array(std::complex<float> number) : elements(std::vector{number}) {}
  Array(std::complex<double> number) : elements(std::vector{number}) {}
  Array(std::string text) : elements(std::vector{std::move(text)}) {}
  Array(const char* text) : Array(std::string(text)) {}
  // A vector; with extents an array of more dimensions.
  template <class T>
  Array(std::vector<T> values) : extents{values.size()} {
    elements = std::move(values);
  }
  template <class T>
  Array(std::vector<T> values, std::vector<std::uint64_t> its_extents) : extents(std::move(its_extents)) {
    elements = std::move(values);
  }

  std::uint64_t count() const noexcept;  // as the extents say; 2^64 - 1 for more
  // Local. Returns one number of that type, or all as a vector; numbers are converted if nothing is lost except the
  // last digits of a float. invalid_argument: the array holds something else.
  std::int64_t integer() const;
  double real() const;
  std::complex<double> complex() const;
  const std::string& text() const;
  std::vector<double> reals() const;
  friend bool operator==(const Array&, const Array&);
};

struct ReadArray {
  Array value;
  ChecksumStatus status = ChecksumStatus::absent;  // of its SHA-256
};

enum class EntryKind { group, dataset, type, link, other };  // link: dangling, or into another file
LQ_API std::string_view name(EntryKind kind) noexcept;

struct Entry {
  std::string name;
  EntryKind kind = EntryKind::other;
  std::string target = {};  // of a soft or external link
  friend bool operator==(const Entry&, const Entry&) = default;
};

// The facts about an object, without its data.
struct Facts {
  std::string path;  // absolute, links resolved
  EntryKind kind = EntryKind::other;
  std::string type = {};                    // of a dataset's elements: "float64", "array 3x3 of complex128 {r,i}"
  std::vector<std::uint64_t> extents = {};  // of the dataspace, slowest first
  std::string storage = {};                 // "contiguous", "chunked", "compact", "external", "virtual"
  std::vector<std::uint64_t> chunk = {};
  std::vector<std::string> filters = {};
  std::uint64_t bytes = 0;         // of all elements; of a group: of the datasets in it, at any depth
  std::uint64_t unused_bytes = 0;  // of "/": bytes of the file that hold no data: metadata, gaps, and the space of
                                   // removed objects, which a copy does not have (h5repack)
  std::optional<std::int64_t> microseconds = {};  // since 1970, when it was written
  std::string checksum = {};                      // as it is stored, in hexadecimal digits
  std::string layout = {};                        // of a lattice field or a group of one: "native", "qdp", "qlua", ...
  std::string object = {};                        // what QLUA calls it: "LatticeColorMatrix", "VectorReal"
  std::uint64_t attributes = 0;
};

class LQ_API File {
 public:
  // not_found, exists, unknown_format: not an HDF5 file; no_permission. Mode::append first recovers an interrupted
  // append; a reader sees the file as it would be after recovery.
  explicit File(const std::string& path, Mode mode = Mode::read, const Communicator& communicator = {},
                const Hdf5Options& options = {});
  // Discards changes that were not flushed; a new file that was not closed leaves nothing.
  ~File();
  File(File&&) noexcept;
  File& operator=(File&&) noexcept;

  // Local. The group the session is in.
  const std::string& pwd() const;
  // Changes the current group. no_such_record: there is no such group.
  void cd(const std::string& path);
  // The same, but creates missing groups; pop() returns to the group before the last push(). wrong_state: pop() without
  // push().
  void push(const std::string& path);
  void pop();

  // The members of a group in order of name; for any other object, the object itself.
  std::vector<Entry> ls(const std::string& path = ".");
  Facts stat(const std::string& path = ".");
  bool exists(const std::string& path);

  // Creates a group and its missing parents; an existing group is not changed.
  void mkdir(const std::string& path);
  // Removes the object, or a group with its contents. Its space in the file stays unused.
  void remove(const std::string& path);
  // exists: an object has the new name.
  void rename(const std::string& from, const std::string& to);
  void copy(const std::string& from, const std::string& to);

  // Writes a small object and its missing parents. exists: an object has that name, and `replace` is false.
  void write(const std::string& path, const Array& value, bool replace = false);
  Array read(const std::string& path);
  // The same, and the result of comparing its SHA-256.
  ReadArray read_checked(const std::string& path);

  // Writes a lattice field; the grid has the ranks of the session. The options used are `layout`, `dataset_chunk`,
  // `filters`, `precision`, `metadata`, `verify`, the options of the transfer, and `overwrite`, which replaces an
  // object of that name. The field is in the file when this returns.
  Report write(const std::string& path, const Grid& grid, const Field& field, const WriteOptions& options = {});
  Report read(const std::string& path, const Grid& grid, const MutableField& field, const ReadOptions& options = {});
  // All fields, by path without the first slash: lattice, kind and precision; and findings about the file.
  // Flushes first.
  Catalog catalog();

  // The attributes of an object, in order of name.
  std::vector<std::pair<std::string, Array>> attributes(const std::string& path = ".");
  // no_such_record: the object has no such attribute.
  Array attribute(const std::string& path, const std::string& name);
  // Replaces an attribute of that name.
  void set_attribute(const std::string& path, const std::string& name, const Array& value);
  void remove_attribute(const std::string& path, const std::string& name);

  // Writes all changes so far to the file: all of them or none, whenever the program is killed.
  void flush();
  // Flushes, and gives a new file its name. The session cannot be used afterwards (wrong_state).
  void close();

 private:
  class Session;
  friend class SessionOverHdf5;
  friend std::unique_ptr<Session> open_session(const std::string& path, Mode mode, const Communicator& communicator,
                                               const Hdf5Options& options);
  Session& session() const;
  std::unique_ptr<Session> session_;
};

}  // namespace lq::hdf5
