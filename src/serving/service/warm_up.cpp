#include "src/serving/service/warm_up.hpp"

#include <string_view>

namespace epochcast::serve {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view sample_text = "A service warms up before it says that it is ready.";

/// A PNG of one white pixel.
constexpr std::string_view sample_picture =
    "\x89PNG\r\n\x1a\n"
    "\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde"
    "\0\0\0\x0cIDATx\x9c\x63\xf8\xff\xff?\0\x05\xfe\x02\xfe\r\xef\x46\xb8"
    "\0\0\0\0IEND\xae\x42\x60\x82"sv;

}  // namespace

void warm_up(Predictor& predictor, std::size_t batch) {
  const auto input =
      predictor.prepare(predictor.kind() == Kind::text ? sample_text : sample_picture);
  for (const std::size_t inputs : {std::size_t(1), std::size_t(1), batch, batch}) {
    predictor.predict(std::vector<const Input*>(inputs, input.get()));
  }
}

}  // namespace epochcast::serve
