// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Good files of every format that is registered, damaged at random, and what repair makes of them: what it calls
// repaired is the good file byte for byte, but for bytes that nothing covers and that it did not change; all else it
// refuses or marks, and nothing that it marks is called sound. LQ_REPAIRS: damaged files of each format;
// LQ_SHOW: names repairs after which other bytes are there than in the good file, and nothing says so.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <limequat/limequat.hpp>

#include "support/contents.hpp"
#include "support/damage.hpp"
#include "support/leaks_of_hdf5.hpp"
#include "support/scratch_directory.hpp"
#include "verdicts/entries.hpp"

namespace lq {
namespace {

namespace fs = std::filesystem;
using testing::Contents;
using testing::Entry;

int repairs_of_a_format() {
  const char* const text = std::getenv("LQ_REPAIRS");
  return text != nullptr ? std::atoi(text) : 100;
}

class Repairs : public ::testing::TestWithParam<std::string> {
 protected:
  struct Counts {
    int whole = 0, other_bytes = 0, marked = 0, marked_sound = 0, refused = 0, unneeded = 0;
  };

  static Verdict verdict_of(const std::string& path) {
    try {
      return verify(path, {}, {.threads = 1}).verdict;
    } catch (const Error& error) {
      EXPECT_NE(error.code(), Code::internal) << error.what();
      return error.code() == Code::unknown_format ? Verdict::foreign : Verdict::unreadable;
    }
  }

  // What is wrong with the repair of a damaged file; empty: nothing.
  std::string fault(const Entry& entry, const Contents& before, const std::string& bad) {
    const std::string from = folder_ / entry.name, to = made_ / entry.name;
    fs::remove_all(made_.path());
    fs::create_directories(made_.path());
    RepackReport report;
    try {
      report = repair(from, to, {.sync = Sync::none, .threads = 1});
    } catch (const Error& error) {
      ++counts_.refused;
      if (error.code() == Code::internal) return error.what();
      return fs::is_empty(made_.path()) ? "" : "it was refused, and there is a file";
    }
    if (!report.needed) {
      ++counts_.unneeded;
      return is_ok(verdict_of(from)) ? "" : "it was called in order, which verify does not";
    }
    const Verdict verdict = verdict_of(to);
    if (verdict != report.verdict) return "verify calls the result " + std::string(name(verdict)) + told(report);
    const bool has_errors =
        std::ranges::find(report.findings, Severity::error, &Finding::severity) != report.findings.end();
    Contents now;
    try {
      now = contents_in(to);
    } catch (const Error& error) {
      if (!is_ok(verdict)) return ++counts_.marked, "";
      return std::string("the result cannot be read: ") + error.what() + told(report);
    }
    if (has_errors) {
      ++counts_.marked;
      if (verdict != Verdict::sound) return {};
      ++counts_.marked_sound;
      return "the result is called sound, with an error" + told(report);
    }
    ++counts_.whole;
    if (const std::string made = testing::contents(to);
        entry.files.size() == 1 && made != entry.files.front().second && made != canonical_) {
      ++counts_.other_bytes;
      show("other", told(report));
      const std::string& good = entry.files.front().second;
      if (!is_left(made, good, bad) && !is_left(made, canonical_, bad)) return "it has other bytes" + told(report);
    }
    if (!is_ok(verdict)) return "it is not in order, without an error" + told(report);
    // Without a checksum nobody sees what changed.
    return now == before || entry.verdict != Verdict::sound ? "" : "it reads otherwise" + told(report);
  }

  // Whatever differs is what the damaged file holds there: nobody can see it, and the repair did not touch it.
  static bool is_left(const std::string& made, const std::string& good, const std::string& bad) {
    if (made.size() != good.size()) return false;
    for (std::size_t k = 0; k < made.size(); ++k) {
      if (made[k] != good[k] && (k >= bad.size() || made[k] != bad[k])) return false;
    }
    return true;
  }

  std::string what_, canonical_;
  // What repair makes of the good file.
  std::string canonical_of(const Entry& entry) {
    fs::remove_all(made_.path());
    fs::create_directories(made_.path());
    const std::string to = made_ / entry.name;
    try {
      repair(folder_ / entry.name, to, {.sync = Sync::none, .threads = 1});
    } catch (const Error&) {
    }
    return fs::exists(to) ? testing::contents(to) : "";
  }
  void show(const char* which, const std::string& text) {
    if (std::getenv("LQ_SHOW") != nullptr) std::printf("%s: %s: %s\n", which, what_.c_str(), text.c_str());
  }
  static std::string told(const RepackReport& report) {
    std::string text = "; it was said to be " + std::string(name(report.verdict.value_or(Verdict::foreign)));
    for (const Finding& finding : report.findings) text += "\n  " + finding.rule + ": " + finding.message;
    return text;
  }

  testing::ScratchDirectory folder_, made_;
  Counts counts_;
};

TEST_P(Repairs, AreProvenOrSaidNotToBe) {
  const std::vector<Entry> entries = testing::entries_of(GetParam());
  ASSERT_FALSE(entries.empty());
  testing::Damage damage(testing::seed_of(20261129));
  int faults = 0;
  const int of_each = 1 + repairs_of_a_format() / static_cast<int>(entries.size());
  for (const Entry& entry : entries) {
    entry.put(folder_.path());
    const Contents before = contents_in(folder_ / entry.name);
    canonical_ = canonical_of(entry);
    for (int trial = 0; trial < of_each; ++trial) {
      const std::size_t file = entry.draw(damage);
      const auto& [name, good] = entry.files[file];
      if (good.empty()) continue;
      const std::string bad = entry.damaged(file, damage);
      testing::put_contents(folder_ / name, bad);
      what_ = entry.name + ", " + name + ": " + damage.what();
      std::string wrong = fault(entry, before, bad);
      for (const auto& [other, bytes] : entry.files) {
        if (testing::contents(folder_ / other) != (other == name ? bad : bytes)) wrong += "; the input was changed";
      }
      if (!wrong.empty() && ++faults <= 20) {
        ADD_FAILURE() << entry.name << " (" << lq::name(entry.verdict) << "), damaged " << trial << " of " << name
                      << ": " << damage.what() << ": " << wrong;
        if (const char* const keep = std::getenv("LQ_KEEP")) {
          const std::string kept = std::string(keep) + "/repair." + GetParam() + "." + std::to_string(faults);
          fs::create_directories(kept);
          entry.put(kept);
          testing::put_contents(kept + "/" + name, bad);
        }
      }
      testing::put_contents(folder_ / name, good);
    }
  }
  if (std::getenv("LQ_REPAIRS") != nullptr) {
    std::printf("%s: %d whole (%d other bytes), %d marked (%d sound), %d refused, %d not needed, %d faults\n",
                GetParam().c_str(), counts_.whole, counts_.other_bytes, counts_.marked, counts_.marked_sound,
                counts_.refused, counts_.unneeded, faults);
  }
  EXPECT_GT(counts_.whole + counts_.marked + counts_.refused, repairs_of_a_format() / 4);
}

INSTANTIATE_TEST_SUITE_P(AllFormats, Repairs, ::testing::ValuesIn(testing::names_of_formats()),
                         [](const auto& which) { return testing::test_name(which.param); });

}  // namespace
}  // namespace lq
