// A barrier: `run` calls a function once for each index and returns when all calls are done. Games step in microseconds
// and step together, so there are no queues, and no futures.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace wm {

class ThreadPool {
public:
    // `threads` counts the calling thread: 1 means that nothing else is started.
    explicit ThreadPool(int threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    // `work(index)` for every index below `count`, in any order, on any thread. It must not throw.
    void run(int count, const std::function<void(int)>& work);

private:
    struct Shared;

    void start_workers();

    int threads_;
    long owner_process_ = 0;  // threads do not survive a fork: the child starts its own
    std::shared_ptr<Shared> shared_;
};

}  // namespace wm
