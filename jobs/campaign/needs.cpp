#include "jobs/campaign/needs.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <tuple>

#include "jobs/script/program_words.hpp"
#include "src/base/core/csv.hpp"
#include "src/base/core/enum_text.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"

namespace epochcast::jobs {

constexpr auto texts_of(Tag<Need::Kind>) {
  return std::array{EnumText<Need::Kind>{Need::Kind::program, "program"},
                    EnumText<Need::Kind>{Need::Kind::folder, "folder"},
                    EnumText<Need::Kind>{Need::Kind::input, "input"},
                    EnumText<Need::Kind>{Need::Kind::variable, "variable"}};
}

namespace {

const CsvRow needs_header{"kind", "what", "allocation", "point"};

/// A program with a slash is a file; relative to the folder in which it starts.
std::string program_file(const Program& program) {
  const auto& word = program.command.front();
  return word.find('/') == std::string::npos
             ? word
             : (std::filesystem::path(program.folder) / word).lexically_normal().string();
}

/// Then this process's PATH does not say which program it is.
bool sets_path(const Program& program) {
  return program.command.front().find('/') == std::string::npos &&
         std::ranges::find(program.environment, "PATH", &EnvironmentVariable::name) !=
             program.environment.end();
}

class Needs {
 public:
  void add(Need::Kind kind, const std::string& what, const Point& point) {
    if (seen_.emplace(kind, what, point.allocation).second) {
      all_.push_back({kind, what, point.allocation, point.id});
    }
  }

  std::vector<Need> take() && { return std::move(all_); }

 private:
  std::set<std::tuple<Need::Kind, std::string, std::string>> seen_;
  std::vector<Need> all_;
};

}  // namespace

std::vector<Need> needs_of(const std::vector<Point>& points, const std::string& out) {
  Needs needs;
  for (const auto& point : points) {
    if (!point.program.is_given()) {
      continue;
    }
    const auto program = program_in(point, out);
    if (!sets_path(program)) {
      needs.add(Need::Kind::program, program_file(program), point);
    }
    if (!is_made(point.program.folder)) {
      needs.add(Need::Kind::folder, program.folder, point);
    }
    for (const auto& input : program.inputs) {
      needs.add(Need::Kind::input, input, point);
    }
    for (const auto& variable : program.environment) {
      if (!variable.value) {
        needs.add(Need::Kind::variable, variable.name, point);
      }
    }
  }
  return std::move(needs).take();
}

std::string needs_text(const std::vector<Need>& needs) {
  auto text = csv_line(needs_header);
  for (const auto& need : needs) {
    text += csv_line({std::string(to_text(need.kind)), need.what, need.allocation, need.point});
  }
  return text;
}

std::vector<Need> read_needs(const OutFolder& out) {
  std::vector<Need> needs;
  if (!is_there(out.needs())) {
    return needs;
  }
  const auto rows = parse_csv(read_file(out.needs(), most_campaign_mib));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto kind = rows[i].empty() ? std::nullopt : parse_enum<Need::Kind>(rows[i][0]);
    if (i == 0 ? rows[i] != needs_header : !kind || rows[i].size() != needs_header.size()) {
      throw Error(out.needs().string(), static_cast<int>(i) + 1,
                  "is not a line of needs: kind,what,allocation,point; run 'epochcast-jobs "
                  "generate' again");
    }
    if (i > 0) {
      needs.push_back({*kind, rows[i][1], rows[i][2], rows[i][3]});
    }
  }
  return needs;
}

}  // namespace epochcast::jobs
