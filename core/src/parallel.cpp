#include "sgt/parallel.hpp"

#include <exception>
#include <system_error>

namespace sgt {

namespace {

// Jobs last microseconds and follow each other closely, so a short spin mostly saves the sleep.
template <class Holds>
bool spin_until(Holds holds) {
    for (int i = 0; i < 4000; ++i) {
        if (holds()) return true;
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }
    return false;
}

}  // namespace

Team::Team(std::size_t n) {
    for (std::size_t part = 1; part < n; ++part) {
        try {
            workers_.emplace_back([this, part] { work(part); });
        } catch (const std::system_error&) {
            return;  // the system gives no more threads: those that there are do the work
        }
    }
}

Team::~Team() {
    stop_ = true;
    ++round_;
    round_.notify_all();
    for (std::thread& worker : workers_) worker.join();
}

void Team::work(std::size_t part) {
    std::uint64_t seen = 0;
    while (true) {
        if (!spin_until([&] { return round_.load() != seen; })) round_.wait(seen);
        seen = round_.load();
        if (stop_) return;
        (*job_)(part);
        if (--unfinished_ == 0) unfinished_.notify_one();
    }
}

void Team::run(const std::function<void(std::size_t)>& job) {
    if (workers_.empty()) return job(0);
    std::vector<std::exception_ptr> failures(size());
    const std::function<void(std::size_t)> guarded = [&](std::size_t part) {
        try {
            job(part);
        } catch (...) {
            failures[part] = std::current_exception();
        }
    };
    job_ = &guarded;
    unfinished_ = workers_.size();
    ++round_;
    round_.notify_all();
    guarded(0);
    if (!spin_until([&] { return unfinished_.load() == 0; }))
        for (std::size_t left = unfinished_; left != 0; left = unfinished_) unfinished_.wait(left);
    for (const std::exception_ptr& failure : failures)
        if (failure) std::rethrow_exception(failure);
}

void Team::split(std::size_t n, const std::function<void(std::size_t, std::size_t)>& job) {
    const std::size_t parts = size();
    run([&](std::size_t part) { job(n * part / parts, n * (part + 1) / parts); });
}

}  // namespace sgt
