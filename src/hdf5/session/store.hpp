// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The parts of a session: the underlying file, queries about its tree, and results as bytes for all ranks.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <limequat/grid.hpp>
#include <limequat/hdf5.hpp>

#include "base/bytes.hpp"
#include "base/function_ref.hpp"
#include "hdf5/driver/driver.hpp"
#include "hdf5/driver/library.hpp"
#include "hdf5/tree/storage.hpp"
#include "hdf5/tree/tree.hpp"
#include "io/field_writer.hpp"
#include "io/new_file.hpp"
#include "storage/owners.hpp"
#include "storage/transport.hpp"

namespace lq::hdf5 {

// Results of rank 0 as bytes for the other ranks: written and read by the same functions.
class Message {
 public:
  Message() = default;
  explicit Message(std::vector<std::byte> bytes) : bytes_(std::move(bytes)), is_taken_(true) {}
  std::vector<std::byte> take() { return std::move(bytes_); }

  // Writes a value to the message, or reads it from it.
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void add(T& value) { raw(&value, sizeof(T)); }
  void add(std::string& text);
  void add(Entry& entry);
  void add(Facts& facts);
  void add(Axis& axis);
  void add(Array& array);
  void add(ReadArray& read);
  template <class A, class B>
  void add(std::pair<A, B>& both) {
    add(both.first);
    add(both.second);
  }
  template <class T>
  void add(std::vector<T>& values) {
    std::uint64_t count = values.size();
    add(count);
    values.resize(static_cast<std::size_t>(count));
    if constexpr (std::is_trivially_copyable_v<T>) {
      raw(values.data(), values.size() * sizeof(T));
    } else {
      for (T& value : values) add(value);
    }
  }

 private:
  void raw(void* data, std::size_t bytes);

  std::vector<std::byte> bytes_;
  bool is_taken_ = false;
  std::size_t at_ = 0;
};

// The underlying file of a session: one that is read, one that is appended to in place, or a new one under a temporary
// name; and the changes made since, in the memory of rank 0.
class Store {
 public:
  // Local.
  Store(storage::Transport& transport, const std::string& path, Mode mode, const Communicator& communicator,
        const Hdf5Options& options)
      : transport_(transport), path_(path), mode_(mode), communicator_(communicator), options_(options) {}
  // Collective. Called first.
  void open();

  const std::string& path() const noexcept { return path_; }
  storage::Transport& transport() const noexcept { return transport_; }
  const Communicator& communicator() const noexcept { return communicator_; }
  // Local, on rank 0. Only the last result of `work` counts: if another program appends to a file that is only read,
  // `work` is repeated.
  void look(base::FunctionRef<void(const Opened& file)> work);
  // Local, on rank 0. Applies all changes of `work`, or none if it throws. wrong_state: the file is only read.
  void edit(base::FunctionRef<void(hid_t file)> work);
  // Local. Throws wrong_state if the file is read-only or closed.
  void require_writable() const;
  void require_open() const;

  // Collective. Writes all changes to the file.
  void flush();
  // Collective; after flush(). Where a writer of fields continues, and the file to be read.
  io::FieldWriter::Continuation continuation() const;
  const std::string& at() const noexcept { return new_ ? new_->temporary_path() : path_; }
  // Collective. This session has written to the file.
  void reload();
  // Collective.
  void close();

 private:
  void open_at_root();
  void start_new_file();
  void commit_at_root();

  storage::Transport& transport_;
  std::string path_;
  Mode mode_;
  Communicator communicator_;
  Hdf5Options options_;
  bool is_open_ = true;
  std::optional<storage::WriterLock> lock_;  // at the root; for a file that is appended to
  std::unique_ptr<io::NewFile> new_;
  std::shared_ptr<storage::File> there_;       // at the root; of an existing file
  std::optional<storage::Identity> identity_;  // its identity when it was last read
  std::unique_ptr<Image> image_;               // at the root
};

// The tree of an open file: queries and changes.

// Queries about an open file, with values as results. Local; paths are absolute or relative to `from`.

// no_such_record: absent; suggests similar names.
Found require_object(const Opened& file, const std::string& path, const std::string& from);
std::vector<Entry> list_entries(const Opened& file, const std::string& path, const std::string& from,
                                const Limits& limits);
Facts facts_of(const Opened& file, const std::string& path, const std::string& from, const Limits& limits);
ReadArray read_small(const Opened& file, const std::string& path, const std::string& from, const Hdf5Options& options);
std::vector<std::pair<std::string, Array>> list_attributes(const Opened& file, const std::string& path,
                                                           const std::string& from, const Limits& limits);
Array read_one_attribute(const Opened& file, const std::string& path, const std::string& from, const std::string& name,
                         const Limits& limits);

// "/a/c" for "../c" from "/a/b", whether it exists or not. invalid_argument: not a path.
std::string lexical_path(const std::string& path, const std::string& from);
// The place of a new object of that path: soft links above are followed, links into other files are rejected.
std::string place_for(const Opened& file, const std::string& path, const std::string& from);

// Changes to the tree of a file that is open for writing, under a Lock. Paths are absolute and without links
// (place_for()).

// no_such_record: absent. malformed: a part of it is damaged.
void remove_object(hid_t file, const std::string& path, const ErrorPlace& where);
void rename_object(hid_t file, const std::string& from, const std::string& to, const ErrorPlace& where);
void copy_object(hid_t file, const std::string& from, const std::string& to, const ErrorPlace& where);
void remove_attribute(hid_t file, const std::string& path, const std::string& name, const ErrorPlace& where);

}  // namespace lq::hdf5
