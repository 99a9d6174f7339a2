// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Profile files: those that come with the library, the path of the site's profile, reading, replacing.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/machine.hpp>

#include "base/error.hpp"
#include "base/system.hpp"
#include "storage/profile.hpp"

namespace lq::storage {

const BuiltinMachine* find_builtin_machine(std::string_view name) {
  const std::span<const BuiltinMachine> all = builtin_machines();
  const auto found = std::ranges::find(all, name, &BuiltinMachine::name);
  return found == all.end() ? nullptr : &*found;
}

std::string builtin_machine_names() {
  std::string names;
  for (const BuiltinMachine& one : builtin_machines()) {
    if (!names.empty()) names += ", ";
    names += one.name;
  }
  return names;
}

}  // namespace lq::storage

namespace lq {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int number) noexcept : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const noexcept { return number_; }

 private:
  int number_;
};

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Reads at most one byte more than a profile may have.
std::string read_profile(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file.number() < 0) throw base::errno_error(path, "open the site profile", errno);
  std::string text(storage::largest_profile + 1, '\0');
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t got = ::read(file.number(), text.data() + done, text.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw base::errno_error(path, "read the site profile", errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  text.resize(done);
  return text;
}

// 0 or errno.
int write_whole(const std::string& path, const std::string& text) noexcept {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (file.number() < 0) return errno;
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t put = ::write(file.number(), text.data() + done, text.size() - done);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return put < 0 ? errno : ENOSPC;
    done += static_cast<std::size_t>(put);
  }
  return ::fsync(file.number()) == 0 ? 0 : errno;
}

}  // namespace

std::string site_profile_path() {
  if (const std::string chosen = environment("LQ_PROFILE"); !chosen.empty()) return chosen;
  if (const std::string folder = environment("XDG_CONFIG_HOME"); !folder.empty()) return folder + "/limequat/site.toml";
  const std::string home = environment("HOME");
  return home.empty() ? "" : home + "/.config/limequat/site.toml";
}

Machine site_machine() {
  if (!environment("LQ_PROFILE").empty()) return load_machine(environment("LQ_PROFILE"));
  try {
    const std::string path = site_profile_path();
    return path.empty() ? Machine{} : load_machine(path);
  } catch (const Error& error) {
    // This profile was not requested explicitly.
    if (error.code() == Code::not_found || error.code() == Code::unsupported) return Machine{};
    throw;
  }
}

namespace {

// Identity and state of a profile file.
struct Version {
  std::string path;
  bool is_required = false;
  std::uint64_t device = 0, inode = 0;
  std::int64_t modified = 0, bytes = -1;  // -1: the file does not exist
  bool operator==(const Version&) const = default;
};

// Reads a profile only if it is another one than last time, or has changed.
UsableMachine read_once(const std::string& path, bool is_required, const struct stat& status,
                        const std::function<UsableMachine()>& read) {
  static std::mutex mutex;
  static Version known;
  static UsableMachine kept;
  const std::lock_guard lock(mutex);
  const Version now{path,
                    is_required,
                    static_cast<std::uint64_t>(status.st_dev),
                    status.st_ino,
                    base::modification_time(status),
                    status.st_size};
  if (now != known) {
    kept = read();
    known = now;
  }
  return kept;
}

UsableMachine read_usable(const std::string& path, const struct stat& status, bool is_required) {
  if (!is_required && status.st_uid != ::geteuid() && status.st_uid != 0) {
    return {{},
            fmt::format("{}: this site profile is ignored, because it belongs to another user ({}); to use it, name it "
                        "in LQ_PROFILE",
                        path, status.st_uid)};
  }
  try {
    return {load_machine(path), {}};
  } catch (const Error& error) {
    if (!is_required && error.code() == Code::unsupported) return {};  // built without toml++
    return {{}, fmt::format("{}; the numbers of a small workstation are used instead", error.what())};
  }
}

}  // namespace

UsableMachine usable_site_machine() {
  const bool is_required = !environment("LQ_PROFILE").empty();
  const std::string path = site_profile_path();
  if (path.empty()) return {};
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    const bool is_absent = errno == ENOENT || errno == ENOTDIR;
    if (is_absent && !is_required) return {};
    return {{},
            fmt::format("{}; the numbers of a small workstation are used instead",
                        base::errno_error(path, "find the site profile", errno).what())};
  }
  return read_once(path, is_required, status, [&] { return read_usable(path, status, is_required); });
}

UsableMachine usable_machine_of(const std::string& profile) {
  if (profile.empty()) return usable_site_machine();
  struct stat status {};
  if (::stat(profile.c_str(), &status) != 0) {
    const int reason = errno;
    if (const storage::BuiltinMachine* shipped = storage::find_builtin_machine(profile)) {
      return {storage::parse_profile(shipped->text, profile), {}};
    }
    throw base::errno_error(
        profile, fmt::format("find the profile of a machine (described here are {})", storage::builtin_machine_names()),
        reason);
  }
  return read_once(profile, true, status, [&] { return UsableMachine{load_machine(profile), {}}; });
}

Machine machine_of(const std::string& profile) {
  return profile.empty() ? site_machine() : usable_machine_of(profile).machine;
}

Machine load_machine(const std::string& path) { return storage::parse_profile(read_profile(path), path); }

void save_machine(const std::string& path, const Machine& machine) {
  for (const storage::Key& key : storage::profile_keys()) {
    if (const std::optional<std::string> expected = storage::problem_with(key, machine)) {
      base::fail(Code::invalid_argument, {}, "{}: cannot write this profile: {}: expected {}", path, key.name,
                 *expected);
    }
  }
  for (const auto& [name, folders] : machine.targets) {
    if (const std::optional<std::string> expected = storage::complaint_about_target(name, folders)) {
      base::fail(Code::invalid_argument, {}, "{}: cannot write this profile: {}.{}: expected {}", path,
                 storage::targets_section, name, *expected);
    }
  }
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code failure;
  if (!folder.empty()) std::filesystem::create_directories(folder, failure);
  if (failure) throw base::errno_error(folder.string(), "make the folder of the site profile", failure.value());
  const std::string temporary = fmt::format("{}.{}.part", path, ::getpid());
  ::unlink(temporary.c_str());  // left by a process that died
  int reason = write_whole(temporary, storage::profile_text(machine));
  if (reason == 0 && std::rename(temporary.c_str(), path.c_str()) != 0) reason = errno;
  if (reason == 0) return;
  ::unlink(temporary.c_str());
  throw base::errno_error(path, "write the site profile", reason);
}

}  // namespace lq
