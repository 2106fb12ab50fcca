// What cannot cross the border, and how a thrown value is told; never runs more of the block than a getter.
'use strict';
kit => {
const { stringify, apply, getPrototypeOf, is, keys, slice, Text, refusal, toJson, RangeError, InternalError } = kit;
const { prototype: memory } = InternalError, { prototype: stack } = RangeError, numbers = Number.prototype, { valueOf } = numbers;
const own = [['Map', Map], ['Set', Set], ['WeakMap', WeakMap], ['WeakSet', WeakSet], ['WeakRef', WeakRef], ['Promise', Promise],
  ['ArrayBuffer', ArrayBuffer], ['DataView', DataView], ['typed array', getPrototypeOf(Uint8Array)], ['RegExp', RegExp],
  ['Error', Error], ['iterator', Iterator], ['BigInt', BigInt], ['symbol', Symbol], ['Date', Date]];
const nameIn = (table, value) => {
  for (let i = 0; i < table.length; i++) if (is(table[i][1].prototype, value)) return table[i][0];
};
const problemOf = value => nameIn(own, value) ?? (kit.refused && nameIn(kit.refused, value))
  ?? (is(numbers, value) && apply(valueOf, value, []) - apply(valueOf, value, []) !== 0 ? 'NaN' : undefined);
const quoted = (value, length) => stringify(typeof value === 'string' ? apply(slice, value, [0, length]) : '');
const properties = error => {
  const names = keys(error);
  let text = '';
  for (let i = 0; i < names.length && i < 20; i++) try {
    if (names[i] === 'stack' || names[i] === 'message' || names[i] === 'name') continue;
    const value = error[names[i]];
    if (value !== undefined) text += (text && ',') + stringify(names[i]) + ':' + toJson(value, 20000);
  } catch {}
  return '{' + text + '}';
};
const kindOf = error => {
  const prototype = getPrototypeOf(error), { message } = error;
  if (prototype === memory && message === 'out of memory') return 'memory';
  return prototype === stack && message === 'Maximum call stack size exceeded' ? 'stack' : 'thrown';
};
const messageOf = error => {
  const { message } = error;
  if (typeof message === 'string') return message;
  try { return toJson(error, 8000); } catch { return ''; }
};
const attempt = read => { try { return read(); } catch { return ''; } };
const describe = (error, isSyntax) => {
  if (error === refusal) return '"kind":"value","problem":' + stringify(refusal.problem) + ',"path":' + refusal.path;
  if (error === null) return '"kind":"null"';
  if (typeof error !== 'object' && typeof error !== 'function') return '"kind":"thrown","message":' + quoted(Text(error), 8000);
  return '"kind":' + stringify(attempt(() => kindOf(error)) || 'thrown') + (isSyntax && is(SyntaxError.prototype, error) ? ',"syntax":true' : '')
    + ',"name":' + quoted(attempt(() => error.name), 200) + ',"message":' + quoted(attempt(() => messageOf(error)), 8000)
    + ',"stack":' + quoted(attempt(() => error.stack), 8000) + ',"properties":' + (attempt(() => properties(error)) || '{}');
};
return { __proto__: null, problemOf, describe };
}
