// A set of numbers below a limit, which threads change at once without waiting for each other.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace wm {

class IndexSet {
public:
    static constexpr int kNone = -1;

    explicit IndexSet(std::size_t limit) : words_((limit + 63) / 64) {}

    void add(std::size_t index) { word(index).fetch_or(bit(index)); }
    // Whether it was there.
    bool remove(std::size_t index) {
        if ((word(index).load(std::memory_order_relaxed) & bit(index)) == 0) return false;
        return (word(index).fetch_and(~bit(index)) & bit(index)) != 0;
    }
    bool empty() const {
        return std::all_of(words_.begin(), words_.end(),
                           [](const auto& word) { return word.load(std::memory_order_relaxed) == 0; });
    }
    // Removes one and returns it; kNone where there is none.
    int take() {
        for (std::size_t i = 0; i < words_.size(); ++i)
            while (const std::uint64_t word = words_[i].load(std::memory_order_relaxed)) {
                const std::size_t index = 64 * i + static_cast<std::size_t>(__builtin_ctzll(word));
                if (remove(index)) return static_cast<int>(index);
            }
        return kNone;
    }

private:
    std::atomic<std::uint64_t>& word(std::size_t index) { return words_[index / 64]; }
    static std::uint64_t bit(std::size_t index) { return std::uint64_t{1} << (index % 64); }

    std::vector<std::atomic<std::uint64_t>> words_;
};

}  // namespace wm
