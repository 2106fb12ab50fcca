// Evaluated in every fresh context before any other code; its value is the driver, held by the worker alone.
// What runs later may replace any global or prototype, so everything used here is captured now, state lives
// in objects without a prototype, and no array is spread, iterated or pushed to. Reading this file is most of
// the cost of a context: what few blocks need stands in the other files and is read on the first touch.
'use strict';
((...sources) => {
const world = globalThis, evaluate = eval, { stringify, parse } = JSON, { apply, defineProperty, getPrototypeOf } = Reflect;
const { create, prototype: plain } = Object;
const { isPrototypeOf } = plain, { then } = Promise.prototype, refusal = create(null), Text = String;
const is = (prototype, value) => apply(isPrototypeOf, prototype, [value]);
const kit = { __proto__: null, world, stringify, apply, defineProperty, getPrototypeOf, create, is, then, Promise, Text, refusal, Error,
  TypeError, RangeError, InternalError, keys: Object.keys, slice: Text.prototype.slice };
const fix = (owner, name, value) => defineProperty(owner, name, { value, writable: false, configurable: false });
const lazy = (owner, name, index) => defineProperty(owner, name, {
  configurable: true,
  get() { const value = load(index)[name]; defineProperty(owner, name, { __proto__: null, value, writable: true }); return value; },
  set(value) { defineProperty(owner, name, { __proto__: null, value, writable: true, enumerable: true }); },
});
const loaded = create(null), load = index => loaded[index] ??= evaluate(sources[index])(kit);

// No code from text: the four kinds of functions each reach a constructor through their prototype.
const forbid = prototype => {
  const Function = function () { throw new EvalError('code cannot be made from text here'); };
  fix(Function, 'prototype', prototype);
  fix(prototype, 'constructor', Function);
  return Function;
};
fix(world, 'Function', forbid(getPrototypeOf(is)));
forbid(getPrototypeOf(async () => 0)); forbid(getPrototypeOf(function* () {})); forbid(getPrototypeOf(async function* () {}));
delete world.eval;

// Nothing that shares memory or blocks; jobs are promise reactions only, because the engine hands the error of
// any other job to the binding, which would turn it into text without a time limit. The same goes for
// what an interrupted block leaves behind: its error must be readable without running code of the block.
delete world.SharedArrayBuffer; delete world.Atomics; delete world.FinalizationRegistry;
const { toString } = Error.prototype;
fix(Error, 'prepareStackTrace'); fix(Error.prototype, Symbol.toPrimitive);
fix(Error.prototype, 'toString', toString); fix(InternalError.prototype, 'toString', toString);
lazy(world, 'URL', 0); lazy(world, 'URLSearchParams', 0);
lazy(world, 'TextEncoder', 1); lazy(world, 'TextDecoder', 1);
lazy(world, 'structuredClone', 2); lazy(world, 'queueMicrotask', 2);
lazy(world, 'console', 3);

kit.problemOf = value => load(4).problemOf(value);
const toJson = kit.toJson = load(6).toJson;

// The block starts far below every line of these files, so that the frames of its stack can be told apart.
const head = '\n'.repeat(999) + '(async function (';
const compile = (names, code) => {
  try { return evaluate(head + names + ') {\n' + code + '\n})'); } catch (error) {
    // A block may declare a name it was given without asking (const context = …): one scope further in it can.
    try { return evaluate(head + names + ') {{\n' + code + '\n}})'); } catch { throw error; }
  }
};
let state = 0, outcome, isSyntax = false, most = 0;
const succeed = value => { state = 1; outcome = value; }, fail = error => { state = 2; outcome = error; };
const host = kit.host = { __proto__: null, calls: '', open: 0 };
const hostFunction = name => {
  let call;
  return (...given) => apply(call ??= load(5).callHost(name), undefined, given);
};
const helper = index => (...given) => apply(load(index), undefined, given);
const start = ({ code, names, values, helpers, functions, hostCalls, outputSize }) => {
  host.maxCalls = hostCalls; host.maxSize = most = outputSize;
  for (let i = 0; i < functions.length; i++) {
    names += (names && ',') + functions[i];
    values[values.length] = hostFunction(functions[i]);
  }
  for (let i = 0; i < helpers.length; i += 2) {
    names += (names && ',') + helpers[i];
    values[values.length] = helper(helpers[i + 1]);
  }
  isSyntax = true;
  const block = compile(names, code);
  if (typeof block !== 'function') throw new SyntaxError('the braces do not match');
  isSyntax = false;
  apply(then, apply(block, undefined, values), [succeed, fail]);
};
const report = () => {
  let text;
  if (state === 1) try { text = 'D{"value":' + toJson(outcome, most); } catch (error) { text = 'E{' + load(4).describe(error, false); }
  else text = 'E{' + load(4).describe(outcome, isSyntax);
  return Text(text + ',"console":[' + (kit.lines || '') + ']}');
};
return (action, text) => {
  if (action === 0) { try { start(parse(text)); } catch (error) { fail(error); } return 'P'; }
  if (action === 1) { load(5).takeAnswer(parse(text)); return 'P'; }
  if (action === 2) return Text('[' + (kit.lines || '') + ']');
  if (host.calls) { text = Text('C[' + host.calls + ']'); host.calls = ''; return text; }
  return host.open ? 'W' : state ? report() : 'P';
};
})
