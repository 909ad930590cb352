#include "src/progress/recognizer.hpp"

namespace epochcast::progress {

struct Recognizer::Impl {};

Recognizer::Recognizer(const RecognizerOptions& /*options*/) : impl_(std::make_unique<Impl>()) {}
Recognizer::~Recognizer() = default;
void Recognizer::read(Stream /*stream*/, std::string_view /*bytes*/, double /*at_s*/) {}
void Recognizer::read(const Reading& /*reading*/, double /*at_s*/) {}
void Recognizer::finish(double /*at_s*/) {}
Rows Recognizer::take() {
  return {};
}
Position Recognizer::position() const {
  return {};
}
std::string Recognizer::source() const {
  return "none";
}
std::string Recognizer::note() const {
  return "";
}

}  // namespace epochcast::progress
