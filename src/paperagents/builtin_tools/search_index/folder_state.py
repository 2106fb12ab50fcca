"""The vault's folders as they are now: looked at the first time, told about from then on."""

from __future__ import annotations

from paperagents.builtin_tools.file_listing import FolderListing
from paperagents.builtin_tools.search_index.folder_notices import FolderNotices, NoNoticesError
from paperagents.builtin_tools.vault_files import VaultFolder
from paperagents.builtin_tools.vault_paths import shown


class FolderState:
    """The listing of every folder of a vault, by its path."""

    def __init__(self, folder: VaultFolder) -> None:
        self._folder = folder
        self._notices: FolderNotices | None = None
        self._looked_once = False
        self.listings: dict[str, FolderListing] = {}

    def refresh(self) -> set[str]:
        """Bring the listings up to date; the folders that were looked at or have gone."""
        if self._notices is not None:
            try:
                return self._follow_notices(self._notices)
            except NoNoticesError:
                self.close()
        return self._look_at_all()

    def close(self) -> None:
        """Follow the folders no more."""
        if self._notices is not None:
            self._notices.close()
            self._notices = None

    def _look_at_all(self) -> set[str]:
        """Look at every folder. A program that searches once needs no notices; one that does it again will."""
        before = set(self.listings)
        if self._looked_once:
            self._begin_following()
        self._looked_once = True
        self.listings = {shown(each.folder): each for each in self._folder.list_folders((), self._follow)}
        return before | set(self.listings)

    def _begin_following(self) -> None:
        try:
            self._notices = FolderNotices()
        except NoNoticesError:
            self._notices = None

    def _follow(self, folder: tuple[str, ...], descriptor: int) -> None:
        if self._notices is None:
            return
        try:
            self._notices.follow(folder, descriptor)
        except NoNoticesError:
            self.close()

    def _follow_notices(self, notices: FolderNotices) -> set[str]:
        changed = notices.take()
        looked_at: set[str] = set()
        for folder in {each.folder for each in changed}:
            looked_at |= self._look_at(folder)
        for folder in {(*each.folder, each.below) for each in changed if each.below is not None}:
            looked_at |= self._forget(shown(folder)) | self._look_below(folder)
        if self._notices is None:
            raise NoNoticesError
        return looked_at

    def _look_at(self, folder: tuple[str, ...]) -> set[str]:
        """Look at one folder again, and at those in it that came or went."""
        name = shown(folder)
        before = self.listings.get(name)
        if before is None:
            return set()
        now = self.listings[name] = self._folder.list_folder(folder)
        looked_at = {name}
        for gone in set(before.folders) - set(now.folders):
            looked_at |= self._forget(shown((*folder, gone)))
        for new in set(now.folders) - set(before.folders):
            looked_at |= self._look_below((*folder, new))
        return looked_at

    def _look_below(self, folder: tuple[str, ...]) -> set[str]:
        """Look at a folder and all below it, where the folder above shows it."""
        above = self.listings.get(shown(folder[:-1]))
        if above is None or folder[-1] not in above.folders:
            return set()
        found = {shown(each.folder): each for each in self._folder.list_folders(folder, self._follow)}
        self.listings |= found
        return set(found)

    def _forget(self, name: str) -> set[str]:
        gone = {each for each in self.listings if each == name or each.startswith(f"{name}/")}
        for each in gone:
            del self.listings[each]
        return gone
