#include "batch/call.h"

#include <pthread.h>

#include <chrono>
#include <mutex>
#include <thread>

namespace wm {
namespace {

// Both live as long as the process. The mutex is held for a few nanoseconds where a call begins, and throughout a fork.
std::mutex& beginning() {
    static auto* const kMutex = new std::mutex;
    return *kMutex;
}
std::atomic<int> calls{0};

void after_fork() { beginning().unlock(); }

[[maybe_unused]] const int kRegistered = pthread_atfork(end_calls, after_fork, after_fork);

}  // namespace

void end_calls() {
    beginning().lock();
    while (calls.load(std::memory_order_acquire) > 0) std::this_thread::sleep_for(std::chrono::microseconds(20));
}

ForkPause::ForkPause() {
    const std::lock_guard<std::mutex> lock(beginning());
    calls.fetch_add(1, std::memory_order_relaxed);
}

ForkPause::~ForkPause() { calls.fetch_sub(1, std::memory_order_release); }

ForkPauseIfFree::ForkPauseIfFree() {
    const std::unique_lock<std::mutex> lock(beginning(), std::try_to_lock);
    granted_ = lock.owns_lock();
    if (granted_) calls.fetch_add(1, std::memory_order_relaxed);
}

ForkPauseIfFree::~ForkPauseIfFree() {
    if (granted_) calls.fetch_sub(1, std::memory_order_release);
}

}  // namespace wm
