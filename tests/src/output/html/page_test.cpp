#include "src/output/html/page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/output/html/escape.hpp"
#include "tests/html.hpp"

namespace epochcast::html {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(Page, IsWellFormedAndForbidsRequests) {
  const auto page =
      document({.title = "A & B", .body = element("main", element("h1", escaped("A & B")))});
  const auto facts = read_html(page);
  EXPECT_THAT(facts.faults, IsEmpty());
  EXPECT_THAT(facts.headings, ElementsAre(1));
  EXPECT_THAT(page, HasSubstr("<title>A &amp; B</title>"));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, HasSubstr("<html lang=\"en\">"));
}

TEST(Page, NamesNoAddressOutside) {
  const auto page = document({.title = "t", .body = ""});
  for (const auto* mark : {"http:", "https:", "url(", "@import", "src=", "fetch(", "XMLHttp"}) {
    EXPECT_THAT(page, Not(HasSubstr(mark)));
  }
}

TEST(Page, StyleAndScriptEndWhereTheyShould) {
  EXPECT_THAT(page_style, Not(HasSubstr("</")));
  EXPECT_THAT(page_script, Not(HasSubstr("</")));
  EXPECT_THAT(page_script, Not(HasSubstr("innerHTML")));
  EXPECT_THAT(page_style, HasSubstr("prefers-color-scheme: dark"));
  EXPECT_THAT(page_style, HasSubstr("@media print"));
}

TEST(Page, ListAndDetailsEscapeTheirTexts) {
  EXPECT_EQ(list({}), "");
  EXPECT_THAT(list({"<b>"}), HasSubstr("<li>&lt;b&gt;</li>"));
  EXPECT_THAT(details("<i>", "<p>kept</p>"), HasSubstr("<summary>&lt;i&gt;</summary>"));
  EXPECT_THAT(details("<i>", "<p>kept</p>"), HasSubstr("<p>kept</p>"));
}

}  // namespace
}  // namespace epochcast::html
