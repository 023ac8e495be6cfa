#include "batch/thread_pool.h"

#include <unistd.h>

namespace wm {
namespace {

// Waiting threads look again this often before they sleep: rounds follow each other within microseconds while somebody
// steps in a loop, and waking a sleeping thread takes longer than a small batch. About 20 microseconds.
constexpr int kLooks = 2000;

template <class Ready>
bool spin_until(Ready ready) {
    for (int i = 0; i < kLooks; ++i) {
        if (ready()) return true;
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#endif
    }
    return false;
}

}  // namespace

// One round of work is a pointer and, per thread, a range of indices with a counter. A thread works off its own range
// first, the same one in every round, so that its core's cache still holds those games; then it helps the others, so
// that a slow game (a reset, say) holds up nobody.
struct ThreadPool::Shared {
    struct alignas(64) Range {  // a cache line each: counters of different threads do not disturb each other
        std::atomic<int> next{0};
        int end = 0;
    };

    std::mutex mutex;
    std::condition_variable round_began, round_ended;
    std::atomic<long> round{0};
    std::atomic<bool> stopping{false};
    std::atomic<int> busy_workers{0};
    const std::function<void(int)>* work = nullptr;
    std::vector<Range> ranges;
    std::vector<std::thread> workers;

    explicit Shared(int threads) : ranges(static_cast<std::size_t>(threads)) {
        for (int i = 1; i < threads; ++i) workers.emplace_back([this, i] { serve(i); });
    }

    void work_off(int thread) {
        const int threads = static_cast<int>(ranges.size());
        for (int i = 0; i < threads; ++i) {
            Range& range = ranges[static_cast<std::size_t>((thread + i) % threads)];
            for (int index; (index = range.next.fetch_add(1)) < range.end;) (*work)(index);
        }
    }

    void serve(int thread) {
        for (long served = 0;; ++served) {
            const auto called = [&] { return stopping || round != served; };
            if (!spin_until(called)) {
                std::unique_lock<std::mutex> lock(mutex);
                round_began.wait(lock, called);
            }
            if (stopping) return;
            work_off(thread);
            if (--busy_workers == 0) {
                const std::lock_guard<std::mutex> lock(mutex);
                round_ended.notify_one();
            }
        }
    }

    void begin_round(const std::function<void(int)>& new_work, int count) {
        const std::lock_guard<std::mutex> lock(mutex);
        work = &new_work;
        const int threads = static_cast<int>(ranges.size());
        for (int i = 0; i < threads; ++i) {
            Range& range = ranges[static_cast<std::size_t>(i)];
            range.next = count * i / threads;
            range.end = count * (i + 1) / threads;
        }
        busy_workers = threads - 1;
        ++round;
    }

    void await_end() {
        const auto ended = [&] { return busy_workers == 0; };
        if (spin_until(ended)) return;
        std::unique_lock<std::mutex> lock(mutex);
        round_ended.wait(lock, ended);
    }
};

ThreadPool::ThreadPool(int threads) : threads_(threads) {}

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
    {
        const std::lock_guard<std::mutex> lock(shared_->mutex);
        shared_->stopping = true;
    }
    shared_->round_began.notify_all();
    for (std::thread& worker : shared_->workers) worker.join();
}

void ThreadPool::run(int count, const std::function<void(int)>& work) {
    if (threads_ <= 1 || count <= 1) {
        for (int i = 0; i < count; ++i) work(i);
        return;
    }
    start_workers();
    shared_->begin_round(work, count);
    shared_->round_began.notify_all();
    shared_->work_off(0);
    shared_->await_end();
}

}  // namespace wm
