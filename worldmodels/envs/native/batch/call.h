// A call into the games, while it lasts: one at a time for each batch, and none while the process forks.
#pragma once

#include <atomic>
#include <stdexcept>

namespace wm {

// A second thread calls into a batch while a first one still does.
class ConcurrentUse : public std::runtime_error {
public:
    ConcurrentUse()
        : std::runtime_error(
              "This environment is being used by another thread. It takes one call at a time: use one environment per "
              "thread, or let the threads take turns.") {}
};

// Games run without Python's lock, so another thread may fork meanwhile. The child would have games in the midst of a
// step, and locks that nobody is left to open; so whoever forks waits until no call is under way.
class ForkPause {
public:
    ForkPause();
    ~ForkPause();
    ForkPause(const ForkPause&) = delete;
    ForkPause& operator=(const ForkPause&) = delete;
};

// The same, for what can be left out: where the process forks or ends, nobody waits, and `granted` says no.
class ForkPauseIfFree {
public:
    ForkPauseIfFree();
    ~ForkPauseIfFree();
    ForkPauseIfFree(const ForkPauseIfFree&) = delete;
    ForkPauseIfFree& operator=(const ForkPauseIfFree&) = delete;
    bool granted() const { return granted_; }

private:
    bool granted_;
};

// For the end of the process: waits until no call is under way, and lets none begin. What games share is taken apart
// afterwards.
void end_calls();

// Throws ConcurrentUse where `in_use` says that another call is under way. Not a lock: threads that step one batch in
// turn would each see every second step, which nobody means.
class Call {
public:
    explicit Call(std::atomic<bool>& in_use) : in_use_(in_use) {
        if (in_use_.exchange(true, std::memory_order_acquire)) throw ConcurrentUse();
    }
    ~Call() { in_use_.store(false, std::memory_order_release); }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

private:
    ForkPause no_fork_;  // first, so that it ends last
    std::atomic<bool>& in_use_;
};

}  // namespace wm
