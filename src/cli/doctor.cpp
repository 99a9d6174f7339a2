// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq doctor: faults of this machine, its MPI and a folder's file system, and what to do about them.
#include <limequat/survey.hpp>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/json_writer.hpp"
#include "cli/command.hpp"
#include "cli/exit_code.hpp"
#include "cli/progress.hpp"
#include "cli/text.hpp"
#include "io/replaceable.hpp"
#include "storage/transport.hpp"

namespace lq::cli {
namespace {

constexpr std::size_t probe_indent = 6;
constexpr std::size_t longest_name = std::string_view("neighbour-memory").size();
constexpr std::size_t longest_mpi_name = std::string_view("mpi-independent-write").size();

// Removes its files when a signal ends the program.
void end_cleanly(int signal) {
  remove_probe_files();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

struct Doctor {
  std::string path = ".";
  std::string profile;
  bool saves_profile = false;
  bool thorough = false;
  double budget = 10;

  int run(Session& session) const {
    if (!(budget > 0)) throw UsageError("--budget: a positive number of seconds is expected");
    const OnEnding clean_end(end_cleanly);
    const base::Stopwatch watch;
    const auto tell = [&](const Probe& probe) {
      if (!session.json) print(session, probe);
    };
    std::vector<Probe> probes = examine(session.communicator, path, {.seconds = budget, .on_probe = tell});
    if (session.mpi_probes) {
      const double left = std::max(budget - watch.seconds(), 0.0);
      for (Probe& probe : session.mpi_probes(path, {thorough, left, tell})) probes.push_back(std::move(probe));
    }
    const std::string saved = saves_profile || !profile.empty() ? save(session, probes) : "";
    at_root(session, [&] {
      session.json ? print_json(session, probes, saved) : print_sum(session, probes, saved);
      return fine;
    });
    return worst_of(probes) == ProbeVerdict::fail ? environment : fine;
  }

  // Returns the path of the profile.
  std::string save(Session& session, const std::vector<Probe>& probes) const {
    const std::string target = profile.empty() ? site_profile_path() : profile;
    if (target.empty()) {
      throw UsageError("--save-profile: neither LQ_PROFILE nor HOME is set; name the file with --profile FILE");
    }
    at_root(session, [&] {
      io::require_replaceable(storage::resolve(target), target, "a profile");
      return fine;
    });
    session.note("measuring the parts of this machine, about ten seconds");
    Parts parts = measure_parts(session.communicator, path);
    for (const Probe& probe : probes) {
      if (probe.verdict == ProbeVerdict::pass) continue;
      parts.machine.findings.push_back(fmt::format("{} {}: {}", name(probe.verdict), probe.name, probe.found));
    }
    at_root(session, [&] {
      // Facts that cannot be measured.
      std::error_code failure;
      if (std::filesystem::exists(target, failure)) parts.machine.targets = usable_machine_of(target).machine.targets;
      save_machine(target, parts.machine);
      return fine;
    });
    return target;
  }

  // Prints each line as soon as it is known: a slow file system then does not look like one that hangs.
  static void print(Session& session, const Probe& probe) {
    const std::size_t width = session.mpi_probes ? longest_mpi_name : longest_name;
    constexpr Style styles[] = {Style::good, Style::warning, Style::bad};
    const Style style = styles[static_cast<std::size_t>(probe.verdict)];
    session.out.line(
        {{std::string(name(probe.verdict)), style}, {fmt::format("  {:<{}}  {}", probe.name, width, probe.found)}});
    if (!probe.action.empty()) session.out.line(fmt::format("{:{}}{}", "", probe_indent + width + 2, probe.action));
    session.out.finish();
  }

  void print_sum(Session& session, const std::vector<Probe>& probes, const std::string& saved) const {
    const auto number = [&](ProbeVerdict verdict) {
      return static_cast<std::uint64_t>(
          std::count_if(probes.begin(), probes.end(), [&](const Probe& p) { return p.verdict == verdict; }));
    };
    session.out.line(fmt::format("{}: {} passed, {}, {}", path, number(ProbeVerdict::pass),
                                 count(number(ProbeVerdict::warn), "warning"),
                                 count(number(ProbeVerdict::fail), "failure")));
    if (!saved.empty()) session.out.line(fmt::format("profile written to {}", saved));
  }

  void print_json(Session& session, const std::vector<Probe>& probes, const std::string& saved) const {
    base::JsonWriter json;
    json.begin_object().member("path", path).member("ok", worst_of(probes) != ProbeVerdict::fail);
    json.member("ranks", session.communicator.size()).member("mpi", session.mpi).key("probes").begin_array();
    for (const Probe& probe : probes) {
      json.begin_object().member("name", probe.name).member("verdict", name(probe.verdict));
      json.member("found", probe.found).member("action", probe.action).end_object();
    }
    session.out.line(json.end_array().text_member("profile", saved).end_object().take());
  }
};

}  // namespace

Run declare_doctor(Arguments& arguments) {
  const auto doctor = std::make_shared<Doctor>();
  arguments.text("--path", "DIR", doctor->path, "folder to examine (default: the current one)");
  arguments.flag("--thorough", doctor->thorough,
                 "also test transfers and messages above 2 GiB; needs 5 GB of memory and 5 GB of disk space");
  arguments.number("--budget", doctor->budget, "time limit of all tests together in seconds (default 10)");
  arguments.flag("--save-profile", doctor->saves_profile,
                 "measure this machine and save the numbers, with the results of the tests, for plans");
  arguments.text("--profile", "FILE", doctor->profile,
                 "file to save them in (default: the site profile, see docs/guide/doctor.md)");
  return [doctor](Session& session) { return doctor->run(session); };
}

}  // namespace lq::cli
