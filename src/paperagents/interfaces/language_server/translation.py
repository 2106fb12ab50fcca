"""The answers of the language service in the words of the protocol."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lsprotocol import types

from paperagents.definitions.source import Problem
from paperagents.interfaces.language_server.positions import Positions
from paperagents.language.answers import (
    Completion,
    CompletionKind,
    Completions,
    Hint,
    Hover,
    Lens,
    Symbol,
    SymbolKind,
    Token,
    TokenKind,
)
from paperagents.messages import join_sentences

SOURCE = "paper"
TOKEN_TYPES: tuple[TokenKind, ...] = ("function", "parameter", "variable", "property", "keyword")
TOKEN_MODIFIERS = ("definition",)
_COMPLETIONS: dict[CompletionKind, types.CompletionItemKind] = {
    "field": types.CompletionItemKind.Property,
    "value": types.CompletionItemKind.EnumMember,
    "tool": types.CompletionItemKind.Function,
    "agent": types.CompletionItemKind.Class,
    "parameter": types.CompletionItemKind.Variable,
    "reference": types.CompletionItemKind.Field,
    "tag": types.CompletionItemKind.Keyword,
}
_SYMBOLS: dict[SymbolKind, types.SymbolKind] = {
    "tool": types.SymbolKind.Function,
    "agent": types.SymbolKind.Class,
    "tag": types.SymbolKind.Struct,
    "parameter": types.SymbolKind.Variable,
    "step": types.SymbolKind.Event,
    "script": types.SymbolKind.Method,
    "example": types.SymbolKind.Object,
}
_SEVERITIES = {"error": types.DiagnosticSeverity.Error, "warning": types.DiagnosticSeverity.Warning}


def diagnostic(problem: Problem, positions: Positions) -> types.Diagnostic:
    """A problem with its hint."""
    return types.Diagnostic(
        range=positions.range(problem.span),
        message=join_sentences(problem.message, problem.hint),
        severity=_SEVERITIES[problem.severity],
        code=problem.code,
        source=SOURCE,
    )


def completion_list(found: Completions, positions: Positions) -> types.CompletionList:
    """What can stand at a place."""
    items = [completion_item(each, positions) for each in found.items]
    return types.CompletionList(is_incomplete=found.is_cut, items=items)


def completion_item(each: Completion, positions: Positions) -> types.CompletionItem:
    """One completion; editors filter by what is typed and keep the order."""
    return types.CompletionItem(
        label=each.label,
        kind=_COMPLETIONS[each.kind],
        detail=each.detail or None,
        documentation=markdown(each.documentation) if each.documentation else None,
        sort_text=f"{each.rank:04}{each.label}",
        filter_text=each.label,
        text_edit=types.TextEdit(range=positions.range(each.span), new_text=each.insert),
    )


def hover(each: Hover, positions: Positions) -> types.Hover:
    """What is shown at a place."""
    return types.Hover(contents=markdown(each.markdown), range=positions.range(each.span))


def markdown(content: str) -> types.MarkupContent:
    """A text in Markdown."""
    return types.MarkupContent(kind=types.MarkupKind.Markdown, value=content)


def document_symbol(symbol: Symbol, positions: Positions) -> types.DocumentSymbol:
    """A part of a file with its parts."""
    return types.DocumentSymbol(
        name=symbol.name or "?",
        kind=_SYMBOLS[symbol.kind],
        range=positions.range(symbol.span),
        selection_range=positions.range(symbol.selection),
        detail=symbol.detail,
        children=[document_symbol(each, positions) for each in symbol.children],
    )


def code_lens(lens: Lens, uri: str, positions: Positions) -> types.CodeLens:
    """A lens with its command."""
    call = {"uri": uri, "tool": lens.tool, "arguments": dict(lens.arguments)}
    command = types.Command(title=lens.title, command=lens.command, arguments=[call])
    return types.CodeLens(range=positions.range(lens.span), command=command)


def inlay_hint(hint: Hint, positions: Positions) -> types.InlayHint:
    """The type behind a reference."""
    return types.InlayHint(
        position=positions.to_client(hint.line, hint.column), label=hint.text, kind=types.InlayHintKind.Type
    )


def semantic_tokens(tokens: Iterable[Token], positions: Positions) -> types.SemanticTokens:
    """Each token as five numbers, its place counted from the one before."""
    return types.SemanticTokens(data=list(_numbers(tokens, positions)))


def _numbers(tokens: Iterable[Token], positions: Positions) -> Iterator[int]:
    line = start = 0
    for token in tokens:
        at = positions.to_client(token.span.line, token.span.column)
        start = start if at.line == line else 0
        length = positions.length(token.span)
        yield from (
            at.line - line,
            at.character - start,
            length,
            TOKEN_TYPES.index(token.kind),
            int(token.is_definition),
        )
        line, start = at.line, at.character
