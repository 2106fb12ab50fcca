// structuredClone and queueMicrotask, as the HTML standard describes them for the types that exist here.
'use strict';
({ apply, then, Promise: Original }) => {
const uncloneable = value => new DOMException(`${typeof value === 'symbol' ? 'a symbol' : `a ${typeof value}`} cannot be cloned`, 'DataCloneError');
const errors = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
const primitiveOf = value => [Number, String, Boolean, BigInt].find(type => value instanceof type);
const without = [WeakMap, WeakSet, WeakRef, Promise];
const define = (target, key, value) => Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
const copyKeys = (value, target, seen) => {
  for (const key of Object.keys(value)) define(target, key, copy(value[key], seen));
  return target;
};
const copyError = (value, seen) => {
  const error = Object.create((errors[value.name] ?? Error).prototype);
  for (const key of ['message', 'stack', 'cause']) if (Object.hasOwn(value, key))
    Object.defineProperty(error, key, { value: copy(value[key], seen), writable: true, configurable: true });
  return error;
};
const copyView = (value, seen) => {
  const buffer = copy(value.buffer, seen);
  return new value.constructor(buffer, value.byteOffset, value instanceof DataView ? value.byteLength : value.length);
};
const build = (value, seen) => {
  const keep = made => { seen.set(value, made); return made; };
  if (without.some(type => value instanceof type)) throw new DOMException(`a ${value.constructor.name} cannot be cloned`, 'DataCloneError');
  if (primitiveOf(value)) return keep(Object(value.valueOf()));
  if (value instanceof Date) return keep(new Date(value.getTime()));
  if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags));
  if (value instanceof ArrayBuffer) return keep(value.slice(0));
  if (ArrayBuffer.isView(value)) return keep(copyView(value, seen));
  if (value instanceof Map) {
    const map = keep(new Map());
    for (const [key, item] of [...value]) map.set(copy(key, seen), copy(item, seen));
    return map;
  }
  if (value instanceof Set) {
    const set = keep(new Set());
    for (const item of [...value]) set.add(copy(item, seen));
    return set;
  }
  if (value instanceof Error) return keep(copyError(value, seen));
  if (!Array.isArray(value)) return copyKeys(value, keep({}), seen);
  const array = keep([]);
  array.length = value.length;
  return copyKeys(value, array, seen);
};
const copy = (value, seen) => {
  if (typeof value === 'function' || typeof value === 'symbol') throw uncloneable(value);
  if (typeof value !== 'object' || value === null) return value;
  return seen.has(value) ? seen.get(value) : build(value, seen);
};
return { structuredClone: function structuredClone(value) {
  if (!arguments.length) throw new TypeError('structuredClone needs a value');
  return copy(value, new Map());
}, queueMicrotask: function queueMicrotask(callback) {
  if (typeof callback !== 'function') throw new TypeError('queueMicrotask needs a function');
  apply(then, new Original(done => done()), [() => { callback(); }]);
} };
}
