"""Callers: whoever a request comes from, and what they may do. Calling, answering and editing are three rights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

from paperagents.approval.question import system_user
from paperagents.errors import PaperError
from paperagents.values import dataclass

Right = Literal["call", "answer", "edit"]
RIGHTS: tuple[Right, ...] = get_args(Right)
_SCOPE_KEY = "paper.caller"


@dataclass(frozen=True, kw_only=True, slots=True)
class Caller:
    """A person at a page, or a program with a token."""

    name: str
    """For the record: the system's user, or the name of the token."""
    via: str
    """The way in: ``page`` or ``api``, as the record says it."""
    rights: frozenset[Right]

    def require(self, right: Right) -> None:
        """Raise PaperError without this right."""
        if right not in self.rights:
            raise PaperError("right-missing", name=self.name, right=right, case=right)


def the_person() -> Caller:
    """The user whose program this is: at a page, or at the other end of a pipe."""
    return Caller(name=system_user(), via="page", rights=frozenset(RIGHTS))


def keep_caller(scope: Any, caller: Caller) -> None:
    """Remember with a request who has sent it."""
    scope[_SCOPE_KEY] = caller


def caller_of(scope: Mapping[str, Any]) -> Caller:
    """Who has sent a request. One that the guard has not let in has no rights."""
    caller = scope.get(_SCOPE_KEY)
    return caller if isinstance(caller, Caller) else Caller(name="", via="", rights=frozenset())
