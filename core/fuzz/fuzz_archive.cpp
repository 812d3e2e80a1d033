// A damaged archive is refused by an error, or gives a model that learns and predicts.
#include <memory>
#include <stdexcept>

#include "../tests/learners.hpp"
#include "damage.hpp"

namespace {

using learners::Committee;
using learners::VectorTree;

const streams::Stream& stream() {
    static const streams::Stream s = streams::make({.rows = 700,
                                                    .nominal = {false, true, false},
                                                    .classes = 3,
                                                    .missing = 0.1,
                                                    .late_class_from = 300});
    return s;
}

sgt::Options options() {
    sgt::Options options = learners::options_of({80, 20, 0.1, 0.0});
    options.kept_rows = 30;
    return options;
}

template <class Model>
const sgt::Archive& saved() {
    static const sgt::Archive archive = [] {
        Model model(options(), {false, true, false}, nullptr);
        learners::learn(model, stream(), 0, 500);
        return model.save();
    }();
    return archive;
}

template <class Model>
void try_out(const std::uint8_t* data, std::size_t size) {
    const sgt::Archive archive = fuzz::damaged(saved<Model>(), data, size);
    try {
        Model model(options(), archive);
        learners::learn(model, stream(), 500, 540);
        model.save();
    } catch (const std::invalid_argument&) {
    } catch (const std::bad_alloc&) {
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 1 + fuzz::kBytesOfChange) return -1;  // nothing would be damaged
    data[0] % 2 == 0 ? try_out<Committee>(data + 1, size - 1)
                     : try_out<VectorTree>(data + 1, size - 1);
    return 0;
}
