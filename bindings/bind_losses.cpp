// Losses by name, and losses written in Python.
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "losses.hpp"
#include "sgt/loss/target_statistics.hpp"

namespace bindings {

namespace {

sgt::Targets to_targets(const std::vector<double>& y, const std::vector<double>& w) {
    require(y.size() == w.size() && !y.empty(),
            "y and weight must have the same length, 1 or more");
    return {y, w};
}

std::vector<double> to_vector(const Floats& values) {
    return {values.data(), values.data() + values.shape(0)};
}

// A loss written in Python. The core calls it while it works without the GIL and holds its own
// lock; every thread gives the GIL back before it waits for that lock, so the two cannot block each
// other.
class PythonLoss final : public sgt::Loss {
public:
    explicit PythonLoss(nb::object adapter) : adapter_(std::move(adapter)) {}
    ~PythonLoss() override {
        const nb::gil_scoped_acquire gil;
        adapter_.reset();
    }
    PythonLoss(const PythonLoss&) = delete;
    PythonLoss& operator=(const PythonLoss&) = delete;

    bool takes_blocks() const override {
        return true;
    }
    sgt::Derivatives derivatives(double y, double raw) const override {
        sgt::Derivatives d;
        block_derivatives(&y, &raw, 1, 1, &d);
        return d;
    }
    void block_derivatives(const double* y, const double* raw, std::size_t n, std::size_t outputs,
                           sgt::Derivatives* out) const override {
        const nb::gil_scoped_acquire gil;
        const std::size_t size = n * outputs;
        const auto [g, h] = nb::cast<std::pair<Numbers, Numbers>>(adapter_.attr("derivatives")(
            rows_of_outputs(std::vector<double>(y, y + size), outputs),
            rows_of_outputs(std::vector<double>(raw, raw + size), outputs)));
        require(g.size() == size && h.size() == size,
                "a loss must give one gradient and one hessian for each row and output");
        for (std::size_t i = 0; i < size; ++i) out[i] = {g.data()[i], h.data()[i]};
    }
    double best_constant(const sgt::Targets& targets) const override {
        return block_constants(targets, 1)[0];
    }
    std::vector<double> block_constants(const sgt::Targets& targets,
                                        std::size_t outputs) const override {
        const nb::gil_scoped_acquire gil;
        return for_outputs(
            adapter_.attr("starts")(rows_of_outputs(targets.y, outputs), to_numpy(targets.w)),
            outputs);
    }
    void take_block_scales(const sgt::Targets& targets, std::size_t outputs) override {
        const nb::gil_scoped_acquire gil;
        adapter_.attr("take_scales")(rows_of_outputs(targets.y, outputs), to_numpy(targets.w));
    }
    double scale() const override {
        return block_scales(1)[0];
    }
    std::vector<double> block_scales(std::size_t outputs) const override {
        const nb::gil_scoped_acquire gil;
        return for_outputs(adapter_.attr("scales")(outputs), outputs);
    }
    void set_block_scales(const std::vector<double>& scales) override {
        const nb::gil_scoped_acquire gil;
        adapter_.attr("set_scales")(to_numpy(scales));
    }

    int visit(visitproc visit, void* arg) const {
        Py_VISIT(adapter_.ptr());
        return 0;
    }
    void drop() {
        adapter_.reset();
    }

private:
    static std::vector<double> for_outputs(const nb::object& answer, std::size_t outputs) {
        const auto numbers = nb::cast<Floats>(answer);
        require(numbers.shape(0) == outputs, "a loss must give a number for each output");
        return to_vector(numbers);
    }

    nb::object adapter_;
};

int visit_spec(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    if (!nb::inst_ready(self)) return 0;
    Py_VISIT(nb::inst_ptr<LossSpec>(self)->adapter.ptr());
    return 0;
}

int clear_spec(PyObject* self) {
    if (!nb::inst_ready(self)) return 0;
    nb::inst_ptr<LossSpec>(self)->adapter.reset();
    return 0;
}

PyType_Slot spec_slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(visit_spec)},
                            {Py_tp_clear, reinterpret_cast<void*>(clear_spec)},
                            {0, nullptr}};

}  // namespace

int visit_python_loss(const sgt::Loss& loss, visitproc visit, void* arg) {
    const auto* python_loss = dynamic_cast<const PythonLoss*>(&loss);
    return python_loss == nullptr ? 0 : python_loss->visit(visit, arg);
}

void drop_python_loss(sgt::Loss& loss) {
    if (auto* python_loss = dynamic_cast<PythonLoss*>(&loss)) python_loss->drop();
}

std::unique_ptr<sgt::Loss> LossSpec::make() const {
    if (name.empty()) return std::make_unique<PythonLoss>(adapter);
    return sgt::make_loss(name, parameters);
}

std::vector<std::shared_ptr<sgt::Loss>> LossSpec::make_all(std::size_t outputs) const {
    std::vector<std::shared_ptr<sgt::Loss>> losses;
    losses.push_back(make());
    while (!name.empty() && losses.size() < outputs) losses.push_back(make());
    return losses;
}

void bind_losses(nb::module_& m) {
    nb::class_<LossSpec>(m, "LossSpec", nb::type_slots(spec_slots))
        .def_static(
            "built_in",
            [](const std::string& name, const std::map<std::string, double>& parameters) {
                LossSpec spec{name, parameters, {}};
                spec.make();  // refuses what is wrong
                return spec;
            },
            nb::arg("name"), nb::arg("parameters"))
        .def_static(
            "in_python", [](nb::object adapter) { return LossSpec{"", {}, std::move(adapter)}; },
            nb::arg("adapter"))
        .def(
            "derivatives",
            [](const LossSpec& spec, const Floats& y, const Floats& raw, double scale) {
                require(y.shape(0) == raw.shape(0), "y and raw must have the same length");
                const std::unique_ptr<sgt::Loss> loss = spec.make();
                if (scale > 0.0) loss->set_scale(scale);
                std::vector<double> g, h;
                for (std::size_t i = 0; i < y.shape(0); ++i) {
                    const sgt::Derivatives d = loss->derivatives(y.data()[i], raw.data()[i]);
                    g.push_back(d.g);
                    h.push_back(d.h);
                }
                return std::pair{to_numpy(std::move(g)), to_numpy(std::move(h))};
            },
            nb::arg("y"), nb::arg("raw"), nb::arg("scale"))
        .def(
            "best_constant",
            [](const LossSpec& spec, const Floats& y, const Floats& weight) {
                const std::vector<double> targets = to_vector(y), weights = to_vector(weight);
                return spec.make()->best_constant(to_targets(targets, weights));
            },
            nb::arg("y"), nb::arg("weight"))
        .def(
            "find_scale",
            [](const LossSpec& spec, const Floats& y, const Floats& weight) {
                const std::unique_ptr<sgt::Loss> loss = spec.make();
                const std::vector<double> targets = to_vector(y), weights = to_vector(weight);
                loss->take_scale(to_targets(targets, weights));
                return loss->scale();
            },
            nb::arg("y"), nb::arg("weight"));
    m.def(
        "spread",
        [](const Floats& y, const Floats& weight) {
            const std::vector<double> targets = to_vector(y), weights = to_vector(weight);
            return sgt::spread(to_targets(targets, weights));
        },
        nb::arg("y"), nb::arg("weight"));
    m.def(
        "weighted_quantile",
        [](const Floats& y, const Floats& weight, double alpha) {
            const std::vector<double> targets = to_vector(y), weights = to_vector(weight);
            return sgt::weighted_quantile(to_targets(targets, weights), alpha);
        },
        nb::arg("y"), nb::arg("weight"), nb::arg("alpha"));
}

}  // namespace bindings
