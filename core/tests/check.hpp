// A test framework in one header: enough for the core, and nothing to install.
//
//     #include "check.hpp"
//
//     TEST(a_constant_feature_has_one_boundary) {
//         CHECK(boundaries.size() == 1);
//         CHECK_CLOSE(boundaries[0], 3.5, 1e-12);
//         CHECK_THROWS(std::invalid_argument, make_boundaries(nan));
//     }
//
//     int main(int argc, char** argv) { return check::run(argc, argv); }
//
// A check that fails is reported with its file, line and values, and its test goes on: one run
// shows all that is wrong. A test that throws has failed. Arguments are parts of names; only tests
// whose name contains one of them run.
#pragma once

#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace check {

struct Test {
    std::string name;
    std::function<void()> body;
};

inline std::vector<Test>& tests() {
    static std::vector<Test> all;
    return all;
}

// Failed checks of the running test.
inline int& failures() {
    static int count = 0;
    return count;
}

struct Registration {
    Registration(std::string name, std::function<void()> body) {
        tests().push_back({std::move(name), std::move(body)});
    }
};

inline void fail(const char* file, int line, const std::string& what) {
    ++failures();
    std::cout << file << ':' << line << ": " << what << '\n';
}

inline void that(bool holds, const char* expression, const char* file, int line) {
    if (!holds) fail(file, line, std::string("CHECK(") + expression + ") does not hold");
}

// |actual - expected| <= tolerance * max(1, |expected|): relative for large numbers, absolute for
// small ones. Two equal infinities are close, and so are two NaNs.
inline bool is_close(double actual, double expected, double tolerance) {
    if (std::isnan(actual) || std::isnan(expected))
        return std::isnan(actual) && std::isnan(expected);
    if (actual == expected) return true;
    if (std::isinf(actual) || std::isinf(expected)) return false;
    return std::fabs(actual - expected) <= tolerance * std::fmax(1.0, std::fabs(expected));
}

inline void close(double actual, double expected, double tolerance, const char* expression,
                  const char* file, int line) {
    if (is_close(actual, expected, tolerance)) return;
    char values[160];
    std::snprintf(values, sizeof values, " is %.17g, expected %.17g within %g", actual, expected,
                  tolerance);
    fail(file, line, expression + std::string(values));
}

template <typename Exception, typename Body>
void throws(Body&& body, const char* expression, const char* file, int line) {
    try {
        body();
    } catch (const Exception&) {
        return;
    } catch (const std::exception& error) {
        fail(file, line, std::string(expression) + " throws something else: " + error.what());
        return;
    }
    fail(file, line, std::string(expression) + " does not throw");
}

inline bool is_wanted(const std::string& name, int argc, char** argv) {
    if (argc <= 1) return true;
    for (int i = 1; i < argc; ++i)
        if (name.find(std::string_view(argv[i])) != std::string::npos) return true;
    return false;
}

inline bool passes(const Test& test) {
    failures() = 0;
    try {
        test.body();
    } catch (const std::exception& error) {
        ++failures();
        std::cout << test.name << " threw: " << error.what() << '\n';
    } catch (...) {
        ++failures();
        std::cout << test.name << " threw something that is no std::exception\n";
    }
    return failures() == 0;
}

// The exit code: 0 where all tests passed and there was at least one.
inline int run(int argc = 0, char** argv = nullptr) {
    int passed = 0;
    int failed = 0;
    for (const Test& test : tests()) {
        if (!is_wanted(test.name, argc, argv)) continue;
        if (passes(test)) {
            ++passed;
        } else {
            ++failed;
            std::cout << "FAILED " << test.name << '\n';
        }
    }
    std::cout << passed << " passed, " << failed << " failed" << std::endl;
    return failed == 0 && passed > 0 ? 0 : 1;
}

}  // namespace check

#define TEST(name)                                                       \
    static void name();                                                  \
    static const ::check::Registration name##_registration(#name, name); \
    static void name()

#define CHECK(...) ::check::that(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)

#define CHECK_CLOSE(actual, expected, tolerance) \
    ::check::close((actual), (expected), (tolerance), #actual, __FILE__, __LINE__)

#define CHECK_THROWS(exception, ...) \
    ::check::throws<exception>([&] { (void)(__VA_ARGS__); }, #__VA_ARGS__, __FILE__, __LINE__)
