"""Bags of instances: only the bag has a label, and the tree finds the instance behind it."""

import numpy as np
from figure_style import BLUE, FAINT, GREY, ORANGE, new_figure, save, set_panel_title, style_axes
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.patches import Circle
from script_options import Options, read_options
from sklearn.model_selection import train_test_split

from sgtrees import SGTMultiInstanceClassifier

Bags = list[np.ndarray]

CENTRE, RADIUS = (0.65, 0.6), 0.16
SCORES = LinearSegmentedColormap.from_list("scores", [ORANGE, "#f4f4f4", BLUE])


def points_in_the_plane(n_bags: int) -> tuple[Bags, np.ndarray]:
    """Return bags of points; those with a point inside the circle are positive."""
    rng = np.random.default_rng(1)
    bags = [rng.random((rng.integers(4, 9), 2)) for _ in range(n_bags)]
    return bags, np.array([any(is_inside(bag)) for bag in bags]).astype(int)


def is_inside(points: np.ndarray) -> np.ndarray:
    """Whether points lie inside the circle."""
    return np.hypot(*(points - CENTRE).T) < RADIUS


def molecules(options: Options) -> tuple[Bags, np.ndarray, str]:
    """Return molecules as bags of their shapes, whether they are musks, and a name."""
    table = options.real_data("mil_musk1")
    if table is None:
        bags, y = points_in_the_plane(120)
        return bags, y, "Other bags of points"
    groups = [group for _, group in table.groupby("bag", sort=False)]
    bags = [group.drop(columns=["bag", "label"]).to_numpy(float) for group in groups]
    return bags, np.array([group["label"].iloc[0] for group in groups]), "Molecules (Musk1)"


def main() -> None:
    """Learn two sets of bags, and draw the deciding instances."""
    options = read_options(__file__, __doc__)
    bags, y = points_in_the_plane(600 if options.generated else 2000)
    model = SGTMultiInstanceClassifier(random_state=0).fit(bags, y)
    figure = new_figure(
        "Which instance made it positive?",
        "SGTMultiInstanceClassifier learns from the labels of bags only; deciding_instances returns"
        " the instance with the highest score",
        size=(10.0, 5.8),
    )
    left, right = figure.subplots(1, 2, gridspec_kw={"wspace": 0.2})
    draw_plane(left, model)
    draw_scores(right, *molecules(options))
    save(figure, options.out)


def draw_plane(axes: Axes, model: SGTMultiInstanceClassifier) -> None:
    """Draw the scores of the plane, and bags that the tree has not seen on top."""
    side = np.linspace(0, 1, 201)
    grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    score = model.instance_scores([grid])[0].reshape(201, 201)
    axes.imshow(
        score,
        extent=(0, 1, 0, 1),
        origin="lower",
        cmap=SCORES,
        vmin=-np.abs(score).max(),
        vmax=np.abs(score).max(),
        alpha=0.45,
        interpolation="nearest",
    )
    axes.add_patch(Circle(CENTRE, RADIUS, fill=False, color=GREY, linewidth=1.2, linestyle="--"))
    rng = np.random.default_rng(7)
    bags = [rng.random((rng.integers(4, 7), 2)) for _ in range(200)]
    positive = [bag for bag in bags if is_inside(bag).sum() == 1][:4]
    for bag, marker, decides in zip(
        positive, "os^D", model.deciding_instances(positive), strict=True
    ):
        axes.scatter(*bag.T, s=46, marker=marker, color=GREY, edgecolor="white", linewidth=0.8)
        axes.scatter(
            *bag[decides], s=110, marker=marker, color=BLUE, edgecolor="black", linewidth=1.6
        )
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines[:].set_color(FAINT)
    set_panel_title(axes, "A bag is positive if it has a point in the circle: four bags")


def draw_scores(axes: Axes, bags: Bags, y: np.ndarray, name: str) -> None:
    """Draw the scores of all instances of bags that the tree has not seen, bag by bag."""
    learned, shown = train_test_split(np.arange(len(y)), test_size=24, stratify=y, random_state=0)
    model = SGTMultiInstanceClassifier(random_state=0).fit([bags[i] for i in learned], y[learned])
    shown = shown[np.argsort(y[shown], kind="stable")]
    some = [bags[i] for i in shown]
    scores = model.instance_scores(some)
    order = sorted(range(len(shown)), key=lambda i: (y[shown[i]], scores[i].max()))
    for place, i in enumerate(order):
        colour = BLUE if y[shown[i]] == 1 else ORANGE
        axes.vlines(place, scores[i].min(), scores[i].max(), color=FAINT, linewidth=2)
        axes.scatter(np.full(len(scores[i]), place), scores[i], s=16, color=GREY, alpha=0.5)
        axes.scatter(place, scores[i].max(), s=60, color=colour, edgecolor="black", zorder=3)
    n_negative = int((y[shown] != 1).sum())
    axes.axvline(n_negative - 0.5, color=GREY, linewidth=1.0, linestyle=":")
    low, high = axes.get_ylim()
    axes.set_ylim(low, high + 0.1 * (high - low))
    for place, text, colour in (
        (n_negative / 2 - 0.5, "negative bags", ORANGE),
        ((n_negative + len(shown)) / 2 - 0.5, "positive bags", BLUE),
    ):
        axes.text(place, high, text, ha="center", va="bottom", color=colour, weight="bold")
    correct = 100 * np.mean(model.predict(some) == y[shown])
    axes.set_xticks([])
    axes.set_xlabel(
        f"{len(shown)} bags that were not learned; {correct:.0f} % classified correctly"
    )
    axes.set_ylabel("score of an instance")
    set_panel_title(axes, f"{name}: scores, one bag per column")
    style_axes(axes)


if __name__ == "__main__":
    main()
