// A short list that lives inside its owner: copying and filling it never asks for memory.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/archive.h"

namespace wm {

template <class Item, int kMost>
class FixedList {
public:
    Item* begin() { return items_; }
    Item* end() { return items_ + count_; }
    const Item* begin() const { return items_; }
    const Item* end() const { return items_ + count_; }
    const Item& front() const { return items_[0]; }
    Item& back() { return items_[count_ - 1]; }
    const Item& back() const { return items_[count_ - 1]; }
    bool empty() const { return count_ == 0; }

    void clear() { count_ = 0; }
    // What does not fit is left out.
    void push_back(const Item& item) {
        if (count_ < kMost) items_[count_++] = item;
    }
    void pop_front() {
        std::copy(items_ + 1, items_ + count_, items_);
        --count_;
    }

    // The rules are those of the items.
    template <class... Rules>
    void visit(Archive& archive, const Rules&... rules) {
        std::int32_t count = count_;  // a count that is refused never becomes this list's
        archive("count", count, within(0, kMost));
        count_ = count;
        for (std::int32_t i = 0; i < count_; ++i) archive.item(static_cast<std::size_t>(i), items_[i], rules...);
    }

private:
    std::int32_t count_ = 0;
    Item items_[kMost] = {};
};

}  // namespace wm
