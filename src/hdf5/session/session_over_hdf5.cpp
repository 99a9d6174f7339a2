// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The session with the HDF5 library: rank 0 does the work, and all ranks receive the results.

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "comm/agree.hpp"
#include "hdf5/making/make.hpp"
#include "hdf5/making/small_objects.hpp"
#include "hdf5/session/session.hpp"
#include "hdf5/session/store.hpp"
#include "io/scan.hpp"
#include "io/transfer.hpp"

namespace lq::hdf5 {

// A description of the operation, compared between ranks.
struct OperationName {
  std::string_view what;
  std::string_view which = {};  // "rename to WHICH of" a path

  std::string text() const { return which.empty() ? std::string(what) : fmt::format("{} {} of", what, which); }
};

class SessionOverHdf5 final : public File::Session {
 public:
  // Local.
  SessionOverHdf5(const std::string& path, Mode mode, const Communicator& communicator, const Hdf5Options& options)
      : store_(storage::resolve(path), path, mode, communicator, options),
        options_(options),
        layout_(small_layout(options.layout)) {}

  // Collective. Called first.
  void open() { store_.open(); }

  const std::string& pwd() const override { return here_; }

  void cd(const std::string& path) override {
    here_ = ask<std::string>({"cd"}, path, [&](const Opened& file) {
      Found found = require_object(file, path, here_);
      if (found.object.kind == ObjectKind::group) return std::move(found.path);
      base::fail(Code::no_such_record, {.path = file.path(), .record = found.path}, "{} is not a group",
                 base::printable(found.path));
    });
  }

  void push(const std::string& path) override {
    change({"push"}, path, [&](const std::string& place, const ErrorPlace& where) {
      store_.edit([&](hid_t file) { make_group(file, place, where); });
    });
    std::string before = comm::agree_alike(comm(), [&] {
      stack_.reserve(stack_.size() + 1);
      return here_;
    });
    cd(path);
    stack_.push_back(std::move(before));
  }

  void pop() override {
    comm::agree(comm(), [&] {
      store_.require_open();
      if (!stack_.empty()) return;
      base::fail(Code::wrong_state, {.path = store_.path()}, "pop() without a push() before");
    });
    here_ = std::move(stack_.back());
    stack_.pop_back();
  }

  std::vector<Entry> ls(const std::string& path) override {
    return ask<std::vector<Entry>>(
        {"ls"}, path, [&](const Opened& file) { return list_entries(file, path, here_, options_.limits); });
  }
  Facts stat(const std::string& path) override {
    return ask<Facts>({"stat"}, path, [&](const Opened& file) { return facts_of(file, path, here_, options_.limits); });
  }
  bool exists(const std::string& path) override {
    return ask<bool>({"exists"}, path, [&](const Opened& file) { return find_object(file, path, here_).has_value(); });
  }

  void mkdir(const std::string& path) override {
    change({"mkdir"}, path, [&](const std::string& place, const ErrorPlace& where) {
      store_.edit([&](hid_t file) { make_group(file, place, where); });
    });
  }
  void remove(const std::string& path) override {
    change({"remove"}, path, [&](const std::string& place, const ErrorPlace& where) {
      store_.edit([&](hid_t file) { remove_object(file, place, where); });
    });
  }
  void rename(const std::string& from, const std::string& to) override {
    change({"rename to", to}, from, [&](const std::string& place, const ErrorPlace& where) {
      const std::string target = place_of(to);
      store_.edit([&](hid_t file) { rename_object(file, place, target, where); });
    });
  }
  void copy(const std::string& from, const std::string& to) override {
    change({"copy to", to}, from, [&](const std::string& place, const ErrorPlace& where) {
      const std::string target = place_of(to);
      std::uint64_t bytes = 0;
      store_.look([&](const Opened& file) { bytes = facts_of(file, place, "/", options_.limits).bytes; });
      if (bytes > options_.limits.text_bytes) {
        base::fail(
            Code::too_large, {.path = where.path, .record = where.object},
            "{}: {} bytes of data are more than is copied here, {}; use h5copy, or raise the limit of text_bytes",
            where.object, bytes, options_.limits.text_bytes);
      }
      store_.edit([&](hid_t file) { copy_object(file, place, target, where); });
    });
  }

  void write(const std::string& path, const Array& value, bool replace) override {
    change({"write"}, path, [&](const std::string& place, const ErrorPlace& where) {
      check_array(value, place);
      store_.edit([&](hid_t file) {
        if (replace && has_link(file, place, where) && !is_bare_scale(file, place)) remove_object(file, place, where);
        put_array(file, value, layout_, now(), where);
      });
    });
  }

  ReadArray read(const std::string& path) override {
    return ask<ReadArray>({"read"}, path, [&](const Opened& file) { return read_small(file, path, here_, options_); });
  }

  Report write(const std::string& path, const Grid& grid, const Field& field, const WriteOptions& options) override;
  Report read(const std::string& path, const Grid& grid, const MutableField& field,
              const ReadOptions& options) override;
  Catalog catalog() override {
    comm::agree(comm(), [&] { store_.require_open(); });
    scan();
    return comm::agree_alike(comm(), [&] { return scanned_->catalog(); });
  }

  std::vector<std::pair<std::string, Array>> attributes(const std::string& path) override {
    return ask<std::vector<std::pair<std::string, Array>>>(
        {"attributes"}, path, [&](const Opened& file) { return list_attributes(file, path, here_, options_.limits); });
  }
  Array attribute(const std::string& path, const std::string& name) override {
    return ask<Array>({"attribute", name}, path,
                      [&](const Opened& file) { return read_one_attribute(file, path, here_, name, options_.limits); });
  }
  void set_attribute(const std::string& path, const std::string& name, const Array& value) override {
    on_object({"set attribute", name}, path, [&](hid_t file, const ErrorPlace& where) {
      check_array(value, where.object);
      const Handle object =
          require(H5Oopen(file, where.object.c_str(), H5P_DEFAULT), H5Oclose, where, "it cannot be opened");
      put_attribute(object.get(), name, value, where);
    });
  }
  void remove_attribute(const std::string& path, const std::string& name) override {
    on_object({"remove attribute", name}, path,
              [&](hid_t file, const ErrorPlace& where) { hdf5::remove_attribute(file, where.object, name, where); });
  }

  void flush() override {
    comm::agree(comm(), [&] { store_.require_open(); });
    store_.flush();
    scanned_.reset();
  }
  void close() override {
    comm::agree(comm(), [&] { store_.require_open(); });
    scanned_.reset();
    store_.close();
  }

 private:
  comm::Comm& comm() const { return store_.communicator().engine(); }
  std::optional<std::int64_t> now() const {
    return options_.time_stamps ? std::optional(base::microseconds_now()) : std::nullopt;
  }
  // At the root.
  std::string place_of(const std::string& path) {
    std::string place;
    store_.look([&](const Opened& file) { place = place_for(file, path, here_); });
    return place;
  }

  // Collective. Runs `work` on all ranks and agrees, also on the operation and its object.
  template <class Work>
  void agree_doing(const OperationName& doing, const std::string& path, const Work& work) {
    const auto state = [&] {
      return std::vector<comm::StatedArgument>{{"what is to be done", doing.text()}, {"the path of the object", path}};
    };
    comm::agree(comm(), state, work);
  }

  // Collective. Runs `work` at the root; returns its result on all ranks.
  template <class Result, class Work>
  Result ask(const OperationName& doing, const std::string& path, const Work& work) {
    Message message;
    agree_doing(doing, path, [&] {
      store_.require_open();
      if (!store_.communicator().is_root()) return;
      Result found{};
      store_.look([&](const Opened& file) { found = work(file); });
      message.add(found);
    });
    return comm::agree(comm(), [&] {
      const std::vector<std::byte> bytes = message.take();
      Message arrived(comm::broadcast_bytes(comm(), bytes));
      Result result{};
      arrived.add(result);
      return result;
    });
  }

  // Collective. Runs `work` at the root, with the place of an object that need not exist.
  template <class Work>
  void change(const OperationName& doing, const std::string& path, const Work& work) {
    agree_doing(doing, path, [&] {
      store_.require_writable();
      if (!store_.communicator().is_root()) return;
      const std::string place = place_of(path);
      work(place, ErrorPlace{store_.path(), place});
    });
    scanned_.reset();
  }

  // Collective. The same for an existing object.
  template <class Work>
  void on_object(const OperationName& doing, const std::string& path, const Work& work) {
    agree_doing(doing, path, [&] {
      store_.require_writable();
      if (!store_.communicator().is_root()) return;
      ErrorPlace where{store_.path(), {}};
      store_.look([&](const Opened& file) { where.object = require_object(file, path, here_).path; });
      store_.edit([&](hid_t file) { work(file, where); });
    });
    scanned_.reset();
  }

  // Collective.
  void scan() {
    store_.flush();
    if (scanned_) return;
    scanned_ = io::ScannedFile::open(store_.transport(), store_.at(), store_.communicator(), options_.limits);
  }

  void require_ranks(const Grid& grid) const {
    const Communicator& others = grid.communicator();
    if (others.size() == store_.communicator().size() && others.rank() == store_.communicator().rank()) return;
    base::fail(Code::invalid_argument, {.path = store_.path()},
               "the ranks of the grid are not those that opened the file");
  }

  Store store_;
  Hdf5Options options_;
  SmallLayout layout_;
  std::string here_ = "/";
  std::vector<std::string> stack_;
  std::shared_ptr<io::ScannedFile> scanned_;  // nullptr: outdated by a change
};

// The new field is complete in the file before an old one of its name is removed.
Report SessionOverHdf5::write(const std::string& path, const Grid& grid, const Field& field,
                              const WriteOptions& options) {
  scanned_.reset();
  std::string place, name;
  bool replaces = false;
  agree_doing({"write field"}, path, [&] {
    store_.require_writable();
    require_ranks(grid);
    if (!store_.communicator().is_root()) return;
    place = name = place_of(path);
    store_.look([&](const Opened& file) {
      replaces = find_object(file, place).has_value();
      if (replaces && !options.overwrite) {
        base::fail(Code::exists, {.path = store_.path(), .record = place},
                   "there is a {} already; choose another name, or replace it with options.overwrite = true",
                   base::printable(place));
      }
      for (int number = 1; replaces && find_object(file, name); ++number) {
        name = fmt::format("{}.new{}", place, number);
      }
    });
  });
  place = comm::broadcast_text(comm(), place);
  name = comm::broadcast_text(comm(), name);
  store_.flush();
  WriteOptions how;
  auto writer = comm::agree(comm(), [&] {
    how = options;
    how.format = "hdf5";
    how.name = name.substr(1);
    how.sync = options_.sync;
    if (how.layout.empty()) how.layout = options_.layout;
    how.time_stamps = how.time_stamps && options_.time_stamps;
    return std::make_unique<io::FieldWriter>(store_.transport(), store_.communicator(), store_.path(), how,
                                             store_.continuation());
  });
  Report report;
  writer->in_place([&] {
    report = io::append_field(*writer, store_.transport(), grid, store_.path(), how.name, field, how.metadata, how);
    writer->complete(report);
  });
  writer.reset();
  store_.reload();
  if (name != place) {
    change({"rename"}, place, [&](const std::string&, const ErrorPlace& where) {
      store_.edit([&](hid_t file) {
        remove_object(file, place, where);
        rename_object(file, name, place, where);
      });
    });
    store_.flush();
  }
  report.field = std::move(place);
  return report;
}

Report SessionOverHdf5::read(const std::string& path, const Grid& grid, const MutableField& field,
                             const ReadOptions& options) {
  const std::string place = ask<std::string>({"read field"}, path, [&](const Opened& file) {
    require_ranks(grid);
    return require_object(file, path, here_).path;
  });
  scan();
  const ReadOptions how = comm::agree_alike(comm(), [&] {
    ReadOptions made = options;
    made.field = place == "/" ? place : place.substr(1);
    made.index = 0;
    return made;
  });
  const auto transfer = io::begin_read(scanned_, grid, field, how);
  return transfer->finish(engine::outcome_of(transfer->steps()));
}

std::unique_ptr<File::Session> open_session(const std::string& path, Mode mode, const Communicator& communicator,
                                            const Hdf5Options& options) {
  auto session = comm::agree(communicator.engine(),
                             [&] { return std::make_unique<SessionOverHdf5>(path, mode, communicator, options); });
  session->open();
  return session;
}

}  // namespace lq::hdf5
