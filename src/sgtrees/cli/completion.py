"""``sgtrees completion``: shell completion."""

import click
from click.shell_completion import get_completion_class


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print a script for shell completion.

    \b
    Examples:
      eval "$(sgtrees completion bash)"     (in ~/.bashrc)
      eval "$(sgtrees completion zsh)"      (in ~/.zshrc)
      sgtrees completion fish > ~/.config/fish/completions/sgtrees.fish
    """  # noqa: D301 - \b is click's mark of preformatted lines
    kind = get_completion_class(shell)
    assert kind is not None
    command = ctx.find_root().command
    click.echo(kind(command, {}, "sgtrees", "_SGTREES_COMPLETE").source())
