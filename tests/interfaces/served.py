"""A vault that is really served, on a free port of this machine, for the tests of everything that comes over HTTP."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2

from paperagents.interfaces.serving.access import Access
from paperagents.interfaces.serving.app import Server, Serving, listen, make_app
from paperagents.interfaces.serving.callers import Right
from paperagents.interfaces.serving.guard import GuardLimits, Hosts
from paperagents.interfaces.serving.live_runs import LiveRuns
from paperagents.interfaces.serving.tokens import TokenBook, open_token_book
from paperagents.runs.session import Event
from paperagents.vault import Vault

KEY = bytes(range(32))
SHOUT = """---
tool: true
name: shout
description: Says it loudly.
parameters:
  - name: words
    type: string
    description: What to say
custom_function: |
  return input.words.toUpperCase();
---
"""
SLOW = """---
tool: true
name: slow
description: Takes its time.
custom_function: |
  const end = Date.now() + 4000;
  while (Date.now() < end) {}
  return "done";
---
"""
TWO_NOTES = """---
tool: true
name: two notes
id: two_notes
description: Writes two notes.
steps:
  - name: first
    tool: write_file
    parameters: {filePath: one.md, content: "1", overwrite: true}
  - name: second
    tool: write_file
    parameters: {filePath: two.md, content: "2", overwrite: true}
---
"""
POET = """---
agent: true
name: poet
description: Writes poems.
model: some/model
---
You write poems.
"""
POST_OFFICE = """module.exports = {
  getMetadata: () => ({ name: "post office", description: "Sends letters." }),
  getSchema: () => ({
    parameters: { type: "object", properties: {} },
    environment: { type: "object", required: ["KEY"], properties: {
      KEY: { type: "string", description: "What the post office asks for", minLength: 4 },
      COUNTRY: { type: "string", default: "de" },
    } },
  }),
  execute() { return this.api.environment.get("KEY").length; },
};
"""


@dataclass(frozen=True, kw_only=True)
class Served:
    """A vault and where it is served."""

    folder: Path
    vault: Vault
    live: LiveRuns
    access: Access
    tokens: TokenBook
    url: str

    def client(self, *, token: bool = True) -> httpx2.Client:
        """A program that calls it."""
        headers = {"authorization": f"Bearer {self.access.token}"} if token else {}
        return httpx2.Client(base_url=self.url, headers=headers, timeout=30)

    def program(self, *rights: Right) -> httpx2.Client:
        """A program with a token that was made for it."""
        headers = {"authorization": f"Bearer {self.new_token(*rights)}"}
        return httpx2.Client(base_url=self.url, headers=headers, timeout=30)

    def new_token(self, *rights: Right) -> str:
        """A token that has these rights."""
        return self.tokens.create(f"program-{len(self.tokens.tokens()) + 1}", rights)

    def person(self) -> httpx2.Client:
        """Somebody who has opened the link."""
        link = {"token": self.access.new_link_token()}
        cookies = httpx2.get(self.url, params=link, timeout=30).cookies
        return httpx2.Client(base_url=self.url, cookies=cookies, timeout=30)

    def note(self, path: str, content: str) -> None:
        """Put a file into the vault."""
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_text(content, encoding="utf-8")


def fill(folder: Path) -> None:
    """A vault with a quick tool, a slow one, one that asks twice, and an agent."""
    (folder / ".paper").mkdir(parents=True)
    for name, content in {"shout": SHOUT, "slow": SLOW, "two": TWO_NOTES, "poet": POET}.items():
        (folder / f"{name}.md").write_text(content, encoding="utf-8")
    (folder / "diary.md").write_text("# Diary\n\nA quiet day.\n", encoding="utf-8")


class FollowedRuns(LiveRuns):
    """Runs of a server of which a test knows when its first look at the folder is over: that is told once."""

    def __init__(self, vault: Vault) -> None:
        super().__init__(vault)
        self.has_looked = threading.Event()

    def tell(self, event: Event) -> None:
        super().tell(event)
        if event["type"] == "vault-changed":
            self.has_looked.set()


@contextmanager
def serving(
    folder: Path, limits: GuardLimits | None = None, port: int = 0, hosts: Hosts | None = None
) -> Iterator[Served]:
    """Serve a folder until the block ends."""
    with Vault(folder) as vault:
        live = FollowedRuns(vault)
        tokens = open_token_book(vault)
        access = Access(KEY, vault.root, tokens=tokens)
        ready = threading.Event()
        app = make_app(vault, Serving(access=access, limits=limits or GuardLimits(), hosts=hosts or Hosts()), live)
        server = Server(app, on_ready=ready.set, before_end=live.shut_down)
        listener = listen("127.0.0.1", port)
        thread = threading.Thread(target=lambda: server.run(sockets=[listener]))
        thread.start()
        try:
            assert ready.wait(30)
            assert live.has_looked.wait(30)
            port = listener.getsockname()[1]
            url = f"http://127.0.0.1:{port}"
            yield Served(folder=folder, vault=vault, live=live, access=access, tokens=tokens, url=url)
        finally:
            server.should_exit = True
            thread.join(30)
            listener.close()
