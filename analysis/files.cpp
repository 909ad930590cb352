#include "analysis/files.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "src/core/error.hpp"

namespace epochcast {

std::string file_word(const std::string& text) {
  std::string word;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '+' || c == '-';
    word += plain ? c : '-';
  }
  return word;
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  if (!in.is_open() || text.bad()) {
    throw Error(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  }
  return text.str();
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) {
    throw RunError(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
  }
}

void make_folder(const std::string& path) {
  std::error_code failure;
  std::filesystem::create_directories(path, failure);
  if (failure) {
    throw RunError(fmt::format("{}: cannot be made: {}", path, failure.message()));
  }
}

}  // namespace epochcast
