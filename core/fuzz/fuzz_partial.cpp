// Damaged partial statistics are refused by an error, or absorbed by a model that goes on.
#include <array>
#include <stdexcept>

#include "../tests/learners.hpp"
#include "damage.hpp"
#include "sgt/rounds/partial.hpp"

namespace {

const streams::Stream& stream() {
    static const streams::Stream s =
        streams::make({.rows = 700, .nominal = {false, true, false}, .missing = 0.1});
    return s;
}
// Of each feature.
constexpr std::array<std::int64_t, 3> kCategories{0, 5, 0};

sgt::Options options() {
    sgt::Options options = learners::options_of({80, 20, 0.1, 0.0});
    options.kept_rows = 10;
    options.round_rows = 100;
    return options;
}

std::unique_ptr<sgt::LossLearner> fresh() {
    auto model = std::make_unique<sgt::LossLearner>(
        options(), std::vector<bool>{false, true, false}, nullptr,
        sgt::LossObjective::Losses{sgt::make_loss("squared_error", {})}, 1);
    learners::learn(*model, stream(), 0, 480);
    model->end_round();
    return model;
}

const sgt::Archive& gathered() {
    static const sgt::Archive archive = [] {
        const auto model = fresh();
        const streams::Stream& s = stream();
        const sgt::RowsView x = s.view(500, 600);
        sgt::Archive result;
        model->gather({x}, s.y.data() + 500, nullptr).save(result, "");
        return result;
    }();
    return archive;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < fuzz::kBytesOfChange) return -1;  // nothing would be damaged
    static const sgt::Archive base = fresh()->save();
    const sgt::Archive archive = fuzz::damaged(gathered(), data, size);
    try {
        sgt::Partial partial = sgt::Partial::load(archive);
        sgt::LossLearner model(options(), base,
                               sgt::LossObjective::Losses{sgt::make_loss("squared_error", {})}, 1);
        model.absorb(std::move(partial), kCategories);
        learners::learn(model, stream(), 600, 640);
        model.end_round();
        model.save();
    } catch (const std::invalid_argument&) {
    }
    return 0;
}
