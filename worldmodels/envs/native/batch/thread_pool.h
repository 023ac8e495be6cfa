// A barrier: `run` calls a function once for each index and returns when all calls are done. Games step in microseconds
// and step together, so there are no queues, and no futures.
#pragma once

#include <functional>
#include <memory>

namespace wm {

class ThreadPool {
public:
    // `threads` counts the calling thread: 1 means that nothing else is started. The others start with the first round.
    // Where they have no part in a round, they call `aside`, again and again until it returns false: what can be done
    // at any time, a piece at a time. It must not throw.
    explicit ThreadPool(int threads, std::function<bool()> aside = {}) : threads_(threads), aside_(std::move(aside)) {}
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    // Whether there are threads beside the caller's.
    bool has_workers() const { return threads_ > 1; }

    // `work(index)` for every index below `count`, in any order, on any thread. It must not throw. One round at a time:
    // the caller sees to it that no other thread begins one meanwhile. Throws InvalidInput, before any work, where the
    // system starts no more threads.
    template <class Work>
    void run(int count, const Work& work) {
        if (threads_ <= 1 || count <= 1) {
            for (int i = 0; i < count; ++i) work(i);
            return;
        }
        share({[](const void* what, int index) { (*static_cast<const Work*>(what))(index); }, &work}, count);
    }

private:
    // A function whose type is forgotten, without what std::function costs.
    struct Job {
        void (*call)(const void* work, int index) = nullptr;
        const void* work = nullptr;
    };
    class Share;
    struct Shared;

    void share(const Job& job, int count);
    void start_workers();

    int threads_;
    std::function<bool()> aside_;
    long owner_process_ = 0;  // threads do not survive a fork: the child starts its own
    std::shared_ptr<Shared> shared_;
};

}  // namespace wm
