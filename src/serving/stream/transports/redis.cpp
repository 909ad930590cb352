// Redis Streams with a consumer group: for users who have a broker, or several consumers.
//
// Each batch is an entry with a field "document". Batch 7 of a producer of ours has the id 7-0, and
// Redis takes only rising ids, so a batch that is sent twice is kept once. Entries of others, with
// the ids that Redis gives (milliseconds-number), get the batch number milliseconds * 1000 +
// number. An entry is acknowledged and removed when its answers are durable. Journals of several
// consumers share the entries; those of one that ended come to the next consumer with the same
// journal.
//
// Redis itself loses what it has not written when its machine fails, unless it runs with
// "appendonly yes" and "appendfsync always".
#include "src/serving/stream/redis.hpp"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <thread>

#include "src/base/cli/report.hpp"
#include "src/base/core/text.hpp"
#include "src/serving/stream/delivered.hpp"
#include "src/serving/stream/transport.hpp"

namespace epochcast::stream::transports {
namespace redis_transport {

constexpr const char* group = "epochcast";
constexpr std::int64_t numbers_per_ms = 1000;
constexpr double poll_s = 0.05;

/// The number of the batch with this id of Redis.
std::optional<std::int64_t> batch_id_of(const std::string& id) {
  const auto parts = split(id, '-');
  const auto first = parts.size() == 2 ? parse_integer(parts[0]) : std::nullopt;
  const auto second = first ? parse_integer(parts[1]) : std::nullopt;
  constexpr std::int64_t first_of_clock = 1'000'000'000'000;  // the year 2001
  if (!second || *second >= numbers_per_ms || (*first < first_of_clock && *second != 0)) {
    return std::nullopt;
  }
  return *first < first_of_clock ? *first : *first * numbers_per_ms + *second;
}

/// Runs `body` until it needs no connection that is lost. False: `stop` became true.
template <class Body>
bool with_connection(const StopRequested& stop, const Body& body) {
  bool told = false;
  while (!stop()) {
    try {
      body();
      return true;
    } catch (const RedisLost& error) {
      if (!told) {
        told = true;
        cli::report(std::string(error.what()) + "; trying again");
      }
      std::this_thread::sleep_for(std::chrono::duration<double>(poll_s));
    }
  }
  return false;
}

class RedisSource final : public Source {
 public:
  RedisSource(const RedisPlace& place, const Sink& sink)
      : key_(place.key), name_(sink.id()), delivered_(sink), redis_(place.endpoint) {
    redis_.command({"PING"});  // a wrong address is told at once
  }

  std::optional<Delivery> next(double patience_s) override {
    try {
      make_group();
      return read(patience_s);
    } catch (const RedisLost& error) {
      if (!is_lost_) {
        cli::report(std::string(error.what()) + "; trying again");
      }
      is_lost_ = true;
      pending_ = "0";  // what Redis has given to a lost connection comes again
      std::this_thread::sleep_for(std::chrono::duration<double>(patience_s));
      return std::nullopt;
    }
  }

  void done(const Delivery& delivery) override {
    try {
      forget(delivery.receipt);
    } catch (const RedisLost&) {
      pending_ = "0";  // it is forgotten when it comes again
    }
  }

 private:
  void make_group() {
    if (has_group_) {
      return;
    }
    try {
      redis_.command({"XGROUP", "CREATE", key_, group, "0", "MKSTREAM"});
    } catch (const redis::Refused& error) {
      if (std::string_view(error.what()).find("BUSYGROUP") == std::string_view::npos) {
        throw;
      }
    }
    has_group_ = true;
  }

  /// First what Redis gave to this journal before, then what is new.
  std::optional<Delivery> read(double patience_s) {
    while (!pending_.empty()) {
      const auto entry = read_entry(pending_, 0);
      if (!entry) {
        pending_.clear();
        break;
      }
      pending_ = entry->list[0].text;
      if (auto delivery = delivery_of(*entry)) {
        return delivery;
      }
    }
    is_lost_ = false;
    const auto entry = read_entry(">", patience_s);
    return entry ? delivery_of(*entry) : std::nullopt;
  }

  std::optional<redis::Value> read_entry(const std::string& after, double patience_s) {
    std::vector<std::string> words{"XREADGROUP", "GROUP", group, name_, "COUNT", "1"};
    if (patience_s > 0) {
      const auto block_ms = std::max<std::int64_t>(1, static_cast<std::int64_t>(patience_s * 1000));
      words.insert(words.end(), {"BLOCK", std::to_string(block_ms)});
    }
    words.insert(words.end(), {"STREAMS", key_, after});
    const auto reply = redis_.command(words);
    if (reply.kind == redis::Value::Kind::nothing || reply.list.empty() ||
        reply.list[0].list.size() < 2 || reply.list[0].list[1].list.empty()) {
      return std::nullopt;
    }
    return reply.list[0].list[1].list[0];
  }

  std::optional<Delivery> delivery_of(const redis::Value& entry) {
    const auto& receipt = entry.list[0].text;
    const auto id = batch_id_of(receipt);
    if (!id) {
      throw Error(fmt::format(
          "entry {} of '{}': its id is neither NUMBER-0 nor one that Redis gives", receipt, key_));
    }
    if (*id <= delivered_.last(key_)) {
      if (delivered_.is_durable(key_, *id)) {
        forget(receipt);
      }
      return std::nullopt;
    }
    Delivery delivery{entry_batch(entry, receipt), receipt};
    delivery.batch.source = key_;
    delivery.batch.id = *id;
    delivered_.note(key_, *id);
    return delivery;
  }

  /// A batch that cannot be read is one item, whose answer is the reason, so that those after it
  /// do not wait.
  Batch entry_batch(const redis::Value& entry, const std::string& receipt) const {
    const auto where = fmt::format("entry {} of '{}'", receipt, key_);
    try {
      const auto& fields = entry.list.at(1).list;
      for (std::size_t i = 0; i + 1 < fields.size(); i += 2) {
        if (fields[i].text == "document") {
          return parse_batch(fields[i + 1].text, where);
        }
      }
      throw Error(where + ": has no field 'document'");
    } catch (const Error& error) {
      cli::report(error.what());
      return {.items = {{.refused = error.what()}}};
    }
  }

  /// An entry that is only removed when this ends comes again, without its fields; one that is only
  /// acknowledged would stay for ever.
  void forget(const std::string& receipt) {
    redis_.command({"XDEL", key_, receipt});
    redis_.command({"XACK", key_, group, receipt});
  }

  std::string key_;
  std::string name_;
  Delivered delivered_;
  Redis redis_;
  bool has_group_ = false;
  bool is_lost_ = false;
  std::string pending_ = "0";  ///< The id after which old entries are read; empty: none are left.
};

class RedisTarget final : public Target {
 public:
  RedisTarget(const RedisPlace& place, std::int64_t window)
      : key_(place.key), window_(window), redis_(place.endpoint) {
    redis_.command({"PING"});
  }

  bool find_next(std::int64_t& next, const StopRequested& stop) override {
    return with_connection(stop, [&] { next = last_id() + 1; });
  }

  bool release(std::int64_t id, const std::string& document, const StopRequested& stop) override {
    return with_connection(stop,
                           [&] {
                             while (redis_.command({"XLEN", key_}).integer >= window_ && !stop()) {
                               std::this_thread::sleep_for(std::chrono::duration<double>(poll_s));
                             }
                             if (!stop()) {
                               add_to_stream(redis_, key_, id, "document", document);
                             }
                           }) &&
           !stop();
  }

  bool finish(const StopRequested& /*stop*/) override { return true; }

 private:
  /// The number of the last batch that was ever added; 0: there was none.
  std::int64_t last_id() { return batch_id_of(last_stream_id(redis_, key_)).value_or(0); }

  std::string key_;
  std::int64_t window_;
  Redis redis_;
};

}  // namespace redis_transport

TransportSpec redis() {
  return {.summary = "Redis Streams, a broker; the key is the name of the stream",
          .form = "redis://HOST:PORT/KEY",
          .open_source =
              [](const std::string& where, const Sink& sink) {
                return std::make_unique<redis_transport::RedisSource>(parse_redis_place(where),
                                                                      sink);
              },
          .open_target =
              [](const TargetPlace& place) {
                return std::make_unique<redis_transport::RedisTarget>(
                    parse_redis_place(place.where), place.window);
              }};
}

}  // namespace epochcast::stream::transports
