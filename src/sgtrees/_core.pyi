"""The compiled core: blocks of float64 rows in, raw numbers out.

Everything here speaks numbers only. A block ``X`` is a C-contiguous two-dimensional array of
float32 or float64, or `Columns`; it has a column for each feature:

- numeric feature: its value; NaN = missing (infinities must have been refused before);
- nominal feature: its category number (0, 1, 2, ... in order of first appearance); NaN = missing;
  any negative number = a category that was never learned (prediction only).

Class numbers are 0, 1, 2, ... in order of first appearance in the stream: number k may occur for
the first time only after 0 .. k - 1 have occurred (in an earlier call or an earlier row). Rows of
weight 0 are predicted, not learned; their class number is not looked at.
A category number that the core has not learned is an unseen category in prediction.
All calls release the GIL while they compute. One call learns at a time; predictions from other
threads see the model between two rows.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32] | NDArray[np.float64]
Floats = NDArray[np.float64]
Ints = NDArray[np.int32]

class Columns:
    """A block as one array for each column, none of them copied.

    The arrays are contiguous and of one length, all float32 or all float64.
    """

    def __init__(self, arrays: Sequence[Array]) -> None: ...
    @property
    def arrays(self) -> list[Array]: ...
    @property
    def shape(self) -> tuple[int, int]: ...
    def __len__(self) -> int:
        """Count the rows."""
    def __getitem__(self, rows: Any) -> Columns:
        """Return the rows that NumPy's index chooses."""

class Codes:
    """A block as codes: what `Learner.encode` gives, an array of uint8, uint16 or uint32.

    Any learner with the same features takes it in place of numbers.
    """

    def __init__(self, codes: NDArray[Any]) -> None: ...

Numbers = Array | Columns
Block = Numbers | Codes

class Options:
    """Checked settings by their names: the fields of the core's `Options`.

    Limits may be None. TypeError for a name that does not exist, ValueError naming the parameter
    that is out of range.
    """

    def __init__(self, **options: float | bool | str | Sequence[float] | None) -> None: ...

class MergeError(ValueError):
    """Models that cannot be merged; the message says why."""

class LossFailure(RuntimeError):  # noqa: N818 - as it is called in the core
    """A row for which a loss gave derivatives that cannot be learned.

    Attributes
    ----------
    row : int
        Its number in the call or, if ``left_out`` is not None, in the warm-up.
    y, raw, g, h : float
        Target, raw score and derivatives of its first output that failed.
    left_out : int or None
        If the warm-up was being learned: how many of the rows of earlier calls were left out;
        the first of them is this one.
    """

    row: int
    y: float
    raw: float
    g: float
    h: float
    left_out: int | None

class LossInPython(Protocol):
    """The methods that the core calls of a loss that is written in Python.

    With several outputs y, raw, g and h have the shape (n_rows, n_outputs), with one (n_rows,).
    """

    def derivatives(self, y: Floats, raw: Floats) -> tuple[Floats, Floats]:
        """Return g and h of each row."""
    def starts(self, y: Floats, weight: Floats) -> Floats:
        """Return the best raw score of each output for all of these targets."""
    def scales(self, n_outputs: int) -> Floats:
        """Return the scale of each output as it is now; 0 for a loss without one."""
    def take_scales(self, y: Floats, weight: Floats) -> None:
        """Take the scales from the targets of the warm-up."""
    def set_scales(self, scales: Floats) -> None:
        """Set the scales that were saved with the model."""

class LossSpec:
    """Which loss a `LossLearner` learns by."""

    @staticmethod
    def built_in(name: str, parameters: dict[str, float]) -> LossSpec:
        """Return a loss of the core; ValueError for an unknown name or parameter."""
    @staticmethod
    def in_python(adapter: LossInPython) -> LossSpec:
        """Return a loss written in Python.

        A gradient that is not finite or a hessian that is negative or not finite raises
        `LossFailure`; the rows before it have been learned.
        """
    def derivatives(self, y: Floats, raw: Floats, scale: float) -> tuple[Floats, Floats]:
        """Return g and h of each row, with this scale (0 = the loss's own)."""
    def best_constant(self, y: Floats, weight: Floats) -> float:
        """Return the best raw score for all of these targets."""
    def find_scale(self, y: Floats, weight: Floats) -> float:
        """Return the scale that it takes from a warm-up with these targets; 0 without one."""

def spread(y: Floats, weight: Floats) -> float:
    """Return the weighted mean distance from the median; 1 if all targets are the same."""

def weighted_quantile(y: Floats, weight: Floats, alpha: float) -> float:
    """Return the lowest target at or below which a share alpha of the weight lies."""

class Learner:
    """What all learners share."""

    def range_updates(self) -> list[tuple[int, int, Literal["crowded", "outside"]]]:
        """Return the latest updates of bins: rows learned before, feature and reason."""
    @property
    def n_range_updates(self) -> int:
        """How many there were since it was made or loaded."""
    @property
    def takes_codes(self) -> bool:
        """Whether codes say as much as numbers: ranges are known, and leaves are constant."""
    def encode(self, X: Block) -> NDArray[Any]:
        """Return rows as codes, which `Codes` makes a block of; uint8 if these suffice."""
    @property
    def warming_up(self) -> bool: ...
    @property
    def inference_only(self) -> bool:
        """Whether it was saved to predict only: then all that learns raises ValueError."""
    @property
    def n_features(self) -> int: ...
    @property
    def n_rows(self) -> int:
        """Rows learned or waiting in the warm-up buffer (weight 0 not counted)."""
    @property
    def n_trees(self) -> int: ...
    @property
    def n_nodes(self) -> int: ...
    @property
    def n_leaves(self) -> int: ...
    @property
    def depth(self) -> int: ...
    @property
    def n_updates(self) -> int: ...
    @property
    def n_splits(self) -> int: ...
    @property
    def memory_bytes(self) -> int: ...
    @property
    def n_members_in_use(self) -> int:
        """How many members predict: of boosted ones the first."""
    def judge_members(self, losses: Sequence[float]) -> None:
        """Let the race between boosted members begin with the mean losses of some rows.

        There is one for each number of members, from 1 on.
        """
    @property
    def round(self) -> tuple[int, bool, int, int, int]:
        """The round under way, or the next one.

        How many rows it has in all; whether they meet a tree that stands still; how many of them
        have come; how many of those are in no partial statistics yet; how many a block has.
        """
    def absorb(self, partial: Mapping[str, NDArray[np.generic]], categories: Sequence[int]) -> None:
        """Add what a copy has gathered from the next rows of the round, of which none may wait.

        ``categories``: how many each feature has, 0 for numeric ones. Others are refused.
        """
    def add_partials(
        self,
        first: Mapping[str, NDArray[np.generic]],
        later: Mapping[str, NDArray[np.generic]],
        categories: Sequence[int],
    ) -> dict[str, NDArray[np.generic]]:
        """Add what copies have gathered from blocks that follow one another."""
    def end_round(self) -> None:
        """The round's last row has come, however many there were to be (no-op outside of one)."""
    def end_warm_up(self) -> None:
        """Fix the ranges from the rows that have come so far and learn them (no-op if it ended)."""
    def add_features(self, nominal: Sequence[bool], ranges: Floats | None = None) -> None:
        """Append features; rows learned before count as missing there.

        ``ranges``: float64 (len(nominal), 2) as in the constructors. A numeric feature that comes
        after the warm-up without a range is missing until ``warm_up`` values of it have come.
        """
    def merge(
        self, other: Learner, codes: Sequence[Sequence[int]], base: Learner | None = None
    ) -> None:
        """Add what another learner has gathered since ``base``, from which both have come.

        ``codes[f][c]`` is the code here of the other's code c of feature f (0: missing; 1 +
        category number); an empty list if the codes are the same. MergeError, with nothing
        changed, if the learners do not fit together.
        """
    def watch_errors(self, on: bool) -> None:
        """Watch errors, or not; that is no part of the saved state."""

    @property
    def has_background(self) -> bool:
        """Whether fresh trees learn in the background."""

    @property
    def drifts(self) -> list[tuple[str, int, float, float, int, int, int]]:
        """What happened to the trees because errors rose: kind, row, and figures.

        Of an alarm the mean errors before and since, and the numbers of rows; otherwise the lead
        of the trees in the background, its t, the rows that they have learned, and 0.
        """

    def collect_rows(self) -> None:
        """Keep the rows that come from now on, for boosted members to learn in turn."""
    def begin_stages(self) -> None:
        """All rows have come: set ranges and start."""
    def learn_stage(self, order: NDArray[np.uint32]) -> None:
        """Let the next member learn rows, by their places among those of a weight above 0."""
    def end_stage(self) -> None:
        """The member learns no more of them; the one after it learns at its scores, too."""
    def end_stages(self) -> None:
        """Let the rows go; from now on all members learn."""
    def restart_following(self) -> None:
        """Forget what leaves have followed: their values alone are predicted, until rows come."""
    def boundaries(self, feature: int) -> Floats | None:
        """A numeric feature's bin boundaries; None while they are unknown, or for a nominal one."""
    def standards(self) -> tuple[NDArray[np.int64], Floats, Floats]:
        """Of linear leaves: the features that they use, their means and standard deviations."""
    def start(self) -> Floats:
        """The raw score of each output before any tree adds to it.

        raw = start + the sum over trees of shrinkage * value of the row's leaf, each tree adding to
        its outputs. 0 if a single tree adds to the output: its root holds the start.
        """
    def tree_outputs(self, index: int) -> list[int]:
        """The outputs that a tree adds to: class numbers, or places in the target."""
    def tree_shrinkage(self, index: int) -> float:
        """What a tree's values are multiplied by before they are added; 0 if it is not used."""
    def tree(self, index: int) -> dict[str, NDArray[np.generic]]:
        """One tree as arrays, a row for each node; 0 is the root, children come after parents.

        ``parent`` int32 (-1 for the root), ``depth`` int32, ``value`` float64 (the kept value of a
        split node; of shape (n_nodes, n_outputs) if there are several outputs), ``feature``
        int32 (-1 = leaf), ``threshold`` float64 (numeric split: left means x <= threshold; NaN
        otherwise), ``is_nominal`` bool (of the split), ``default_child`` int32 (where missing goes;
        -1 = leaf), ``category`` int32 (of the branch that leads here from a nominal split; -1 =
        none: root, child of a numeric split, or the missing branch), ``is_missing_branch`` bool
        (the branch of a nominal split made for missing rows), ``is_left`` bool (left child of a
        numeric split), ``cover`` float64 (weight of the branch at its split plus weight since),
        ``gain`` float64 (mean fall in loss of the rows that decided the split; 0 for leaves),
        ``rows`` int64 (rows gathered since the leaf's last change).
        """
    def state(self, inference_only: bool = False) -> dict[str, NDArray[np.generic]]:
        """The whole learning state as named arrays, or as much of it as predicting needs."""

class ClassLearner(Learner):
    """Classes under softmax cross entropy.

    A committee of K - 1 trees, class 0 the reference; or, with ``vector_leaves``, one tree whose
    leaves hold a score for each class.
    """

    def __init__(
        self,
        options: Options,
        nominal: Sequence[bool],
        ranges: Floats | None = None,
        *,
        vector_leaves: bool | None = False,
    ) -> None:
        """Make a learner that has seen nothing; zero features are allowed.

        ``ranges``: float64 (n_features, 2) of lo, hi; NaN for nominal features and for those
        that the warm-up finds. The warm-up is skipped if every numeric feature has a range.
        ``vector_leaves=None``: those, if the warm-up has seen more than two classes.
        """
    @staticmethod
    def from_state(
        options: Options,
        state: Mapping[str, NDArray[np.generic]],
        *,
        vector_leaves: bool | None = False,
    ) -> ClassLearner: ...
    @property
    def has_vector_leaves(self) -> bool: ...
    @property
    def n_classes(self) -> int:
        """Classes seen so far."""
    def learn(self, X: Block, y: Ints, weight: Floats | None = None) -> None: ...
    def gather(
        self, X: Sequence[Block], y: Ints, weight: Floats | None = None
    ) -> dict[str, NDArray[np.generic]]:
        """Partial statistics of the next rows of a round, in pieces; weights are above 0."""
    def admit_class(self, weight: float) -> bool:
        """The next row, of this weight, is of a new class: ends the round, begins one with it.

        False, and no class is added, if the next rows are learned one after the other.
        """
    def learn_predict_labels(self, X: Block, y: Ints, weight: Floats | None, rank: Ints) -> Ints:
        """Class number predicted for each row just before it was learned; -1 before any class.

        ``rank[k]`` is class k's place in the sorted labels, for all classes in y: ties go to the
        lowest rank.
        """
    def learn_predict_proba(
        self, X: Block, y: Ints, weight: Floats | None, n_classes: int
    ) -> Floats:
        """(n, n_classes) probabilities before each row was learned, 0 for classes not yet seen."""
    def predict_labels(self, X: Block, rank: Ints, members: int | None = None) -> Ints:
        """Like the labels above, among the first ``len(rank)`` classes."""
    def predict_proba(self, X: Block, members: int | None = None) -> Floats:
        """(n, n_classes), columns by class number."""
    def learn_one(self, row: Floats, y: int, weight: float = 1.0) -> bool:
        """Learn one row; return whether a feature got new bins."""
    def predict_proba_one(self, row: Floats) -> list[float]: ...

class LossLearner(Learner):
    """Numbers under a loss; predictions are raw scores, before the link.

    With several outputs y and raw scores have the shape (n_rows, n_outputs). A built-in loss acts
    on each output by itself; a Python loss gets and returns arrays of that shape.
    """

    def __init__(
        self,
        options: Options,
        nominal: Sequence[bool],
        ranges: Floats | None = None,
        loss: LossSpec = ...,
        n_outputs: int = 1,
    ) -> None: ...
    @staticmethod
    def from_state(
        options: Options,
        state: Mapping[str, NDArray[np.generic]],
        loss: LossSpec = ...,
        n_outputs: int = 1,
    ) -> LossLearner: ...
    @property
    def n_outputs(self) -> int: ...
    @property
    def loss_scales(self) -> Floats:
        """The scales that the losses took from the warm-up, or were given; 0 for one without.

        One for each output; just one for a Python loss.
        """
    def learn(self, X: Block, y: Floats, weight: Floats | None = None) -> None: ...
    def gather(
        self, X: Sequence[Block], y: Floats, weight: Floats | None = None
    ) -> dict[str, NDArray[np.generic]]:
        """Partial statistics of the next rows of a round, in pieces; weights are above 0."""
    def learn_predict(self, X: Block, y: Floats, weight: Floats | None = None) -> Floats: ...
    def predict(self, X: Block, members: int | None = None) -> Floats: ...
    def settle_quantiles(
        self, nodes: NDArray[np.uint32], y: Floats, weight: Floats | None = None
    ) -> None:
        """Under quantile losses: let leaves predict the quantiles of the rows that end in them.

        ``nodes`` are where rows end that have been learned several times. Nothing happens under
        other losses, in ensembles, and in linear leaves.
        """
    def learn_one(self, row: Floats, y: float, weight: float = 1.0) -> bool:
        """Learn one row (one output only); return whether a feature got new bins."""
    def predict_one(self, row: Floats) -> float:
        """Raw score of one row (one output only)."""

class BagLearner(Learner):
    """Multi-instance learning: trees under the log loss of bags."""

    def __init__(
        self,
        options: Options,
        nominal: Sequence[bool],
        ranges: Floats | None = None,
        sharpness: float = 0.0,
    ) -> None:
        """Make a learner that has seen nothing.

        A bag's score is its highest instance's (``sharpness=0``), or the soft maximum
        log(mean(exp(sharpness * f))) / sharpness.
        """
    @staticmethod
    def from_state(
        options: Options, state: Mapping[str, NDArray[np.generic]], sharpness: float = 0.0
    ) -> BagLearner: ...
    def learn(
        self, X: Block, sizes: NDArray[np.int64], y: Floats, weight: Floats | None = None
    ) -> None:
        """Learn bags one after the other: ``sizes[i]`` rows of X each, label ``y[i]`` 0 or 1."""
    def score(self, X: Block) -> Floats:
        """Raw score of each instance."""

class Explainer:
    """A learner's trees at one moment, to be asked where rows go in them, and why."""

    def __init__(self, learner: Learner) -> None: ...
    @property
    def n_features(self) -> int: ...
    @property
    def n_trees(self) -> int: ...
    def base(self) -> Floats:
        """The mean raw score of each output, by the leaves' covers: a sum over trees."""
    def shap_values(self, X: Numbers, n_threads: int = 1) -> Floats:
        """(n, n_features, n_outputs) SHAP values (path-dependent TreeSHAP) of the raw scores."""
    def route(self, X: Numbers, n_threads: int = 1) -> NDArray[np.uint32]:
        """(n, n_trees) node at which each row ends in each tree.

        That is a leaf, or a nominal split that has not seen the row's category.
        """

def encode_event(
    x: dict[Any, Any],
    index: dict[Any, int],
    categories: list[dict[Any, int] | None],
    row: Floats,
) -> bool:
    """Write one event into ``row`` (NaN if a feature is absent or None).

    ``index`` maps feature names to columns; ``categories[i]`` is None for a numeric feature, else
    value -> category number. Returns False, with ``row`` in any state, if something needs the
    slow path: an unknown name, an unknown category, a value that is no int, float or None in a
    numeric column, an infinity.
    """

class KnownCategories:
    """The values of a column's categories, category after category, hashed.

    Threads may read it while another one appends.
    """

    def __init__(self) -> None: ...
    def append(self, first: int, values: Floats) -> None:
        """Append the values of the categories from number ``first`` on.

        Those that are known already are left out, so that two threads may append the same.
        """

    def __len__(self) -> int: ...
    @property
    def memory_bytes(self) -> int: ...

def encode_categories(
    values: NDArray[np.generic], known: KnownCategories, out: Floats, learn: bool
) -> Floats:
    """Category numbers of a column of numbers; returns the new values.

    ``values``: one-dimensional float32 or float64, any stride. ``out``: one-dimensional float64,
    any stride, receives the numbers (NaN for NaN). New values get the next numbers in order of
    first appearance (``learn=True``) and are returned in that order, or they get -1
    (``learn=False``).
    """

def number_categories(
    values: Array, known: KnownCategories, learn: bool
) -> tuple[Array | None, Floats]:
    """Category numbers of a contiguous column, of its type, and the new values.

    As ``encode_categories``; None in place of the numbers if each value is its number, so that
    the column can be used as it stands.
    """

def encode_category_columns(
    X: Array, columns: Sequence[int], known: Sequence[KnownCategories], out: Array, learn: bool
) -> list[Floats]:
    """Copy X to ``out``, the same but for these columns, which get category numbers.

    Numbers and new values are as in ``encode_categories``, for each column. ``out`` is
    C-contiguous and of X's type; float32 holds numbers below 2**24 only.
    """

def code_strings(
    places: NDArray[np.int32] | NDArray[np.int64], text: NDArray[np.uint8], seed: int
) -> tuple[NDArray[np.int64], list[str]]:
    """Codes of a column of strings, and the strings in order of first appearance.

    ``text`` holds all of them, in UTF-8; ``places``: where each begins, and where the last ends. No
    result depends on ``seed``.
    """

def interleave(
    columns: Sequence[NDArray[np.float64]] | Sequence[NDArray[np.float32]],
    out: NDArray[np.float64] | NDArray[np.float32],
) -> None:
    """Write columns side by side into the rows of `out`, which has their type."""

def find_infinite(X: Numbers) -> tuple[int, int] | None:
    """Row and column of the first infinity, in the order of the rows, or None."""

def adwin_changes(
    inputs: Floats, delta: float, bucket_inputs: int = 1, test_inputs: int = 32
) -> tuple[NDArray[np.int64], Floats]:
    """The inputs at which ADWIN's window is cut, and the means before and after each cut.

    Exposed for the tests.
    """

def page_hinkley_changes(
    inputs: Floats, tolerance: float, threshold: float, fading: float, least_inputs: int
) -> tuple[NDArray[np.int64], Floats]:
    """The inputs at which Page-Hinkley finds that the mean has risen, and the means around it.

    Exposed for the tests.
    """
