#include "batch/thread_pool.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace wm {
namespace {

using Clock = std::chrono::steady_clock;

// Waiting threads look again and again for so long before they sleep: rounds follow each other within microseconds
// while somebody steps in a loop, and waking a sleeping thread takes longer than a small batch.
constexpr auto kLookFor = std::chrono::microseconds(50);
constexpr int kLooksPerClock = 64;

template <class Ready>
bool spin_until(Ready ready) {
    const auto begin = Clock::now();
    do {
        for (int i = 0; i < kLooksPerClock; ++i) {
            if (ready()) return true;
#if defined(__x86_64__) || defined(__i386__)
            __builtin_ia32_pause();
#endif
        }
    } while (Clock::now() - begin < kLookFor);
    return false;
}

// The indices that are left of a thread's share, in one word, so that both ends are read and changed at once.
class alignas(64) Share {  // a cache line each: shares of different threads do not disturb each other
public:
    void fill(int begin, int end) {
        left_.store(static_cast<std::uint64_t>(begin) << 32 | static_cast<std::uint64_t>(end));
    }
    // The next index; -1 when there is none.
    int take() {
        const std::uint64_t left = left_.fetch_add(std::uint64_t{1} << 32);
        const auto next = static_cast<std::uint32_t>(left >> 32), end = static_cast<std::uint32_t>(left);
        return next < end ? static_cast<int>(next) : -1;
    }

private:
    std::atomic<std::uint64_t> left_{0};
};

}  // namespace

// A round ends when every index is done, not when every worker has looked in: the caller never waits for a worker that
// sleeps or that the system has put aside, but does its share. A worker that comes too late finds nothing left, or
// helps in the round that has begun meanwhile; so a job is read after an index was taken, which keeps its round open.
struct ThreadPool::Shared {
    std::vector<Share> shares;
    alignas(64) std::atomic<long> round{0};
    Job job;
    int count = 0;
    std::atomic<bool> stopping{false};
    alignas(64) std::atomic<int> done{0};

    std::mutex mutex;
    std::condition_variable round_began, round_ended;
    std::atomic<int> sleeping_workers{0};
    std::atomic<bool> caller_sleeps{false};
    std::vector<std::thread> workers;

    explicit Shared(int threads) : shares(static_cast<std::size_t>(threads)) {
        for (int i = 1; i < threads; ++i) workers.emplace_back([this, i] { serve(i); });
    }

    // A thread works off its own share first, the same one in every round, so that its core's cache still holds those
    // games; then it helps the others, so that a slow game (a reset, say) holds up nobody.
    void work_off(std::size_t thread) {
        int mine = 0;
        for (std::size_t i = 0; i < shares.size(); ++i) {
            Share& share = shares[(thread + i) % shares.size()];
            for (int index; (index = share.take()) >= 0; ++mine) job.call(job.work, index);
        }
        if (mine == 0) return;
        const int all = count;  // read before the addition, after which the next round may begin
        if (done.fetch_add(mine) + mine == all && caller_sleeps) {
            const std::lock_guard<std::mutex> lock(mutex);
            round_ended.notify_one();
        }
    }

    void serve(int thread) {
        for (long served = 0;;) {
            const auto called = [&] { return stopping || round != served; };
            if (!spin_until(called)) {
                std::unique_lock<std::mutex> lock(mutex);
                ++sleeping_workers;
                round_began.wait(lock, called);
                --sleeping_workers;
            }
            if (stopping) return;
            served = round;  // before the work: another round may begin during its last part
            work_off(static_cast<std::size_t>(thread));
        }
    }

    void wake_workers() {
        if (sleeping_workers == 0) return;
        {
            const std::lock_guard<std::mutex> lock(mutex);
        }  // whoever is about to sleep does, and then hears this
        round_began.notify_all();
    }

    void begin_round(const Job& new_job, int new_count) {
        job = new_job;
        count = new_count;
        done = 0;
        const int threads = static_cast<int>(shares.size());
        for (int i = 0; i < threads; ++i)
            shares[static_cast<std::size_t>(i)].fill(count * i / threads, count * (i + 1) / threads);
        ++round;
        wake_workers();
    }

    void await_end() {
        const auto ended = [&] { return done == count; };
        if (spin_until(ended)) return;
        std::unique_lock<std::mutex> lock(mutex);
        caller_sleeps = true;
        round_ended.wait(lock, ended);
        caller_sleeps = false;
    }
};

void ThreadPool::start_workers() {
    if (shared_ && owner_process_ == getpid()) return;
    // After a fork the old threads exist only as handles that cannot be joined: leave them behind.
    if (shared_) new std::shared_ptr<Shared>(std::move(shared_));
    shared_ = std::make_shared<Shared>(threads_);
    owner_process_ = getpid();
}

ThreadPool::~ThreadPool() {
    if (!shared_) return;
    if (owner_process_ != getpid()) {
        new std::shared_ptr<Shared>(std::move(shared_));
        return;
    }
    shared_->stopping = true;
    {
        const std::lock_guard<std::mutex> lock(shared_->mutex);
        shared_->round_began.notify_all();
    }
    for (std::thread& worker : shared_->workers) worker.join();
}

void ThreadPool::share(const Job& job, int count) {
    start_workers();
    shared_->begin_round(job, count);
    shared_->work_off(0);
    shared_->await_end();
}

}  // namespace wm
