"""The language of whoever reads a page: chosen before, else as their browser asks."""

from __future__ import annotations

from starlette.requests import HTTPConnection

from paperagents.messages import LANGUAGES

LANGUAGE_COOKIE = "paper_language"


def language_of_reader(request: HTTPConnection) -> str | None:
    """The language that somebody has chosen, or their browser asks for; None where neither is one of ours."""
    chosen = request.cookies.get(LANGUAGE_COOKIE)
    return chosen if chosen in LANGUAGES else preferred_language(request.headers.get("accept-language", ""))


def preferred_language(accepted: str) -> str | None:
    """The first language of ``Accept-Language`` that the pages speak; None where it names none of them."""
    wishes: list[tuple[float, str]] = []
    for wish in accepted[:500].split(","):
        name, _, weight = wish.partition(";q=")
        try:
            wishes.append((float(weight or 1), name.strip().lower().partition("-")[0]))
        except ValueError:
            continue
    in_order = sorted(wishes, key=lambda wish: -wish[0])
    return next((name for weight, name in in_order if name in LANGUAGES and weight > 0), None)
