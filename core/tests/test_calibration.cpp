// Calibration: which factor is chosen, how its losses are counted, and what it multiplies.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "check.hpp"
#include "class_learners.hpp"
#include "learners.hpp"
#include "sgt/explain/explainer.hpp"
#include "sgt/learner/calibration.hpp"
#include "streams.hpp"

using namespace sgt;
using streams::difference;
using streams::Shape;
using streams::Stream;

namespace {

Archive saved(const Calibration& calibration) {
    Archive archive;
    calibration.save(archive);
    return archive;
}

// Rows of classes whose true scores are these times `truth`.
struct Rows {
    std::vector<double> scores;
    std::vector<std::size_t> classes;
    std::size_t n_classes;

    Rows(std::size_t n, std::size_t of_classes, double truth) : n_classes(of_classes) {
        streams::Random random(n + of_classes);
        for (std::size_t r = 0; r < n; ++r) {
            std::vector<double> odds;
            double sum = 0.0;
            for (std::size_t k = 0; k < n_classes; ++k) {
                scores.push_back(random.between(-1.5, 1.5));
                odds.push_back(std::exp(truth * scores.back()));
                sum += odds.back();
            }
            double u = random.uniform() * sum;
            std::size_t y = 0;
            while (y + 1 < n_classes && u > odds[y]) u -= odds[y++];
            classes.push_back(y);
        }
    }
    std::size_t size() const {
        return classes.size();
    }
    const double* of(std::size_t r) const {
        return scores.data() + r * n_classes;
    }
    void show(Calibration& calibration, double w = 1.0) const {
        for (std::size_t r = 0; r < size(); ++r) calibration.see(of(r), n_classes, classes[r], w);
    }
};

double factor_for(double truth, std::size_t n_classes) {
    Calibration calibration;
    Rows(4000, n_classes, truth).show(calibration);
    return calibration.factor();
}

// By the definition: logarithms of every row, sums that fade.
double factor_by_definition(const Rows& rows, double w) {
    constexpr std::size_t n = Calibration::kFactors.size();
    std::vector<double> sums(n, 0.0), recent(n, 0.0);
    std::size_t ahead = 0;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        for (std::size_t i = 0; i < n; ++i) {
            const double factor = Calibration::kFactors[i];
            double sum = 0.0;
            for (std::size_t k = 0; k < rows.n_classes; ++k)
                sum += std::exp(factor * rows.of(r)[k]);
            const double p = std::exp(factor * rows.of(r)[rows.classes[r]]) / sum;
            recent[i] += w * (-std::log(std::max(p, 1e-4)) + 0.01 * std::fabs(std::log(factor)));
        }
        if (r % 16 != 15) continue;
        for (std::size_t i = 0; i < n; ++i)
            sums[i] = std::pow(0.999, 16) * sums[i] + std::exchange(recent[i], 0.0);
        ahead = static_cast<std::size_t>(std::min_element(sums.begin(), sums.end()) - sums.begin());
    }
    return Calibration::kFactors[ahead];
}

constexpr Combination kSums[] = {Combination::boosting, Combination::averaging};

Options options_of(Combination combination, std::size_t n_members) {
    Options options = learners::quick_options();
    options.combination = combination;
    options.n_estimators = n_members;
    options.learning_rate = 0.2;
    options.mean_copies = 1.0;
    return options;
}

double factor_of(const Learner& model) {
    return model.read([](const Ensemble& ensemble, const FeatureSpace&) {
        const Ensemble::Place place = ensemble.trees().front();
        return place.weight / place.tree.options().shrinkage;
    });
}

// Classes that can be told well: the sums of members are not sure enough.
Shape shape_of(std::size_t classes) {
    return {.rows = 4000, .nominal = {false, true, false}, .classes = classes, .weighted = true};
}

}  // namespace

TEST(scores_that_are_not_sure_enough_are_multiplied_and_those_too_sure_are_divided) {
    for (const std::size_t n_classes : {2U, 5U}) {
        CHECK(factor_for(1.0, n_classes) == 1.0);
        CHECK(factor_for(2.5, n_classes) >= 2.0);
        CHECK(factor_for(0.4, n_classes) == 0.8);
    }
}

TEST(the_factor_is_1_until_the_race_has_moved) {
    Calibration calibration;
    const std::vector<double> sure = {3.0, 0.0};
    for (std::size_t row = 1; row < Race::kRows; ++row) {
        calibration.see(sure.data(), 2, 0, 1.0);
        CHECK(calibration.factor() == 1.0);
    }
    calibration.see(sure.data(), 2, 0, 1.0);
    CHECK(calibration.factor() > 1.0);
}

TEST(losses_are_counted_as_they_are_defined) {
    for (const double truth : {0.3, 0.85, 1.0, 1.2, 1.7, 3.0})
        for (const std::size_t n_classes : {1U, 2U, 3U, 9U})
            for (const double w : {1.0, 0.3}) {
                const Rows rows(800, n_classes, truth);
                Calibration calibration;
                rows.show(calibration, w);
                CHECK(calibration.factor() == factor_by_definition(rows, w));
            }
}

TEST(scores_that_say_nothing_leave_the_factor_at_1) {
    Calibration calibration;
    const std::vector<double> equal = {0.5, 0.5, 0.5}, tiny = {1e-4, 0.0, 0.0};
    for (std::size_t row = 0; row < 100; ++row) {
        calibration.see(equal.data(), 3, row % 3, 1.0);
        calibration.see(tiny.data(), 3, 0, 1.0);  // each factor gains less than it is charged
    }
    CHECK(calibration.factor() == 1.0);
}

TEST(scores_that_are_not_finite_say_nothing) {
    const double infinity = std::numeric_limits<double>::infinity();
    Calibration calibration;
    for (std::size_t row = 0; row < 64; ++row)
        for (const std::vector<double>& scores :
             {std::vector<double>{infinity, 0.0}, {streams::kNan, 0.0}, {0.0, 1e300}})
            calibration.see(scores.data(), 2, row % 2, 1.0);
    CHECK(calibration.factor() == 1.0);
}

TEST(a_loaded_calibration_goes_on) {
    const Rows rows(1000, 3, 1.6), more(1000, 3, 0.5);
    Calibration one, other;
    rows.show(one);
    const Archive archive = saved(one);
    other.load(archive);
    CHECK(other.factor() == one.factor() && one.factor() != 1.0);
    more.show(one);
    more.show(other);
    CHECK(difference(saved(one), saved(other)) == "");
}

TEST(a_wrong_file_is_refused) {
    Calibration calibration;
    Archive archive = saved(calibration);
    archive.put<std::int64_t>("calibration/choices", {8});
    CHECK_THROWS(std::invalid_argument, calibration.load(archive));
    archive = saved(calibration);
    archive.put("calibration/sums", std::vector<double>(7, 0.0));
    CHECK_THROWS(std::invalid_argument, calibration.load(archive));
}

TEST(ensembles_of_classes_are_calibrated) {
    for (const Combination combination : kSums)
        for (const std::size_t classes : {2U, 4U}) {
            const Stream s = streams::make(shape_of(classes));
            ClassLearner model(options_of(combination, 4), shape_of(classes).nominal, nullptr);
            class_learners::learn(model, s, 0, s.rows);
            CHECK(factor_of(model) != 1.0);
        }
}

// What is predicted, what trees say of themselves, and what SHAP values add up to.
TEST(the_factor_multiplies_all_that_is_predicted) {
    for (const Combination combination : kSums) {
        const Shape shape = shape_of(2);
        const Stream s = streams::make(shape);
        ClassLearner model(options_of(combination, 4), shape.nominal, nullptr);
        class_learners::learn(model, s, 0, s.rows);
        CHECK(factor_of(model) != 1.0);
        const std::vector<double> p = class_learners::probabilities(model, s.view());
        const Explainer explainer = model.read(
            [](const Ensemble& e, const FeatureSpace& features) { return Explainer(e, features); });
        std::vector<double> values(s.rows * 3 * 2);
        explainer.explain(s.view(), 1, values.data());
        for (std::size_t r = 0; r < s.rows; ++r) {
            double log_odds = explainer.base()[1];
            for (std::size_t f = 0; f < 3; ++f) log_odds += values[(3 * r + f) * 2 + 1];
            CHECK_CLOSE(std::log(p[2 * r + 1] / p[2 * r]), log_odds, 1e-9);
        }
    }
}

// Bit for bit, so that a block is predicted as its rows are one by one.
TEST(a_row_is_predicted_alike_before_it_is_learned_and_by_itself) {
    for (const Combination combination : kSums) {
        const Shape shape = shape_of(3);
        const Stream s = streams::make(shape);
        const Options options = options_of(combination, 3);
        ClassLearner model(options, shape.nominal, nullptr), again(options, shape.nominal, nullptr);
        class_learners::Recorded recorded;
        class_learners::learn(model, s, 0, 1000, &recorded);
        for (std::size_t r = 0; r < 1000; ++r) {
            if (r >= 500) {
                const std::vector<double> p =
                    class_learners::probabilities(again, s.view(r, r + 1));
                for (std::size_t k = 0; k < p.size(); ++k)
                    CHECK(p[k] == recorded.probabilities[r * recorded.stride + k]);
            }
            class_learners::learn(again, s, r, r + 1);
        }
    }
}

TEST(a_forest_of_one_member_and_other_models_are_not_calibrated) {
    const Shape shape = shape_of(2);
    const Stream s = streams::make(shape);
    for (const Options& options :
         {options_of(Combination::averaging, 1), options_of(Combination::one, 1),
          options_of(Combination::choosing, 2)}) {
        ClassLearner model(options, shape.nominal, nullptr);
        class_learners::learn(model, s, 0, s.rows);
        const Archive archive = model.save();
        CHECK(!ArchiveView(archive).has("calibration/sums"));
    }
}

// As in `fit`, where rows come several times, and may come again later.
TEST(a_model_that_is_not_watched_is_not_calibrated_from_then_on) {
    const Shape shape = shape_of(2);
    const Stream s = streams::make(shape);
    for (const Combination combination : kSums) {
        const Options options = options_of(combination, 4);
        ClassLearner model(options, shape.nominal, nullptr);
        model.watch_errors(false);
        for (std::size_t pass = 0; pass < 3; ++pass) class_learners::learn(model, s, 0, s.rows);
        model.watch_errors(true);
        const Archive archive = model.save();
        CHECK(!ArchiveView(archive).has(Calibration::kFirstArray));
        ClassLearner loaded(options, archive);
        for (ClassLearner* each : {&model, &loaded}) {
            class_learners::learn(*each, s, 0, s.rows);
            CHECK(factor_of(*each) == 1.0);
        }
        CHECK(difference(model.save(), loaded.save()) == "");
    }
}

int main(int argc, char** argv) {
    return check::run(argc, argv);
}
