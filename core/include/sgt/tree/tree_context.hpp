// What all trees of a member share: settings, features, the memory budget, and scratch memory. It
// belongs to the member and outlives every call.
#pragma once

#include <cstdint>
#include <vector>

#include "sgt/data/features.hpp"
#include "sgt/data/standardiser.hpp"
#include "sgt/leaf/leaf_statistics.hpp"
#include "sgt/options.hpp"
#include "sgt/parallel.hpp"
#include "sgt/split/boundary_search.hpp"
#include "sgt/split/candidates.hpp"
#include "sgt/tree/memory_budget.hpp"

namespace sgt {

struct TreeContext {
    TreeContext(const Options& options, FeatureSpace& features, const Standardiser& standardiser)
        : options(options), delta(options.delta), features(features), standardiser(standardiser) {
        budget.limit = options.max_memory;
        threads.resize(options.n_threads);
    }

    Options options;
    SignificanceLevel delta;           // of the options
    FeatureSpace& features;            // of the model
    const Standardiser& standardiser;  // of the model: for linear leaves
    std::uint64_t n_rows = 0;          // of the member: learned, or waiting to be
    MemoryBudget budget;
    std::size_t past_bytes = kUnlimited;  // of a tree's past values, at most
    FlushScratch flush;
    struct ThreadScratch {
        FlushScratch::Part flush;
        SearchScratch search;
    };
    std::vector<ThreadScratch> threads;
    std::vector<Candidate> candidates;  // of the features, at a leaf
    bool noise_is_unit = false;         // of gamma, while a stage of classes lasts
    Team* team = nullptr;               // while a call lasts; null = one thread
};

}  // namespace sgt
