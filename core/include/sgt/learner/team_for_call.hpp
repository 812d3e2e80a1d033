// The threads of a call that learns.
#pragma once

#include <cstddef>

#include "sgt/learner/ensemble.hpp"
#include "sgt/options.hpp"
#include "sgt/parallel.hpp"

namespace sgt {

// Calls with fewer rows than this do not start threads.
inline constexpr std::size_t kRowsForThreads = 4096;

inline std::size_t threads_for(std::size_t rows, const Options& options) {
    return rows >= kRowsForThreads ? options.n_threads : 1;
}

// The ensemble has the team during the call only, also where that ends with an exception.
class TeamForCall {
public:
    TeamForCall(Ensemble& ensemble, Team& team) : ensemble_(ensemble) {
        ensemble_.set_team(&team);
    }
    ~TeamForCall() {
        ensemble_.set_team(nullptr);
    }
    TeamForCall(const TeamForCall&) = delete;
    TeamForCall& operator=(const TeamForCall&) = delete;

private:
    Ensemble& ensemble_;
};

}  // namespace sgt
