"""The functions of exported Python source, which read the tables above them.

LINK is replaced by the link of ``score``, FUNCTION by a name, NAMES by LABELS or TARGETS.
"""

LEAF = '''
def _leaf(tree, values):
    """Return the values of the node at which a row ends in a tree."""
    node = tree[0]
    while type(node) is tuple:
        value = values[node[0]]
        if value is None:
            node = tree[node[2]]
        elif type(node[1]) is float:
            node = tree[node[3] if value <= node[1] else node[4]]
        elif value in node[1]:
            node = tree[node[1][value]]
        else:
            return node[3]
    return node
'''

SUM = '''
def _sum(row):
    """Return the raw score of each output: its start plus what the trees add to it."""
    values = _values(row)
    scores = list(START)
    for outputs, tree in TREES:
        for output, value in zip(outputs, _leaf(tree, values)):
            scores[output] += value
    return scores
'''

LINEAR_SUM = '''
def _sum(row):
    """Return the raw score of each output: its start plus what the trees add to it."""
    values = _values(row)
    inputs = [_input(values[feature], *standard) for feature, *standard in INPUTS]
    scores = list(START)
    for outputs, tree in TREES:
        for output, (value, *weights) in zip(outputs, _leaf(tree, values)):
            linear = 0.0
            for weight, z in zip(weights, inputs):
                linear += weight * z
            scores[output] += value + linear
    return scores


def _input(value, mean, deviation):
    """Return the standard deviations of a value from its mean; 0 if it is missing."""
    if value is None:
        return 0.0
    return min(max((value - mean) / deviation, -MOST_DEVIATIONS), MOST_DEVIATIONS)
'''

VALUES = '''
def _values(row):
    """Read a row: a number or a string for each feature, None if it is missing."""
    if hasattr(row, "keys"):
        row = [row.get(key, row.get(name)) for key, name in zip(KEYS, FEATURES)]
    elif len(row) != len(KEYS):
        raise ValueError(f"the row has {len(row)} values, but the model has {len(KEYS)} features")
    return [_value(value, *about) for value, *about in zip(row, FEATURES, KINDS)]


def _value(value, feature, kind):
    if value is None or value != value:
        return None
    if kind == "any":
        return value
    if isinstance(value, str) != (kind == "string"):
        raise TypeError(f"feature {feature!r} holds {kind}s, got {value!r}")
    if kind == "string":
        return value
    value = float(value)
    if isinf(value):
        raise ValueError(f"feature {feature!r} is infinite; values must be finite")
    return value
'''

RAW_SCORE = '''

def raw(row):
    """Return the raw score."""
    return _sum(row)[0]
'''

RAW_SCORES = '''

def raw(row):
    """Return the raw score of each of NAMES."""
    return dict(zip(NAMES, _sum(row)))
'''

LOGISTIC = """

def _logistic(score):
    if score >= 0.0:
        return 1.0 / (1.0 + exp(-score))
    odds = exp(score)  # never overflows here
    return odds / (1.0 + odds)
"""

# ---- predictions --------------------------------------------------------------------------------

NUMBER = '''

def predict(row):
    """Return the prediction."""
    score = raw(row)
    return LINK
'''

LINKED_NUMBERS = '''

def FUNCTION(row):
    """Return the prediction for each of TARGETS."""
    return {target: LINK for target, score in raw(row).items()}
'''

INDICATORS = '''

def predict(row):
    """Return for each of TARGETS whether the row has this label more probably than not."""
    return {label: int(chance > 0.5) for label, chance in predict_proba(row).items()}
'''

INSTANCE = '''

def predict_proba(row):
    """Return the probability of each label of a bag that holds this instance alone."""
    score = raw(row)
    return {LABELS[0]: _logistic(-score), LABELS[1]: _logistic(score)}
'''

LINK_OF_TWO = '''

def predict_proba(row):
    """Return the probability of each label."""
    score = raw(row)
    probability = LINK
    return {**dict.fromkeys(CLASSES, 0.0), LABELS[0]: 1.0 - probability, LABELS[1]: probability}


def predict(row):
    """Return the more probable label; of equal ones the first in CLASSES."""
    probabilities = predict_proba(row)
    highest = max(probabilities.values())
    return next(label for label in CLASSES if probabilities[label] == highest)
'''

SOFTMAX_OF_TWO = '''

def predict_proba(row):
    """Return the probability of each label."""
    first, second = LABELS
    scores = raw(row)
    score = scores[second] - scores[first]
    return {**dict.fromkeys(CLASSES, 0.0), first: _logistic(-score), second: _logistic(score)}
'''

SOFTMAX = '''

def predict_proba(row):
    """Return the probability of each label."""
    scores = raw(row)
    highest = max(scores.values())
    powers = {label: exp(score - highest) for label, score in scores.items()}
    total = 0.0
    for power in powers.values():
        total += power
    return {label: powers.get(label, 0.0) / total for label in CLASSES}
'''

BEST_LABEL = '''

def predict(row):
    """Return the most probable label; of equal ones the first in CLASSES."""
    scores = raw(row)
    highest = max(scores.values())
    return next(label for label in CLASSES if scores.get(label) == highest)
'''
