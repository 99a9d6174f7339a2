// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// XML: what lattice files hold is read, and hostile documents end in an Error.
#include "base/xml.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <string>
#include <string_view>

#include <limequat/error.hpp>

namespace lq::base::xml {
namespace {

Error error_of(std::string_view document, const Limits& limits = {}) {
  try {
    parse(document, limits);
  } catch (const Error& error) {
    return error;
  }
  return Error(Code::ok, "no error");
}

std::string nested(int depth) {
  std::string open, close;
  for (int i = 0; i < depth; ++i) {
    open += "<a>";
    close += "</a>";
  }
  return open + close;
}

constexpr std::string_view ildg_format =
    R"(<?xml version="1.0" encoding="UTF-8"?>
<ildgFormat xmlns="http://www.lqcd.org/ildg" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
  <version> 1.0 </version>
  <field>su3gauge</field>
  <precision>64</precision>
  <lx>8</lx><ly>8</ly> <lz>8</lz> <lt>16</lt>
</ildgFormat>)";

TEST(Xml, ReadsAnIldgFormat) {
  const Element root = parse(ildg_format);
  EXPECT_EQ(root.name, "ildgFormat");
  EXPECT_EQ(root.children.size(), 7u);
  EXPECT_EQ(root.text_of("version"), "1.0");
  EXPECT_EQ(root.text_of("lt"), "16");
  EXPECT_EQ(root.text_of("nx"), std::nullopt);
  EXPECT_EQ(root.child("nx"), nullptr);
}

TEST(Xml, DropsNamespacePrefixes) {
  const Element root = parse("<ildg:ildgFormat><ildg:lx>4</ildg:lx></ildg:ildgFormat>");
  EXPECT_EQ(root.name, "ildgFormat");
  EXPECT_EQ(root.text_of("lx"), "4");
}

TEST(Xml, StripsTrailingNuls) {
  EXPECT_EQ(parse(std::string_view("<a>1</a>\0\0\0", 11)).text, "1");
  EXPECT_EQ(parse(std::string_view("<a>1</a>\n\0", 10)).text, "1");
}

TEST(Xml, SkipsAByteOrderMark) { EXPECT_EQ(parse("\xef\xbb\xbf<a>1</a>").text, "1"); }

TEST(Xml, RefusesBytesThatAreNoUtf8UnlessAnotherEncodingIsStated) {
  EXPECT_EQ(parse("<a>M\xc3\xa4rz</a>").text, "M\xc3\xa4rz");
  for (const char* const bad :
       {"<a>M\xe4rz</a>", "<?xml version=\"1.0\" encoding=\"UTF-8\"?><a>\xc3</a>",
        "<?xml version=\"1.0\" encoding=\"UTF-\xb8\"?><a>1</a>", "<?xml version=\"1.0\"?><a>1</a><!-- \xff -->"}) {
    EXPECT_EQ(error_of(bad).code(), Code::malformed) << bad;
  }
  EXPECT_EQ(parse("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>M\xe4rz</a>").text, "M\xe4rz");
}

TEST(Xml, DecodesTheFiveEntitiesAndCharacters) {
  EXPECT_EQ(parse("<a>&lt;&gt;&amp;&quot;&apos;&#65;&#x42;</a>").text, "<>&\"'AB");
}

TEST(Xml, ReadsCharacterData) { EXPECT_EQ(parse("<a>x<![CDATA[<b>&amp;]]>y</a>").text, "x<b>&amp;y"); }

TEST(Xml, IgnoresCommentsInstructionsAndAttributes) {
  EXPECT_EQ(parse("<!-- c --><?p i?><a b=\"1>2\">3<!-- 4 -->5</a><!-- d -->").text, "35");
}

TEST(Xml, FindsTheFirstOfEqualNames) {
  const Element root = parse("<a><b>1</b><b>2</b></a>");
  EXPECT_EQ(root.text_of("b"), "1");
  EXPECT_EQ(root.children.at(1).text, "2");
}

TEST(Xml, KeepsTheTreeOfNestedElements) {
  const Element root = parse("<a> t <b><c>1</c></b> u </a>");
  EXPECT_EQ(root.child("b")->text_of("c"), "1");
  EXPECT_EQ(root.text.substr(0, 1), "t");
}

TEST(Xml, NeverExpandsEntitiesOfTheDocument) {
  std::string laughs = "<!DOCTYPE lolz [<!ENTITY lol0 \"lol\">";
  for (int i = 1; i < 10; ++i) {
    const std::string before = "&lol" + std::to_string(i - 1) + ";";
    laughs += "<!ENTITY lol" + std::to_string(i) + " \"";
    for (int k = 0; k < 10; ++k) laughs += before;
    laughs += "\">";
  }
  laughs += "]><lolz>&lol9;</lolz>";
  EXPECT_EQ(parse(laughs).text, "&lol9;");
}

TEST(Xml, NeverReadsExternalEntities) {
  EXPECT_EQ(parse("<!DOCTYPE a [<!ENTITY f SYSTEM \"file:///etc/hostname\">]><a>&f;</a>").text, "&f;");
}

TEST(Xml, RefusesEveryTruncation) {
  for (std::size_t length = 0; length < ildg_format.size(); ++length) {
    const Error error = error_of(ildg_format.substr(0, length));
    ASSERT_EQ(error.code(), Code::malformed) << length << ": " << error.what();
    ASSERT_TRUE(error.facts().offset.has_value());
    ASSERT_LE(*error.facts().offset, length);
  }
}

TEST(Xml, RefusesWhatIsNoDocument) {
  for (const std::string_view bad : {"", "   ", "text", "<", "<>", "<a", "<a></b>", "</a>", "<a>&#", "<a b=></a>",
                                     "<a/><b/>", "<?xml", "<!DOCTYPE", "<!-- -->", "<![CDATA[", "<a><b></a></b>"}) {
    EXPECT_EQ(error_of(bad).code(), Code::malformed) << bad;
  }
}

TEST(Xml, SaysWhereItIsWrong) {
  const Error error = error_of("<a><b>1</c></a>");
  EXPECT_GE(*error.facts().offset, 7u);
  EXPECT_LE(*error.facts().offset, 11u);
  EXPECT_EQ(*error_of(std::string_view("<a>1\0</a>", 9)).facts().offset, 4u);
  EXPECT_EQ(*error_of("<a/><b/>").facts().offset, 5u);
}

TEST(Xml, RefusesDocumentsAboveTheLimits) {
  const Limits limits{.bytes = 100, .depth = 3, .elements = 5};
  EXPECT_EQ(parse(nested(3), limits).name, "a");
  EXPECT_EQ(error_of(nested(4), limits).code(), Code::malformed);
  EXPECT_EQ(parse("<a><b/><b/><b/><b/></a>", limits).children.size(), 4u);
  EXPECT_EQ(error_of("<a><b/><b/><b/><b/><b/></a>", limits).code(), Code::malformed);
  EXPECT_EQ(parse("<a>" + std::string(93, 'x') + "</a>", limits).text.size(), 93u);
  EXPECT_EQ(error_of("<a>" + std::string(94, 'x') + "</a>", limits).code(), Code::malformed);
}

TEST(Xml, SurvivesDeepNesting) {
  const Limits limits{.bytes = 16 << 20, .depth = 32, .elements = 1'000'000};
  EXPECT_EQ(error_of(nested(1'000'000), limits).code(), Code::malformed);
  EXPECT_EQ(error_of(nested(100'000)).code(), Code::malformed);
}

TEST(Xml, SurvivesManyAttributes) {
  std::string document = "<a";
  for (int i = 0; i < 50'000; ++i) document += " b='1'";
  EXPECT_EQ(parse(document + ">7</a>").text, "7");
}

TEST(Xml, EndsDamagedDocumentsInAnElementOrAnError) {
  std::mt19937 random(5);
  for (int round = 0; round < 3000; ++round) {
    std::string document(ildg_format);
    for (int damage = 0; damage < 4; ++damage) document[random() % document.size()] = static_cast<char>(random());
    const Code code = error_of(document).code();
    ASSERT_TRUE(code == Code::ok || code == Code::malformed) << document;
  }
}

bool same(const Element& a, const Element& b) {
  return a.name == b.name && a.text == b.text &&
         std::equal(a.children.begin(), a.children.end(), b.children.begin(), b.children.end(), same);
}

// A comment after the document makes it one that the general parser reads.
TEST(Xml, ReadsPlainDocumentsAsTheGeneralParserDoes) {
  constexpr std::string_view pieces[] = {"<a>",
                                         "<a>",
                                         "</a>",
                                         "</a>",
                                         "<b>",
                                         "</b>",
                                         "<b>1</b>",
                                         "<c-d.e_2> x y </c-d.e_2>",
                                         "x",
                                         " ",
                                         "\n",
                                         "\r",
                                         "\v",
                                         "&lt;",
                                         "<a b=\"1\">",
                                         "<a b='1'>",
                                         "<a b=\"<\">",
                                         "<a/>",
                                         "]]>",
                                         ">",
                                         "<!-- -->",
                                         "<a >",
                                         "</a >",
                                         "<p:a>",
                                         "<a p:q=\"x\" r=\"y\">",
                                         "\t",
                                         "<1>",
                                         "</ab>",
                                         "\xc3\xa4",
                                         "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"};
  std::mt19937 random(7);
  int read = 0;
  for (int round = 0; round < 200'000; ++round) {
    std::string document = round % 2 == 0 ? "<a>" : "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<a>";
    for (auto left = random() % 7; left > 0; --left) document += pieces[random() % std::size(pieces)];
    document += "</a>";
    const Error plain = error_of(document), general = error_of(document + "<!-- -->");
    ASSERT_EQ(plain.code(), general.code()) << document << ": " << plain.what() << "; " << general.what();
    if (plain.code() != Code::ok) continue;
    ++read;
    ASSERT_TRUE(same(parse(document), parse(document + "<!-- -->"))) << document;
  }
  EXPECT_GT(read, 10'000);
}

TEST(XmlElement, EscapesItsText) {
  EXPECT_EQ(element("a", "1 < 2 & \"3\" > 2"), "<a>1 &lt; 2 &amp; &quot;3&quot; &gt; 2</a>");
  EXPECT_EQ(parse(element("a", "1 < 2 & \"3\" > 2")).text, "1 < 2 & \"3\" > 2");
}

}  // namespace
}  // namespace lq::base::xml
