// A GPU kernel's own text on the host: what its warps ask of memory, and why, without a GPU. A kernel is a
// class whose operator()(t, views...) is the work of one thread of context t (detail/common/warp/kernel.hpp).
// warp::HostDevice runs it on the model of a machine, warp::Explanation tells what each access costs.
#pragma once

#include "common/warp/explain.hpp"
#include "common/warp/host_device.hpp"
#include "common/warp/kernel.hpp"
