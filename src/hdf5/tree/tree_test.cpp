// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Objects as values, of files that h5py and QDP++ wrote.
#include "hdf5/tree/tree.hpp"

#include <gtest/gtest.h>

#include "hdf5/tree/storage.hpp"
#include "support/contents.hpp"
#include "support/parts_here.hpp"

namespace lq::hdf5 {
namespace {

constexpr std::uint64_t enough = 1 << 20;

class OfGolden {
 public:
  explicit OfGolden(const std::string& name)
      : bytes_(read(name)), source_(base::as_bytes(bytes_), name), file(source_) {}

  Value value(const std::string& path) {
    const auto found = find_object(file, path);
    EXPECT_TRUE(found) << path;
    return read_value(file, found->handle.get(), file.where(path), enough);
  }
  Value attribute(const std::string& path, const std::string& name) {
    const auto found = find_object(file, path);
    EXPECT_TRUE(found) << path;
    return read_attribute(file, found->handle.get(), name, file.where(path), enough);
  }
  base::ByteSource& source() { return source_; }

 private:
  static std::string read(const std::string& name) { return lq::testing::golden_contents("good/hdf5/" + name); }
  std::string bytes_;
  base::MemorySource source_;

 public:
  Opened file;
};

template <class T>
std::vector<T> elements_of(const Value& value) {
  const auto* elements = std::get_if<std::vector<T>>(&value.elements);
  EXPECT_NE(elements, nullptr);
  return elements == nullptr ? std::vector<T>() : *elements;
}

TEST(Hdf5Tree, SmallObjectsOfQdp) {
  OfGolden golden("qdpxx-objects-4x2x2x6.h5");
  EXPECT_EQ(elements_of<std::int64_t>(golden.value("/scalar/int")), std::vector<std::int64_t>{-7});
  EXPECT_EQ(elements_of<std::int64_t>(golden.value("/scalar/short")), std::vector<std::int64_t>{-3});
  EXPECT_EQ(elements_of<std::uint64_t>(golden.value("/scalar/ushort")), std::vector<std::uint64_t>{3});
  EXPECT_EQ(elements_of<std::uint64_t>(golden.value("/scalar/ull")), std::vector<std::uint64_t>{1234567890123});
  EXPECT_EQ(elements_of<float>(golden.value("/scalar/float")), std::vector<float>{1.5F});
  EXPECT_EQ(elements_of<double>(golden.value("/scalar/double")), std::vector<double>{2.25});
  EXPECT_EQ(text_of(golden.value("/scalar/string")), "plain text");
  EXPECT_EQ(elements_of<std::complex<float>>(golden.value("/scalar/ComplexF")).front(), std::complex(1.0F, -2.0F));
  const auto line = elements_of<std::complex<double>>(golden.value("/scalar/ComplexD_1d"));
  ASSERT_EQ(line.size(), 3U);
  EXPECT_EQ(line[2], std::complex(2.0, -2.5));
  const Value table = golden.value("/scalar/double_2d");
  EXPECT_EQ(table.extents, (std::vector<std::uint64_t>{3, 3}));
  EXPECT_EQ(elements_of<double>(table)[5], 12);
  const Value matrix = golden.value("/scalar/ColorMatrixD");
  EXPECT_EQ(matrix.extents, (std::vector<std::uint64_t>{3, 3}));
  EXPECT_EQ(elements_of<std::complex<double>>(matrix)[7], std::complex(2.0, 1.0));
  EXPECT_EQ(to_string(matrix.type), "array 3x3 of complex128 {r,i}");
}

TEST(Hdf5Tree, SmallObjectsOfQlua) {
  OfGolden golden("qlua-layout-2x4x2x6.h5");
  EXPECT_EQ(text_of(golden.value("/scalar/string")), "hello");
  EXPECT_EQ(elements_of<double>(golden.value("/scalar/vecreal")), (std::vector<double>{0, 1, 2, 3, 4}));
  EXPECT_EQ(elements_of<std::int64_t>(golden.value("/scalar/vecint")), (std::vector<std::int64_t>{7, -8, 9}));
  EXPECT_EQ(elements_of<std::complex<double>>(golden.value("/scalar/complex")).front(), std::complex(2.0, 3.0));
  EXPECT_EQ(integer_of(golden.attribute("/scalar/real", ".time")), 1400000000000000);
  EXPECT_EQ(text_of(golden.attribute("/lat/int", ".kind")), "LatticeInt");
}

TEST(Hdf5Tree, ObjectsOfH5py) {
  OfGolden golden("small-objects.h5");
  EXPECT_EQ(text_of(golden.value("/text")), "variable");
  EXPECT_EQ(shown(golden.value("/texts")), "one\nzwei\ndrei");
  EXPECT_EQ(elements_of<bool>(golden.value("/flag")), (std::vector<bool>{true, false}));
  EXPECT_EQ(elements_of<std::byte>(golden.value("/opaque")).size(), 3U);
  EXPECT_EQ(elements_of<std::byte>(golden.value("/record")).size(), 12U);
  EXPECT_EQ(golden.value("/half").type.kind, TypeClass::other);
  EXPECT_TRUE(golden.value("/empty").is_null);
  EXPECT_EQ(golden.value("/none").count(), 0U);
  EXPECT_EQ(golden.value("/list").type.kind, TypeClass::list);
  EXPECT_EQ(shown(golden.attribute("/", "numbers")), "0 1 2 3 4 5");
  EXPECT_EQ(shown(golden.attribute("/", "complex")), "(1.5,-2)");
  EXPECT_EQ(shown(golden.attribute("/", "choice")), "2");
  EXPECT_EQ(to_string(golden.attribute("/", "numbers").type), "int64 big-endian");
  EXPECT_EQ(shown(golden.attribute("/", "link")), std::nullopt);
  EXPECT_THROW(read_value(golden.file, find_object(golden.file, "/packed")->handle.get(), {"", "/packed"}, 10), Error);
}

TEST(Hdf5Tree, FiltersOfSmallObjectsAreUndone) {
  OfGolden golden("hadrons.h5");
  const auto corr = elements_of<std::complex<double>>(golden.value("/meson/meson_1/corr"));
  ASSERT_EQ(corr.size(), 8U);
  EXPECT_EQ(corr[3], std::complex(4.0, -3.0));
  const Value matrix = golden.value("/pi/a2aMatrix");
  EXPECT_EQ(matrix.extents, (std::vector<std::uint64_t>{4, 3, 2}));
  const auto entries = elements_of<std::complex<float>>(matrix);
  for (std::size_t i = 0; i < entries.size(); ++i) EXPECT_EQ(entries[i].real(), static_cast<float>(i));
  EXPECT_EQ(shown(golden.attribute("/meson/meson_0", "gamma_snk")), "Gamma5");
}

TEST(Hdf5Tree, PathsAreFollowedStepByStep) {
  OfGolden golden("links.h5");
  for (const char* path : {"/a/b/data", "/soft", "/relative", "/again", "/a/b/up/b/data", "/a/b/root/soft"}) {
    const auto found = find_object(golden.file, path);
    ASSERT_TRUE(found) << path;
    EXPECT_EQ(found->object.kind, ObjectKind::dataset) << path;
  }
  EXPECT_EQ(find_object(golden.file, "/relative")->path, "/a/b/data");
  EXPECT_EQ(find_object(golden.file, "../b/./data", "/a/b")->path, "/a/b/data");
  EXPECT_EQ(find_object(golden.file, "../../..", "/a/b")->path, "/");
  EXPECT_FALSE(find_object(golden.file, "/nowhere"));
  EXPECT_FALSE(find_object(golden.file, "/again/x"));
  EXPECT_THROW(find_object(golden.file, "/circle"), Error);
  EXPECT_THROW(find_object(golden.file, "/elsewhere"), Error);
}

TEST(Hdf5Tree, LinksTellWhereTheyLead) {
  OfGolden golden("links.h5");
  const auto root = find_object(golden.file, "/");
  const auto links = links_of(golden.file, root->handle.get(), golden.file.where("/"), 100);
  ASSERT_EQ(links.size(), 9U);
  EXPECT_EQ(links[0].name, "a");
  EXPECT_EQ(links[3].name, "elsewhere");
  EXPECT_EQ(links[3].kind, LinkKind::external);
  EXPECT_EQ(links[3].file, "other.h5");
  EXPECT_EQ(links[3].target, "/data");
  EXPECT_EQ(links.back().target, "/a/b/data");
  EXPECT_THROW(links_of(golden.file, root->handle.get(), golden.file.where("/"), 3), Error);
}

// Whatever the storage, in pieces of any length.
TEST(Hdf5Contents, AreTheElementsInOrder) {
  if (!testing::has_filters("deflate")) GTEST_SKIP() << "built without libdeflate";
  OfGolden golden("native-chunked.h5");
  const Value value = golden.value("/spinor");
  const auto contents = contents_of(golden.source(), "/spinor");
  ASSERT_NE(contents, nullptr);
  ASSERT_EQ(contents->size(), value.count() * 16);
  std::vector<std::byte> all(contents->size());
  for (std::size_t at = 0; at < all.size();) {
    at += contents->read_at(at, base::MutableBytes(all).subspan(at, std::min<std::size_t>(777, all.size() - at)));
  }
  EXPECT_EQ(elements_of<std::complex<double>>(decode(value.type, value.extents, all)),
            elements_of<std::complex<double>>(value));
  EXPECT_EQ(contents_of(golden.source(), "/t"), nullptr);
  EXPECT_THROW(contents_of(golden.source(), "/no"), Error);
}

}  // namespace
}  // namespace lq::hdf5
