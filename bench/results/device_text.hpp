// Which variants are text for a device alone.
#pragma once

#include "common/variant.hpp"

namespace tallcache {

/// Whether the kernels of a variant use what the thread context has not (tensor cores, bulk copies,
/// clusters), so that the model on the host cannot run them. False on the CPU and for libraries.
bool is_device_text(const Variant&);

}  // namespace tallcache
