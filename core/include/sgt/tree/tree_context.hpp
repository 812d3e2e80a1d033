// What all trees of a model share: settings, features, the memory budget, and scratch memory. It
// belongs to the learner and outlives every call.
#pragma once

#include <vector>

#include "sgt/data/features.hpp"
#include "sgt/data/standardiser.hpp"
#include "sgt/leaf/leaf_statistics.hpp"
#include "sgt/options.hpp"
#include "sgt/parallel.hpp"
#include "sgt/split/boundary_search.hpp"
#include "sgt/tree/memory_budget.hpp"

namespace sgt {

struct TreeContext {
    Options options;
    FeatureSpace features;
    Standardiser standardiser;  // for linear leaves
    MemoryBudget budget;
    FlushScratch flush;
    struct ThreadScratch {
        FlushScratch::Part flush;
        SearchScratch search;
    };
    std::vector<ThreadScratch> threads;
    Team* team = nullptr;  // while a call lasts; null = one thread
};

}  // namespace sgt
