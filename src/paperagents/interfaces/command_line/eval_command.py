"""``paper eval``: how well models answer the questions in an agent's note."""

from __future__ import annotations

import click

from paperagents.agents.evals import EvalReport
from paperagents.interfaces.command_line.app import LocalisedCommand
from paperagents.interfaces.command_line.completion import complete_agent
from paperagents.interfaces.command_line.options import common_options, current_vault
from paperagents.interfaces.command_line.output import (
    one_line,
    pad,
    paint,
    paint_diff_line,
    print_json,
    say,
    visible,
    width,
)
from paperagents.messages import text

_COLUMNS = ("model", "passed", "tokens", "cost", "seconds")


@click.command("eval", cls=LocalisedCommand, help=text("cli.eval"))
@click.argument("agent", shell_complete=complete_agent)
@click.option("--model", "models", metavar="NAME", multiple=True, help=text("cli.eval.model"))
@click.option("--repeat", type=click.IntRange(1, 1000), default=1, metavar="N", help=text("cli.eval.repeat"))
@common_options
def eval_command(context: click.Context, *, agent: str, models: tuple[str, ...], repeat: int, as_json: bool) -> None:
    """Judge the answers of each model; exit code 1 where one is below the pass rate of the note."""
    with current_vault(context) as vault:
        definition = vault.registry.agent(agent)
        reports = vault.evaluate(definition.id, models=models, repeat=repeat) if definition.evals else []
    below = [report.model for report in reports if report.pass_rate < definition.pass_rate]
    if as_json:
        print_json([report.as_json() for report in reports])
    elif not definition.evals:
        say(text("cli.eval.none", agent=one_line(definition.id)))
    else:
        print_reports(reports)
        if below:
            say(text("cli.eval.below", wanted=f"{definition.pass_rate:g}", models=", ".join(map(one_line, below))))
    context.exit(1 if below else 0)


def print_reports(reports: list[EvalReport]) -> None:
    """A line for each model, and what went wrong with it."""
    rows = [[text(f"cli.eval.heading.{column}") for column in _COLUMNS], *map(row_of, reports)]
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        click.echo("  ".join(pad(each, room) for each, room in zip(row, widths, strict=True)).rstrip())
    for report in reports:
        for failure in report.failures:
            head = f"{report.model}: {failure['question']} ({failure['repeat']})"
            click.echo(f"{paint('✗', 'red')} {one_line(head)}")
            for line in str(failure["difference"]).split("\n"):
                click.echo("    " + paint_diff_line(visible(line)))


def row_of(report: EvalReport) -> list[str]:
    """The figures of one model."""
    usage = report.usage
    return [
        one_line(report.model),
        f"{report.passed}/{report.total} ({report.pass_rate:.0%})",
        f"{usage.input_tokens}/{usage.output_tokens}",
        "–" if usage.cost is None else f"{usage.cost:.4f}",
        f"{report.seconds:.1f} s",
    ]
