#include "batch/thread_pool.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "core/check.h"

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

}  // namespace

// A thread's share of a round: the indices that are left of it, in one word, so that both ends are read and changed at
// once. A cache line each: threads do not disturb each other, and a worker finds all it needs in the line it looks at.
class alignas(64) ThreadPool::Share {
public:
    void fill(const Job& job, std::size_t begin, std::size_t end) {
        job_ = job;
        left_.store(std::uint64_t(begin) << 32 | std::uint64_t(end), std::memory_order_release);
    }
    bool empty() const { return !holds_one(left_.load()); }
    // Works off one index; false when there is none left.
    bool work() {
        const std::uint64_t left = left_.fetch_add(std::uint64_t{1} << 32);
        if (!holds_one(left)) return false;
        job_.call(job_.work, static_cast<int>(left >> 32));
        return true;
    }

private:
    static bool holds_one(std::uint64_t left) { return (left >> 32) < (left & 0xFFFFFFFF); }

    std::atomic<std::uint64_t> left_{0};
    Job job_;
};

// A round ends when every index is done, not when every worker has looked in: the caller never waits for a worker that
// sleeps or that the system has put aside, but does its share. A worker that comes too late finds nothing left, or
// helps in the round that has begun meanwhile; an index that was taken keeps its round open, and so its job alive.
struct ThreadPool::Shared {
    const std::function<bool()>& aside;
    std::vector<Share> shares;
    alignas(64) std::atomic<std::int64_t> done{0};  // indices, of all rounds
    alignas(64) std::int64_t given_out = 0;         // likewise, by the caller

    std::mutex mutex;
    std::condition_variable round_began, round_ended;
    std::atomic<int> sleeping_workers{0};
    std::atomic<bool> caller_sleeps{false}, stopping{false};
    std::vector<std::thread> workers;

    Shared(int threads, const std::function<bool()>& work_aside)
        : aside(work_aside), shares(static_cast<std::size_t>(threads)) {
        workers.reserve(shares.size());
        try {
            for (std::size_t i = 1; i < shares.size(); ++i) workers.emplace_back([this, i] { serve(i); });
        } catch (const std::system_error& error) {
            const std::size_t started = workers.size() + 1;
            stop();
            throw InvalidInput("The system starts no more than " + std::to_string(started) + " of " +
                               std::to_string(threads) + " threads (" + error.code().message() +
                               "): ask for fewer with num_threads.");
        }
    }

    void stop() {
        stopping = true;
        {
            const std::lock_guard<std::mutex> lock(mutex);
            round_began.notify_all();
        }
        for (std::thread& worker : workers) worker.join();
    }

    // A thread works off its own share first, the same one in every round, so that its core's cache still holds those
    // games; then it helps the others, so that a slow game (a reset, say) holds up nobody.
    void work_off(std::size_t thread) {
        int finished = 0;
        for (std::size_t i = 0; i < shares.size(); ++i) {
            Share& share = shares[(thread + i) % shares.size()];
            while (!share.empty() && share.work()) ++finished;
        }
        done += finished;
        if (caller_sleeps) {
            const std::lock_guard<std::mutex> lock(mutex);
            round_ended.notify_one();
        }
    }

    void serve(std::size_t thread) {
        const auto called = [&] { return !shares[thread].empty() || stopping; };
        while (!stopping) {
            if (!shares[thread].empty()) {
                work_off(thread);
            } else if (!work_aside() && !spin_until(called)) {
                sleep_until(called);
            }
        }
    }

    bool work_aside() { return aside && aside(); }

    // Or until there was something to do aside: a round that is over before this thread is awake may leave it that.
    template <class Ready>
    void sleep_until(Ready ready) {
        do {
            std::unique_lock<std::mutex> lock(mutex);
            ++sleeping_workers;
            if (!ready()) round_began.wait(lock);
            --sleeping_workers;
        } while (!ready() && !work_aside());
    }

    void begin_round(const Job& job, int count) {
        given_out += count;
        const std::size_t threads = shares.size();
        const auto first = [&](std::size_t i) { return static_cast<std::size_t>(count) * i / threads; };
        for (std::size_t i = 0; i < threads; ++i) shares[i].fill(job, first(i), first(i + 1));
        // Written to, not only read: a worker that counts itself after this sees its share before it sleeps.
        if (sleeping_workers.fetch_add(0) == 0) return;
        {
            const std::lock_guard<std::mutex> lock(mutex);
        }  // whoever is about to sleep does, and then hears this
        round_began.notify_all();
    }

    void await_end() {
        const auto ended = [&] { return done == given_out; };
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
    shared_ = std::make_shared<Shared>(threads_, aside_);
    owner_process_ = getpid();
}

ThreadPool::~ThreadPool() {
    if (!shared_) return;
    if (owner_process_ != getpid()) {
        new std::shared_ptr<Shared>(std::move(shared_));
        return;
    }
    shared_->stop();
}

void ThreadPool::share(const Job& job, int count) {
    start_workers();
    shared_->begin_round(job, count);
    shared_->work_off(0);
    shared_->await_end();
}

}  // namespace wm
