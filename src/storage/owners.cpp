// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "storage/owners.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include "base/path.hpp"
#include "comm/agree.hpp"
#include "comm/node.hpp"
#include "storage/posix_file.hpp"

namespace lq::storage {

std::uint64_t client_of(storage::Transport& transport, const std::string& folder, const storage::StorageTraits& seen) {
  if (seen.device != 0) return seen.device;
  try {
    return transport.identity(folder).device;
  } catch (const Error& error) {
    if (error.code() != Code::not_found) throw;
    return 0;  // if the folder does not exist, opening the file gives the better error
  }
}

void CombinedTraits::tell(Terms all, const storage::StorageTraits& seen, std::uint64_t client) noexcept {
  all[0] = {seen.bytes, comm::Reduce::max};
  all[1] = {seen.single_owner ? 1U : 0U, comm::Reduce::max};
  all[2] = {~client, comm::Reduce::max};  // the minimum
  all[3] = {client, comm::Reduce::max};
}

storage::StorageTraits CombinedTraits::strictest(std::span<const comm::Term, terms> all,
                                                 storage::StorageTraits seen) noexcept {
  seen.bytes = all[0].value;
  seen.single_owner = all[1].value == 1;
  return seen;
}

bool CombinedTraits::have_one_client(std::span<const comm::Term, terms> all) noexcept {
  return ~all[2].value == all[3].value;
}

std::uint64_t on_this_host(std::uint64_t client) {
  std::string host;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> host;
  if (host.empty()) {
    std::array<char, 256> name{};
    if (::gethostname(name.data(), name.size() - 1) == 0) host = name.data();
  }
  return std::hash<std::string>()(fmt::format("{} {}", host, client));
}

std::uint64_t Owners::writers(int ranks, std::uint64_t multiple) const noexcept {
  const bool may_meet = have_incoherent_caches() && multiple % unit.bytes != 0;
  return may_meet ? 1 : static_cast<std::uint64_t>(ranks);
}

Owners owners_of(comm::Comm& comm, base::FunctionRef<LocalTraits()> look) {
  std::array<comm::Term, 1 + CombinedTraits::terms> terms{};
  const auto all = std::span(terms).subspan<1>();
  const LocalTraits seen = comm::agree(comm, terms, [&] {
    const LocalTraits mine = look();
    CombinedTraits::tell(all, mine.unit, mine.client);
    return mine;
  });
  Owners owners{CombinedTraits::strictest(all, seen.unit)};
  if (owners.unit.single_owner) owners.are_one_client = comm.node().is_only() && CombinedTraits::have_one_client(all);
  return owners;
}

Owners owners_in_folder(comm::Comm& comm, storage::Transport& transport, const std::string& path) {
  return owners_of(comm, [&] {
    const std::string folder = base::directory_of(path);
    const storage::StorageTraits unit = transport.unit(folder);
    return LocalTraits{unit, client_of(transport, folder, unit)};
  });
}

void tell_size(storage::File& file, std::uint64_t bytes) {
  if (file.size() < bytes) file.resize(bytes);
}

// Locks a byte far after the end, for an open file and not for a process: two sessions of one program are two writers.

namespace {

struct flock the_place(short what) noexcept {
  struct flock place {};
  place.l_type = what;
  place.l_whence = SEEK_SET;
  place.l_start = std::numeric_limits<off_t>::max() - 1;
  place.l_len = 1;
  return place;
}

}  // namespace

Error replaced_error(const std::string& path) {
  return {
      Code::io,
      path +
          ": another program has replaced it since this program opened it: the name now refers to another file, to "
          "which nothing was added. Let only one program write at a time, or open it again to append to the new file",
      {.path = path}};
}

WriterLock::WriterLock(const std::string& path)
    : WriterLock(path,
                 Error(Code::io,
                       path + ": another program has this file open for appending; wait until it has closed it, or "
                              "write to another file",
                       {.path = path})) {}

WriterLock::WriterLock(const std::string& path, const Error& refusal) {
  process_ = ::getpid();
  // The name may have been given to another file before this one was locked.
  constexpr int attempts = 100;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    descriptor_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (descriptor_ < 0) return;
#ifdef F_OFD_SETLK
    struct flock place = the_place(F_WRLCK);
    excludes_others_ = ::fcntl(descriptor_, F_OFD_SETLK, &place) == 0;
    if (!excludes_others_ && (errno == EAGAIN || errno == EACCES)) {
      ::close(descriptor_);
      descriptor_ = -1;
      throw refusal;
    }
#else
    static_cast<void>(refusal);
#endif
    if (is_of(path)) return;
    ::close(descriptor_);
    descriptor_ = -1;
  }
  throw replaced_error(path);
}

bool WriterLock::is_of(const std::string& path) const noexcept {
  struct stat mine {
  }, there{};
  return descriptor_ >= 0 && ::fstat(descriptor_, &mine) == 0 && ::stat(path.c_str(), &there) == 0 &&
         mine.st_dev == there.st_dev && mine.st_ino == there.st_ino;
}

void WriterLock::require_same(const File& file) const {
  if (descriptor_ < 0 || is_same_across_nodes(facts_of_open(descriptor_, file.path()).identity, file.identity()))
    return;
  throw replaced_error(file.path());
}

// Closing alone would leave the lock to forked children, who share the open file.
WriterLock::~WriterLock() {
  if (descriptor_ < 0) return;
#ifdef F_OFD_SETLK
  struct flock place = the_place(F_UNLCK);
  if (process_ == ::getpid()) ::fcntl(descriptor_, F_OFD_SETLK, &place);
#endif
  ::close(descriptor_);
}

bool has_writer(const std::string& path) noexcept {
  bool is_held = false;
#ifdef F_OFD_GETLK
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return false;
  struct flock place = the_place(F_WRLCK);
  is_held = ::fcntl(descriptor, F_OFD_GETLK, &place) == 0 && place.l_type != F_UNLCK;
  ::close(descriptor);
#endif
  return is_held;
}

WriterLock lock_of_copy(const std::string& path) {
  const std::string record = base::hidden_name(path, base::copied_ending);
  return WriterLock(record, Error(Code::wrong_state,
                                  fmt::format("{}: another program copies or repartitions to this target and holds the "
                                              "lock on {}; wait until it has ended",
                                              path, record),
                                  {.path = path}));
}

}  // namespace lq::storage
