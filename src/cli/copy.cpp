// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq copy: files to other folders and file systems, checksummed, resumable, in the background if asked.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/json.hpp>
#include <limequat/staging.hpp>

#include "base/bytes.hpp"
#include "base/clock.hpp"
#include "base/path.hpp"
#include "base/text.hpp"
#include "cli/address.hpp"
#include "cli/arguments.hpp"
#include "cli/below.hpp"
#include "cli/command.hpp"
#include "cli/exit_code.hpp"
#include "cli/progress.hpp"
#include "cli/python_program.hpp"
#include "cli/text.hpp"

namespace lq::cli {

// Copies in the background: a separate process for each, and a file with its progress below
// $XDG_STATE_HOME/limequat/copies (~/.local/state). The copying process holds a lock on it, so that a copy whose
// process died can be distinguished from a running one.
struct CopyState {
  std::string id;  // "20261123-121530-4711": when it began, and the process
  std::string host;
  std::string from;  // as given by the user
  std::string to;
  std::string state;                  // "running", "done", "failed", "stopped"
  std::uint64_t done = 0, total = 0;  // bytes
  double seconds = 0;
  std::string message;  // why it failed, or how to continue
};

// Starts a process that runs `work`, which reports its progress, returns a message, and throws if it fails. Returns
// its initial state, in the calling process only. Errors: the state cannot be written.
using Tell = std::function<void(std::uint64_t done, std::uint64_t total)>;

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path, const std::string& what, int reason) {
  throw Error(Code::no_permission,
              fmt::format("{}: cannot {}: {}. Set XDG_STATE_HOME to a writable folder", path, what,
                          std::generic_category().message(reason)),
              {.path = path});
}

fs::path state_folder() {
  const char* state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && *state == '/') return fs::path(state) / "limequat/copies";
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home != '\0') return fs::path(home) / ".local/state/limequat/copies";
  throw Error(Code::invalid_argument,
              "copies in the background: neither XDG_STATE_HOME nor HOME is set, so their state cannot be stored");
}

// Lines "name value"; an end of line becomes a blank.
std::string text_of(const CopyState& state) {
  std::string text;
  const auto add = [&](std::string_view name, std::string value) {
    std::ranges::replace(value, '\n', ' ');
    text += fmt::format("{} {}\n", name, value);
  };
  add("host", state.host);
  add("from", state.from);
  add("to", state.to);
  add("state", state.state);
  add("done", std::to_string(state.done));
  add("total", std::to_string(state.total));
  add("seconds", fmt::format("{:.1f}", state.seconds));
  add("message", state.message);
  return text;
}

CopyState state_of(const std::string& id, std::istream& text) {
  std::map<std::string, std::string> values;
  for (std::string line; std::getline(text, line);) {
    const std::size_t blank = line.find(' ');
    if (blank != std::string::npos) values[line.substr(0, blank)] = line.substr(blank + 1);
  }
  const auto number = [&](const char* name) { return std::strtoull(values[name].c_str(), nullptr, 10); };
  return {.id = id,
          .host = values["host"],
          .from = values["from"],
          .to = values["to"],
          .state = values["state"],
          .done = number("done"),
          .total = number("total"),
          .seconds = std::strtod(values["seconds"].c_str(), nullptr),
          .message = values["message"]};
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

// The file with the state, open and locked as long as this lives.
class StateFile {
 public:
  explicit StateFile(const fs::path& path) : path_(path.string()) {
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (descriptor_ < 0) fail(path_, "keep the state of the copy", errno);
    ::flock(descriptor_, LOCK_EX | LOCK_NB);
  }
  ~StateFile() { ::close(descriptor_); }
  StateFile(const StateFile&) = delete;
  StateFile& operator=(const StateFile&) = delete;

  // In place, because the lock is on this file. Failure to store the state does not end the copy.
  bool put(const CopyState& state) noexcept {
    try {
      const std::string text = text_of(state);
      if (::pwrite(descriptor_, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) return false;
      return ::ftruncate(descriptor_, static_cast<off_t>(text.size())) == 0;
    } catch (...) {
      return false;
    }
  }

 private:
  std::string path_;
  int descriptor_;
};

// True if some process holds the lock.
bool is_held(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool held = ::flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(descriptor);
  return held;
}

void leave_terminal() {
  ::setsid();
  const int nowhere = ::open("/dev/null", O_RDWR);
  for (int descriptor = 0; descriptor < 3; ++descriptor) ::dup2(nowhere, descriptor);
  if (nowhere > 2) ::close(nowhere);
}

// In the new process.
void carry_out(StateFile& file, CopyState state, const std::function<std::string(const Tell&)>& work) {
  const base::Stopwatch watch;
  constexpr double often = 0.5;  // seconds
  double next = 0;
  const auto tell = [&](std::uint64_t done, std::uint64_t total) {
    state.done = done;
    state.total = total;
    state.seconds = watch.seconds();
    if (state.seconds < next) return;
    next = state.seconds + often;
    file.put(state);
  };
  try {
    state.message = work(tell);
    state.state = "done";
  } catch (const std::exception& error) {
    state.message = error.what();
    state.state = "failed";
  }
  state.seconds = watch.seconds();
  file.put(state);
}

}  // namespace

// In the order of their start. Throws Error(no_permission) if the folder cannot be read.
std::vector<CopyState> copies() {
  std::vector<CopyState> found;
  const fs::path folder = state_folder();
  std::vector<std::string> names;
  if (const int failure = base::names_in(folder.string(), names); failure != 0 && failure != ENOENT) {
    fail(folder.string(), "read the states of copies", failure);
  }
  for (const std::string& name : names) {
    std::ifstream text(folder / name);
    CopyState state = state_of(name, text);
    if (state.state == "running" && !is_held(folder / name)) {
      state.state = "stopped";
      state.message = "its process has ended; repeat the copy with --resume";
    }
    found.push_back(std::move(state));
  }
  std::ranges::sort(found, {}, &CopyState::id);
  return found;
}

CopyState start_copy(const std::string& from, const std::string& to,
                     const std::function<std::string(const Tell&)>& work) {
  const fs::path folder = state_folder();
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) fail(folder.string(), "create the folder", failure.value());
  CopyState state{.id = fmt::format("{:%Y%m%d-%H%M%S}-{}", fmt::localtime(std::time(nullptr)), ::getpid()),
                  .host = host_name(),
                  .from = from,
                  .to = to,
                  .state = "running",
                  .message = {}};
  StateFile file(folder / state.id);
  if (!file.put(state)) fail((folder / state.id).string(), "keep the state of the copy", errno);
  const pid_t child = ::fork();
  if (child < 0) fail((folder / state.id).string(), "start a process for the copy", errno);
  if (child > 0) return state;
  leave_terminal();
  carry_out(file, state, work);
  ::_exit(0);
}

namespace {

struct Copy {
  std::vector<std::string> names;  // the last one is the target
  CopyOptions options;
  std::string manifest;  // the algorithm of its digests
  bool in_background = false;
  bool asks_for_status = false;

  int run(Session& session) const {
    if (asks_for_status) return tell_status(session);
    if (names.size() < 2) throw UsageError("a source or the target is missing: lq copy SOURCE... TARGET");
    const std::string target = names.back();
    const std::vector<std::string> sources(names.begin(), names.end() - 1);
    if (in_background && session.mpi != "none") {
      throw UsageError(
          "--background: MPI ranks cannot continue on their own; let the shell or the batch system start lq-mpi in "
          "the background");
    }
    if (manifest.empty()) return transfer(session, sources, target);
    if (in_background)
      throw UsageError("--manifest: files that are copied in the background are summed afterwards, by lq manifest");
    const std::string folder = folder_of_copies(session, sources, target);
    const int code = transfer(session, sources, target);
    return code == fine && !options.dry_run ? sum(session, sources, folder) : code;
  }

  int transfer(Session& session, const std::vector<std::string>& sources, const std::string& target) const {
    const auto is_of_python = [](const std::string& word) { return is_address(word) || is_member(word); };
    if (std::ranges::any_of(sources, is_of_python)) {
      if (in_background) {
        throw UsageError(
            "--background: URLs and members of archives are copied in the foreground; \"nohup lq copy ... &\" goes on "
            "when the shell has ended, and the same command resumes an interrupted copy");
      }
      return at_root(session, [&] { return fetch(session); });
    }
    return for_each_file(session, {target}, [&](const std::string&) {
      return in_background ? start(session, sources, target) : copy(session, sources, target);
    });
  }

  // Where lq::copy() puts files of a manifest: in the copy of a single folder, otherwise in the target.
  std::string folder_of_copies(const Session& session, const std::vector<std::string>& sources,
                               const std::string& target) const {
    const bool is_into = target.ends_with('/') || is_folder(session, target);
    const bool is_of_folder = sources.size() == 1 && is_folder(session, sources.front());
    if (is_of_folder && is_into) return fs::path(target) / fs::path(sources.front() + "/").parent_path().filename();
    if (sources.size() == 1 && !is_into && !is_of_folder) {
      throw UsageError(fmt::format("--manifest: {} is not a folder; add a slash to make it one", printable(target)));
    }
    return target;
  }

  // A manifest that was copied with its folder is compared with the copies.
  int sum(Session& session, const std::vector<std::string>& sources, const std::string& folder) const {
    const std::string name = fmt::format("/manifest-{}.txt", manifest);
    std::error_code failure;
    const bool is_copied = sources.size() == 1 && fs::exists(sources.front() + name, failure);
    std::vector<std::string> words = {"--algorithm=" + manifest};
    if (is_copied) words.emplace_back("--check");
    if (options.overwrite) words.emplace_back("--overwrite");
    return at_root(session, [&] {
      return run_python(session, {"copy", "limequat.manifests", "", "sums files"}, words,
                        {is_copied ? folder + name : folder});
    });
  }

  // The Python package knows the checksums that servers state, and has defaults of its own.
  int fetch(const Session& session) const {
    std::vector<std::string> words;
    const CopyOptions defaults;
    for (const options::Option& row : options::table_named("CopyOptions").rows) {
      const std::string text = row.member.text == nullptr ? "" : row.member.text(&options);
      if (!text.empty() && text != row.member.text(&defaults)) words.push_back(fmt::format("{}={}", row.name, text));
    }
    return run_python(session, {"copy", "limequat.fetching", "", "reads URLs and archives"}, words, names);
  }

  int copy(Session& session, const std::vector<std::string>& sources, const std::string& target) const {
    const CopyReport report = with_bar(session, "copying", options, [&](const CopyOptions& how) {
      return lq::copy(sources, target, session.communicator, how);
    });
    if (session.json) {
      session.out.object("path", target, report, "dry_run", options.dry_run);
    } else if (!session.quiet) {
      session.out.line(fmt::format("{}: {}", target, sentence_of(report)));
    }
    cli::tell(session, target, report.findings);
    return exit_code_of(report.findings);
  }

  std::string sentence_of(const CopyReport& report) const {
    std::string text = fmt::format("{}copied: {}, {}", options.dry_run ? "would be " : "",
                                   count(report.files.size(), "file"), base::human_bytes(report.bytes));
    constexpr std::uint64_t worth_a_rate = 64 * base::mebi;
    if (report.moved_bytes >= worth_a_rate && report.seconds > 0) {
      text += fmt::format(
          " in {:.3g} s, {}/s", report.seconds,
          base::human_bytes(static_cast<std::uint64_t>(static_cast<double>(report.moved_bytes) / report.seconds)));
    }
    if (report.present_files > 0) text += fmt::format("; already present: {}", count(report.present_files, "file"));
    if (options.dry_run) return text + "; nothing was written";
    if (report.moved_bytes < report.bytes) {
      text += fmt::format(" ({} of them by an interrupted copy)", base::human_bytes(report.bytes - report.moved_bytes));
    }
    return text;
  }

  // Errors that can be found before the start are reported here, not in the background.
  int start(Session& session, const std::vector<std::string>& sources, const std::string& target) const {
    CopyOptions rehearsal = options;
    rehearsal.dry_run = true;
    rehearsal.verify = Verify::checksum;
    lq::copy(sources, target, {}, rehearsal);
    std::string from;
    for (const std::string& source : sources) from += (from.empty() ? "" : " ") + source;
    const CopyState started = start_copy(from, target, [&](const Tell& tell) {
      CopyOptions how = options;
      how.progress = tell;
      const CopyReport report = lq::copy(sources, target, {}, how);
      std::string message = sentence_of(report);
      for (const Finding& finding : report.findings) message += "; " + finding.message;
      return message;
    });
    if (session.json) {
      tell(session, started);
    } else {
      session.out.line(fmt::format("{}: copy {} has begun; lq copy --status shows its progress", target, started.id));
    }
    return fine;
  }

  static void tell(Session& session, const CopyState& copy) {
    session.out.object("id", copy.id, "host", copy.host, "source", copy.from, "path", copy.to, "state", copy.state,
                       "bytes", copy.done, "total_bytes", copy.total, "seconds", copy.seconds, "message", copy.message);
  }

  int tell_status(Session& session) const {
    return at_root(session, [&] {
      Table table({"COPY", "STATE", ">DONE", ">OF", ">TIME", "FROM", "TO"});
      int code = fine;
      std::vector<std::string> unknown = names;
      for (const CopyState& copy : copies()) {
        if (!names.empty() && std::erase(unknown, copy.id) == 0) continue;
        if (copy.state == "failed" || copy.state == "stopped") code = worse(code, incomplete);
        if (session.json) {
          tell(session, copy);
          continue;
        }
        table.row({copy.id, copy.state, base::human_bytes(copy.done), base::human_bytes(copy.total),
                   human_seconds(copy.seconds), printable(copy.from), printable(copy.to)});
        if (copy.state != "running" && copy.state != "done") {
          session.complain(fmt::format("copy {}: {}", copy.id, printable(copy.message, 1000)));
        }
      }
      if (!session.json && (!table.empty() || names.empty())) {
        session.out.write(table.empty() ? "no copies in the background\n" : table.text());
      }
      if (!unknown.empty()) {
        throw Error(Code::not_found, fmt::format("no background copy \"{}\" exists; `lq copy --status` lists them",
                                                 printable(unknown.front())));
      }
      return code;
    });
  }
};

}  // namespace

Run declare_copy(Arguments& arguments) {
  const auto copy = std::make_shared<Copy>();
  arguments.optional_files("FILE", copy->names,
                           "sources, then the destination: a folder, a file name, or NAME: as defined in the site "
                           "profile (with --status: which copies to show)");
  arguments.keeps_words();
  declare_options(arguments, "copy", "CopyOptions", copy->options);
  arguments.flag("-r", copy->options.recursive, "as --recursive");
  arguments.text("--manifest", "NAME", copy->manifest,
                 "afterwards write manifest-NAME.txt next to the copies, or compare them with one that was copied; "
                 "lattice files are verified in the same pass",
                 {"md5", "sha1", "sha256", "sha512"});
  arguments.flag("--background", copy->in_background, "continue after the shell has ended");
  arguments.flag("--status", copy->asks_for_status, "show the progress of background copies");
  return [copy](Session& session) { return copy->run(session); };
}

}  // namespace lq::cli
