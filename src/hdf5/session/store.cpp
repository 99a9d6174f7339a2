// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/session/store.hpp"

#include <array>

#include "base/error.hpp"
#include "comm/agree.hpp"
#include "hdf5/headers/structures.hpp"
#include "io/journal.hpp"

namespace lq::hdf5 {

namespace {

// Elements of the type at that index of a variant.
template <std::size_t... I>
Array::Elements empty_elements(std::size_t index, std::index_sequence<I...>) {
  static const std::array<Array::Elements, sizeof...(I)> empty{Array::Elements(std::in_place_index<I>)...};
  return empty.at(index);
}

}  // namespace

void Message::raw(void* data, std::size_t bytes) {
  if (bytes == 0) return;
  if (!is_taken_) {
    const auto* begin = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), begin, begin + bytes);
    return;
  }
  std::memcpy(data, bytes_.data() + at_, bytes);
  at_ += bytes;
}

void Message::add(std::string& text) {
  std::uint64_t bytes = text.size();
  add(bytes);
  text.resize(static_cast<std::size_t>(bytes));
  raw(text.data(), text.size());
}

void Message::add(Entry& entry) {
  add(entry.name);
  add(entry.kind);
  add(entry.target);
}

void Message::add(Facts& facts) {
  add(facts.path);
  add(facts.kind);
  add(facts.type);
  add(facts.extents);
  add(facts.storage);
  add(facts.chunk);
  add(facts.filters);
  add(facts.bytes);
  add(facts.unused_bytes);
  add(facts.microseconds);
  add(facts.checksum);
  add(facts.layout);
  add(facts.object);
  add(facts.attributes);
}

void Message::add(Axis& axis) {
  add(axis.name);
  add(axis.coordinates);
}

void Message::add(Array& array) {
  std::uint64_t index = array.elements.index();
  add(index);
  if (is_taken_) {
    array.elements = empty_elements(static_cast<std::size_t>(index),
                                    std::make_index_sequence<std::variant_size_v<Array::Elements>>());
  }
  std::visit([&](auto& elements) { add(elements); }, array.elements);
  add(array.extents);
  add(array.axes);
}

void Message::add(ReadArray& read) {
  add(read.value);
  add(read.status);
}

void Store::open() {
  comm::Comm& comm = communicator_.engine();
  bool is_new = mode_ == Mode::create;
  comm::agree_at_root(comm, [&] {
    is_new = is_new || (mode_ == Mode::append && transport_.kind(path_) == storage::PathKind::absent);
    if (!is_new) open_at_root();
  });
  comm.broadcast(std::as_writable_bytes(std::span(&is_new, 1)), 0);
  if (is_new) start_new_file();
}

void Store::open_at_root() {
  if (mode_ == Mode::append) {
    lock_.emplace(path_);
    io::recover(transport_, path_, options_.sync, *lock_);
    io::require_one_name(path_);
  }
  there_ = transport_.open_read(path_);
  identity_ = there_->identity();
  if (!find_signature(*there_)) {
    base::fail(Code::unknown_format, {.path = path_},
               "this is not an HDF5 file: \"\\x89HDF\" was not found at any possible beginning");
  }
  image_ = std::make_unique<Image>(*there_);
  look([](const Opened&) {});
}

void Store::start_new_file() {
  comm::Comm& comm = communicator_.engine();
  new_ = comm::agree(comm, [&] {
    auto made = std::make_unique<io::NewFile>(transport_, communicator_, path_);
    made->keep_other_data("an HDF5 session", "hdf5");
    return made;
  });
  new_->create(options_.overwrite, 0);
  comm::agree_at_root(comm, [&] {
    const Lock lock;
    image_ = std::make_unique<Image>(path_);
    close_in(create_in(*image_), *image_);
  });
}

void Store::require_open() const {
  if (is_open_) return;
  base::fail(Code::wrong_state, {.path = path_}, "the session was closed; open the file again");
}

void Store::require_writable() const {
  require_open();
  if (mode_ != Mode::read) return;
  base::fail(Code::wrong_state, {.path = path_}, "the file is open for reading only; open it for appending");
}

// While the file is locked for writing, no other program changes it. A file that is only read may change at any time.
void Store::look(base::FunctionRef<void(const Opened& file)> work) {
  if (mode_ != Mode::read) return work(Opened(*image_));
  io::read_undisturbed(transport_, there_, [&](storage::File& file, const io::FoundJournal&) { work(Opened(file)); });
}

void Store::edit(base::FunctionRef<void(hid_t file)> work) {
  const Lock lock;
  Image draft(*image_);
  {
    Handle file = open_in(draft, Access::write);
    work(file.get());
    close_in(std::move(file), draft);
  }
  for (const auto& [offset, bytes] : draft.changes()) image_->write_at(offset, bytes);
  if (draft.size() > image_->size()) image_->resize(draft.size());
}

// At the root, in place.
void Store::commit_at_root() {
  std::unique_ptr<storage::File> file;
  io::while_held(path_, [&] { file = transport_.open_write(path_); });
  if (!is_unchanged(*identity_, file->identity())) {
    base::fail(Code::io, {.path = path_},
               "another program has written to the file since this session read it; changes since the last flush are "
               "not in the file. Open it again, and let only one program write at a time");
  }
  io::Appending appending(transport_, *file, options_.sync, *lock_);
  appending.write(literals_of(*image_));
  appending.commit(image_->size());
  file->close();
}

void Store::flush() {
  comm::Comm& comm = communicator_.engine();
  if (mode_ == Mode::read) return;
  bool is_changed = false;
  if (communicator_.is_root()) is_changed = image_->is_changed();
  comm.broadcast(std::as_writable_bytes(std::span(&is_changed, 1)), 0);
  if (!is_changed) return;
  if (new_) {
    new_->write([&] { return literals_of(*image_); });
    comm::agree_at_root(comm, [&] {
      if (new_->file().size() < image_->size()) new_->named([&] { new_->file().resize(image_->size()); });
    });
  } else {
    comm::agree_at_root(comm, [&] { commit_at_root(); });
  }
  reload();
}

void Store::reload() {
  comm::agree_at_root(communicator_.engine(), [&] {
    if (!new_) {
      there_ = transport_.open_read(path_);
      identity_ = there_->identity();
    }
    image_ = std::make_unique<Image>(new_ ? new_->file() : *there_);
  });
}

io::FieldWriter::Continuation Store::continuation() const {
  io::FieldWriter::Continuation before{.at = at(), .in_place = new_ == nullptr, .lock = lock_ ? &*lock_ : nullptr};
  if (image_) before.end = image_->size();
  return before;
}

void Store::close() {
  flush();
  if (new_) {
    new_->finish(options_.sync);
    new_->publish(options_.sync);
  }
  is_open_ = false;
  image_.reset();
  there_.reset();
  lock_.reset();
}

}  // namespace lq::hdf5
