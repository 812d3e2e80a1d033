#include "sgt/rounds/waiting_rows.hpp"

#include <algorithm>
#include <cmath>

namespace sgt {

std::size_t WaitingRows::bytes() const {
    return coded_.codes.bytes.size() +
           sizeof(double) * (coded_.weights.size() + y_.size() + derivatives_.size());
}

void WaitingRows::add(const CodeBlock& codes, std::size_t begin, std::size_t end, const double* y,
                      std::size_t n_targets, const double* w) {
    CodeBlock& mine = coded_.codes;
    if (rows() == 0) mine.shape(0, codes.features, codes.width);
    coded_.widen(codes.width);
    mine.bytes.insert(mine.bytes.end(), codes.row(begin), codes.row(end));
    mine.rows += end - begin;
    y_.insert(y_.end(), y + begin * n_targets, y + end * n_targets);
    if (w == nullptr)
        coded_.weights.resize(mine.rows, 1.0);
    else
        coded_.weights.insert(coded_.weights.end(), w + begin, w + end);
}

void WaitingRows::add_derivatives(std::span<const double> derivatives) {
    derivatives_.insert(derivatives_.end(), derivatives.begin(), derivatives.end());
}

void WaitingRows::clear() {
    coded_.codes.shape(0, coded_.codes.features, coded_.codes.width);
    coded_.weights.clear();
    y_.clear();
    derivatives_.clear();
}

void WaitingRows::save(Archive& archive, const std::string& prefix) const {
    PartialRows(coded_).save(archive, prefix);
    archive.put(prefix + "y", y_);
    archive.put(prefix + "derivatives", derivatives_);
}

WaitingRows WaitingRows::load(const ArchiveView& archive, const std::string& prefix,
                              const KnownCodes& known, std::size_t n_targets) {
    const auto all = [](const std::vector<double>& values, auto&& holds) {
        return std::all_of(values.begin(), values.end(), holds);
    };
    WaitingRows waiting;
    waiting.coded_ = PartialRows::load(archive, prefix);
    const CodeBlock& codes = waiting.coded_.codes;
    if (waiting.rows() > 0 && codes.features != known.n_features())
        Archive::fail(prefix + "shape", "does not fit the features");
    with_code_type(codes.width, [&]<class Code>(Code) {
        const auto* code = reinterpret_cast<const Code*>(codes.bytes.data());
        for (std::size_t i = 0; i < codes.rows * codes.features; ++i)
            if (!known.has(i % codes.features, code[i]))
                Archive::fail(prefix + "codes", "has a bin or category that does not exist");
    });
    if (!all(waiting.weights(), [](double w) { return std::isfinite(w) && w > 0.0; }))
        Archive::fail(prefix + "weights", "must be finite and above 0");
    waiting.y_ = to_vector(archive.get<double>(prefix + "y", waiting.rows() * n_targets));
    waiting.derivatives_ = to_vector(archive.get<double>(prefix + "derivatives"));
    const auto is_finite = [](double v) { return std::isfinite(v); };
    if (!all(waiting.y_, is_finite)) Archive::fail(prefix + "y", "must be finite");
    if (!all(waiting.derivatives_, is_finite))
        Archive::fail(prefix + "derivatives", "must be finite");
    for (std::size_t i = 1; i < waiting.derivatives_.size(); i += 2)
        if (waiting.derivatives_[i] < 0.0) Archive::fail(prefix + "derivatives", "has h below 0");
    return waiting;
}

}  // namespace sgt
