// Ctrl-C within a trace.
#pragma once

#include "bench/measure/interrupt.hpp"
#include "common/cache/model.hpp"

namespace tallcache {

/// A model beside the others of a trace, which ends it once a signal was noted.
class StopsTrace : public cache::Model {
 public:
  void consume(const cache::Block&) override { stop_if_interrupted(); }
};

}  // namespace tallcache
