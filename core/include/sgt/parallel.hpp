// A few threads that work on parts of short jobs, one job after the other, during one call. What a
// part computes never depends on the number of threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace sgt {

class Team {
public:
    // The calling thread is one of the n; a team of one starts no thread.
    explicit Team(std::size_t n);
    ~Team();
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    std::size_t size() const {
        return workers_.size() + 1;
    }
    // Calls job(part) for part = 0 .. size() - 1, each on its own thread; returns when all are
    // done.
    void run(const std::function<void(std::size_t)>& job);
    // Cuts [0, n) into size() ranges and calls job(begin, end) for each.
    void split(std::size_t n, const std::function<void(std::size_t, std::size_t)>& job);

private:
    void work(std::size_t part);

    const std::function<void(std::size_t)>* job_ = nullptr;
    std::atomic<std::uint64_t> round_{0};
    std::atomic<std::size_t> unfinished_{0};
    std::atomic<bool> stop_{false};
    std::vector<std::thread> workers_;
};

// The first exception of several threads, for the one that waits for them.
class FirstError {
public:
    // Does nothing after an exception.
    template <class F>
    void guard(F&& f) {
        if (has_failed_) return;
        try {
            f();
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!has_failed_.exchange(true)) error_ = std::current_exception();
        }
    }
    void rethrow() const {
        if (error_) std::rethrow_exception(error_);
    }

private:
    std::mutex mutex_;
    std::atomic<bool> has_failed_{false};
    std::exception_ptr error_;
};

}  // namespace sgt
