#include "sgt/drift/proof.hpp"

#include <limits>

namespace sgt {

double Proof::t() const {
    const double lead = mean();
    if (lead == 0.0) return 0.0;
    const double variance = squares_ / weight_ - lead * lead;
    // As in the test of a change: what is left of the digits is not a variance.
    if (!(variance > 1e-12 * lead * lead))
        return std::copysign(std::numeric_limits<double>::infinity(), lead);
    return lead / std::sqrt(variance * squared_weights_) * weight_;
}

void Proof::save(Archive& archive, const std::string& prefix) const {
    archive.put<std::int64_t>(prefix + "rows", {static_cast<std::int64_t>(rows_)});
    archive.put<double>(prefix + "sums", {weight_, squared_weights_, sum_, squares_, errors_});
}

void Proof::load(const ArchiveView& archive, const std::string& prefix) {
    const auto sums = archive.get<double>(prefix + "sums", 5);
    for (const double sum : sums)
        if (!std::isfinite(sum)) Archive::fail(prefix + "sums", "is not finite");
    if (sums[0] < 0.0 || sums[1] < 0.0 || sums[3] < 0.0)
        Archive::fail(prefix + "sums", "is out of range");
    rows_ = archive.get_count(prefix + "rows");
    weight_ = sums[0];
    squared_weights_ = sums[1];
    sum_ = sums[2];
    squares_ = sums[3];
    errors_ = sums[4];
}

}  // namespace sgt
