#include <cmath>
#include <limits>

#include "check.hpp"
#include "sgt/split/student_t.hpp"
#include "streams.hpp"

using sgt::SignificanceLevel;
using sgt::student_t_two_sided;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Known {
    double df, t, p;
};

// scipy.stats.t.sf, twice; for df = 1 and t = 1e-8, where that is off, 1 - 2 arctan(t) / pi.
const Known kKnown[] = {
    {0.5, 1e-08, 0.99999999460647404},
    {0.5, 0.001, 0.99946064766848752},
    {0.5, 0.1, 0.94633162112860636},
    {0.5, 1, 0.6022432216826441},
    {0.5, 2.5, 0.40097052905329322},
    {0.5, 5.75, 0.26688075517307919},
    {0.5, 20, 0.14339496102846061},
    {0.5, 100, 0.064139714043073295},
    {0.5, 1000.0, 0.020282909081714189},
    {1, 1e-08, 0.99999999363380228},
    {1, 0.001, 0.99936338043981587},
    {1, 0.1, 0.93654896513889296},
    {1, 1, 0.50000000000000011},
    {1, 2.5, 0.24223788318168682},
    {1, 5.75, 0.10962007714538187},
    {1, 20, 0.031804502512352749},
    {1, 100, 0.0063659855298165103},
    {1, 1000.0, 0.00063661956016111785},
    {1.5, 1e-08, 0.99999999318530042},
    {1.5, 0.001, 0.99931853022671979},
    {1.5, 0.1, 0.93204145348696277},
    {1.5, 1, 0.45113536727671033},
    {1.5, 2.5, 0.16980650261469604},
    {1.5, 5.75, 0.053409813097190909},
    {1.5, 20, 0.0084149886622209274},
    {1.5, 100, 0.00075410988992489342},
    {1.5, 1000.0, 2.3848945646787014e-05},
    {2, 1e-08, 0.99999999292893216},
    {2, 0.001, 0.99929289339559013},
    {2, 0.1, 0.9294654384141402},
    {2, 1, 0.42264973081037421},
    {2, 2.5, 0.12961172022151082},
    {2, 5.75, 0.028939238882277153},
    {2, 20, 0.002490663892367097},
    {2, 100, 9.9985002499562581e-05},
    {2, 1000.0, 9.9999850000250004e-07},
    {3, 1e-08, 0.99999999264894801},
    {3, 0.001, 0.99926489496946092},
    {3, 0.1, 0.92665234880080594},
    {3, 1, 0.39100221895577048},
    {3, 2.5, 0.087706647008065561},
    {3, 5.75, 0.010449379723288986},
    {3, 20, 0.00027320325024731161},
    {3, 100, 2.2045219231849105e-06},
    {3, 1000.0, 2.2053076425765919e-09},
    {7.25, 1e-08, 0.99999999229077274},
    {7.25, 0.001, 0.99922907742148048},
    {7.25, 0.1, 0.92305362756695197},
    {7.25, 1, 0.34951087779715129},
    {7.25, 2.5, 0.039865520758914572},
    {7.25, 5.75, 0.00061524845805250878},
    {7.25, 20, 1.3118176894430949e-07},
    {7.25, 100, 1.1872699947605524e-12},
    {7.25, 1000.0, 6.6920155028525023e-20},
    {30, 1e-08, 0.99999999208735635},
    {30, 0.001, 0.99920873576648506},
    {30, 0.1, 0.92100961179027119},
    {30, 1, 0.32530861542603018},
    {30, 2.5, 0.018115649068066689},
    {30, 5.75, 2.8095771626528656e-06},
    {30, 20, 6.7490836657712895e-19},
    {30, 100, 1.9846117967270311e-39},
    {30, 1000.0, 2.0720034831117328e-69},
    {199, 1e-08, 0.99999999203117174},
    {199, 0.001, 0.99920311730663958},
    {199, 0.1, 0.9204449955339109},
    {199, 1, 0.31852491231977387},
    {199, 2.5, 0.013227259966507704},
    {199, 5.75, 3.3199431671942072e-08},
    {199, 20, 1.6614802485995199e-49},
    {199, 100, 4.3712380576723891e-172},
    {1000.5, 1e-08, 0.99999999202314782},
    {1000.5, 0.001, 0.99920231491879197},
    {1000.5, 0.1, 0.920364359008087},
    {1000.5, 1, 0.3175522972202347},
    {1000.5, 2.5, 0.012578488029448201},
    {1000.5, 5.75, 1.1847433876622874e-08},
    {1000.5, 20, 4.01080039607413e-75},
    {100000.0, 1e-08, 0.99999999202117429},
    {100000.0, 0.001, 0.99920211756688782},
    {100000.0, 0.1, 0.92034452590672633},
    {100000.0, 1, 0.31731292756411023},
    {100000.0, 2.5, 0.012420919192559051},
    {100000.0, 5.75, 8.9502227623251117e-09},
    {100000.0, 20, 8.2234939106542252e-89},
    {10000000.0, 1e-08, 0.99999999202115464},
    {10000000.0, 0.001, 0.99920211559212502},
    {10000000.0, 0.1, 0.92034432745055239},
    {10000000.0, 1, 0.31731053205998605},
    {10000000.0, 2.5, 0.01241934653657847},
    {10000000.0, 5.75, 8.9246033712460999e-09},
    {10000000.0, 20, 5.5294312069577647e-89},
};

bool is_near(double actual, double expected, double relative) {
    return std::fabs(actual - expected) <= relative * expected;
}

}  // namespace

TEST(p_values_agree_with_known_ones_to_nine_digits) {
    for (const Known& known : kKnown) {
        const double p = student_t_two_sided(known.t, known.df);
        CHECK_CLOSE(p, known.p, 1e-9);
        CHECK(is_near(p, known.p, 1e-9));
    }
}

TEST(the_sign_of_t_does_not_matter) {
    for (const Known& known : kKnown)
        CHECK(student_t_two_sided(-known.t, known.df) == student_t_two_sided(known.t, known.df));
}

TEST(one_and_two_degrees_of_freedom_follow_the_closed_forms) {
    streams::Random random(1);
    for (int i = 0; i < 2000; ++i) {
        const double t = std::pow(10.0, random.between(-3, 6));
        CHECK(is_near(student_t_two_sided(t, 1.0), 2.0 * std::atan(1.0 / t) / std::acos(-1.0),
                      1e-12));
        // 1 - t / sqrt(2 + t^2), without its cancellation.
        const double root = std::sqrt(2.0 + t * t);
        CHECK(is_near(student_t_two_sided(t, 2.0), 2.0 / (root * (root + t)), 1e-12));
    }
}

TEST(p_falls_as_t_grows) {
    for (const double df : {0.5, 1.0, 4.5, 199.0, 1e5, 1e7}) {
        double before = 1.0;
        for (double t = 1e-6; t < 30.0; t *= 1.05) {
            const double p = student_t_two_sided(t, df);
            CHECK(p >= 0.0 && p <= before * (1.0 + 1e-9));
            before = p;
        }
    }
}

TEST(p_is_1_where_t_is_0_or_too_small_to_square) {
    for (const double df : {0.5, 1.0, 199.0, 1e7}) {
        CHECK(student_t_two_sided(0.0, df) == 1.0);
        CHECK_CLOSE(student_t_two_sided(1e-200, df), 1.0, 1e-15);
        CHECK_CLOSE(student_t_two_sided(5e-324, df), 1.0, 1e-15);
    }
}

TEST(p_is_0_where_t_is_infinite_or_p_too_small_for_a_double) {
    CHECK(student_t_two_sided(kInfinity, 3.0) == 0.0);
    CHECK(student_t_two_sided(-kInfinity, 3.0) == 0.0);
    CHECK(student_t_two_sided(1e3, 1e7) == 0.0);
    CHECK(student_t_two_sided(1e3, 199.0) < 1e-300);
    CHECK(student_t_two_sided(1e150, 1e4) == 0.0);
}

TEST(a_t_whose_square_overflows_still_has_a_p_value) {
    // With one degree of freedom p approaches 2 / (pi t).
    CHECK(is_near(student_t_two_sided(1e200, 1.0), 2.0 / std::acos(-1.0) * 1e-200, 1e-9));
    CHECK(is_near(student_t_two_sided(-1e300, 1.0), 2.0 / std::acos(-1.0) * 1e-300, 1e-9));
    CHECK(student_t_two_sided(1e200, 50.0) == 0.0);
}

TEST(there_is_no_p_value_for_nan_or_without_degrees_of_freedom) {
    CHECK(std::isnan(student_t_two_sided(streams::kNan, 3.0)));
    CHECK(std::isnan(student_t_two_sided(1.0, streams::kNan)));
    CHECK(std::isnan(student_t_two_sided(1.0, 0.0)));
    CHECK(std::isnan(student_t_two_sided(1.0, -2.0)));
}

TEST(many_degrees_of_freedom_approach_the_normal_distribution) {
    for (const double t : {0.5, 1.0, 2.0, 5.0})
        CHECK(is_near(student_t_two_sided(t, 1e9), std::erfc(t / std::sqrt(2.0)), 1e-6));
}

TEST(a_level_is_reached_where_the_p_value_is_below_it) {
    streams::Random random(7);
    int reached = 0, missed = 0;
    for (const double level : {1.0, 0.5, 0.05, 0.01, 1e-7, 1e-40, 1e-300}) {
        const SignificanceLevel delta(level);
        CHECK(delta.level() == level);
        for (int i = 0; i < 4000; ++i) {
            const double df = std::exp(random.between(-2.0, 16.0));
            const double t = i % 4 == 0 ? std::exp(random.between(-50.0, 400.0))
                                        : std::exp(random.between(-3.0, 4.0));
            const bool expected = student_t_two_sided(t, df) < level;
            CHECK(delta.is_reached(t, df) == expected && delta.is_reached(-t, df) == expected);
            ++(expected ? reached : missed);
        }
        CHECK(delta.is_reached(kInfinity, 3.0) && !delta.is_reached(0.0, 3.0));
        CHECK(!delta.is_reached(streams::kNan, 3.0) && !delta.is_reached(1.0, streams::kNan));
    }
    CHECK(reached > 5000 && missed > 5000);
}

int main(int argc, char** argv) {
    return check::run(argc, argv);
}
