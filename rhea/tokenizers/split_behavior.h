// What becomes of the matches of a pattern and of what lies between them: the "behavior" of Split and Punctuation.
#pragma once

#include "rhea/tokenizers/json_view.h"

#include <string_view>

namespace rhea {

enum class SplitBehavior { kRemoved, kIsolated, kMergedWithPrevious, kMergedWithNext, kContiguous };

SplitBehavior read_split_behavior(const JsonView& stage, SplitBehavior otherwise);

// Joins the parts of one text, which come in order and lie side by side in memory, to pieces.
template <class Piece>
class PartJoiner {
 public:
  PartJoiner(SplitBehavior behavior, const Piece& piece) : behavior_(behavior), piece_(piece) {}

  void add(std::string_view part, bool matches) {
    if (holds_ && joins(matches)) {
      held_ = {held_.data(), held_.size() + part.size()};
    } else {
      flush();
      held_ = part;
    }
    holds_ = true;
    drop_ = matches && behavior_ == SplitBehavior::kRemoved;
    matched_ = matches;
  }

  void flush() {
    if (!held_.empty() && !drop_) {
      piece_(held_);
    }
    holds_ = false;
    held_ = {};
  }

 private:
  bool joins(bool matches) const {
    switch (behavior_) {
      case SplitBehavior::kMergedWithPrevious: return matches && !matched_;
      case SplitBehavior::kMergedWithNext: return !matches && matched_;
      case SplitBehavior::kContiguous: return matches == matched_;
      default: return false;
    }
  }

  SplitBehavior behavior_;
  const Piece& piece_;
  std::string_view held_;
  bool holds_ = false, matched_ = false, drop_ = false;
};

}  // namespace rhea
