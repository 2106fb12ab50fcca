"""Rules in words: who may do what, where, and until when. Said before somebody agrees to one, and after."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, tzinfo

from paperagents.approval.invisible import escape_invisible
from paperagents.approval.question import ApprovalRequest, Approved
from paperagents.approval.rules import Rule, escape_pattern, read_end
from paperagents.errors import UsageError
from paperagents.messages import text


def describe_rule(rule: Rule, zone: tzinfo | None = None) -> str:
    """What a rule allows, and until when."""
    try:
        # The last day it holds: one that ends at midnight ends with the day before.
        until = f"{(datetime.fromisoformat(rule.until) - timedelta(seconds=1)).astimezone(zone):%Y-%m-%d}"
    except (ValueError, OverflowError):
        until = rule.until
    words = text(
        f"rule.{_kind_of(rule)}", who=rule.by or text("rule.anyone"), tool=rule.tool, path=rule.path,
        method=rule.method, host=rule.host, mode=rule.mode,
    )  # fmt: skip
    return escape_invisible(text("rule.until", rule=words, until=until)).replace("\n", "\\n")


def describe_proposal(request: ApprovalRequest, zone: tzinfo | None = None, *, path: str = "", until: str = "") -> str:
    """The rule that "always" would make of a question; empty where there can be none.

    With a wider ``path`` or another last day, the rule that is wished for. Raises UsageError where it cannot be.
    """
    scope = request.scope
    if scope is None:
        return ""
    place = path or escape_pattern(scope.path)
    proposed = Rule(
        tool=request.tool, by=request.caller, mode=scope.mode, path=place, method=scope.method, host=scope.host
    )
    if not proposed.covers(request.tool, scope):
        raise UsageError("rule-covers-nothing", path=path, target=scope.place)
    return describe_rule(replace(proposed, until=read_end(until, zone)) if until else proposed, zone)


def require_rule(request: ApprovalRequest, approved: Approved) -> None:
    """Make sure that "always" makes a rule of a question. Raises UsageError."""
    # The place of edited arguments is not known yet.
    if approved.always and approved.arguments is None and not describe_proposal(request, path=approved.path):
        raise UsageError("rule-of-own-tool", tool=request.tool)


def _kind_of(rule: Rule) -> str:
    if rule.tool == "install_packages":
        return "grants"
    if rule.tool == "log" or rule.host:
        return "send" if rule.host else "log"
    if rule.tool == "write_file" or rule.mode == "delete":
        return rule.mode or "write"
    return "use" if rule.path else "call"
