// A page of HTML in one file: style sheet and script are in it, and its policy forbids every
// request, so it opens from a mail and tells nobody.
#pragma once

#include <string>
#include <vector>

namespace epochcast::html {

/// Built in from page.css and page.js.
extern const char* const page_style;
extern const char* const page_script;

struct Page {
  std::string title;       ///< Text.
  std::string body;        ///< HTML: header, main and footer.
  std::string style = {};  ///< Further rules of CSS.
};

/// The whole file, in English, with the character set, the policy and the viewport of a phone.
std::string document(const Page& page);

/// An element around HTML: element("p", escaped("text")), element("h2", ..., "id=\"runs\"").
std::string element(const std::string& name, const std::string& html,
                    const std::string& attributes = "");

/// A paragraph of text.
std::string paragraph(const std::string& text);

/// An unordered list of texts; "" without any.
std::string list(const std::vector<std::string>& texts, const std::string& attributes = "");

/// A part that opens on demand; its summary is text.
std::string details(const std::string& summary, const std::string& html);

}  // namespace epochcast::html
