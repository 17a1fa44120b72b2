// Makes the record of the typed operation `Op`, in the one source that says
//   template struct tallcache::OperationRecord<Op>;
#pragma once

#include "common/operation.hpp"

namespace tallcache {

template <class Op>
constinit const Operation OperationRecord<Op>::record{
    .name = Op::name,
    .element = Op::element,
    .what = Op::what,
    .rate = Op::rate,
    .dims = Op::dims,
    .inputs = Op::inputs,
    .buffers = &Op::buffers,
    .fill = &Op::fill,
    .bind = &detail::bind<Op>,
    .validate = [](const void* args) { detail::validate_all<Op>(detail::args_of<Op>(args)); },
    .check =
        [](const Shape& shape, std::string_view input, std::uint64_t seed, const void* args,
           [[maybe_unused]] ErrorClass error_class) {
          if constexpr (detail::HasErrorClasses<Op>)
            return Op::check(shape, input, seed, detail::args_of<Op>(args), error_class);
          else
            return Op::check(shape, input, seed, detail::args_of<Op>(args));
        },
    .has_error_classes = detail::HasErrorClasses<Op>,
    .cost = &Op::cost,
    .test_shapes = &Op::test_shapes,
    .bench_shapes = &Op::bench_shapes,
};

}  // namespace tallcache
