// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a verb works with: the ranks, the user's global options, and the output streams. The same code runs as `lq`
// on this process alone and as `lq-mpi` on all ranks, where only the root prints.
#pragma once

#include <cstddef>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/error.hpp>
#include <limequat/grid.hpp>
#include <limequat/survey.hpp>

#include "base/json_writer.hpp"
#include "bench/tasks.hpp"
#include "cli/style.hpp"

namespace lq::cli {

// Standard output that detects failures: a full disk is an error, a reader that has gone (`lq cat ... | head`)
// is not. Failures are stored, not thrown, so that one rank's output cannot separate the ranks.

// Keeps a line on one line, whatever file names contain.
std::string on_one_line(std::string_view text);

class Output {
 public:
  // `prints` false: everything is dropped (ranks other than the root). Launchers give their ranks terminals, wherever
  // the output goes: `under_launcher` has no colours.
  Output(bool prints, bool under_launcher);

  // From now on this file is shown under another name, in place of its path.
  void call(std::string path, std::string name);
  // Replaces paths by these names.
  std::string named(std::string_view text) const;

  // Standard output is one, of the launcher for its ranks.
  bool is_terminal() const noexcept { return is_terminal_; }

  // All goes to standard error from now on.
  void leave_standard_output() noexcept { stream_ = stderr; }

  // Control characters of terminals are shown as text.
  void write(std::string_view bytes);
  // The same in colours, if standard output shows them.
  void write(const Pieces& pieces);
  // Raw data.
  void write_data(std::string_view bytes, bool under_launcher);
  void line(std::string_view text);
  void line(Pieces pieces);
  // A line with a JSON object: alternately names and values, and results of the library, which add all their members.
  template <class... Members>
  void object(const Members&... members) {
    base::JsonWriter json;
    put_members(json.begin_object(), members...);
    line(json.end_object().take());
  }
  // False if the reader has gone or writing failed: the rest need not be produced.
  bool wants_more() const noexcept { return failure_ == 0; }
  // Flushes. Returns 0, or errno of the first failure; a reader that has gone is not a failure.
  int finish();

 private:
  void put(std::string_view bytes);
  static void put_members(base::JsonWriter&) {}
  template <class... Rest>
  static void put_members(base::JsonWriter& json, const char* name, const auto& value, const Rest&... rest) {
    put_members(json.member(name, value), rest...);
  }
  template <class... Rest>
  static void put_members(base::JsonWriter& json, const auto& result, const Rest&... rest) {
    put_members(json.raw_members(to_json(result)), rest...);
  }

  std::vector<std::pair<std::string, std::string>> names_;  // by path
  std::FILE* stream_ = stdout;
  bool prints_;
  bool is_terminal_;
  bool is_coloured_;
  int failure_ = 0;
};

}  // namespace lq::cli

namespace lq::bench {
class Mover;
}

namespace lq::cli {

struct Session {
  Session(std::string program_name, Communicator ranks)
      : program(std::move(program_name)),
        communicator(std::move(ranks)),
        out(communicator.is_root(), is_under_launcher()) {}

  std::string program;       // "lq", "lq-mpi"
  std::string mpi = "none";  // name of the MPI library
  Communicator communicator;
  // Collective. The root's number on every rank.
  std::function<int(int)> from_root = [](int code) { return code; };
  // Collective. The root's text on every rank.
  std::function<std::string(std::string)> text_from_root = [](std::string text) { return text; };
  // Collective. Probes of MPI, with a folder for their files; none without MPI.
  struct MpiQuestions {
    bool thorough = false;
    double seconds = 10;
    std::function<void(const Probe&)> on_probe = {};
  };
  std::function<std::vector<Probe>(const std::string& folder, const MpiQuestions& questions)> mpi_probes = {};
  // Collective. A mover of bench lattice that gathers on one rank; none without MPI.
  std::function<std::unique_ptr<bench::Mover>(const Grid& grid)> gather = {};
  // Collective. Competing paths in lexicographic order, for --protocol grid: collective MPI-IO, and Grid's plan with
  // extents of the given number of bytes (0: its default); none without MPI.
  std::function<std::vector<std::unique_ptr<bench::Mover>>(const Grid& grid, std::uint64_t extent_bytes)> grid_paths =
      {};
  // A subset of the ranks, for bench tasklocal; none without MPI.
  bench::WithTasks with_tasks = {};
  bool quiet = false;
  bool verbose = false;
  bool json = false;
  Output out;

  bool is_root() const noexcept { return communicator.is_root(); }
  bool is_under_launcher() const noexcept { return program == "lq-mpi"; }
  // To stderr, from the root.
  void complain(std::string_view message) const;  // errors and warnings
  auto complainer() const {
    return [this](const std::string& sentence) { complain(sentence); };
  }
  void note(std::string_view message) const;    // not with --quiet
  void remark(std::string_view message) const;  // only with --verbose
};

// Collective. Runs work on the root only; every rank gets its result or its error.
int at_root(const Session& session, const std::function<int()>& work);

// Collective. Runs `work` for each file; an lq::Error is reported and the next file follows. Worst exit code.
int for_each_file(Session& session, const std::vector<std::string>& files,
                  const std::function<int(const std::string& path)>& work);

// Collective. Runs `work`, which writes one file, with the path of the target. "-" or a pipe gets the file when
// it is complete, because the header of a new file depends on all of its data; other output goes to stderr.
int for_target(Session& session, const std::string& target, const std::function<int(const std::string& path)>& work);

// Collective. Reports an error about a file, on stdout as JSON too if requested; returns its exit code.
int tell(Session& session, const std::string& path, const Error& error);

// Findings to stderr; notes only with --verbose.
void tell(const Session& session, const std::string& path, const std::vector<Finding>& findings);

// "error: at byte 1168, record "ildg-binary-data": ..." below the path of the file.
std::string finding_line(const std::string& path, const Finding& finding);

}  // namespace lq::cli

namespace lq::cli {

// Standard input or a named pipe as a file: formats read the end before the middle, which a pipe
// does not support.

inline constexpr std::string_view standard_input = "standard input", standard_output = "standard output";

// True if a word is "-" or the path of a pipe: /dev/stdin, a FIFO, or what a shell passes for <(...).
bool is_pipe(const std::string& word) noexcept;
void require_one_rank(const std::string& pipe, bool is_alone);

// A copy in the folder for temporary files (TMPDIR), removed on destruction. io, no_space.
class StandardInput {
 public:
  // `path`: "-", or the path of a pipe.
  explicit StandardInput(const std::string& path);
  ~StandardInput();
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;

  const std::string& path() const noexcept { return path_; }

 private:
  void copy(const std::string& from) const;

  std::string folder_, path_;
};

}  // namespace lq::cli
