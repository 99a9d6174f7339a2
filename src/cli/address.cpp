// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/address.hpp"

#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <limequat/ensemble.hpp>
#include <limequat/error.hpp>
#include <limequat/storage.hpp>

#include "base/bytes.hpp"
#include "base/text.hpp"
#include "cli/python_program.hpp"

namespace lq::cli {

// A process of the Python package that serves the bytes of one address.
class AddressServer {
 public:
  explicit AddressServer(const std::string& address) : path_(is_address(address) ? unnamed : address) {
    socket_ =
        start_python({"", "limequat.url_server", "", "reads URLs and packed files"}, {address}, [this](int socket) {
          socket_ = socket;
          first_ = line();
          return !first_.empty();
        });
    const std::vector<std::uint64_t> facts = numbers_of(first_, 3);
    if (facts[2] > longest_text) fail("the address in its answer has no end");
    std::string path(static_cast<std::size_t>(facts[2]), '\0');
    receive(std::as_writable_bytes(std::span(path)));
    path_ = std::move(path);
    bytes_ = facts[0];
    modified_ = facts[1];
  }
  ~AddressServer() {
    if (socket_ >= 0) ::close(socket_);
  }
  AddressServer(const AddressServer&) = delete;
  AddressServer& operator=(const AddressServer&) = delete;

  const std::string& path() const noexcept { return path_; }
  std::uint64_t bytes() const noexcept { return bytes_; }
  std::uint64_t modified() const noexcept { return modified_; }

  std::size_t read_at(std::uint64_t offset, std::span<std::byte> to) {
    send(fmt::format("{} {}\n", offset, to.size()));
    const std::uint64_t count = numbers_of(line(), 1)[0];
    if (count > to.size()) fail(fmt::format("it returned {} of the {} requested bytes", count, to.size()));
    receive(to.first(static_cast<std::size_t>(count)));
    return static_cast<std::size_t>(count);
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw Error(Code::io, fmt::format("{}: the Python process that reads it failed: {}", path_, why), {.path = path_});
  }

  // The numbers of "ok NUMBER ..."; for "error CODE COUNT" throws that error.
  std::vector<std::uint64_t> numbers_of(const std::string& text, std::size_t count) {
    const std::vector<std::string_view> words = base::split_words(text);
    std::vector<std::uint64_t> numbers;
    for (std::size_t i = 1; i < words.size(); ++i) numbers.push_back(base::parse_u64(words[i]).value_or(0));
    if (words.size() == 3 && words[0] == "error" && numbers[1] <= longest_text) {
      std::string sentence(static_cast<std::size_t>(numbers[1]), '\0');
      receive(std::as_writable_bytes(std::span(sentence)));
      // Of a compressed file that is cut nothing is known, as in folders: it is unreadable, not incomplete.
      const Code code = static_cast<Code>(numbers[0]);
      const bool is_cut = code == Code::truncated && path_ != unnamed;
      throw Error(is_cut ? Code::malformed : code, sentence, {.path = path_ == unnamed ? std::string() : path_});
    }
    if (words.empty() || words[0] != "ok" || numbers.size() != count) fail("it ended");
    return numbers;
  }

  void send(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t put = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (put < 0 && errno == EINTR) continue;
      if (put <= 0) fail("it ended");
      text.remove_prefix(static_cast<std::size_t>(put));
    }
  }

  void receive(std::span<std::byte> to) {
    const std::size_t kept = std::min(to.size(), ahead_.size());
    std::copy_n(reinterpret_cast<const std::byte*>(ahead_.data()), kept, to.data());
    ahead_.erase(0, kept);
    to = to.subspan(kept);
    while (!to.empty()) {
      const ssize_t got = ::recv(socket_, to.data(), to.size(), 0);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) fail("it ended");
      to = to.subspan(static_cast<std::size_t>(got));
    }
  }

  // The next line without its end; empty at the end of the input.
  std::string line() {
    constexpr std::size_t longest = 256;
    for (;;) {
      if (const std::size_t end = ahead_.find('\n'); end != std::string::npos) {
        std::string text = ahead_.substr(0, end);
        ahead_.erase(0, end + 1);
        return text;
      }
      if (ahead_.size() > longest) return {};
      std::array<char, longest> some;
      const ssize_t got = ::recv(socket_, some.data(), some.size(), 0);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return {};
      ahead_.append(some.data(), static_cast<std::size_t>(got));
    }
  }

  static constexpr std::uint64_t longest_text = base::mebi;
  static constexpr const char* unnamed = "a URL";

  std::string path_;  // for a URL unnamed until the process has reported the name to show
  std::string first_, ahead_;
  int socket_ = -1;
  std::uint64_t bytes_ = 0, modified_ = 0;
};

bool is_address(const std::string& word) {
  const std::size_t end = word.find("://");
  if (end == std::string::npos || end == 0) return false;
  const auto belongs_to_scheme = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '+' || c == '-' || c == '.';
  };
  std::error_code failure;
  return std::ranges::all_of(word.substr(0, end), belongs_to_scheme) && !std::filesystem::exists(word, failure);
}

bool is_packed(const std::string& word) {
  static constexpr std::array<std::string_view, 9> suffixes = {".gz",  ".xz",  ".bz2",  ".zst", ".tar",
                                                               ".tgz", ".txz", ".tbz2", ".tzst"};
  std::string lower = word;
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (lower.starts_with("tar://") && lower.find("::") != std::string::npos) return true;
  for (std::size_t end = 0; end <= word.size(); ++end) {
    end = std::min(lower.find('/', end), word.size());
    const std::string_view name = std::string_view(lower).substr(0, end);
    const auto ends_so = [&](std::string_view suffix) { return name.ends_with(suffix); };
    std::error_code failure;
    if (std::ranges::any_of(suffixes, ends_so) && std::filesystem::is_regular_file(word.substr(0, end), failure)) {
      return true;
    }
  }
  return false;
}

bool is_member(const std::string& word) {
  std::error_code failure;
  return is_packed(word) && !std::filesystem::exists(word, failure);
}

std::string path_of_word(const std::string& word) { return is_address(word) ? path_of_packed(word) : word; }

namespace {

// A packed file or an address: readable as long as the object exists.
class ServedFile {
 public:
  explicit ServedFile(const std::string& word)
      : server_(word),
        file_({.read_at = [this](std::uint64_t offset, std::span<std::byte> to) { return server_.read_at(offset, to); },
               .bytes = server_.bytes(),
               .name = server_.path(),
               .modified = static_cast<std::int64_t>(server_.modified()),
               .request_bytes = 64 * base::mebi}) {}

  const std::string& path() const noexcept { return file_.path(); }

 private:
  AddressServer server_;
  CallbackFile file_;
};

}  // namespace

std::string path_of_packed(const std::string& word) {
  // Never destroyed: the table of mounts may be destroyed first. The processes end when their sockets are closed.
  static auto& open = *new std::map<std::string, ServedFile>;
  return open.try_emplace(word, word).first->second.path();
}

std::string without_packing(const std::string& name) {
  for (const std::string_view suffix : {".gz", ".xz", ".bz2", ".zst"}) {
    if (name.size() > suffix.size() && name.ends_with(suffix)) return name.substr(0, name.size() - suffix.size());
  }
  return name;
}

namespace {

std::shared_ptr<const std::string> contents_of_packed(const std::string& path) {
  if (!is_packed(path)) return nullptr;
  const auto file = std::make_shared<ServedFile>(path);
  return {file, &file->path()};
}

}  // namespace

FoundFile::FoundFile(const std::string& path, const Communicator& communicator) {
  std::exception_ptr failure;
  try {
    path_ = contents_of_packed(path);
    if (path_ == nullptr) path_ = std::make_shared<const std::string>(path);
  } catch (const Error&) {
    failure = std::current_exception();
  }
  communicator.agree(failure);
}

void open_packed_files() { ensemble::set_unpacking(contents_of_packed); }

}  // namespace lq::cli
