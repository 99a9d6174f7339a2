// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a session with a file consists of: the file behind it, questions to its tree, and answers as bytes for all
// ranks.
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

// What rank 0 found, as bytes for the others: made and taken by the same functions.
class Message {
 public:
  Message() = default;
  explicit Message(std::vector<std::byte> bytes) : bytes_(std::move(bytes)), is_taken_(true) {}
  std::vector<std::byte> take() { return std::move(bytes_); }

  // Puts a value into the message, or takes it out of it.
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

// The file behind a session: one that is read, one that is appended to in place, or a new one under a temporary name;
// and what was done to it since, in the memory of rank 0.
class Store {
 public:
  // Local.
  Store(storage::Transport& transport, const std::string& path, Mode mode, const Communicator& communicator,
        const Hdf5Options& options)
      : transport_(transport), path_(path), mode_(mode), communicator_(communicator), options_(options) {}
  // Collective. Before all else.
  void open();

  const std::string& path() const noexcept { return path_; }
  storage::Transport& transport() const noexcept { return transport_; }
  const Communicator& communicator() const noexcept { return communicator_; }
  // Local, on rank 0. What `work` found last counts: where somebody appends to a file that is only read, it is done
  // again.
  void look(base::FunctionRef<void(const Opened& file)> work);
  // Local, on rank 0. All that `work` does, or nothing of it where it throws. wrong_state: the file is only read.
  void edit(base::FunctionRef<void(hid_t file)> work);
  // Local. Throws wrong_state where nothing may be written, or nothing at all any more.
  void require_writable() const;
  void require_open() const;

  // Collective. What was edited is in the file.
  void flush();
  // Collective; after flush(). What a writer of fields goes on with, and the file that is to be read.
  io::FieldWriter::Continuation continuation() const;
  const std::string& at() const noexcept { return new_ ? new_->temporary_path() : path_; }
  // Collective. The file was written to by ourselves.
  void look_anew();
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
  std::optional<storage::WriterLock> lock_;  // at the root; of a file that is appended to
  std::unique_ptr<io::NewFile> new_;
  std::shared_ptr<storage::File> there_;       // at the root; of an existing file
  std::optional<storage::Identity> identity_;  // of that, when we looked
  std::unique_ptr<Image> image_;               // at the root
};

// The tree of a file that is browsed: questions to it, and changes.

// Questions to a file that is browsed, as values. Local; paths are absolute or relative to `from`.

// no_such_record: there is none, and what is near.
Found require_object(const Opened& file, const std::string& path, const std::string& from);
std::vector<Entry> list_entries(const Opened& file, const std::string& path, const std::string& from,
                                const Limits& limits);
Facts facts_of(const Opened& file, const std::string& path, const std::string& from, const Limits& limits);
ReadArray read_small(const Opened& file, const std::string& path, const std::string& from, const Hdf5Options& options);
std::vector<std::pair<std::string, Array>> list_attributes(const Opened& file, const std::string& path,
                                                           const std::string& from, const Limits& limits);
Array read_one_attribute(const Opened& file, const std::string& path, const std::string& from, const std::string& name,
                         const Limits& limits);

// "/a/c" for "../c" from "/a/b", whatever is there. invalid_argument: no path at all.
std::string lexical_path(const std::string& path, const std::string& from);
// Where something new of that path comes to lie: soft links above are followed, links into other files are refused.
std::string place_for(const Opened& file, const std::string& path, const std::string& from);

// Changes to the tree of a file that is open for writing, under a Lock. Paths are absolute and lead through no links
// (place_for()).

// no_such_record: there is nothing. malformed: something of it is damaged.
void remove_object(hid_t file, const std::string& path, const Where& where);
void rename_object(hid_t file, const std::string& from, const std::string& to, const Where& where);
void copy_object(hid_t file, const std::string& from, const std::string& to, const Where& where);
void remove_attribute(hid_t file, const std::string& path, const std::string& name, const Where& where);

}  // namespace lq::hdf5
