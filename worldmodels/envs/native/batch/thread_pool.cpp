#include "batch/thread_pool.h"

#include <unistd.h>

#include <algorithm>

namespace wm {

// One round of work is a pointer and a counter that threads draw ranges of indices from, so a slow game (a reset, say)
// holds up nobody else.
struct ThreadPool::Shared {
    std::mutex mutex;
    std::condition_variable round_began, round_ended;
    long round = 0;
    bool stopping = false;
    int busy_workers = 0;
    const std::function<void(int)>* work = nullptr;
    int count = 0, grain = 1;
    std::atomic<int> next{0};
    std::vector<std::thread> workers;

    void work_off() {
        for (int begin; (begin = next.fetch_add(grain)) < count;)
            for (int i = begin; i < std::min(begin + grain, count); ++i) (*work)(i);
    }

    void serve() {
        std::unique_lock<std::mutex> lock(mutex);
        for (long served = 0;;) {
            round_began.wait(lock, [&] { return stopping || round != served; });
            if (stopping) return;
            served = round;
            lock.unlock();
            work_off();
            lock.lock();
            if (--busy_workers == 0) round_ended.notify_one();
        }
    }
};

ThreadPool::ThreadPool(int threads) : threads_(threads) {}

void ThreadPool::start_workers() {
    if (shared_ && owner_process_ == getpid()) return;
    // After a fork the old threads exist only as handles that cannot be joined: leave them behind.
    if (shared_) new std::shared_ptr<Shared>(std::move(shared_));
    shared_ = std::make_shared<Shared>();
    owner_process_ = getpid();
    for (int i = 1; i < threads_; ++i) shared_->workers.emplace_back([shared = shared_.get()] { shared->serve(); });
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
    Shared& shared = *shared_;
    {
        const std::lock_guard<std::mutex> lock(shared.mutex);
        shared.work = &work;
        shared.count = count;
        shared.grain = std::max(1, count / (threads_ * 8));
        shared.next = 0;
        shared.busy_workers = threads_ - 1;
        ++shared.round;
    }
    shared.round_began.notify_all();
    shared.work_off();
    std::unique_lock<std::mutex> lock(shared.mutex);
    shared.round_ended.wait(lock, [&] { return shared.busy_workers == 0; });
}

}  // namespace wm
