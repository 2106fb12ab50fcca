"""Rules in words: who may do what, where, and until when. Said before somebody agrees to one, and after."""

from __future__ import annotations

from datetime import datetime, tzinfo

from paperagents.approval.invisible import escape_invisible
from paperagents.approval.question import ApprovalRequest
from paperagents.approval.rules import Rule, escape_pattern
from paperagents.messages import text


def describe_rule(rule: Rule, zone: tzinfo | None = None) -> str:
    """What a rule allows, and until when."""
    try:
        until = f"{datetime.fromisoformat(rule.until).astimezone(zone):%Y-%m-%d}"
    except ValueError:
        until = rule.until
    words = text(
        f"rule.{_kind_of(rule)}", who=rule.by or text("rule.anyone"), tool=rule.tool, path=rule.path,
        method=rule.method, host=rule.host, mode=rule.mode,
    )  # fmt: skip
    return escape_invisible(text("rule.until", rule=words, until=until)).replace("\n", "\\n")


def describe_proposal(request: ApprovalRequest, zone: tzinfo | None = None) -> str:
    """The rule that "always" would make of a question; empty where there can be none."""
    scope = request.scope
    if scope is None:
        return ""
    path = escape_pattern(scope.path)
    proposed = Rule(
        tool=request.tool, by=request.caller, mode=scope.mode, path=path, method=scope.method, host=scope.host
    )
    return describe_rule(proposed, zone)


def _kind_of(rule: Rule) -> str:
    if rule.tool == "install_packages":
        return "grants"
    if rule.tool == "log" or rule.host:
        return "send" if rule.host else "log"
    if rule.tool == "write_file" or rule.mode == "delete":
        return rule.mode or "write"
    return "use" if rule.path else "call"
