// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "support/power_failure.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "support/contents.hpp"
#include "support/held_memory.hpp"

namespace lq::testing {
namespace {

namespace fs = std::filesystem;
using Kind = RecordedOperation::Kind;

// One operation at a time. What the disk takes is not the rank's.
struct Entry {
  explicit Entry(RecordingTransport::Diary& diary) : lock(diary.mutex) {}
  OwnedBy disk{nullptr};
  std::lock_guard<std::mutex> lock;
};

// Files are called by the name that they had when they were opened: whoever writes to one that was renamed meanwhile
// writes to the same.
class RecordedFile final : public storage::ForwardingFile {
 public:
  RecordedFile(std::unique_ptr<storage::File> inner, std::shared_ptr<RecordingTransport::Diary> diary)
      : ForwardingFile(std::move(inner)), diary_(std::move(diary)) {}

  void write_at(std::uint64_t offset, base::Bytes bytes) override {
    const Entry entry(*diary_);
    inner().write_at(offset, bytes);
    diary_->operations.push_back({Kind::write, path(), {}, offset, std::string(base::as_text(bytes))});
  }
  void resize(std::uint64_t bytes) override {
    const Entry entry(*diary_);
    inner().resize(bytes);
    diary_->operations.push_back({Kind::resize, path(), {}, bytes});
  }
  void sync() override {
    const Entry entry(*diary_);
    inner().sync();
    diary_->operations.push_back({Kind::sync, path()});
  }

 private:
  std::shared_ptr<RecordingTransport::Diary> diary_;
};

enum class Fate { kept, lost, halved, zeroed };

struct Change {
  const RecordedOperation* operation = nullptr;
  Fate fate = Fate::kept;
};

void apply(std::string& file, const Change& change) {
  const RecordedOperation& operation = *change.operation;
  if (change.fate == Fate::lost) return;
  if (operation.kind == Kind::resize) return file.resize(operation.offset);
  std::string bytes = operation.bytes;
  if (change.fate == Fate::halved) bytes.resize(bytes.size() / 2);
  if (bytes.empty()) return;
  // Zeros there are only where the file grew.
  file.resize(std::max<std::size_t>(file.size(), operation.offset + bytes.size()));
  if (change.fate != Fate::zeroed) file.replace(operation.offset, bytes.size(), bytes);
}

// A file, whatever its name: what is on the disk, and what was done since, in order.
struct Kept {
  std::string synced;
  std::vector<const RecordedOperation*> since = {};
  std::set<const RecordedOperation*> synced_too = {};  // of these, behind others that are not

  std::size_t unsynced() const { return since.size() - synced_too.size(); }
  void sync(const RecordedOperation& by, Caches caches) {
    for (const RecordedOperation* operation : since) {
      if (caches == Caches::of_the_machine || operation->client == by.client || operation->client == every_client)
        synced_too.insert(operation);
    }
    while (!since.empty() && synced_too.erase(since.front()) > 0) {
      apply(synced, {since.front()});
      since.erase(since.begin());
    }
  }
};

// After some operations. Files by their numbers.
struct Moment {
  using Names = std::map<std::string, std::size_t>;
  struct Renaming {
    std::string from, to;  // empty: none
    std::size_t file = 0;
    bool is_of_folder = false;
  };

  Caches caches;
  std::vector<Kept> files;
  Names names, open;                     // as they are now; by the names that they were opened by
  Names synced_names;                    // as they are on the disk
  std::vector<Renaming> renamings = {};  // since

  Moment(const PowerFailures::Files& before, Caches of) : caches(of) {
    for (const auto& [path, bytes] : before) {
      names[path] = open[path] = synced_names[path] = files.size();
      files.push_back({bytes});
    }
  }
  void add(const RecordedOperation& operation) {
    switch (operation.kind) {
      case Kind::create:
        files.push_back({});
        return rename({{}, operation.path, files.size() - 1});
      case Kind::rename:
        return rename({operation.path, operation.to, names.at(operation.path)});
      case Kind::rename_folder:
        return rename({operation.path, operation.to, 0, true});
      case Kind::remove:
        return rename({operation.path, {}, names.at(operation.path)});
      case Kind::sync_folder:
        synced_names = names;
        return renamings.clear();
      case Kind::write:
      case Kind::resize:
        return files[open.at(operation.path)].since.push_back(&operation);
      case Kind::sync:
        return files[open.at(operation.path)].sync(operation, caches);
    }
  }
  static void change(Names& names, const Renaming& renaming) {
    if (renaming.is_of_folder) return change_folder(names, renaming);
    names.erase(renaming.from);
    if (!renaming.to.empty()) names[renaming.to] = renaming.file;
  }

 private:
  static void change_folder(Names& names, const Renaming& renaming) {
    const std::string before = renaming.from + "/";
    for (auto name = names.lower_bound(before); name != names.end() && name->first.starts_with(before);) {
      auto moved = names.extract(name++);
      moved.key().replace(0, renaming.from.size(), renaming.to);
      names.insert(std::move(moved));
    }
  }
  void rename(const Renaming& renaming) {
    change(names, renaming);
    if (renaming.is_of_folder) {
      for (const auto& [path, file] : names) {
        if (path.starts_with(renaming.to + "/")) open[path] = file;
      }
    } else if (!renaming.to.empty()) {
      open[renaming.to] = renaming.file;
    }
    renamings.push_back(renaming);
  }
};

// What became of the changes that were not synced, of all files together.
using Fates = std::vector<Fate>;

// What may become of one of them beside being kept.
constexpr std::array names_fates{Fate::lost};
constexpr std::array bytes_fates{Fate::lost, Fate::halved, Fate::zeroed};

void for_each_fate(std::size_t changes, std::span<const Fate> possible, base::FunctionRef<void(const Fates&)> look) {
  constexpr std::size_t all_subsets_of = 6;
  const auto of_all = [&](const auto& fate) {
    Fates fates(changes);
    for (std::size_t i = 0; i < changes; ++i) fates[i] = fate(i);
    look(fates);
  };
  const auto kept_if = [](bool is_kept) { return is_kept ? Fate::kept : Fate::lost; };
  of_all([](std::size_t) { return Fate::kept; });
  if (changes == 0) return;
  for (const Fate fate : possible) of_all([&](std::size_t) { return fate; });
  for (std::size_t one = 0; one < changes; ++one) {
    for (const Fate fate : possible) {
      of_all([&](std::size_t i) { return i == one ? fate : Fate::kept; });
      of_all([&](std::size_t i) { return i == one ? fate : kept_if(i < one); });
    }
    of_all([&](std::size_t i) { return kept_if(i > one); });
    of_all([&](std::size_t i) { return kept_if(i == one); });
  }
  if (changes > all_subsets_of) return;
  for (std::size_t subset = 0; subset < std::size_t{1} << changes; ++subset) {
    of_all([&](std::size_t i) { return kept_if((subset >> i & 1) == 1); });
  }
}

std::string text_of(const Fates& fates) {
  std::string text;
  for (const Fate fate : fates) text += "klhz"[static_cast<int>(fate)];
  return text;
}

std::size_t hash_of(const PowerFailures::Files& files, bool is_done) {
  std::string all = is_done ? "done" : "";
  for (const auto& [name, bytes] : files) all += fmt::format("{}\n{}\n{}", name, bytes.size(), bytes);
  return std::hash<std::string>()(all);
}

}  // namespace

std::unique_ptr<storage::File> RecordingTransport::open_write(const std::string& path) {
  return std::make_unique<RecordedFile>(inner().open_write(path), diary_);
}

std::unique_ptr<storage::File> RecordingTransport::create(const std::string& path, const storage::Creation& creation) {
  const Entry entry(*diary_);
  auto file = std::make_unique<RecordedFile>(inner().create(path, creation), diary_);
  diary_->operations.push_back({Kind::create, path});
  return file;
}

void RecordingTransport::rename(const std::string& from, const std::string& to) {
  const Entry entry(*diary_);
  const bool is_folder = inner().kind(from) == storage::PathKind::directory;
  inner().rename(from, to);
  diary_->operations.push_back({is_folder ? Kind::rename_folder : Kind::rename, from, to});
}

void RecordingTransport::publish(const std::string& from, const std::string& to) {
  const Entry entry(*diary_);
  inner().publish(from, to);
  diary_->operations.push_back({Kind::rename, from, to});
}

void RecordingTransport::remove(const std::string& path) {
  const Entry entry(*diary_);
  inner().remove(path);
  diary_->operations.push_back({Kind::remove, path});
}

void RecordingTransport::sync_directory(const std::string& path_of_file) {
  const Entry entry(*diary_);
  inner().sync_directory(path_of_file);
  diary_->operations.push_back({Kind::sync_folder, path_of_file});
}

void follow(std::set<std::string>& names, const RecordedOperation& operation) {
  if (operation.kind == Kind::create) names.insert(operation.path);
  if (operation.kind == Kind::remove || operation.kind == Kind::rename) names.erase(operation.path);
  if (operation.kind == Kind::rename) names.insert(operation.to);
  if (operation.kind != Kind::rename_folder) return;
  const std::string before = operation.path + "/";
  for (auto name = names.lower_bound(before); name != names.end() && name->starts_with(before);) {
    auto moved = names.extract(name++);
    moved.value().replace(0, operation.path.size(), operation.to);
    names.insert(std::move(moved));
  }
}

PowerFailures::PowerFailures(std::string folder) : folder_(std::move(folder)) {
  for (const auto& entry : fs::directory_iterator(folder_)) before_[entry.path()] = contents(entry.path());
}

void PowerFailures::put(const Files& files) const {
  for (const auto& entry : fs::directory_iterator(folder_)) fs::remove_all(entry.path());
  for (const auto& [path, bytes] : files) put_contents(path, bytes);
}

std::uint64_t PowerFailures::for_each(const std::vector<RecordedOperation>& operations, Caches caches,
                                      base::FunctionRef<void(const std::string& which, bool is_done)> look) const {
  Moment moment(before_, caches);
  std::set<std::size_t> seen;
  for (std::size_t done = 0; done <= operations.size(); ++done) {
    if (done > 0) moment.add(operations[done - 1]);
    const bool is_done = done == operations.size();
    const auto look_at = [&](const Moment::Names& names, const Fates& fates, const std::string& which) {
      Files files;
      auto fate = fates.begin();
      for (const auto& [path, number] : names) {
        std::string& file = files[path] = moment.files[number].synced;
        for (const RecordedOperation* operation : moment.files[number].since) {
          apply(file, {operation, moment.files[number].synced_too.contains(operation) ? Fate::kept : *fate++});
        }
      }
      if (!seen.insert(hash_of(files, is_done)).second) return;
      put(files);
      look(fmt::format("{} of {} operations, {}, changes {}", done, operations.size(), which, text_of(fates)), is_done);
    };
    for_each_fate(moment.renamings.size(), names_fates, [&](const Fates& renamed) {
      Moment::Names names = moment.synced_names;
      for (std::size_t i = 0; i < renamed.size(); ++i) {
        if (renamed[i] == Fate::kept) Moment::change(names, moment.renamings[i]);
      }
      std::size_t changes = 0;
      for (const auto& [path, number] : names) changes += moment.files[number].unsynced();
      for_each_fate(changes, bytes_fates,
                    [&](const Fates& fates) { look_at(names, fates, "names " + text_of(renamed)); });
    });
  }
  return seen.size();
}

namespace {

// Changes that a disk had time for: nearly all, some, or few.
class Luck {
 public:
  explicit Luck(std::mt19937_64& random) : random_(random), of_16_(std::array{0U, 1U, 8U, 15U, 16U}[random() % 5]) {}
  bool is_kept() { return random_() % 16 < of_16_; }
  bool is_one_in(std::uint64_t n) { return random_() % n == 0; }
  // What a disk keeps of a write: in one place all sectors of it, of large ones more.
  void tear(std::string& file, const RecordedOperation& write) {
    constexpr std::uint64_t sector = 512;
    const std::uint64_t end = write.offset + write.bytes.size();
    file.resize(std::max<std::size_t>(file.size(), end));
    for (std::uint64_t begin = write.offset; begin < end;) {
      const std::uint64_t next = std::min(end, (begin / sector + 1) * sector);
      if (is_kept()) file.replace(begin, next - begin, write.bytes, begin - write.offset, next - begin);
      begin = next;
    }
  }

 private:
  std::mt19937_64& random_;
  std::uint64_t of_16_;
};

std::string survived(const Kept& kept, Luck& luck) {
  std::string file = kept.synced;
  for (const RecordedOperation* operation : kept.since) {
    if (kept.synced_too.contains(operation) || luck.is_kept()) {
      apply(file, {operation});
    } else if (operation->kind == Kind::write && !operation->bytes.empty() && luck.is_one_in(2)) {
      luck.tear(file, *operation);
    }
  }
  return file;
}

}  // namespace

PowerFailures::Files PowerFailures::drawn(const std::vector<RecordedOperation>& operations, Caches caches,
                                          std::mt19937_64& random) const {
  Moment moment(before_, caches);
  for (const RecordedOperation& operation : operations) moment.add(operation);
  Luck luck_of_names(random), luck_of_bytes(random);
  Moment::Names names = moment.synced_names;
  for (const Moment::Renaming& renaming : moment.renamings) {
    if (luck_of_names.is_kept()) Moment::change(names, renaming);
  }
  Files files;
  // In the order in which they were made, which does not depend on how they are called.
  std::map<std::size_t, std::string> contents;
  for (const auto& [path, number] : names) contents[number];
  for (auto& [number, bytes] : contents) bytes = survived(moment.files[number], luck_of_bytes);
  for (const auto& [path, number] : names) files[path] = contents[number];
  return files;
}

}  // namespace lq::testing
