// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A session with an HDF5 file: its groups are browsed like folders, small objects, lattice fields and attributes are
// read and written. Part of the component hdf5: link Limequat::hdf5. Where that was built without HDF5, a File is
// refused with unsupported.
//
// Paths: absolute ("/a/b"), or relative to the group the session is in; "." and ".." as usual. Soft links are followed,
// links into other files never. All calls but pwd() are collective over the communicator of the File, with the same
// arguments on all ranks, and fail with the same error on all ranks; errors name the file and the object. Small things
// are done by rank 0 and kept in its memory until flush().
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
  create,  // a new file, which gets its name when it is closed; `overwrite` replaces one that is there
  append,  // an existing file, in place; it survives a kill at any moment. Where there is none: as create
};

// What to do about SHA-256 sums of small objects on reading, as in QLUA.
enum class Digests {
  check,   // one that is wrong is an error (checksum_mismatch), and so is one that is missing in an object of QLUA's
  ignore,  // only the status reports it
};

}  // namespace lq::hdf5

namespace lq {

// Of a session.
struct Hdf5Options {
  bool overwrite = false;  // create: replace an existing file
  std::string layout =
      {};  // of what is written: "native" (also where empty), "qdp" or "qlua"; a field may have its own
  bool time_stamps = true;  // false: bytes depend on nothing but what is written
  hdf5::Digests digests = hdf5::Digests::check;
  Sync sync = Sync::full;
  Limits limits = {};  // text_bytes: of a small object that is read or copied
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
  // Local. As one number of that type, or all as a vector; numbers are converted where nothing is lost but the last
  // digits of a float. invalid_argument: it is something else.
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

enum class EntryKind { group, dataset, type, link, other };  // link: one that leads nowhere, or into another file
LQ_API std::string_view name(EntryKind kind) noexcept;

struct Entry {
  std::string name;
  EntryKind kind = EntryKind::other;
  std::string target = {};  // of a soft or external link
  friend bool operator==(const Entry&, const Entry&) = default;
};

// What is known of an object without its data.
struct Facts {
  std::string path;  // absolute, links resolved
  EntryKind kind = EntryKind::other;
  std::string type = {};                    // of a dataset's elements: "float64", "array 3x3 of complex128 {r,i}"
  std::vector<std::uint64_t> extents = {};  // of the dataspace, slowest first
  std::string storage = {};                 // "contiguous", "chunked", "compact", "external", "virtual"
  std::vector<std::uint64_t> chunk = {};
  std::vector<std::string> filters = {};
  std::uint64_t bytes = 0;         // of all elements; of a group: of the datasets in it, at any depth
  std::uint64_t unused_bytes = 0;  // of "/": those of the file that hold no data: what describes them, gaps, and the
                                   // room of what was removed, which a copy does not have (h5repack)
  std::optional<std::int64_t> microseconds = {};  // since 1970, when it was written
  std::string checksum = {};                      // as it is stored, in hexadecimal digits
  std::string layout = {};                        // of a lattice field or a group of one: "native", "qdp", "qlua", ...
  std::string object = {};                        // what QLUA calls it: "LatticeColorMatrix", "VectorReal"
  std::uint64_t attributes = 0;
};

class LQ_API File {
 public:
  // not_found, exists, unknown_format: not an HDF5 file; no_permission. What an interrupted append left is recovered
  // first where the file is appended to; a reader sees what it leads to.
  explicit File(const std::string& path, Mode mode = Mode::read, const Communicator& communicator = {},
                const Hdf5Options& options = {});
  // Whatever was not flushed is lost; a new file that was not closed leaves nothing.
  ~File();
  File(File&&) noexcept;
  File& operator=(File&&) noexcept;

  // Local. The group the session is in.
  const std::string& pwd() const;
  // no_such_record: there is no such group.
  void cd(const std::string& path);
  // The same, but the groups are made that are missing; pop() goes back to where push() came from. wrong_state: from
  // nowhere.
  void push(const std::string& path);
  void pop();

  // Members of a group in order of name; of anything else the thing itself.
  std::vector<Entry> ls(const std::string& path = ".");
  Facts stat(const std::string& path = ".");
  bool exists(const std::string& path);

  // Groups above are made where they are missing; a group that is there stays as it is.
  void mkdir(const std::string& path);
  // The object, and all that is in a group. Its room in the file stays unused.
  void remove(const std::string& path);
  // exists: there is something of the new name.
  void rename(const std::string& from, const std::string& to);
  void copy(const std::string& from, const std::string& to);

  // A small object. Groups above are made. exists: there is something of that name, unless `replace`.
  void write(const std::string& path, const Array& value, bool replace = false);
  Array read(const std::string& path);
  // The same, and whether it is what was written.
  ReadArray read_checked(const std::string& path);

  // A lattice field, by the ranks of the grid, which are those of the session. Of the options count `layout`,
  // `dataset_chunk`, `filters`, `precision`, `metadata`, `verify` and those of the way there; `overwrite` replaces an
  // object of that name. The field is in the file when this returns.
  Report write(const std::string& path, const Grid& grid, const Field& field, const WriteOptions& options = {});
  Report read(const std::string& path, const Grid& grid, const MutableField& field, const ReadOptions& options = {});
  // All fields, by path without the first slash: lattice, kind and precision; and what is worth saying about the file.
  // What was done so far is flushed.
  Catalog catalog();

  // In order of name.
  std::vector<std::pair<std::string, Array>> attributes(const std::string& path = ".");
  // no_such_record: there is none of that name.
  Array attribute(const std::string& path, const std::string& name);
  // One of that name is replaced.
  void set_attribute(const std::string& path, const std::string& name, const Array& value);
  void remove_attribute(const std::string& path, const std::string& name);

  // What was done so far is in the file: all of it or nothing, whenever the program is killed.
  void flush();
  // The same; a new file gets its name. Nothing can be done with the session afterwards (wrong_state).
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
