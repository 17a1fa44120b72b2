#include "bench/results/limits.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace tallcache {
namespace {

constexpr std::string_view peak = "multiply_add", traffic = "memory_traffic", clock_rate = "clock",
                           registers = "registers";

Record limit(std::string_view operation, std::string variant, std::string_view backend, std::string element,
             int threads) {
  Record record{.operation = std::string(operation),
                .variant = std::move(variant),
                .backend = std::string(backend),
                .element = std::move(element)};
  record.threads = threads;
  record.outcome.status = Status::measured;
  return record;
}

void put_rated(Record& record, const char* unit, const Rated& rated) {
  record.quantities.push_back({.name = "rate", .unit = unit, .value = rated.best, .detail = "best round"});
  Quantity& median =
      record.quantities.emplace_back(Quantity{.name = "median rate", .unit = unit, .value = rated.median});
  median.spread = rated.mad;
  record.quantities.push_back(
      {.name = "rounds", .unit = "1", .value = static_cast<double>(rated.rounds), .detail = "harness"});
}

Rated rated_from(const Record& record) {
  const Quantity* median = record.find("median rate");
  return {.median = median ? median->value : no_value,
          .mad = median ? median->spread : no_value,
          .best = record.value("rate"),
          .rounds = static_cast<int>(record.value("rounds"))};
}

}  // namespace

std::vector<Record> to_records(const Limits& limits, std::string_view backend) {
  std::vector<Record> records;
  Record& clock = records.emplace_back(limit(clock_rate, "integer_chain", backend, "", 1));
  Quantity frequency{.name = "rate", .unit = "GHz", .detail = "best round"};
  if (limits.clock_ghz)
    frequency.value = *limits.clock_ghz;
  else
    frequency.reason = limits.clock_ghz.absent;
  clock.quantities.push_back(std::move(frequency));
  for (const FlopPeak& flops : limits.peaks) {
    Record& record = records.emplace_back(
        limit(peak, limits.fused ? "fused" : "separate", backend, flops.element, flops.threads));
    record.shape = {{"lanes", flops.lanes}};
    put_rated(record, "GFLOP/s", flops.gflop_per_s);
  }
  for (const OperationPeak& operations : limits.operations)
    put_rated(records.emplace_back(
                  limit(operations.operation, std::string(registers), backend, operations.element, 1)),
              "GOP/s", operations.gop_per_s);
  for (const Bandwidth& bandwidth : limits.bandwidths) {
    Record& record =
        records.emplace_back(limit(traffic, bandwidth.kernel, backend, "byte", bandwidth.threads));
    record.shape = {{"bytes", bandwidth.bytes}};
    put_rated(record, "GB/s", bandwidth.gb_per_s);
  }
  if (!limits.bandwidths_absent.empty() && limits.bandwidths.empty()) {
    Record& record = records.emplace_back(limit(traffic, "any", backend, "byte", 1));
    record.outcome = {Status::too_large, limits.bandwidths_absent};
  }
  return records;
}

Limits limits_from(std::span<const Record> records, std::string_view backend) {
  Limits limits;
  limits.clock_ghz = Figure<double>::none("not measured");
  for (const Record& record : records) {
    if (record.backend != backend) continue;
    if (record.operation == clock_rate) {
      const Quantity& frequency = record.quantities.at(0);
      limits.clock_ghz = std::isnan(frequency.value) ? Figure<double>::none(frequency.reason)
                                                     : Figure<double>(frequency.value);
    } else if (record.operation == peak) {
      limits.fused = record.variant == "fused";
      limits.peaks.push_back(
          {record.element, record.threads, record.shape.at("lanes").get<int>(), rated_from(record)});
    } else if (record.variant == registers) {
      limits.operations.push_back({record.operation, record.element, rated_from(record)});
    } else if (record.operation == traffic) {
      if (record.outcome.measured())
        limits.bandwidths.push_back({record.variant, record.threads,
                                     record.shape.at("bytes").get<std::size_t>(), rated_from(record)});
      else
        limits.bandwidths_absent = record.outcome.reason;
    }
  }
  return limits;
}

std::vector<Record> limit_records(const Backend& backend, int device, const LimitsProtocol& protocol,
                                  const LimitsProgress& progress) {
  try {
    return to_records(backend.limits(device, protocol, progress), backend.name);
  } catch (const Error& error) {
    if (backend.host) throw;
    Record record = limit(traffic, "copy", backend.name, "byte", 1);
    record.outcome = {error.status(), error.what()};
    return {record};
  }
}

std::vector<Record> measured_limits(const LimitsProtocol& protocol, int device,
                                    const LimitsProgress& progress) {
  std::vector<Record> records;
  for (const Backend* backend : backends())
    if (backend->host || !progress || progress(backend->title))
      for (Record& record : limit_records(*backend, device, protocol, progress))
        records.push_back(std::move(record));
  return records;
}

double Roofline::best(std::string_view operation, std::string_view backend, std::string_view element,
                      int threads) const {
  double rate = no_value;
  for (const Record& record : limits_)
    if (record.operation == operation && record.backend == backend && record.element == element &&
        (record.threads == 1) == (threads == 1))
      rate = std::fmax(rate, record.value("rate"));
  return rate;
}

double Roofline::gflop_per_s(std::string_view backend, std::string_view element, int threads) const {
  return best(peak, backend, element, threads);
}

double Roofline::gb_per_s(std::string_view backend, int threads) const {
  return best(traffic, backend, "byte", threads);
}

double Roofline::share(const Record& record, std::string_view element) const {
  const Quantity* work = record.find("work");
  if (!work) return no_value;
  if (work->unit == "flop") return record.rate() / gflop_per_s(record.backend, element, record.threads);
  return record.value("traffic") / record.seconds() * 1e-9 / gb_per_s(record.backend, record.threads);
}

double Roofline::share_of(std::string_view operation, const Record& record, std::string_view element) const {
  return record.value("work") / record.seconds() * 1e-9 / best(operation, record.backend, element, 1);
}

}  // namespace tallcache
