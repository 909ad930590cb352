#include "analysis/validate/surface_questions.hpp"

#include <algorithm>
#include <functional>
#include <set>

namespace epochcast::analysis {
namespace {

using forecast::SettingTime;
using forecast::StepSetting;

/// With fewer settings than this given, a law is hardly checked.
constexpr std::size_t fewest_given = 3;

void add_question(const std::vector<SettingTime>& times, const SettingTime& asked,
                  const std::function<bool(const StepSetting&)>& left_out,
                  std::vector<SurfaceQuestion>& questions, std::string_view without = {}) {
  SurfaceQuestion question{times, asked, without};
  std::erase_if(question.given, [&](const SettingTime& time) { return left_out(time.setting); });
  if (question.given.size() >= fewest_given) {
    questions.push_back(std::move(question));
  }
}

}  // namespace

std::vector<SurfaceQuestion> one_setting(const SettingLogs& logs) {
  std::vector<SurfaceQuestion> questions;
  for (const auto& [name, times] : logs) {
    for (const auto& asked : times) {
      add_question(
          times, asked, [&](const StepSetting& other) { return other == asked.setting; },
          questions);
    }
  }
  return questions;
}

std::vector<SurfaceQuestion> one_value(const SettingLogs& logs) {
  std::vector<SurfaceQuestion> questions;
  for (const auto& [name, times] : logs) {
    for (const auto& dimension : forecast::dimensions) {
      std::set<double> values;
      for (const auto& time : times) {
        values.insert(time.setting.*dimension.value);
      }
      for (const auto& asked : times) {
        if (values.size() > 2) {
          add_question(
              times, asked,
              [&](const StepSetting& other) {
                return other.*dimension.value == asked.setting.*dimension.value;
              },
              questions, dimension.name);
        }
      }
    }
  }
  return questions;
}

std::vector<SurfaceQuestion> all_larger(const SettingLogs& logs) {
  std::vector<SurfaceQuestion> questions;
  for (const auto& [name, times] : logs) {
    StepSetting largest = times.front().setting;
    StepSetting smallest = largest;
    for (const auto& time : times) {
      for (const auto& dimension : forecast::dimensions) {
        const auto value = dimension.value;
        largest.*value = std::max(largest.*value, time.setting.*value);
        smallest.*value = std::min(smallest.*value, time.setting.*value);
      }
    }
    const auto is_as_large = [&](const StepSetting& other) {
      return std::ranges::any_of(forecast::dimensions, [&](const auto& dimension) {
        const auto value = dimension.value;
        return smallest.*value < largest.*value && other.*value == largest.*value;
      });
    };
    const auto asked = std::ranges::find(times, largest, &SettingTime::setting);
    if (asked != times.end()) {
      add_question(times, *asked, is_as_large, questions);
    }
  }
  return questions;
}

}  // namespace epochcast::analysis
