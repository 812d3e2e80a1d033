"""The functions of exported C source, which read the tables above them.

NAME is replaced by the prefix of all names, LINK by the link of ``raw``, FUNCTION by a name.
"""

from sgtrees.inspection.node_view import MOST_DEVIATIONS

LEAF = """
/* Returns the node at which a row ends in the tree that begins at this node. A row with a category
   that a split has not seen ends at the split, which has a value too. */
static int NAME_leaf(int node, const double *x) {
    while (NAME_feature[node] >= 0) {
        const double value = x[NAME_feature[node]];
        if (value != value) {
            node = NAME_missing[node];
        } else if (NAME_n_categories[node] == 0) {
            node = value <= NAME_threshold[node] ? NAME_left[node] : NAME_right[node];
        } else {
            int low = NAME_left[node], high = low + NAME_n_categories[node];
            const int end = high;
            while (low < high) {
                const int middle = low + (high - low) / 2;
                if (NAME_category[middle] < value) low = middle + 1;
                else high = middle;
            }
            if (low == end || NAME_category[low] != value) return node;
            node = NAME_child[low];
        }
    }
    return node;
}
"""

SUM = """
/* Sets the raw score of each output: its start plus what the trees add to it. */
static void NAME_sum(const double *x, double *raw) {
    int tree, i;
    for (i = 0; i < NAME_N_OUTPUTS; ++i) raw[i] = NAME_start[i];
    for (tree = 0; tree < NAME_N_TREES; ++tree) {
        const int root = NAME_root[tree], first = NAME_first_output[tree];
        const int n = NAME_first_output[tree + 1] - first;
        const double *value = NAME_value + NAME_first_value[tree];
        value += n * (NAME_leaf(root, x) - root);
        for (i = 0; i < n; ++i) raw[NAME_output[first + i]] += value[i];
    }
}
"""

LINEAR_SUM = """
/* Sets the raw score of each output: its start plus what the trees add to it. Leaves are linear in
   z, the standard deviations of a feature from its mean; 0 for missing values. */
static void NAME_sum(const double *x, double *raw) {
    double z[NAME_N_INPUTS];
    int tree, i, j;
    for (i = 0; i < NAME_N_OUTPUTS; ++i) raw[i] = NAME_start[i];
    for (j = 0; j < NAME_N_INPUTS; ++j) {
        z[j] = (x[NAME_input_feature[j]] - NAME_input_mean[j]) / NAME_input_deviation[j];
        if (z[j] > MOST_DEVIATIONS) z[j] = MOST_DEVIATIONS;
        else if (z[j] < -MOST_DEVIATIONS) z[j] = -MOST_DEVIATIONS;
        else if (z[j] != z[j]) z[j] = 0.0;
    }
    for (tree = 0; tree < NAME_N_TREES; ++tree) {
        const int root = NAME_root[tree], first = NAME_first_output[tree];
        const int n = NAME_first_output[tree + 1] - first;
        const int place = NAME_first_value[tree] + n * (NAME_leaf(root, x) - root);
        for (i = 0; i < n; ++i) {
            const double *weight = NAME_weight + NAME_N_INPUTS * (place + i);
            double linear = 0.0;
            for (j = 0; j < NAME_N_INPUTS; ++j) linear += weight[j] * z[j];
            raw[NAME_output[first + i]] += NAME_value[place + i] + linear;
        }
    }
}
""".replace("MOST_DEVIATIONS", repr(MOST_DEVIATIONS))

RAW_SCORE = """
double NAME_raw(const double *x) {
    double raw[1];
    NAME_sum(x, raw);
    return raw[0];
}
"""

RAW_SCORES = """
void NAME_raw(const double *x, double *raw) {
    NAME_sum(x, raw);
}
"""

CATEGORY = """
/* The number of a string in a feature's column; -1 for a string that the model has not seen. */
double NAME_category_number(int feature, const char *category) {
    int i;
    for (i = 0; i < NAME_N_STRINGS; ++i)
        if (NAME_string_feature[i] == feature && strcmp(NAME_string[i], category) == 0)
            return NAME_string_number[i];
    return -1.0;
}
"""

LOGISTIC = """
static double NAME_logistic(double raw) {
    double odds;
    if (raw >= 0.0) return 1.0 / (1.0 + exp(-raw));
    odds = exp(raw); /* never overflows here */
    return odds / (1.0 + odds);
}
"""

# ---- predictions --------------------------------------------------------------------------------

LINKED_NUMBER = """
double NAME_FUNCTION(const double *x) {
    const double raw = NAME_raw(x);
    return LINK;
}
"""

LINKED_NUMBERS = """
void NAME_FUNCTION(const double *x, double *predictions) {
    int i;
    NAME_raw(x, predictions);
    for (i = 0; i < NAME_N_OUTPUTS; ++i) {
        const double raw = predictions[i];
        predictions[i] = LINK;
    }
}
"""

INDICATORS = """
void NAME_predict(const double *x, int *has_label) {
    double probabilities[NAME_N_OUTPUTS];
    int i;
    NAME_predict_proba(x, probabilities);
    for (i = 0; i < NAME_N_OUTPUTS; ++i) has_label[i] = probabilities[i] > 0.5;
}
"""

LINK_OF_TWO = """
void NAME_predict_proba(const double *x, double *probabilities) {
    const double raw = NAME_raw(x);
    const double probability = LINK;
    int i;
    for (i = 0; i < NAME_N_CLASSES; ++i) probabilities[i] = 0.0;
    probabilities[NAME_place[0]] = 1.0 - probability;
    probabilities[NAME_place[1]] = probability;
}

int NAME_predict(const double *x) {
    double probabilities[NAME_N_CLASSES];
    int i, best = 0;
    NAME_predict_proba(x, probabilities);
    for (i = 1; i < NAME_N_CLASSES; ++i)
        if (probabilities[i] > probabilities[best]) best = i;
    return best;
}
"""

SOFTMAX_OF_TWO = """
void NAME_predict_proba(const double *x, double *probabilities) {
    double raw[2];
    int i;
    NAME_raw(x, raw);
    for (i = 0; i < NAME_N_CLASSES; ++i) probabilities[i] = 0.0;
    probabilities[NAME_place[0]] = NAME_logistic(raw[0] - raw[1]);
    probabilities[NAME_place[1]] = NAME_logistic(raw[1] - raw[0]);
}
"""

SOFTMAX = """
void NAME_predict_proba(const double *x, double *probabilities) {
    double raw[NAME_N_OUTPUTS], highest, sum = 0.0;
    int i;
    NAME_raw(x, raw);
    highest = raw[0];
    for (i = 1; i < NAME_N_OUTPUTS; ++i)
        if (raw[i] > highest) highest = raw[i];
    for (i = 0; i < NAME_N_OUTPUTS; ++i) {
        raw[i] = exp(raw[i] - highest);
        sum += raw[i];
    }
    for (i = 0; i < NAME_N_CLASSES; ++i) probabilities[i] = 0.0;
    for (i = 0; i < NAME_N_OUTPUTS; ++i) probabilities[NAME_place[i]] = raw[i] / sum;
}
"""

BEST_LABEL = """
int NAME_predict(const double *x) {
    double raw[NAME_N_OUTPUTS];
    int i, best = 0;
    NAME_raw(x, raw);
    for (i = 1; i < NAME_N_OUTPUTS; ++i)
        if (raw[i] > raw[best] || (raw[i] == raw[best] && NAME_place[i] < NAME_place[best]))
            best = i;
    return NAME_place[best];
}
"""
