#include "lib/manifest/records.h"

namespace berglite::manifest {

Result<Records> Records::Open(const ReadPart& read, const std::vector<Wanted>& wanted) {
  BERGLITE_ASSIGN_OR_RETURN(AvroContainer container, AvroContainer::Open(read));
  BERGLITE_ASSIGN_OR_RETURN(Projection projection, Projection::Make(container.schema(), wanted));
  return Records(std::move(container), std::move(projection));
}

Result<bool> Records::NextBlock() {
  BERGLITE_ASSIGN_OR_RETURN(block_, container_.Next());
  if (!block_) return false;
  cursor_ = Cursor(block_->bytes);
  records_left_ = block_->record_count;
  return true;
}

Result<bool> Records::Next() {
  if (records_left_ == 0) {
    if (!cursor_.is_at_end()) return Damaged("a block is longer than its records");
    return false;
  }
  --records_left_;
  BERGLITE_RETURN_IF_ERROR(projection_.Read(cursor_));
  return true;
}

}  // namespace berglite::manifest
