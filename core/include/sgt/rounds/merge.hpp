// What a merge of two models needs to know of the other one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace sgt {

// Models that cannot be merged; the message has the reason.
class MergeError : public std::invalid_argument {
public:
    using std::invalid_argument::invalid_argument;
};

// The codes of another model's categories in this one's numbering, by feature and code: each model
// numbers categories as they come. A feature with none keeps its codes.
class CategoryCodes {
public:
    CategoryCodes() = default;
    explicit CategoryCodes(std::vector<std::vector<std::uint32_t>> by_feature)
        : by_feature_(std::move(by_feature)) {}

    std::uint32_t here(std::size_t feature, std::uint32_t code) const {
        if (feature >= by_feature_.size() || by_feature_[feature].empty()) return code;
        if (code >= by_feature_[feature].size())
            throw MergeError("a category of one model has no number in the other");
        return by_feature_[feature][code];
    }
    // The largest code here; 0 where there is none.
    std::uint32_t largest() const;

private:
    std::vector<std::vector<std::uint32_t>> by_feature_;
};

}  // namespace sgt
