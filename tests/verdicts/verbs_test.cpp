// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One examination: damaged files of every format get one verdict from everything that judges files or passes them on.
// LQ_VERDICTS: damaged files of all formats together; LQ_SEED: others.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <limequat/ensemble.hpp>
#include <limequat/limequat.hpp>
#include <limequat/qcdml.hpp>

#include "support/contents.hpp"
#include "support/damage.hpp"
#include "support/scratch_directory.hpp"
#include "verdicts/entries.hpp"

namespace lq {
namespace {

namespace fs = std::filesystem;
using testing::Entry;

int damaged_of_a_format() {
  const char* const text = std::getenv("LQ_VERDICTS");
  const auto count = text != nullptr ? std::atoi(text) : 17 * 24;
  return 1 + count / static_cast<int>(testing::names_of_formats().size());
}

bool has_errors(const std::vector<Finding>& findings) {
  return std::ranges::find(findings, Severity::error, &Finding::severity) != findings.end();
}

// A damaged file, and what lq::verify() says of it.
struct Damaged {
  const Entry& entry;  // what was damaged
  std::string path, what;
  Verdict verdict = Verdict::sound;
  std::string format = {}, kind = {};  // of its first field; empty: it cannot even be looked into
};

Verdict judged(const std::function<Verdict()>& verify) {
  try {
    return verify();
  } catch (const Error& error) {
    EXPECT_NE(error.code(), Code::internal) << error.what();
    return error.code() == Code::unknown_format ? Verdict::foreign : Verdict::unreadable;
  }
}

// What a verb makes of a file; nothing: it refuses.
using Answer = std::optional<bool>;
Answer answer(const std::function<bool()>& verb) {
  try {
    return verb();
  } catch (const Error& error) {
    EXPECT_NE(error.code(), Code::internal) << error.what();
    return std::nullopt;
  }
}

Answer validated(const std::string& path) {
  return answer([&] { return !has_errors(validate(path)); });
}
// A file that is in order may be made a better one, of which nothing is lost.
Answer repaired(const std::string& path, const std::string& to) {
  return answer([&] {
    const RepackReport report = repair(path, to, {.dry_run = true, .threads = 1});
    const bool is_better = report.verdict && is_ok(*report.verdict) && !has_errors(report.findings);
    return !report.needed || (is_better && is_ok(verify(path, {}, {.threads = 1}).verdict));
  });
}
Answer copied(const std::string& path, const std::string& folder) {
  fs::remove_all(folder);
  fs::create_directories(folder);
  return answer([&] { return !has_errors(copy({path}, folder + "/", {}, {.sync = Sync::none}).findings); });
}
Answer diagnosed(const std::string& path) {
  return answer([&] { return diagnose(path, {.seconds = 0.01, .threads = 1}).ok; });
}
Answer squeezed(const std::string& path, const std::string& to) {
  return answer([&] {
    squeeze(path, to, {}, {.overwrite = true, .sync = Sync::none, .threads = 1});
    return is_ok(verify(to, {}, {.threads = 1}).verdict);
  });
}
Answer converted(const std::string& path, const std::string& to) {
  ConvertOptions how{.write = {.format = "scidac", .sync = Sync::none, .overwrite = true}, .allow_loss = true};
  how.write.route.threads = 1;
  return answer([&] {
    convert(path, to, {}, how);
    return is_ok(verify(to, {}, {.threads = 1}).verdict);
  });
}

// Of what is made of a file byte for byte, what verify says.
Answer made(const std::function<void()>& make, const std::string& to) {
  return answer([&] {
    make();
    return is_ok(verify(to, {}, {.threads = 1}).verdict);
  });
}
Answer unsqueezed(const std::string& path, const std::string& to) {
  return made([&] { unsqueeze(path, to, {}, {.overwrite = true, .sync = Sync::none, .threads = 1}); }, to);
}
Answer partitioned(const std::string& path, const std::string& to) {
  return made([&] { repartition(path, to, {}, {.to = "t=block:2", .overwrite = true, .sync = Sync::none}); }, to);
}
Answer joined(const std::string& path, const std::string& to) {
  return made([&] { repartition(path, to, {}, {.to = "whole", .overwrite = true, .sync = Sync::none}); }, to);
}
Answer defragmented(const std::string& path, const std::string& to) {
  return made([&] { defragment(path, to, {.overwrite = true, .sync = Sync::none, .threads = 1}); }, to);
}
Answer rewritten(const std::string& path, const std::string& to) {
  return made([&] { rewrite(path, to, {.overwrite = true, .sync = Sync::none, .threads = 1}); }, to);
}
Answer is_protected(const std::string& path) {
  return made([&] { protect({path}, {}, {.overwrite = true, .sync = Sync::none, .threads = 1}); }, path);
}

class Verdicts : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    entries_ = testing::entries_of(GetParam());
    const std::vector<Entry>& entries = entries_;
    ASSERT_FALSE(entries.empty());
    testing::Damage damage(testing::seed_of(38));
    const int shift = static_cast<int>(testing::seed_of(0));
    for (int k = shift; k < shift + damaged_of_a_format(); ++k) {
      const Entry& entry = entries[static_cast<std::size_t>(k) % entries.size()];
      const std::string below = folder_ / std::to_string(k);
      entry.put(below);
      const std::size_t file = entry.draw(damage);
      const auto& [name, good] = entry.files[file];
      if (good.empty()) continue;
      testing::put_contents(below + "/" + name, entry.damaged(file, damage));
      Damaged one{.entry = entry, .path = below + "/" + entry.name, .what = name + ": " + damage.what()};
      one.verdict = judged([&] { return verify(one.path, {}, {.threads = 1}).verdict; });
      try {
        const Catalog catalog = inspect(one.path);
        one.format = catalog.format;
        if (!catalog.fields.empty()) one.kind = name_of(catalog.fields.front().payload.spec.kind);
      } catch (const Error&) {
      }
      damaged_.push_back(one);
    }
  }
  static std::string name_of(FieldKind kind) { return std::string(lq::name(kind)); }

  std::string text_of(const Damaged& one) const {
    return one.path + ": " + one.what + " (" + one.format + "): " + std::string(name(one.verdict));
  }
  // Verdicts of what is not even looked into depend on its name and neighbours.
  static bool are_equal(Verdict a, Verdict b) {
    const auto is_unknown = [](Verdict verdict) { return verdict >= Verdict::unreadable; };
    return a == b || (is_unknown(a) && is_unknown(b));
  }

  void expect_equal(Verdict told, const Damaged& one, const char* verb) const {
    EXPECT_TRUE(are_equal(told, one.verdict)) << text_of(one) << ", but " << verb << ": " << name(told);
  }

  // Whether what was restored of it is what the archive was made of.
  bool is_original(const Damaged& one, const std::string& restored) const {
    const testing::ScratchDirectory good;
    one.entry.put(good.path());
    unsqueeze(good / one.entry.name, good / "original");
    return testing::contents(good / "original") == testing::contents(restored);
  }

  testing::ScratchDirectory folder_;
  std::vector<Entry> entries_;
  std::vector<Damaged> damaged_;
};

TEST_P(Verdicts, OfFoldersAndCataloguesAreThoseOfFiles) {
  std::map<std::string, Verdict> below;
  const ensemble::VerifiedFiles files = ensemble::verify_below({folder_.path()}, {.threads = 1});
  for (const auto* list : {&files.files, &files.strangers}) {
    for (const ensemble::VerifiedFile& file : *list) below[file.path] = file.verdict;
  }
  const testing::ScratchDirectory aside;
  const ensemble::CatalogueOptions catalogue{.db = aside / "catalogue.db", .threads = 1};
  try {
    ensemble::index({folder_.path()}, catalogue);
  } catch (const Error& error) {
    if (error.code() != Code::unsupported) throw;
    GTEST_SKIP() << error.what();
  }
  ensemble::scrub(catalogue);
  std::map<std::string, std::string> states;
  for (const ensemble::Entry& entry : ensemble::find("", catalogue).files) states[entry.path] = entry.state;
  for (const Damaged& one : damaged_) {
    const auto found = below.find(one.path);
    const Verdict told = found != below.end() ? found->second : Verdict::foreign;
    EXPECT_TRUE(are_equal(told, one.verdict)) << text_of(one) << ", but verify -r: " << name(told);
    const auto state = states.find(one.path);
    const std::string known = state != states.end() ? state->second : "foreign";
    EXPECT_TRUE(known == name(told)) << text_of(one) << ", verify -r: " << name(told)
                                     << ", but the catalogue: " << known;
  }
}

TEST_P(Verdicts, OfAllVerbsAreEqual) {
  const testing::ScratchDirectory aside;
  for (const Damaged& one : damaged_) {
    const bool is_good = is_ok(one.verdict);
    const auto expect = [&](const Answer& told, const char* verb) {
      EXPECT_EQ(told.value_or(false), is_good)
          << text_of(one) << ", but " << verb << (told ? *told ? ": in order" : ": not in order" : " refuses");
    };
    expect(validated(one.path), "validate");
    expect(repaired(one.path, aside / "repaired"), "repair");
    // What no format knows is copied without a word.
    const Answer copy_told = copied(one.path, aside / "copies");
    if (one.verdict != Verdict::foreign && (copy_told || !is_good)) expect(copy_told, "copy");
    // It says more of links than an examination: one is held against the others.
    if (!is_good) expect(diagnosed(one.path), "diagnose");
    if (one.kind == "gauge") {
      expect_equal(judged([&] { return ildg::check(one.path).verdict; }), one, "ildg::check");
    }
    if (one.format == "modes") {
      expect_equal(judged([&] { return modes::verify(one.path).verdict; }), one, "modes::verify");
    }
    // What is made of it is not better than it is. Of links without a sum some are measured when they are converted.
    if (const Answer told = squeezed(one.path, aside / "squeezed"); told && *told) expect(told, "squeeze");
    const std::string made_of_it = aside / "made";
    const auto expect_no_better = [&](const Answer& told, const char* verb) {
      if (told && *told) expect(told, verb);
      for (const auto& left : fs::directory_iterator(aside.path())) {
        if (left.path().string().starts_with(made_of_it)) fs::remove_all(left.path());
      }
    };
    const Answer restored = unsqueezed(one.path, made_of_it);
    if (!restored || !*restored || !is_original(one, made_of_it)) expect_no_better(restored, "unsqueeze");
    expect_no_better(partitioned(one.path, made_of_it), "repartition");
    expect_no_better(joined(one.path, made_of_it), "repartition into one");
    expect_no_better(defragmented(one.path, made_of_it), "defrag");
    expect_no_better(rewritten(one.path, made_of_it), "rewrite");
    // Where there is a sidecar, and its own sums prove it, it was written to since.
    if (!is_good && !one.entry.name.starts_with("protected")) expect_no_better(is_protected(one.path), "protect");
    if (one.verdict != Verdict::unproven) {
      if (const Answer told = converted(one.path, aside / "converted"); told && *told) expect(told, "convert");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllFormats, Verdicts, ::testing::ValuesIn(testing::names_of_formats()),
                         [](const auto& which) { return testing::test_name(which.param); });

}  // namespace
}  // namespace lq
