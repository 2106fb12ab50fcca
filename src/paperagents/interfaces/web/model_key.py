"""The key of the language model: comes in from the page, is kept for the server it is for, never goes out again."""

from __future__ import annotations

from paperagents.agents.model_access import KEYRING, origin_of
from paperagents.errors import SettingsError
from paperagents.settings import load_settings
from paperagents.settings_file import write_user_setting
from paperagents.vault import Vault

_ORIGIN = "paper serve"


def keep_model_key(vault: Vault, key: str) -> None:
    """Keep a key in the system's keyring, else in the user's own settings; never in the vault."""
    if not key or not key.isascii() or not key.isprintable() or " " in key:
        raise SettingsError("invalid-setting", name="llm.api_key", value="***", origin=_ORIGIN, case="text")
    base_url = str(vault.settings.get("llm.base_url"))
    if not _kept_in_keyring(origin_of(base_url), key):
        if origin_of(str(load_settings(None).get("llm.base_url"))) != origin_of(base_url):
            # A key goes to the user's own server only: whoever gives it here means this one.
            write_user_setting("llm.base_url", base_url, origin=_ORIGIN)
        write_user_setting("llm.api_key", key, origin=_ORIGIN)
    vault.services.masking.learn([key])


def has_model_key(vault: Vault) -> bool:
    """Whether there is a key for the server in the settings."""
    if vault.settings.get("llm.api_key"):
        return True
    import keyring  # noqa: PLC0415  it looks around in the system when it is loaded

    try:
        return bool(keyring.get_password(KEYRING, origin_of(str(vault.settings.get("llm.base_url")))))
    except Exception:
        return False


def _kept_in_keyring(origin: str, key: str) -> bool:
    import keyring  # noqa: PLC0415  see above

    try:
        keyring.set_password(KEYRING, origin, key)
        kept = keyring.get_password(KEYRING, origin)
    except Exception:
        return False
    return kept == key
