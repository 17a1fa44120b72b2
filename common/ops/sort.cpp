#include "common/ops/sort.hpp"

#include "common/operation_record.hpp"

namespace tallcache {
template struct OperationRecord<Sort>;
template struct OperationRecord<SortOf<std::uint64_t>>;
template struct OperationRecord<SortOf<double>>;
template struct OperationRecord<SortOf<KeyAndPosition>>;
template struct OperationRecord<SortOf<MoveOnly>>;
template struct OperationRecord<SortOf<StringPointer>>;
}  // namespace tallcache
