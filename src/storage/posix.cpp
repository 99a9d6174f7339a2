// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The POSIX file system as a Transport.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "base/error.hpp"
#include "base/path.hpp"
#include "base/system.hpp"
#include "storage/file_system.hpp"
#include "storage/posix_file.hpp"
#include "storage/publish.hpp"
#include "storage/transport.hpp"

namespace lq::storage {
namespace {

// Access rights of a file that replaces another: no user gains access compared with the old one.

// A POSIX access control list in Linux's format (include/uapi/linux/posix_acl_xattr.h): a version, then entries with a
// tag, permissions and the number of a user or group, all little-endian.
constexpr const char* list_attribute = "system.posix_acl_access";
constexpr std::size_t acl_header_bytes = 4, acl_entry_bytes = 8, permissions_offset = 2;
constexpr std::array owning_group{std::byte{0x04}, std::byte{0}};  // ACL_GROUP_OBJ

using AccessList = std::vector<std::byte>;

// The permissions of the owning group in a list. The group bits of the mode are then the mask of the list.
std::byte* permissions_of_group(AccessList& list) noexcept {
  for (std::size_t at = acl_header_bytes; at + acl_entry_bytes <= list.size(); at += acl_entry_bytes) {
    if (std::equal(owning_group.begin(), owning_group.end(), list.data() + at))
      return list.data() + at + permissions_offset;
  }
  return nullptr;
}

// Empty: the mode is all, or the file system does not support lists.
std::optional<AccessList> list_of(const std::string& path) {
  AccessList list(4096);
  ssize_t bytes = base::get_attribute(path.c_str(), list_attribute, list);
  if (bytes < 0 && errno == ERANGE) {
    list.resize(std::size_t{64} * 1024);  // the largest value of an attribute
    bytes = base::get_attribute(path.c_str(), list_attribute, list);
  }
  if (bytes < 0 && (errno == ENODATA || errno == EOPNOTSUPP || errno == ENOSYS)) return std::nullopt;
  if (bytes < 0) throw base::errno_error(path, "read its access control list", errno);
  list.resize(static_cast<std::size_t>(bytes));
  return list;
}

// Gives the file to that group; true on success.
bool give_to(int descriptor, const struct stat& status) noexcept {
  if (::fchown(descriptor, status.st_uid, status.st_gid) == 0) return true;
  if (::fchown(descriptor, static_cast<uid_t>(-1), status.st_gid) == 0) return true;
  struct stat now {};
  return ::fstat(descriptor, &now) == 0 && now.st_gid == status.st_gid;
}

// The same without changing the group.
bool give_to_owner(int descriptor, const struct stat& status) noexcept {
  [[maybe_unused]] const int refused = ::fchown(descriptor, status.st_uid, static_cast<gid_t>(-1));
  return true;
}

bool gives_its_group(const std::string& folder) noexcept {
  struct stat status {};
  return ::stat(folder.c_str(), &status) == 0 && (status.st_mode & S_ISGID) != 0;
}

// Gives the file `to`, private until then, the owner, group, mode and POSIX access control list of `from`. Only the
// administrator may change the owner; changing the group alone often works. If it does not, the members of the group
// lose their access. In a folder that sets the group of new files a copy keeps that group.
enum class GroupOf { source, folder };

void copy_access(const std::string& from, const std::string& to, GroupOf group_of = GroupOf::source) {
  struct stat status {};
  if (::stat(from.c_str(), &status) != 0) throw base::errno_error(from, "read its permissions", errno);
  std::optional<AccessList> list = list_of(from);
  PosixFile file(to);
  if (!file.open(O_RDONLY | O_NOFOLLOW | O_NONBLOCK)) throw base::errno_error(to, "set its permissions", errno);
  const bool keeps_group =
      group_of == GroupOf::folder ? give_to_owner(file.descriptor(), status) : give_to(file.descriptor(), status);

  std::byte* const group = list ? permissions_of_group(*list) : nullptr;
  if (group != nullptr && !keeps_group) *group = std::byte{0};
  if (list && base::set_attribute(file.descriptor(), list_attribute, *list) == 0) return;

  // Without the list its mask would become the rights of the group. A list inherited from the folder is removed as
  // well.
  base::remove_attribute(file.descriptor(), list_attribute);
  mode_t mode = status.st_mode & 0777;
  if (group != nullptr) mode &= static_cast<mode_t>(0707 | std::to_integer<unsigned>(*group) << 3);
  if (!keeps_group) mode &= 0707;
  if (::fchmod(file.descriptor(), mode) != 0) throw base::errno_error(to, "set its permissions", errno);
}

const char* describe_type(mode_t mode) noexcept {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
  return "a special file";
}

// O_NONBLOCK: opening a FIFO must not wait for its other end, nor opening a device for its carrier.
std::unique_ptr<File> open_regular(const std::string& path, int flags, const char* purpose) {
  auto file = std::make_unique<PosixFile>(path);
  struct stat status {};
  if (!file->open(flags | O_NONBLOCK | O_NOCTTY)) {
    const int reason = errno;
    const bool special = ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
    if (special && reason != EACCES) throw not_regular(path, describe_type(status.st_mode), reason);
    throw base::errno_error(path, purpose, reason);
  }
  const OpenFileFacts found = facts_of_open(file->descriptor(), path);
  if (!S_ISREG(found.mode)) {
    throw not_regular(path, describe_type(found.mode), S_ISDIR(found.mode) ? EISDIR : 0);
  }
  file->set_identity_when_opened(found.identity);
  if (keeps_old_pages(path, found.identity.device)) base::forget_pages(file->descriptor());
  ::fcntl(file->descriptor(), F_SETFL, flags);
  return file;
}

// The largest file that RLIMIT_FSIZE permits.
std::uint64_t file_size_limit() noexcept {
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return largest_position;
  return limit.rlim_cur;
}

// Measured: ext4 takes 1.4 times as long for pages whose place on the disk is not yet allocated; tmpfs gains nothing.
// Local file systems of Linux lock the whole file during a write, wherever in it.
StorageTraits unit_of(const FileSystem& found) {
  StorageTraits unit{.bytes = found.block_bytes,
                     .single_owner = found.needs_single_owner,
                     .reserve_first = found.name == "ext4",
                     .one_writer = !found.is_shared,
                     .client_writes = storage::client_writes(found.name),
                     .reads_in_order = storage::reads_in_order(found.name),
                     .call_bytes = storage::call_bytes(found.name, found.block_bytes),
                     .targets = found.targets_of_file,
                     .device = found.device};
  found.name.copy(unit.file_system.data(), unit.file_system.size() - 1);
  return unit;
}

class Posix final : public Transport {
 public:
  std::unique_ptr<File> open_read(const std::string& path) override {
    return open_regular(path, O_RDONLY, "open for reading");
  }

  std::unique_ptr<File> open_write(const std::string& path) override {
    return open_regular(path, O_RDWR, "open for writing");
  }

  std::unique_ptr<File> create(const std::string& path, const Creation& creation) override {
    auto file = std::make_unique<PosixFile>(path);
    if (!file->open(O_RDWR | O_CREAT | O_EXCL, creation.is_private ? 0600 : 0666)) {
      throw base::errno_error(path, "create", errno);
    }
    return file;
  }

  void rename(const std::string& from, const std::string& to) override {
    const WatchedCall call("rename", from);
    const int reason = rename_over(from, to);
    if (reason != 0) throw base::errno_error(from, "rename to " + to, reason);
  }

  void publish(const std::string& from, const std::string& to) override {
    const WatchedCall call("rename", from);
    const int reason = publisher_.publish(from, to);
    if (reason == EEXIST) throw base::errno_error(to, "give this name to a new file", reason);
    if (reason != 0) throw base::errno_error(from, "rename to " + to, reason);
  }

  void remove(const std::string& path) override {
    const WatchedCall call("remove", path);
    const int reason = remove_name(path);
    if (reason != 0) throw base::errno_error(path, "remove", reason);
  }

  void sync_directory(const std::string& path_of_file) override;
  void make_directory(const std::string& path) override;
  PathKind kind(const std::string& path) override;
  Identity identity(const std::string& path) override { return identity_of_name(path); }
  std::optional<std::uint64_t> free_space(const std::string& path) override;
  StorageTraits unit(const std::string& path) override;
  Striping set_stripes(const std::string& path, const std::string& spare, std::uint64_t file_bytes,
                       const StripeRequest& request) override;
  void copy_permissions(const std::string& from, const std::string& to) override { copy_access(from, to); }
  void give_permissions(const std::string& from, const std::string& to) override {
    copy_access(from, to, gives_its_group(base::directory_of(to)) ? GroupOf::folder : GroupOf::source);
  }
  void keep_private(const std::string& like, const std::string& to) override;
  void set_modified(const std::string& path, std::int64_t nanoseconds) override;

 private:
  Publisher publisher_;
};

void Posix::set_modified(const std::string& path, std::int64_t nanoseconds) {
  constexpr std::int64_t second = 1'000'000'000;
  std::int64_t seconds = nanoseconds / second, rest = nanoseconds % second;
  if (rest < 0) {
    seconds -= 1;
    rest += second;
  }
  const std::array<struct timespec, 2> times{
      {{.tv_sec = 0, .tv_nsec = UTIME_OMIT}, {.tv_sec = seconds, .tv_nsec = rest}}};
  if (::utimensat(AT_FDCWD, path.c_str(), times.data(), AT_SYMLINK_NOFOLLOW) != 0) {
    throw base::errno_error(path, "set its time", errno);
  }
}

void Posix::keep_private(const std::string& like, const std::string& to) {
  struct stat old {
  }, made{};
  if (::stat(like.c_str(), &old) != 0 || ::lstat(to.c_str(), &made) != 0) {
    throw base::errno_error(to, "find out who may read it", errno);
  }
  // Another group is among the others, and the bits of a list's mask say nothing about the group.
  const bool has_same_group = made.st_gid == old.st_gid && !list_of(like);
  // Who may read the source has the rights that the umask gives: a group works on what is made of its read-only files.
  const auto of_readers = [](mode_t bits) { return (bits & S_IROTH) != 0 ? mode_t{S_IRWXO} : mode_t{0}; };
  const mode_t group = of_readers(has_same_group ? old.st_mode >> 3 : old.st_mode);
  const mode_t allowed = S_IRWXU | group << 3 | of_readers(old.st_mode);
  const mode_t mode = made.st_mode & (07000 | allowed);
  if (mode == (made.st_mode & 07777) || ::chmod(to.c_str(), mode) == 0) return;
  throw base::errno_error(to, "set its permissions", errno);
}

void Posix::make_directory(const std::string& path) {
  std::error_code failure;
  std::filesystem::create_directories(path, failure);
  if (failure) throw base::errno_error(path, "make the directory", failure.value());
}

// Allocates no memory on success: the file already has its name, so a lack of memory must not be a failure.
void Posix::sync_directory(const std::string& path_of_file) {
  const WatchedCall call("sync of the folder", path_of_file);
  std::array<char, PATH_MAX> directory{'.'};
  const std::size_t slash = path_of_file.rfind('/');
  if (slash != std::string::npos)
    path_of_file.copy(directory.data(), std::clamp<std::size_t>(slash, 1, directory.size() - 1));
  const auto fail = [&](const char* what, int reason) { return base::errno_error(directory.data(), what, reason); };
  const int descriptor = uninterrupted([&] { return ::open(directory.data(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (descriptor < 0 && errno == EACCES) return;  // writable, but not readable; the name exists
  if (descriptor < 0) throw fail("open the directory to sync it", errno);
  const int reason = uninterrupted([&] { return ::fsync(descriptor); }) == 0 ? 0 : errno;
  ::close(descriptor);
  // These file systems cannot sync a directory; names are as durable as they make them.
  if (reason == 0 || reason == EINVAL || reason == EOPNOTSUPP || reason == ENOSYS) return;
  throw fail("bring the directory to the disk", reason);
}

PathKind Posix::kind(const std::string& path) {
  const WatchedCall call("look-up", path);
  struct stat status {};
  const auto look_up = [&](auto* how, PathKind without) -> std::optional<PathKind> {
    if (how(path.c_str(), &status) == 0) return {};
    // No file can have a name that is too long for the file system: a journal's name may be, although the file's own is
    // not.
    const bool is_absent = errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG;
    if (!is_absent) throw base::errno_error(path, "look it up", errno);
    return without;
  };
  // An absent name is looked up only once, because parallel file systems query all of their servers for it.
  if (const auto absent = look_up(::lstat, PathKind::absent)) return *absent;
  if (S_ISLNK(status.st_mode)) {
    // A dangling link: the name is nevertheless taken.
    if (const auto dangling = look_up(::stat, PathKind::dangling_link)) return *dangling;
  }
  if (S_ISREG(status.st_mode)) return PathKind::file;
  return S_ISDIR(status.st_mode) ? PathKind::directory : PathKind::other;
}

// Any failure means "unknown": the operations that follow give better errors.
std::optional<std::uint64_t> Posix::free_space(const std::string& path) {
  const WatchedCall call("look-up", path);
  struct statvfs status {};
  if (::statvfs(base::directory_of(path).c_str(), &status) != 0) return std::nullopt;
  const std::uint64_t limit = file_size_limit();
  std::uint64_t bytes = 0;
  if (status.f_blocks == 0 ||
      __builtin_mul_overflow(std::uint64_t{status.f_bavail}, std::uint64_t{status.f_frsize}, &bytes)) {
    return limit < largest_position ? std::optional(limit) : std::nullopt;  // the file system does not report it
  }
  return std::min(bytes, limit);
}

StorageTraits Posix::unit(const std::string& path) {
  const WatchedCall call("look-up", path);
  try {
    return unit_of(storage::examine_file_system(path));
  } catch (const Error&) {
    return {};  // the operations that follow give better errors
  }
}

Striping Posix::set_stripes(const std::string& path, const std::string& spare, std::uint64_t file_bytes,
                            const StripeRequest& request) {
  const WatchedCall call("setting of stripes", path);
  try {
    const storage::Striped striped = storage::set_stripes(path, spare, file_bytes, request);
    return {striped.stripes, unit_of(striped.file_system)};
  } catch (const Error&) {
    return {};  // as above
  }
}

}  // namespace

Transport& posix() {
  static Posix transport;
  return transport;
}

}  // namespace lq::storage
