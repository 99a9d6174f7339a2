// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Stripes of new files: how they are chosen, and how each file system is configured.
#include "storage/stripes.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/path.hpp"
#include "base/system.hpp"
#include "base/text.hpp"
#include "storage/file_system.hpp"

namespace lq::storage {

// Lustre's structures are little-endian:
//   plain      magic u32, pattern u32, object 16 bytes, stripe size u32, stripe count u16, first server u16;
//              version 3: pool, 16 characters
//   composite  magic u32, size u32, generation u32, flags u16, entries u16, 16 bytes; then per entry 48 bytes: id u32,
//              flags u32, extent 16 bytes, offset u32, size u32, ...; at offset a plain layout of that size

namespace {

constexpr std::uint32_t lustre_plain_1 = 0x0BD10BD0;
constexpr std::uint32_t lustre_plain_3 = 0x0BD30BD0;
constexpr std::uint32_t lustre_composite = 0x0BD60BD0;
constexpr std::uint32_t raid_0 = 1;
constexpr std::size_t plain_bytes = 32, pool_bytes = 16;
constexpr std::size_t composite_bytes = 32;
constexpr std::size_t entry_bytes = 48;
constexpr std::uint16_t all_servers = 0xffff, any_server = 0xffff;

std::string pool_in(base::Bytes bytes) {
  const std::string_view text = base::as_text(bytes);
  return std::string(text.substr(0, text.find('\0')));
}

std::optional<Layout> parse_plain(base::Bytes bytes) {
  if (bytes.size() < plain_bytes) return std::nullopt;
  const auto magic = base::load_le<std::uint32_t>(bytes.data());
  if (magic != lustre_plain_1 && magic != lustre_plain_3) return std::nullopt;
  const auto stripe = base::load_le<std::uint32_t>(bytes.data() + 24);
  const auto count = base::load_le<std::uint16_t>(bytes.data() + 28);
  if (stripe == 0) return std::nullopt;  // "the default"
  Layout layout;
  layout.stripe_bytes = stripe;
  layout.stripe_count = count == all_servers ? 0 : count;
  if (magic == lustre_plain_3 && bytes.size() >= plain_bytes + pool_bytes) {
    layout.pool = pool_in(bytes.subspan(plain_bytes, pool_bytes));
  }
  return layout;
}

std::optional<Layout> parse_composite(base::Bytes bytes) {
  const auto entries = base::load_le<std::uint16_t>(bytes.data() + 14);
  Layout largest;
  largest.is_progressive = true;
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t at = composite_bytes + i * entry_bytes;
    if (at + entry_bytes > bytes.size()) break;
    const auto offset = base::load_le<std::uint32_t>(bytes.data() + at + 24);
    const auto size = base::load_le<std::uint32_t>(bytes.data() + at + 28);
    if (offset > bytes.size() || size > bytes.size() - offset) continue;
    const std::optional<Layout> part = parse_plain(bytes.subspan(offset, size));
    if (!part) continue;
    largest.stripe_bytes = std::max(largest.stripe_bytes, part->stripe_bytes);
    largest.stripe_count = std::max(largest.stripe_count, part->stripe_count);
    largest.pool = part->pool;
  }
  return largest;
}

// The value of "key=value" among words.
std::string_view value_of(std::string_view key, const std::vector<std::string_view>& words) {
  for (const std::string_view word : words) {
    if (word.size() > key.size() && word.starts_with(key) && word[key.size()] == '=')
      return word.substr(key.size() + 1);
  }
  return {};
}

}  // namespace

std::optional<Layout> parse_lustre_layout(base::Bytes attribute) {
  if (attribute.size() < plain_bytes) return std::nullopt;
  if (base::load_le<std::uint32_t>(attribute.data()) == lustre_composite) return parse_composite(attribute);
  return parse_plain(attribute);
}

std::vector<std::byte> lustre_layout(std::uint64_t stripe_count, std::uint64_t stripe_bytes, std::string_view pool) {
  std::vector<std::byte> bytes(plain_bytes + (pool.empty() ? 0 : pool_bytes));
  base::store_le<std::uint32_t>(bytes.data(), pool.empty() ? lustre_plain_1 : lustre_plain_3);
  base::store_le<std::uint32_t>(bytes.data() + 4, raid_0);
  base::store_le<std::uint32_t>(bytes.data() + 24, static_cast<std::uint32_t>(stripe_bytes));
  base::store_le<std::uint16_t>(bytes.data() + 28,
                                static_cast<std::uint16_t>(std::min<std::uint64_t>(stripe_count, all_servers)));
  base::store_le<std::uint16_t>(bytes.data() + 30, any_server);
  if (!pool.empty()) std::memcpy(bytes.data() + plain_bytes, pool.data(), std::min(pool.size(), pool_bytes));
  return bytes;
}

std::optional<Layout> parse_ceph_layout(std::string_view text) {
  const std::vector<std::string_view> words = base::split_words(base::trim(text));
  const auto number = [&](std::string_view key) { return base::parse_u64(value_of(key, words)).value_or(0); };
  Layout layout;
  layout.stripe_bytes = number("stripe_unit");
  if (layout.stripe_bytes == 0) return std::nullopt;
  layout.stripe_count = number("stripe_count");
  layout.object_bytes = number("object_size");
  layout.pool = value_of("pool", words);
  return layout;
}

std::string ceph_layout(std::uint64_t stripe_count, std::uint64_t stripe_bytes, std::uint64_t object_bytes) {
  return fmt::format("stripe_unit={} stripe_count={} object_size={}", stripe_bytes, stripe_count, object_bytes);
}

std::optional<Layout> parse_beegfs_stripes(const BeegfsStripes& answer) {
  std::uint32_t chunk = 0;
  std::uint16_t targets = 0;
  std::memcpy(&chunk, answer.data() + 4, sizeof chunk);
  std::memcpy(&targets, answer.data() + 8, sizeof targets);
  if (chunk == 0) return std::nullopt;
  Layout layout;
  layout.stripe_bytes = chunk;
  layout.stripe_count = targets;
  return layout;
}

std::vector<std::string> parse_gluster_bricks(std::string_view pathinfo) {
  constexpr std::string_view begin = "<POSIX(", middle = "):";
  std::vector<std::string> hosts;
  for (std::size_t at = pathinfo.find(begin); at != std::string_view::npos; at = pathinfo.find(begin, at)) {
    at += begin.size();
    const std::size_t host = pathinfo.find(middle, at);
    if (host == std::string_view::npos) break;
    at = host + middle.size();
    const std::size_t end = pathinfo.find(':', at);
    if (end == std::string_view::npos) break;
    hosts.emplace_back(pathinfo.substr(at, end - at));
  }
  return hosts;
}

std::optional<Layout> parse_orangefs_layout(std::string_view parameters, std::string_view files) {
  constexpr std::string_view key = "strip_size";
  const std::size_t at = parameters.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view number = parameters.substr(at + key.size());
  number.remove_prefix(std::min(number.find_first_of("0123456789"), number.size()));
  number = number.substr(0, number.find_first_not_of("0123456789"));
  const std::optional<std::uint64_t> stripe = base::parse_u64(number);
  if (!stripe || *stripe == 0) return std::nullopt;
  Layout layout;
  layout.stripe_bytes = *stripe;
  layout.stripe_count = base::parse_u64(base::trim(files)).value_or(0);
  return layout;
}

// The system calls. Numbers and structures of ioctls are those of the headers that Lustre (lustre_user.h) and BeeGFS
// (beegfs_client.h) publish for programs.

namespace {

// Without it Lustre sets the stripes of a new file immediately, and they can no longer be changed.
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

// Gives `spare`, which exists, the permissions and the name of `path`; removes it if `reason` or one of these steps is
// an error.
int take_place_of(const std::string& path, const std::string& spare, int reason) {
  struct stat status {};
  if (reason == 0) reason = outcome(::stat(path.c_str(), &status));
  if (reason == 0) reason = outcome(::chmod(spare.c_str(), status.st_mode & 07777));
  if (reason == 0) reason = outcome(::rename(spare.c_str(), path.c_str()));
  if (reason != 0) ::unlink(spare.c_str());
  return reason;
}

// liblustreapi, if installed, because no system call returns the number of targets. It stays loaded.
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
    constexpr std::size_t largest = 65536;  // largest attribute on Linux
    std::vector<std::byte> value(largest);
    const ssize_t bytes = base::get_attribute(path.c_str(), name, value);
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
    return outcome(base::set_attribute(path.c_str(), name, value));
  }

  int renew_on_lustre(const std::string& path, const std::string& spare, base::Bytes layout) override {
    int reason = 0;
    {
      const OpenPath file(spare, O_CREAT | O_EXCL | O_WRONLY | delay_create, 0600);
      if (!file) return errno;
      reason = outcome(base::set_attribute(file.descriptor(), "lustre.lov", layout, base::Attribute::is_new));
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

namespace {

using base::gibi;
using base::mebi;

// A stripe should not be smaller than one write of a rank; a small file does not justify a second server.
constexpr std::uint64_t small_file = 32 * mebi, bytes_for_a_stripe = 64 * mebi, large_file = gibi;
constexpr std::uint64_t stripe_of_large = 4 * mebi, stripe_of_others = mebi;
constexpr std::uint64_t most_stripes = 160;     // accepted by every version of Lustre
constexpr std::uint64_t largest_stripe = gibi;  // 32 bits hold it everywhere

std::uint64_t multiple_of(std::uint64_t unit, std::uint64_t bytes) {
  return std::max(unit, (std::min(bytes, largest_stripe) + unit - 1) / unit * unit);
}

// The nearest size that the file system accepts.
std::uint64_t possible_stripe(StripeSource source, std::uint64_t bytes) {
  if (source == StripeSource::beegfs) return std::bit_ceil(multiple_of(beegfs_unit, bytes));
  return multiple_of(source == StripeSource::ceph ? ceph_unit : lustre_unit, bytes);
}

std::uint64_t stripe_by_size(std::uint64_t file_bytes) {
  return file_bytes < large_file ? stripe_of_others : stripe_of_large;
}

Stripes by_size(const FileSystem& fs, std::uint64_t file_bytes) {
  const std::uint64_t most = fs.targets == 0 ? most_stripes : std::min(fs.targets, most_stripes);
  Stripes wanted{StripeReason::by_size, 1, stripe_by_size(file_bytes)};
  if (file_bytes >= small_file) wanted.count = std::clamp<std::uint64_t>(file_bytes / bytes_for_a_stripe, 1, most);
  // The size of a single stripe does not matter; only files on several servers gain by larger ones.
  if (wanted.count == 1 && fs.stripe_bytes > 0) wanted.bytes = fs.stripe_bytes;
  return wanted;
}

Stripes as_asked(const FileSystem& fs, StripeSource source, std::uint64_t file_bytes, const StripeRequest& request) {
  Stripes wanted{StripeReason::asked, request.count, request.bytes};
  if (wanted.count == 0) wanted.count = std::max<std::uint64_t>(fs.stripe_count, 1);
  if (wanted.bytes == 0) wanted.bytes = fs.stripe_bytes > 0 ? fs.stripe_bytes : stripe_by_size(file_bytes);
  wanted.bytes = possible_stripe(source, wanted.bytes);
  return wanted;
}

Stripes left(const FileSystem& fs, StripeReason reason) { return {reason, fs.stripe_count, fs.stripe_bytes}; }

std::uint64_t object_for(const FileSystem& fs, std::uint64_t stripe_bytes) {
  const std::uint64_t object = std::max(fs.object_bytes, stripe_bytes);
  return (object + stripe_bytes - 1) / stripe_bytes * stripe_bytes;
}

// 0 or an errno.
int apply_stripes(const FileSystem& fs, const std::string& path, const std::string& spare, const Stripes& wanted,
                  StorageCalls& calls) {
  switch (kind_named(fs.name).stripes) {
    case StripeSource::lustre:
      return calls.renew_on_lustre(path, spare, lustre_layout(wanted.count, wanted.bytes, fs.pool));
    case StripeSource::beegfs:
      return calls.renew_on_beegfs(path, spare, wanted.count, wanted.bytes);
    case StripeSource::ceph:
      // Sets the whole layout in one call, because intermediate states may be invalid.
      return calls.set_attribute(path, "ceph.file.layout",
                                 base::as_bytes(ceph_layout(wanted.count, wanted.bytes, object_for(fs, wanted.bytes))));
    default:
      return ENOTSUP;
  }
}

}  // namespace

Stripes set_stripes(const FileSystem& fs, const std::string& path, const std::string& spare, std::uint64_t file_bytes,
                    const StripeRequest& request, StorageCalls& calls) {
  const Stripes wanted = stripes_for(fs, file_bytes, request);
  if (!wanted.is_set()) return wanted;
  // A file that does not report its stripes may have progressive ones.
  if (wanted.reason == StripeReason::by_size && fs.stripe_bytes == 0) return left(fs, StripeReason::left);
  // On Lustre a folder has its own layout only if someone set it.
  if (wanted.reason == StripeReason::by_size && !calls.attribute(base::directory_of(path), "lustre.lov").empty()) {
    return left(fs, StripeReason::folder_decides);
  }
  const int reason = apply_stripes(fs, path, spare, wanted, calls);
  if (reason == 0) return wanted;
  Stripes refused = left(fs, StripeReason::refused);
  refused.system_errno = reason;
  return refused;
}

Striped set_stripes(const std::string& path, const std::string& spare, std::uint64_t file_bytes,
                    const StripeRequest& request) {
  FileSystem before = examine_file_system(path);
  // The number of targets is queried only if the stripes depend on it.
  const StripeSource source = kind_named(before.name).stripes;
  const bool is_asked = request.count > 0 || request.bytes > 0;
  if (source == StripeSource::none || (source != StripeSource::lustre && !is_asked)) {
    const Stripes stripes = stripes_for(before, file_bytes, request);
    return {stripes, std::move(before)};
  }
  FileSystem whole = examine_whole_file_system(path);
  Stripes set = set_stripes(whole, path, spare, file_bytes, request, system_calls());
  if (!set.is_set()) return {set, std::move(whole)};
  // Read back, because a file system may grant less than requested.
  FileSystem after = examine_file_system(path);
  set.count = after.stripe_count;
  set.bytes = after.stripe_bytes;
  return {set, std::move(after)};
}

}  // namespace lq::storage

namespace lq {

Stripes stripes_for(const FileSystem& file_system, std::uint64_t file_bytes, const StripeRequest& request) {
  const storage::StripeSource source = storage::kind_named(file_system.name).stripes;
  const bool is_asked = request.count > 0 || request.bytes > 0;
  if (file_system.stripe_control == StripeControl::none) {
    Stripes none = storage::left(file_system, is_asked ? StripeReason::refused : StripeReason::no_stripes);
    none.system_errno = is_asked ? ENOTSUP : 0;
    return none;
  }
  if (file_system.is_progressive) return storage::left(file_system, StripeReason::progressive);
  if (file_system.stripe_control == StripeControl::folder) {
    return storage::left(file_system, StripeReason::folder_decides);
  }
  const bool goes_by_size = request.by_size && source == storage::StripeSource::lustre;
  if (!is_asked && !goes_by_size) return storage::left(file_system, StripeReason::left);
  if (!is_asked && file_bytes == 0) return storage::left(file_system, StripeReason::size_unknown);
  const Stripes wanted = is_asked ? storage::as_asked(file_system, source, file_bytes, request)
                                  : storage::by_size(file_system, file_bytes);
  const bool is_there = wanted.count == file_system.stripe_count && wanted.bytes == file_system.stripe_bytes;
  return is_there ? storage::left(file_system, StripeReason::fitting) : wanted;
}

}  // namespace lq
