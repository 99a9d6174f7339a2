// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// These functions stand in for those of the C library where names lie on the simulated disk: its folders are listed,
// and the lock of a folder of checkpoints is one of a file of the real system. And ranks get no threads of their own,
// which would run when they like: what is done by helpers where there are some they do by themselves.
#include "simulation/system.hpp"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "simulation/machine.hpp"
#include "support/held_memory.hpp"
#include "support/turns.hpp"

namespace {

using Names = std::set<std::string>;
using lq::testing::OwnedBy;

std::function<const Names&()> names_on_disk;

bool is_simulated_name(const char* path) {
  return names_on_disk && std::string_view(path).starts_with(lq::simulation::folder);
}

// What lies in a folder, each name once.
struct Folder {
  Names names;
  Names::const_iterator next;
  dirent entry = {};
};
std::set<const void*> open_folders;

// A file of the real system for each lock; -1: there is no such file on the simulated disk.
int lock_of(const char* path) {
  static std::map<std::string, int> locks;
  if (!names_on_disk().contains(path)) {
    locks.erase(path);
    return -1;
  }
  const auto [lock, is_new] = locks.emplace(path, -1);
  if (is_new) lock->second = ::memfd_create("lock", MFD_CLOEXEC);
  return lock->second;
}
bool is_lock(const char* path) { return is_simulated_name(path) && std::string_view(path).ends_with(".lock"); }

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

int open_lock(const char* path, int flags) {
  const OwnedBy system(nullptr);
  const int lock = lock_of(path);
  if (lock >= 0)
    return static_cast<int>(::syscall(SYS_openat, AT_FDCWD, ("/proc/self/fd/" + std::to_string(lock)).c_str(), flags));
  errno = ENOENT;
  return -1;
}

}  // namespace

// Seen by the C++ library, too.
#pragma GCC visibility push(default)
extern "C" {

DIR* opendir(const char* path) {
  if (!is_simulated_name(path)) return real<DIR*(const char*)>("opendir")(path);
  const OwnedBy system(nullptr);
  std::string beginning = path;
  if (!beginning.ends_with('/')) beginning += '/';
  auto folder = std::make_unique<Folder>();
  const Names& names = names_on_disk();
  for (auto name = names.lower_bound(beginning); name != names.end() && name->starts_with(beginning); ++name) {
    folder->names.insert(name->substr(beginning.size(), name->find('/', beginning.size()) - beginning.size()));
  }
  if (folder->names.empty()) {
    errno = ENOENT;
    return nullptr;
  }
  folder->next = folder->names.begin();
  open_folders.insert(folder.get());
  return reinterpret_cast<DIR*>(folder.release());
}

dirent* readdir(DIR* opened) {
  if (!open_folders.contains(opened)) return real<dirent*(DIR*)>("readdir")(opened);
  auto* const folder = reinterpret_cast<Folder*>(opened);
  if (folder->next == folder->names.end()) return nullptr;
  std::strncpy(folder->entry.d_name, folder->next++->c_str(), sizeof folder->entry.d_name - 1);
  return &folder->entry;
}

int closedir(DIR* opened) {
  const OwnedBy system(nullptr);
  if (open_folders.erase(opened) == 0) return real<int(DIR*)>("closedir")(opened);
  delete reinterpret_cast<Folder*>(opened);
  return 0;
}

// There are no folders without files.
int rmdir(const char* path) noexcept {
  if (!is_simulated_name(path)) return static_cast<int>(::syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR));
  const OwnedBy system(nullptr);
  const std::string beginning = std::string(path) + "/";
  const Names& names = names_on_disk();
  const auto first = names.lower_bound(beginning);
  errno = first != names.end() && first->starts_with(beginning) ? ENOTEMPTY : ENOENT;
  return -1;
}

int open(const char* path, int flags, ...) {
  if (is_lock(path)) return open_lock(path, flags);
  va_list rest;
  va_start(rest, flags);
  const auto mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

int stat(const char* __restrict path, struct stat* __restrict status) noexcept {
  if (!is_lock(path)) return ::fstatat(AT_FDCWD, path, status, 0);
  const OwnedBy system(nullptr);
  const int lock = lock_of(path);
  if (lock >= 0) return ::fstat(lock, status);
  errno = ENOENT;
  return -1;
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*work)(void*), void* argument) noexcept {
  if (lq::testing::Turns::has_this_thread()) return EAGAIN;
  return real<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create")(thread, attributes,
                                                                                                 work, argument);
}
}
#pragma GCC visibility pop

namespace lq::simulation {

void show_disk(std::function<const std::set<std::string>&()> names) { names_on_disk = std::move(names); }

}  // namespace lq::simulation
