// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// New numbers: the lowest unused one, else the first closed one after the last that was freed. The table grows
// by 2 when fewer than 2 are free, and starts over when all are.
#include "compat/sion/handles.hpp"

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>

#include <fmt/format.h>

#include "compat/sion/callback_comm.hpp"
#include "multifile/mode.hpp"

namespace lq::compat::sion {

// The only place of the drop-in that prints.

namespace {

thread_local int silenced = 0;
std::atomic<int (*)()> thread_number{nullptr};

bool is_selected(const char* variable, int number) {
  const char* const wanted = multifile::variable(variable);
  if (wanted == nullptr || number < 0) return true;
  const int selected = std::atoi(wanted);
  return selected < 0 || selected == number;
}

void print(int rc, int rank, const std::string& text) {
  if (silenced > 0) return;
  const auto ask = thread_number.load();
  const int thread = ask == nullptr ? -1 : ask();
  if (!is_selected("SION_ERROR_MSG_RANK", rank) || !is_selected("SION_ERROR_MSG_THREAD", thread)) return;
  std::string line = fmt::format("SION_ERROR_RETURN on rank {}", rank);
  if (thread >= 0) line += fmt::format(", thread {}", thread);
  line += fmt::format(", rc={}: {}\n", rc, text);
  std::fputs(line.c_str(), stderr);
}

struct Entry {
  enum class State { fresh, used, closed };
  State state = State::fresh;
  std::unique_ptr<OpenFile> file;
  std::shared_ptr<Api> api;
};

class Table {
 public:
  int add(Entry entry) {
    const Guard guard(*this);
    if (free_ < 2) {
      entries_.resize(entries_.size() + 2);
      free_ += 2;
    }
    const std::size_t place = find_free();
    entry.state = Entry::State::used;
    entries_[place] = std::move(entry);
    --free_;
    return static_cast<int>(place);
  }

  void fill(int id, std::unique_ptr<OpenFile> file) {
    const Guard guard(*this);
    if (is_used(id)) entries_[static_cast<std::size_t>(id)].file = std::move(file);
  }

  bool drop(int id) {
    Entry dropped;  // destroyed after the lock is released
    const Guard guard(*this);
    if (!is_used(id)) return false;
    last_freed_ = static_cast<std::size_t>(id);
    dropped = std::move(entries_[last_freed_]);
    entries_[last_freed_] = {};
    entries_[last_freed_].state = Entry::State::closed;
    if (++free_ == entries_.size()) {
      entries_.clear();
      free_ = 0;
    }
    return true;
  }

  OpenFile* file(int id) {
    const Guard guard(*this);
    return is_used(id) ? entries_[static_cast<std::size_t>(id)].file.get() : nullptr;
  }

  std::shared_ptr<Api> api(int id) {
    const Guard guard(*this);
    return is_used(id) ? entries_[static_cast<std::size_t>(id)].api : nullptr;
  }

  bool set_lock(int (*lock)(void*), int (*unlock)(void*), void* data) {
    const std::lock_guard guard(mutex_);
    if (lock == nullptr || unlock == nullptr) return false;
    lock_ = lock;
    unlock_ = unlock;
    lock_data_ = data;
    return true;
  }

  bool has_user_lock() {
    const std::lock_guard guard(mutex_);
    return lock_ != nullptr;
  }

 private:
  class Guard {
   public:
    explicit Guard(Table& table) : table_(table), guard_(table.mutex_) {
      if (table_.lock_ != nullptr) table_.lock_(table_.lock_data_);
    }
    ~Guard() {
      if (table_.unlock_ != nullptr) table_.unlock_(table_.lock_data_);
    }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    Table& table_;
    std::lock_guard<std::mutex> guard_;
  };

  bool is_used(int id) const noexcept {
    return id >= 0 && static_cast<std::size_t>(id) < entries_.size() &&
           entries_[static_cast<std::size_t>(id)].state == Entry::State::used;
  }

  std::size_t find_free() const noexcept {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (entries_[i].state == Entry::State::fresh) return i;
    }
    std::size_t i = (last_freed_ + 1) % entries_.size();
    while (entries_[i].state == Entry::State::used) i = (i + 1) % entries_.size();
    return i;
  }

  std::mutex mutex_;
  std::vector<Entry> entries_;
  std::size_t free_ = 0;
  std::size_t last_freed_ = 0;
  int (*lock_)(void*) = nullptr;
  int (*unlock_)(void*) = nullptr;
  void* lock_data_ = nullptr;
};

// State of the process that is never destroyed: programs close files in destructors and in atexit functions. It
// allocates nothing, so that functions that let no exception out (destructors, C functions) can be its first users.
template <class T>
class NeverDestroyed {
 public:
  NeverDestroyed() noexcept {
    static_assert(noexcept(T()));
    new (room_) T();
  }
  NeverDestroyed(const NeverDestroyed&) = delete;
  NeverDestroyed& operator=(const NeverDestroyed&) = delete;

  T& operator*() noexcept { return *std::launder(reinterpret_cast<T*>(room_)); }

 private:
  alignas(T) std::byte room_[sizeof(T)];
};

Table& table() noexcept {
  static NeverDestroyed<Table> only;
  return *only;
}

}  // namespace

int report_error(int rc, int rank, const std::string& text) {
  print(rc, rank, text);
  return rc;
}

Silence::Silence() noexcept { ++silenced; }
Silence::~Silence() { --silenced; }

void set_thread_number(int (*ask)()) noexcept { thread_number = ask; }

int add_handle(std::unique_ptr<OpenFile> file) {
  Entry entry;
  entry.file = std::move(file);
  return table().add(std::move(entry));
}

int add_handle(std::shared_ptr<Api> api) {
  Entry entry;
  entry.api = std::move(api);
  return table().add(std::move(entry));
}

int reserve_handle() { return table().add({}); }
void fill_handle(int id, std::unique_ptr<OpenFile> file) { table().fill(id, std::move(file)); }
bool drop_handle(int id) { return table().drop(id); }
OpenFile* find_file(int id) { return table().file(id); }
std::shared_ptr<Api> find_api(int id) { return table().api(id); }
bool set_lock(int (*lock)(void*), int (*unlock)(void*), void* data) { return table().set_lock(lock, unlock, data); }
bool has_user_lock() { return table().has_user_lock(); }

}  // namespace lq::compat::sion
