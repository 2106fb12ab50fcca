"""Which request of an editor is answered by what."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lsprotocol import types

from paperagents.interfaces.language_server import translation
from paperagents.interfaces.language_server.server import PaperServer
from paperagents.interfaces.language_server.translation import TOKEN_MODIFIERS, TOKEN_TYPES

_LEGEND = types.SemanticTokensLegend(token_types=list(TOKEN_TYPES), token_modifiers=list(TOKEN_MODIFIERS))


def make_server(vault: Path | None = None) -> PaperServer:
    """A server with all its features; ``vault`` where the files of one folder alone are meant."""
    server = PaperServer(vault)
    _add_files(server)
    _add_help(server)
    _add_names(server)
    _add_pictures(server)
    _add_commands(server)
    return server


def _add_files(server: PaperServer) -> None:
    @server.feature(types.INITIALIZED)
    def initialized(ls: PaperServer, _: types.InitializedParams) -> None:
        ls.vaults.use_folders([*ls.workspace.folders, ls.workspace.root_uri])

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def folders_changed(ls: PaperServer, _: types.DidChangeWorkspaceFoldersParams) -> None:
        ls.vaults.use_folders([*ls.workspace.folders, ls.workspace.root_uri])

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(ls: PaperServer, params: types.DidOpenTextDocumentParams) -> None:
        ls.changed(params.text_document.uri, params.text_document.text)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(ls: PaperServer, params: types.DidChangeTextDocumentParams) -> None:
        ls.changed(params.text_document.uri, ls.workspace.get_text_document(params.text_document.uri).source)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(ls: PaperServer, params: types.DidSaveTextDocumentParams) -> None:
        ls.saved(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(ls: PaperServer, params: types.DidCloseTextDocumentParams) -> None:
        ls.closed(params.text_document.uri)

    @server.feature(types.SHUTDOWN)
    def shutdown(ls: PaperServer, _: Any) -> None:
        ls.is_shut_down = True
        ls.vaults.close()


def _add_help(server: PaperServer) -> None:
    options = types.CompletionOptions(trigger_characters=[".", "{", "<", ":", " ", '"', "'", "-"])

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, options)
    def completion(ls: PaperServer, params: types.CompletionParams) -> types.CompletionList | None:
        return ls.ask(
            params.text_document.uri,
            lambda service, file, positions: translation.completion_list(
                service.completions(file, positions.of_client(params.position)), positions
            ),
        )

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(ls: PaperServer, params: types.HoverParams) -> types.Hover | None:
        return ls.ask(
            params.text_document.uri,
            lambda service, file, positions: (
                translation.hover(found, positions)
                if (found := service.hover(file, positions.of_client(params.position))) is not None
                else None
            ),
        )

    kinds = types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix])

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, kinds)
    def code_actions(ls: PaperServer, params: types.CodeActionParams) -> list[types.CodeAction] | None:
        wanted = params.context.only
        if wanted is not None and not any(types.CodeActionKind.QuickFix.value.startswith(each) for each in wanted):
            return []
        opened = ls.vaults.find(params.text_document.uri)
        return ls.ask(
            params.text_document.uri,
            lambda service, file, positions: [
                types.CodeAction(
                    title=fix.title,
                    kind=types.CodeActionKind.QuickFix,
                    diagnostics=[translation.diagnostic(fix.problem, positions)],
                    is_preferred=fix.is_preferred,
                    edit=ls.workspace_edit(opened[0], list(fix.edits)),
                )
                for fix in service.fixes(file, positions.span(params.range))
                if opened is not None
            ],
        )


def _add_names(server: PaperServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    def definition(ls: PaperServer, params: types.DefinitionParams) -> list[types.Location] | None:
        opened = ls.vaults.find(params.text_document.uri)
        found = ls.ask(
            params.text_document.uri,
            lambda service, file, positions: service.definition(file, positions.of_client(params.position)),
        )
        return ls.locations(opened[0], found) if opened is not None and found is not None else None

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    def references(ls: PaperServer, params: types.ReferenceParams) -> list[types.Location] | None:
        opened, inclusive = ls.vaults.find(params.text_document.uri), params.context.include_declaration
        found = ls.ask(
            params.text_document.uri,
            lambda service, file, positions: service.references(
                file, positions.of_client(params.position), with_definition=inclusive
            ),
        )
        return ls.locations(opened[0], found) if opened is not None and found is not None else None

    @server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
    def rename(ls: PaperServer, params: types.RenameParams) -> types.WorkspaceEdit | None:
        opened = ls.vaults.find(params.text_document.uri)
        edits = ls.ask(
            params.text_document.uri,
            lambda service, file, positions: service.rename(
                file, positions.of_client(params.position), params.new_name
            ),
        )
        return ls.workspace_edit(opened[0], edits) if opened is not None and edits else None

    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    def prepare_rename(ls: PaperServer, params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder | None:
        return ls.ask(
            params.text_document.uri,
            lambda service, file, positions: (
                types.PrepareRenamePlaceholder(range=positions.range(found[0]), placeholder=found[1])
                if (found := service.renamable(file, positions.of_client(params.position))) is not None
                else None
            ),
        )


def _add_pictures(server: PaperServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def symbols(ls: PaperServer, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol] | None:
        return ls.ask(
            params.text_document.uri,
            lambda service, file, positions: [
                translation.document_symbol(each, positions) for each in service.symbols(file)
            ],
        )

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    def lenses(ls: PaperServer, params: types.CodeLensParams) -> list[types.CodeLens] | None:
        uri = params.text_document.uri
        return ls.ask(
            uri,
            lambda service, file, positions: [
                translation.code_lens(each, uri, positions) for each in service.lenses(file)
            ],
        )

    @server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, _LEGEND)
    def tokens(ls: PaperServer, params: types.SemanticTokensParams) -> types.SemanticTokens | None:
        return ls.ask(
            params.text_document.uri,
            lambda service, file, positions: translation.semantic_tokens(service.tokens(file), positions),
        )

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    def hints(ls: PaperServer, params: types.InlayHintParams) -> list[types.InlayHint] | None:
        first, last = params.range.start.line + 1, params.range.end.line + 1
        return ls.ask(
            params.text_document.uri,
            lambda service, file, positions: [
                translation.inlay_hint(each, positions) for each in service.hints(file, first, last)
            ],
        )


def _add_commands(server: PaperServer) -> None:
    @server.command("paper.run")
    async def run(ls: PaperServer, call: Any = None) -> Any:
        return await ls.carry_out(call, dry=False)

    @server.command("paper.dryRun")
    async def dry_run(ls: PaperServer, call: Any = None) -> Any:
        return await ls.carry_out(call, dry=True)
