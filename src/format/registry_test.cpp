// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <limequat/error.hpp>

#include "format/component.hpp"
#include "support/assembled.hpp"

namespace lq::format {
namespace {

std::string_view chosen(const std::string& path, FieldKind kind, const Extents& extents) {
  FieldSpec spec;
  spec.kind = kind;
  return format_for(path, spec, extents).name();
}

TEST(Formats, AreChosenBySuffixThenByField) {
  EXPECT_EQ(chosen("a/conf.ildg", FieldKind::spinor, {2, 2, 2, 2}), "ildg");
  EXPECT_EQ(chosen("conf.scidac", FieldKind::gauge, {2, 2, 2, 2}), "scidac");
  EXPECT_EQ(chosen("conf.qio", FieldKind::gauge, {2, 2, 2, 2}), "scidac");
  EXPECT_EQ(chosen("conf.lime", FieldKind::gauge, {2, 2, 2, 2}), "ildg");
  EXPECT_EQ(chosen("conf.SciDAC", FieldKind::gauge, {2, 2, 2, 2}), "scidac");
  EXPECT_EQ(chosen("conf.0010", FieldKind::gauge, {2, 2, 2, 2}), "ildg");
  EXPECT_EQ(chosen("dir.ildg/conf", FieldKind::gauge, {2, 2, 2}), "scidac");
  EXPECT_EQ(chosen("conf", FieldKind::spinor, {2, 2, 2, 2}), "scidac");
  EXPECT_EQ(chosen("lattice_b6.0_run", FieldKind::gauge, {2, 2, 2, 2}), "ildg");
}

std::string refusal(const std::string& path) {
  try {
    return std::string(chosen(path, FieldKind::gauge, {2, 2, 2, 2}));
  } catch (const Error& error) {
    return error.what();
  }
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(Formats, AreNotGuessedForASuffixThatIsNobodys) {
  for (const char* path : {"out.xyz", "conf.idlg", "a.b/c.bin"}) {
    const std::string sentence = refusal(path);
    EXPECT_TRUE(has(sentence, ".ildg, .lime, .scidac, .qio") && has(sentence, "options.format")) << sentence;
  }
  EXPECT_TRUE(has(refusal("conf.nc"), "a netCDF file")) << refusal("conf.nc");
  EXPECT_TRUE(has(refusal("conf.gz"), "gzip")) << refusal("conf.gz");
}

TEST(Formats, ThatHoldNoFieldsSaySoAndNameThoseThatDo) {
  try {
    (void)format_for("set.sion", FieldSpec{}, {2, 2}).for_fields();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::unsupported);
    EXPECT_TRUE(has(error.what(), "the streams of tasks") && has(error.what(), "ildg, scidac, nersc")) << error.what();
  }
}

TEST(Formats, AreListedWithTheirSuffixesForAllWhoAsk) {
  std::string list;
  for (const FormatInfo& format : lq::formats()) list += std::string(format.name) + " ";
  EXPECT_EQ(list, "modes ildg scidac lime sion nersc milc fnal qlattice mod eigen-comp raw hirep ddalphaamg openqcd ");
  EXPECT_EQ(format_info("sion").contents, Contents::streams);
  EXPECT_THROW(format_info("fits"), Error);
}

TEST(Formats, AreFoundByNameOrNamed) {
  EXPECT_EQ(format_named("lime").name(), "lime");
  try {
    format_named("idlg");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::invalid_argument);
    EXPECT_NE(std::string(error.what()).find("did you mean \"ildg\""), std::string::npos) << error.what();
  }
}

std::string_view recognised(const std::string& bytes) {
  base::MemorySource file(base::as_bytes(bytes), "test");
  return recognise(file).name();
}

TEST(Formats, AreRecognisedByTheirMagic) {
  using std::string_literals::operator""s;
  EXPECT_EQ(recognised("BEGIN_HEADER\nHDR_VERSION = 1.0\n"), "nersc");
  EXPECT_EQ(recognised("BEGIN_FIELD_HEADER\n"), "qlattice");
  EXPECT_EQ(recognised("BEGIN_RAW_FIELD\n"), "raw");
  EXPECT_EQ(recognised(std::string("\0\0\0\x1d", 4) + "XXXXQDPLazyDiskMapObjFileXXXX"), "mod");
  EXPECT_EQ(recognised("s[0] = 4\nFP16_COEF_EXP_SHARE_FLOATS = 10\n"), "eigen-comp");
  EXPECT_EQ(recognised("\x00\x00\x4e\x87\x00\x00\x00\x04"s), "milc");
  EXPECT_EQ(recognised("\x87\x4e\x00\x00\x04\x00\x00\x00"s), "milc");
  EXPECT_EQ(recognised("\x34\x64\x62\x71"s), "fnal");
  EXPECT_EQ(recognised("sion\0\0\0\1"s), "sion");
  EXPECT_EQ(recognised("sion"), "sion");                  // cut after its magic
  EXPECT_THROW(recognised("siondump: sid: 0\n"), Error);  // a text
  EXPECT_EQ(recognised("sion\0\x7f\0\1"s), "sion");       // a damaged word
}

TEST(Formats, AreRecognisedByTheirRecords) {
  EXPECT_EQ(recognised(testing::record("note", "x", true, true)), "lime");
  EXPECT_EQ(recognised(testing::record("scidac-private-file-xml", "x", true, true)), "scidac");
  EXPECT_EQ(recognised(testing::record("note", "x", true, true) + testing::record("ildg-format", "x", true, true)),
            "ildg");
  EXPECT_EQ(recognised(testing::record("ildg-binary-data", "x", true, true)), "ildg");
  EXPECT_EQ(recognised(testing::record("scidac-private-record-xml", "x", true, false) +
                       testing::record("ildg-binary-data", "x", false, true)),
            "scidac");
}

TEST(Formats, LimeHoldsRecordsButNoFields) {
  const Format& lime = format_named("lime");
  const std::string bytes = testing::assemble(lime.records->plan_record({"note", "text"}), "", {});
  const Catalog catalog = testing::scan(lime, bytes);
  ASSERT_EQ(catalog.records.size(), 1U);
  EXPECT_EQ(catalog.metadata, (Metadata{{"note", "text"}}));
  EXPECT_EQ(bytes.size(), 152U);
  EXPECT_THROW(lime.for_fields(), Error);
}

// What the sentence says of a file with these bytes at its beginning and zeros up to `size`.
std::string called(std::string bytes, std::size_t size = 0) {
  bytes.resize(std::max(bytes.size(), size), '\0');
  try {
    return std::string(recognised(bytes));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::unknown_format);
    return error.what();
  }
}

using std::string_literals::operator""s;
const std::string hdf5_begin = "\x89HDF\r\n\x1a\n"s;

// Of a format that a component has: knows its files, and nothing in them.
class SignedContainer final : public Container {
 public:
  Likeness recognise(base::ByteSource& file) const override {
    for (const std::uint64_t offset : {0U, 8192U}) {
      std::array<std::byte, 8> found{};
      if (file.read_at(offset, found) == 8 && base::as_text(found) == hdf5_begin) return Likeness::yes;
    }
    return Likeness::no;
  }
  Catalog scan(base::ByteSource&, const Limits&) const override { return {}; }
  std::vector<Finding> validate(base::ByteSource&, const Catalog&) const override { return {}; }
  std::vector<Annotation> explain(base::ByteSource&, const Catalog&) const override { return {}; }
};

// A program with a loader of components, which the test stands for.
class LoadedComponents : public ::testing::Test {
 protected:
  void SetUp() override { calls = 0; }
  void TearDown() override {
    set_loader(nullptr);
    added.reset();
  }

  static std::optional<std::string> fail(std::string_view) {
    ++calls;
    return "it is nowhere";
  }
  static std::optional<std::string> load_nothing(std::string_view) { return std::nullopt; }
  // As a component does, whose format is that of this name.
  static std::optional<std::string> load(std::string_view component) {
    ++calls;
    EXPECT_EQ(component, "hdf5");
    static const SignedContainer container;
    static const Format row{.info = {.name = "hdf5", .holds = "", .begins = "", .suffixes = suffixes},
                            .container = &container};
    if (!added) added.emplace(row);
    return std::nullopt;
  }
  static std::string error_of(const std::function<void()>& work) {
    try {
      work();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  static constexpr std::array<std::string_view, 1> suffixes{".h5"};
  static inline std::optional<AddedFormat> added;
  static inline int calls = 0;
};

TEST_F(LoadedComponents, AreLoadedForAFileASuffixOrAName) {
  const std::vector<std::function<void()>> needs{
      [] { EXPECT_EQ(recognised(hdf5_begin), "hdf5"); },
      [] { EXPECT_EQ(recognised(std::string(8192, ' ') + hdf5_begin + "rest"), "hdf5"); },
      [] {
        EXPECT_EQ(format_for("run.H5", FieldSpec{}, {2, 2}).name(), "hdf5");
      },
      [] { EXPECT_EQ(format_named("hdf5").name(), "hdf5"); }};
  for (const auto& need : needs) {
    set_loader(&load);
    calls = 0;
    need();
    need();
    EXPECT_EQ(calls, 1) << "a format that is there is loaded no more";
    added.reset();
  }
}

TEST_F(LoadedComponents, AreLoadedForNoOtherFile) {
  set_loader(&load);
  EXPECT_EQ(recognised("BEGIN_HEADER\n"), "nersc");
  EXPECT_EQ(format_for("run.lime", FieldSpec{}, {2, 2}).name(), "scidac");
  EXPECT_EQ(calls, 0);
}

TEST_F(LoadedComponents, ThatAreMissingAreNamedWithTheReason) {
  set_loader(&fail);
  const std::string remedy = "; install Limequat's component hdf5 (it is nowhere)";
  EXPECT_EQ(error_of([] { recognised(hdf5_begin); }), "test: an HDF5 file" + remedy);
  EXPECT_EQ(error_of([] {
              format_for("a/run.h5", FieldSpec{}, {2, 2});
            }),
            "a/run.h5: an HDF5 file is requested" + remedy);
  EXPECT_EQ(error_of([] { load_format_of("run", "hdf5"); }), "run: the format \"hdf5\" is requested" + remedy);
  EXPECT_EQ(error_of([] { format_named("hdf5"); }), "the format \"hdf5\" is requested" + remedy);
  EXPECT_EQ(calls, 4) << "what was missing may be there now";
}

TEST_F(LoadedComponents, SayWhatTheyWereBuiltWithout) {
  set_loader(&load_nothing);
  EXPECT_EQ(error_of([] { recognised(hdf5_begin); }),
            "test: an HDF5 file; Limequat's component hdf5 was built without libhdf5 (1.10.5 or later); build it "
            "on a system that has it");
}

TEST(ForeignFiles, AreCalledByName) {
  using std::string_literals::operator""s;
  EXPECT_TRUE(has(called("\x89HDF\r\n\x1a\n"s), "an HDF5 file"));
  EXPECT_TRUE(has(called(std::string(512, ' ') + "\x89HDF\r\n\x1a\n"s), "an HDF5 file"));
  EXPECT_TRUE(has(called("\x1f\x8b\x08\x00"s), "gunzip"));
  EXPECT_TRUE(has(called("PK\x03\x04\x14"s), "zip"));
  EXPECT_TRUE(has(called("\xfd"s + "7zXZ\0\0"s), "unxz"));
  EXPECT_TRUE(has(called("conf.0010\0"s + std::string(247, '\0') + "ustar\00000"s, 10240), "a tar archive"));
  EXPECT_TRUE(has(called("\x00\x00\xd1\x2a\x00\x00\x00\x04"s), "MILC in its format of 1996"));
  EXPECT_TRUE(has(called("SIMPLE  =                    T"), "FITS"));
  EXPECT_TRUE(has(called("\x93NUMPY\x01\x00v\x00{'descr': '<c16'"s), "lq.write"));
  EXPECT_TRUE(has(called("version https://git-lfs.github.com/spec/v1\noid sha256:00"), "git-lfs"));
  EXPECT_TRUE(has(called("<!DOCTYPE html><title>403</title>"), "download the file again"));
  EXPECT_TRUE(has(called(std::string(600, '\0')), "zeros"));
  EXPECT_TRUE(
      has(called("l~mequat partitioned file 1\nbytes 8\nbegin 0\nelement 1\nextents 8\ncuts t=block:2\nfile 4 a\n"
                 "file 4 b\ncrc32 00000000\n"),
          "\"limequat partitioned file 1\" again"));
}

TEST(ForeignFiles, BeginWithWholeCharacters) {
  for (const char* text : {"M\xc3\xbcnster \xe2\x82\xac", "M\xc3\xbcnster 123456\xe2\x82\xac and more"}) {
    try {
      recognised(text);
      ADD_FAILURE() << "is recognised";
    } catch (const Error& error) {
      EXPECT_TRUE(has(error.what(), "it begins with \"M\xc3\xbcnster ")) << error.what();
      EXPECT_FALSE(has(error.what(), "\\x")) << error.what();
    }
  }
}

TEST(ForeignFiles, ThatNobodyKnowsAreToldAllFormatsAndHowTheyBegin) {
  try {
    recognised("plain text");
    ADD_FAILURE() << "is recognised";
  } catch (const Error& error) {
    EXPECT_TRUE(has(error.what(), "it begins with \"plain text\" and has no known format (")) << error.what();
    EXPECT_TRUE(has(error.what(), "ildg, scidac, lime, sion, nersc")) << error.what();
    const std::string& expected = error.facts().expected;
    EXPECT_TRUE(has(expected, "ildg, scidac, lime (the bytes 45 67 89 ab), sion (\"sion\"), nersc (\"BEGIN_HEADER\")"))
        << expected;
  }
}

}  // namespace
}  // namespace lq::format
