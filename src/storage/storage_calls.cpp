// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The system's own calls. Numbers and structures of ioctls are those of the headers that Lustre (lustre_user.h) and
// BeeGFS (beegfs_client.h) publish for programs.
#include "storage/storage_calls.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>

#include "base/path.hpp"

namespace lq::storage {
namespace {

// Without it Lustre gives a new file its stripes at once, and they cannot be changed any more.
constexpr int delay_create = 0100000000 | O_NOCTTY | FASYNC;

constexpr unsigned long beegfs_stripe_info = _IOR('f', 25, BeegfsStripes);
struct BeegfsStripeHints {
  const char* name;
  unsigned mode;
  unsigned targets;
  unsigned chunk_bytes;
};
constexpr unsigned long beegfs_make_file = _IOW('f', 27, BeegfsStripeHints);

class OpenPath {
 public:
  OpenPath(const std::string& path, int flags, mode_t mode = 0) noexcept
      : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, mode)) {}
  ~OpenPath() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  OpenPath(const OpenPath&) = delete;
  OpenPath& operator=(const OpenPath&) = delete;
  explicit operator bool() const noexcept { return descriptor_ >= 0; }
  int descriptor() const noexcept { return descriptor_; }

 private:
  int descriptor_;
};

int outcome(int result) noexcept { return result == 0 ? 0 : errno; }

// `spare`, which exists, gets the permissions of `path` and its name; or is removed, when `reason` or one of these says
// no.
int take_place_of(const std::string& path, const std::string& spare, int reason) {
  struct stat status {};
  if (reason == 0) reason = outcome(::stat(path.c_str(), &status));
  if (reason == 0) reason = outcome(::chmod(spare.c_str(), status.st_mode & 07777));
  if (reason == 0) reason = outcome(::rename(spare.c_str(), path.c_str()));
  if (reason != 0) ::unlink(spare.c_str());
  return reason;
}

// liblustreapi, where there is one: the number of targets is told by no call of the system. It stays loaded.
int count_by_lustre_library(std::string mount_point, int& count) {
  using CountTargets = int (*)(char* mount_point, int* count, int of_metadata);
  static const auto function = []() -> CountTargets {
    for (const char* name : {"liblustreapi.so.1", "liblustreapi.so"}) {
      if (void* library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
        return reinterpret_cast<CountTargets>(::dlsym(library, "llapi_get_obd_count"));
      }
    }
    return nullptr;
  }();
  return function == nullptr ? -ENOSYS : function(mount_point.data(), &count, 0);
}

class SystemCalls final : public StorageCalls {
 public:
  std::vector<std::byte> attribute(const std::string& path, const char* name) override {
    constexpr std::size_t largest = 65536;  // of an attribute, in Linux
    std::vector<std::byte> value(largest);
    const ssize_t bytes = ::getxattr(path.c_str(), name, value.data(), value.size());
    value.resize(bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
    return value;
  }

  std::optional<BeegfsStripes> beegfs_stripes(const std::string& path) override {
    BeegfsStripes answer{};
    const OpenPath file(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (!file || ::ioctl(file.descriptor(), beegfs_stripe_info, answer.data()) != 0) return std::nullopt;
    return answer;
  }

  std::uint64_t lustre_targets(const std::string& mount_point) override {
    int count = 0;
    if (mount_point.empty() || count_by_lustre_library(mount_point, count) != 0 || count < 0) return 0;
    return static_cast<std::uint64_t>(count);
  }

  int set_attribute(const std::string& path, const char* name, base::Bytes value) override {
    return outcome(::setxattr(path.c_str(), name, value.data(), value.size(), 0));
  }

  int renew_on_lustre(const std::string& path, const std::string& spare, base::Bytes layout) override {
    int reason = 0;
    {
      const OpenPath file(spare, O_CREAT | O_EXCL | O_WRONLY | delay_create, 0600);
      if (!file) return errno;
      reason = outcome(::fsetxattr(file.descriptor(), "lustre.lov", layout.data(), layout.size(), XATTR_CREATE));
    }
    return take_place_of(path, spare, reason);
  }

  int renew_on_beegfs(const std::string& path, const std::string& spare, std::uint64_t targets,
                      std::uint64_t chunk_bytes) override {
    const OpenPath folder(base::directory_of(path), O_RDONLY | O_DIRECTORY);
    if (!folder) return errno;
    const std::string name = spare.substr(spare.rfind('/') + 1);
    const BeegfsStripeHints hints{name.c_str(), 0600, static_cast<unsigned>(targets),
                                  static_cast<unsigned>(chunk_bytes)};
    if (::ioctl(folder.descriptor(), beegfs_make_file, &hints) != 0) return errno;
    return take_place_of(path, spare, 0);
  }
};

}  // namespace

StorageCalls& system_calls() {
  static SystemCalls calls;
  return calls;
}

}  // namespace lq::storage
