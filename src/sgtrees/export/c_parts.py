"""The functions of exported C source, which read the tables that stand above them.

NAME stands for the prefix of all names.
"""

WALK = """
/* Walks down a tree; returns the node at the end. A category that a split has not seen ends there,
   at the value that the split keeps. */
static int NAME_walk(int node, const double *x) {
    while (NAME_feature[node] >= 0) {
        const double value = x[NAME_feature[node]];
        if (value != value) {
            node = NAME_missing[node];
        } else if (NAME_count[node] == 0) {
            node = value <= NAME_threshold[node] ? NAME_left[node] : NAME_right[node];
        } else {
            int low = NAME_left[node], high = low + NAME_count[node];
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

CATEGORY = """
/* The number that stands for a string in a feature's column; -1 where the model knows it not. */
double NAME_category_number(int feature, const char *category) {
    int i;
    for (i = 0; i < NAME_N_STRINGS; ++i)
        if (NAME_string_feature[i] == feature && strcmp(NAME_string[i], category) == 0)
            return NAME_string_number[i];
    return -1.0;
}
"""

LOGISTIC = """
static double NAME_logistic(double score) {
    double odds;
    if (score >= 0.0) return 1.0 / (1.0 + exp(-score));
    odds = exp(score); /* never overflows here */
    return odds / (1.0 + odds);
}
"""

SCORES = """
void NAME_raw(const double *x, double *scores) {
    int tree, i;
    for (i = 0; i < NAME_N_SCORES; ++i) scores[i] = 0.0;
    for (tree = 0; tree < NAME_N_TREES; ++tree) {
        const int node = NAME_walk(NAME_root[tree], x);
        for (i = 0; i < NAME_N_VALUES; ++i)
            scores[NAME_target[tree * NAME_N_VALUES + i]] = NAME_value[node * NAME_N_VALUES + i];
    }
}
"""

SCORE = """
double NAME_raw(const double *x) {
    return NAME_value[NAME_walk(0, x)];
}
"""

COLUMNS = """
void NAME_predict(const double *x, double *predictions) {
    int i;
    NAME_raw(x, predictions);
    for (i = 0; i < NAME_N_SCORES; ++i) {
        const double raw = predictions[i];
        predictions[i] = LINK;
    }
}
"""

LABELS_AT_ONCE = """
void NAME_predict_proba(const double *x, double *probabilities) {
    int i;
    NAME_raw(x, probabilities);
    for (i = 0; i < NAME_N_SCORES; ++i) {
        const double raw = probabilities[i];
        probabilities[i] = LINK;
    }
}

void NAME_predict(const double *x, int *has_label) {
    double probabilities[NAME_N_SCORES];
    int i;
    NAME_predict_proba(x, probabilities);
    for (i = 0; i < NAME_N_SCORES; ++i) has_label[i] = probabilities[i] > 0.5;
}
"""

TWO_LABELS = """
void NAME_predict_proba(const double *x, double *probabilities) {
    double scores[2];
    int i;
    NAME_raw(x, scores);
    for (i = 0; i < NAME_N_CLASSES; ++i) probabilities[i] = 0.0;
    probabilities[NAME_place[0]] = NAME_logistic(scores[0] - scores[1]);
    probabilities[NAME_place[1]] = NAME_logistic(scores[1] - scores[0]);
}
"""

MANY_LABELS = """
void NAME_predict_proba(const double *x, double *probabilities) {
    double scores[NAME_N_SCORES], highest, sum = 0.0;
    int i;
    NAME_raw(x, scores);
    highest = scores[0];
    for (i = 1; i < NAME_N_SCORES; ++i)
        if (scores[i] > highest) highest = scores[i];
    for (i = 0; i < NAME_N_SCORES; ++i) {
        scores[i] = exp(scores[i] - highest);
        sum += scores[i];
    }
    for (i = 0; i < NAME_N_CLASSES; ++i) probabilities[i] = 0.0;
    for (i = 0; i < NAME_N_SCORES; ++i) probabilities[NAME_place[i]] = scores[i] / sum;
}
"""

BEST_SCORE = """
int NAME_predict(const double *x) {
    double scores[NAME_N_SCORES];
    int i, best = 0;
    NAME_raw(x, scores);
    for (i = 1; i < NAME_N_SCORES; ++i)
        if (scores[i] > scores[best] ||
            (scores[i] == scores[best] && NAME_place[i] < NAME_place[best]))
            best = i;
    return NAME_place[best];
}
"""

LINKED_LABELS = """
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

NUMBER = """
double NAME_predict(const double *x) {
    const double raw = NAME_raw(x);
    return LINK;
}
"""

INSTANCE = """
double NAME_probability(const double *x) {
    return NAME_logistic(NAME_raw(x));
}
"""
