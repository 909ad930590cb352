#include "src/serving/service/run_service.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string_view>
#include <thread>

#include "src/base/cli/report.hpp"
#include "src/base/core/clock.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/host.hpp"
#include "src/serving/service/cache.hpp"
#include "src/serving/service/service.hpp"
#include "src/serving/service/site.hpp"

namespace epochcast::serve {
namespace {

constexpr auto between_questions = std::chrono::milliseconds(20);

/// A file that exists only while the service is ready.
class AddressFile {
 public:
  explicit AddressFile(std::string path) : path_(std::move(path)) { remove(); }
  AddressFile(const AddressFile&) = delete;
  AddressFile& operator=(const AddressFile&) = delete;
  ~AddressFile() { remove(); }

  void write(const std::string& address) const {
    if (!path_.empty()) {
      write_file(path_, address + "\n");
    }
  }
  void remove() const {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }

 private:
  std::string path_;
};

/// Under which other hosts reach this one, if it listens on all its addresses.
std::string reachable(const std::string& host) {
  if (host != "0.0.0.0" && host != "::") {
    return host.find(':') == std::string::npos ? host : "[" + host + "]";
  }
  return host_name();
}

http::ServerOptions server_options(const run::ListenOptions& listen) {
  return {.host = listen.host,
          .port = static_cast<std::uint16_t>(listen.port),
          .threads = static_cast<int>(listen.http_threads),
          .connections = static_cast<std::size_t>(listen.max_connections),
          .header_bytes = static_cast<std::size_t>(listen.max_header.value),
          .body_bytes = static_cast<std::size_t>(listen.max_body.value),
          .receive_s = listen.receive_time.value,
          .send_s = listen.send_time.value,
          .idle_s = listen.idle_time.value};
}

ServiceSettings settings_of(const ServiceOptions& options) {
  const auto& serve = options.serve;
  return {.limits = {.items = static_cast<std::size_t>(options.listen.max_items),
                     .text_bytes = static_cast<std::size_t>(options.listen.max_text.value)},
          .batches = {.batch = static_cast<std::size_t>(serve.batch),
                      .wait_s = serve.batch_wait.value,
                      .queue = static_cast<std::size_t>(serve.queue)},
          .token = read_token(options.listen.token_file),
          .names = own_names(options.listen.host),
          .model = options.model};
}

redis::Endpoint redis_endpoint(const std::string& text) {
  try {
    return redis::parse_endpoint(text);
  } catch (const Error& error) {
    throw Error(std::string("--redis: ") + error.what());
  }
}

std::unique_ptr<Cache> make_cache(const run::ServeOptions& serve, const Clock& clock) {
  if (serve.cache_time.value == 0) {
    return nullptr;
  }
  if (!serve.redis.empty()) {
    return std::make_unique<RedisCache>(redis_endpoint(serve.redis), serve.cache_time.value, clock);
  }
  return std::make_unique<MemoryCache>(
      MemoryCacheOptions{.time_s = serve.cache_time.value,
                         .entries = static_cast<std::size_t>(serve.cache_entries)},
      clock);
}

/// False if the service is to end before.
bool wait_until_warm(const Batcher& batcher, const std::function<bool()>& stop) {
  while (batcher.health() == Batcher::Health::warming && !stop()) {
    std::this_thread::sleep_for(between_questions);
  }
  if (batcher.health() == Batcher::Health::failing) {
    throw RunError("the model cannot be warmed up: " + batcher.failure());
  }
  return batcher.health() == Batcher::Health::ready;
}

using namespace std::string_view_literals;

constexpr std::string_view sample_text = "A service warms up before it says that it is ready.";

/// A PNG of one white pixel.
constexpr std::string_view sample_picture =
    "\x89PNG\r\n\x1a\n"
    "\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde"
    "\0\0\0\x0cIDATx\x9c\x63\xf8\xff\xff?\0\x05\xfe\x02\xfe\r\xef\x46\xb8"
    "\0\0\0\0IEND\xae\x42\x60\x82"sv;

/// Predicts for made-up inputs: one alone, then `batch`, twice each. Throws what the predictor
/// does.
void warm_up(Predictor& predictor, std::size_t batch) {
  const auto input =
      predictor.prepare(predictor.kind() == Kind::text ? sample_text : sample_picture);
  for (const std::size_t inputs : {std::size_t(1), std::size_t(1), batch, batch}) {
    predictor.predict(std::vector<const Input*>(inputs, input.get()));
  }
}

}  // namespace

std::vector<cli::Option> service_options() {
  auto options = cli::options_of_fields<run::ServeOptions>();
  const auto listen = cli::options_of_fields<run::ListenOptions>();
  options.insert(options.end(), listen.begin(), listen.end());
  return options;
}

ServiceOptions read_service_options(const cli::Arguments& arguments) {
  ServiceOptions options;
  cli::set_fields_from(options.serve, arguments);
  cli::set_fields_from(options.listen, arguments);
  return options;
}

ServiceEnd run_service(Predictor& predictor, const ServiceOptions& options,
                       const std::function<bool()>& stop) {
  const SteadyClock clock;
  const AddressFile address_file(options.listen.address_file);
  const ServiceSettings settings = settings_of(options);
  const auto cache = make_cache(options.serve, clock);
  Service service(predictor, settings, cache.get(),
                  [&] { warm_up(predictor, settings.batches.batch); });
  std::size_t unanswered = 0;
  {
    http::Server server(server_options(options.listen), service);
    const auto address = fmt::format("http://{}:{}", reachable(options.listen.host), server.port());
    cli::report("listening on " + address);
    if (wait_until_warm(service.batcher(), stop)) {
      address_file.write(address);
    }
    while (!stop()) {
      std::this_thread::sleep_for(between_questions);
    }
    address_file.remove();
    server.start_draining();
    service.start_draining();
    cli::report(fmt::format("draining, {} wait", counted(service.batcher().waiting(), "input")));
    unanswered = server.drain(options.listen.drain_time.value);
    service.batcher().stop();
  }
  const std::uint64_t answered = service.metrics().answers("/predict", 200);
  cli::report(fmt::format("ended, {} answered", counted(answered, "request")));
  if (unanswered > 0) {
    cli::report(fmt::format("{} not answered within --drain-time={}",
                            counted(unanswered, "request"), to_text(options.listen.drain_time)));
  }
  return {.answered = answered, .unanswered = unanswered};
}

}  // namespace epochcast::serve
