"""``install_packages``: install the npm packages of a tool and agree on what it may touch."""

from __future__ import annotations

from paperagents.tools.built_in import ANY, BOOLEAN, TEXT, BuiltIn, list_of, object_of, optional, required

INSTALL_PACKAGES = BuiltIn(
    name="install_packages",
    parameters=(required("tool", TEXT), optional("rebuild", BOOLEAN, default=False)),
    answer=object_of(tool=TEXT, packages=list_of(TEXT), grants=ANY),
    prepare=lambda context, arguments: context.packages.install_packages(arguments),
)
