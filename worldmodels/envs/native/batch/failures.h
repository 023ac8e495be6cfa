// What went wrong in calls that several threads share. Nothing may be thrown through a thread's end, so each failure is
// kept, whatever it is, and the one with the lowest index is told: the report does not depend on the threads either.
#pragma once

#include <atomic>
#include <exception>
#include <string>
#include <vector>

namespace wm {

struct Failure {
    int index;
    std::string text;
};

class Failures {
public:
    explicit Failures(std::size_t count) : kept_(count) {}

    // Calls `work()`. Different indices may be watched at once.
    template <class Work>
    void watch(int index, const Work& work) noexcept {
        try {
            work();
        } catch (...) {
            kept_[static_cast<std::size_t>(index)] = std::current_exception();
            any_ = true;
        }
    }

    bool any() const { return any_; }

    // The first of all, which are then forgotten. Only where there is any.
    Failure take_first() {
        std::size_t index = 0;
        while (kept_[index] == nullptr) ++index;
        const Failure first = {static_cast<int>(index), text_of(kept_[index])};
        kept_.assign(kept_.size(), nullptr);
        any_ = false;
        return first;
    }

private:
    static std::string text_of(const std::exception_ptr& failure) {
        try {
            std::rethrow_exception(failure);
        } catch (const std::exception& error) {
            return error.what();
        } catch (...) {
            return "something was thrown that is no exception";
        }
    }

    std::vector<std::exception_ptr> kept_;
    std::atomic<bool> any_{false};
};

}  // namespace wm
