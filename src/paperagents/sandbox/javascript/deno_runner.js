// The entry module of a Deno process: serves one tool with npm packages, call after call, over standard input and
// output, in the words of worker.py. A tool's file is never an entry module nor imported: what stands in an entry
// module's own imports is read without any permission.
import { createRequire, isBuiltin } from 'node:module';
import { Buffer } from 'node:buffer';
import os from 'node:os';
import process from 'node:process';
import timers from 'node:timers';
import { pathToFileURL } from 'node:url';
import vm from 'node:vm';
import borderPart from './border.js' with { type: 'text' };
import consolePart from './console.js' with { type: 'text' };
import errorsPart from './errors.js' with { type: 'text' };
import hostPart from './host.js' with { type: 'text' };
import apiPart from './tool_api.js' with { type: 'text' };
import failurePart from './tool_failure.js' with { type: 'text' };

const { stdin, stdout, exit } = Deno, [folder, ...names] = Deno.args;
const { stringify, parse } = JSON, { apply, defineProperty, getPrototypeOf, ownKeys, getOwnPropertyDescriptor } = Reflect;
const { is: same } = Object, { isPrototypeOf } = Object.prototype, { then } = Promise.prototype, { runInThisContext } = vm;
const encoder = new TextEncoder(), decoder = new TextDecoder(), world = globalThis;
const make = source => (0, eval)(source), [makeBorder, makeConsole, makeErrors, makeHost] = [borderPart, consolePart, errorsPart, hostPart].map(make);

const helperParts = { 7: make(apiPart)(), 8: make(failurePart)() };

// Frames: four bytes of length, a letter, a body.
const writeAll = bytes => { for (let at = 0; at < bytes.length;) at += stdout.writeSync(bytes.subarray(at)); };
const send = text => {
  const body = encoder.encode(text), frame = new Uint8Array(body.length + 4);
  new DataView(frame.buffer).setUint32(0, body.length);
  frame.set(body, 4);
  writeAll(frame);
};
let unread = new Uint8Array(0);
const chunk = new Uint8Array(1 << 16);
const keep = count => {
  if (!count) exit(0);
  const joined = new Uint8Array(unread.length + count);
  joined.set(unread);
  joined.set(chunk.subarray(0, count), unread.length);
  unread = joined;
};
const sizeOf = () => unread.length < 4 ? 4 : 4 + new DataView(unread.buffer, unread.byteOffset).getUint32(0);
const isWhole = () => unread.length >= 4 && unread.length >= sizeOf();
const taken = () => {
  const size = sizeOf(), frame = unread.subarray(4, size);
  unread = unread.subarray(size);
  return frame;
};
// Between calls the process stands still: nothing that an earlier call left behind goes on.
const receiveStandingStill = () => { while (!isWhole()) keep(stdin.readSync(chunk)); return taken(); };
const receive = async () => { while (!isWhole()) keep(await stdin.read(chunk)); return taken(); };

// Packages: those that are declared, and what they need themselves. Built-in modules as far as the permissions go.
const require = createRequire(folder + '/tool.cjs'), declared = new Set(names);
const withoutProcesses = new Set(['child_process', 'cluster', 'inspector', 'inspector/promises', 'module', 'repl', 'worker_threads']);
// Out of the package that is named; an address may write a dot and a slash in other ways, too.
const leadsOut = /[\\/](\.|%2e){2}([\\/?#]|%2f|%5c|$)/i;
const allowed = given => {
  const name = String(given), parts = name.split('/');
  if (isBuiltin(name)) {
    if (withoutProcesses.has(name.replace(/^node:/, ''))) throw new Error(`Cannot load '${name}': a tool may not start processes or threads`);
  } else if (!declared.has(parts.slice(0, name[0] === '@' ? 2 : 1).join('/')) || leadsOut.test(name)) {
    throw new Error(`Cannot load '${name}': only packages that getDependencies() declares can be loaded`);
  }
  return name;
};
const { load } = await import(pathToFileURL(folder + '/load.mjs').href);
const known = new Set();
const firstTime = (name, act) => {
  if (known.has(name)) return act();
  noticeChanges();
  known.add(name);
  try { return act(); } finally { remember(); }
};
const requirePackage = given => { const name = allowed(given); return firstTime(name, () => require(name)); };
requirePackage.resolve = given => require.resolve(allowed(given));
requirePackage.cache = Object.create(null);
const importPackage = async (given, options) => {
  const name = allowed(given);
  const found = firstTime(name, () => load(name, options));
  try { return await found; } finally { remember(); }
};
const isNamespace = value => value?.[Symbol.toStringTag] === 'Module';
const loadPackage = async given => {
  let found;
  try { found = requirePackage(given); } catch (error) {
    if (!/ERR_REQUIRE|ERR_PACKAGE_PATH_NOT_EXPORTED/.test(error?.code ?? '')) throw error;
    found = await importPackage(given);
  }
  return isNamespace(found) && Object.keys(found).every(key => ['default', '__esModule', 'module.exports'].includes(key)) && 'default' in found ? found.default : found;
};

// One call must not change the world of the next. What a package does when it is first loaded is its own affair.
const watched = [world];
for (const key of ownKeys(world)) {
  const { value } = getOwnPropertyDescriptor(world, key);
  if (typeof value === 'function' && value.prototype && /^[A-Z]/.test(String(key))) watched.push(value, value.prototype);
  else if (key === 'JSON' || key === 'Math' || key === 'Reflect') watched.push(value);
}
for (const each of [function* () {}, async () => 0, async function* () {}, [][Symbol.iterator](), new Uint8Array()]) watched.push(getPrototypeOf(each), getPrototypeOf(getPrototypeOf(each)));
let seen, isChanged = false;
const remember = () => { seen = watched.map(each => ownKeys(each).map(key => [key, getOwnPropertyDescriptor(each, key)])); };
const isSame = (each, before) => {
  const keys = ownKeys(each);
  return keys.length === before.length && before.every(([key, old], at) => {
    const now = keys[at] === key && getOwnPropertyDescriptor(each, key);
    return now && same(now.value, old.value) && now.get === old.get && now.set === old.set;
  });
};
const noticeChanges = () => { isChanged ||= !watched.every((each, at) => isSame(each, seen[at])); };

// The world a tool expects.
const refused = what => () => { throw new Error(`${what} is not available to a tool`); };
const timersOpen = new Set();
for (const [set, clear] of [['setTimeout', 'clearTimeout'], ['setInterval', 'clearInterval'], ['setImmediate', 'clearImmediate']]) {
  world[set] = (...given) => { const timer = timers[set](...given); timersOpen.add(() => timers[clear](timer)); return timer; };
  world[clear] = timer => timers[clear](timer);
}
Object.assign(world, { Buffer, process, global: world, importx: loadPackage, loadModule: loadPackage });
for (const name of ['exit', 'abort', 'reallyExit', 'kill', 'dlopen', 'chdir']) process[name] = refused(`process.${name}`);
// The one way to a built-in module that does not pass by require; wherever it is inherited from, and for good.
const builtIn = process.getBuiltinModule?.bind(process);
for (let each = process; each; each = getPrototypeOf(each)) {
  if (each !== process && !getOwnPropertyDescriptor(each, 'getBuiltinModule')) continue;
  defineProperty(each, 'getBuiltinModule', { value: name => isBuiltin(String(name)) ? builtIn?.(allowed(name)) : undefined, configurable: false, writable: false });
}
// Many packages ask these when they are loaded; the answers tell nothing about the machine.
const answers = { cpus: [], hostname: 'localhost', homedir: '/', release: '', version: '', networkInterfaces: {}, loadavg: [0, 0, 0],
  uptime: 0, totalmem: 0, freemem: 0, tmpdir: '/tmp', availableParallelism: 1, userInfo: { username: '', uid: -1, gid: -1, shell: null, homedir: '/' } };
for (const name of Object.keys(answers)) os[name] = () => structuredClone(answers[name]);
for (const name of ['Worker', 'alert', 'confirm', 'prompt', 'close', 'localStorage', 'sessionStorage', 'caches']) delete world[name];
const lent = world.console;
let current;
const written = level => chunk => { current?.console[level](String(chunk).replace(/\n$/, '')); return true; };
for (const [name, level] of [['stdout', 'log'], ['stderr', 'error']]) {
  defineProperty(process, name, { value: { write: written(level), isTTY: false, columns: 80, fd: -1, on() {}, once() {}, emit() {}, end() {} }, configurable: true, writable: true });
}
for (const name of ownKeys(lent)) {
  if (typeof lent[name] === 'function') lent[name] = (...given) => current?.console[name]?.(...given);
}

// The stack in the form of the other engine, whose columns are bytes.
const bytesBefore = (line, column) => encoder.encode(line.slice(0, column - 1)).length + 1;
const stackOf = (stack, lines) => stack.replace(/<input>:(\d+):(\d+)/g, (_, line, column) =>
  `<input>:${line}:${bytesBefore(lines[line - firstLine] ?? '', +column)}`);
const firstLine = 1001;
class InternalError extends Error {}
const isLackOfMemory = error => error instanceof RangeError
  && /allocation failed|could not allocate memory|Invalid (string|array|array buffer) length/.test(error.message);

class Call {
  constructor(request) {
    const { code, names: given, values, helpers, functions, hostCalls, outputSize } = parse(decoder.decode(request.subarray(17)));
    this.lines = code.split('\n');
    this.most = outputSize;
    this.host = { __proto__: null, calls: '', open: 0, maxCalls: hostCalls, maxSize: outputSize };
    const refusal = Object.create(null), is = (prototype, value) => apply(isPrototypeOf, prototype, [value]);
    const kit = this.kit = { __proto__: null, world, stringify, apply, defineProperty, getPrototypeOf, create: Object.create, is, then, Promise,
      Text: String, refusal, Error, TypeError, RangeError, InternalError, keys: Object.keys, slice: String.prototype.slice, host: this.host };
    kit.problemOf = value => this.errors.problemOf(value);
    kit.toJson = makeBorder(kit).toJson;
    this.errors = makeErrors(kit);
    this.console = makeConsole(kit).console;
    const { callHost, takeAnswer } = makeHost(kit);
    this.takeAnswer = takeAnswer;
    const hosted = functions.map(name => { const call = callHost(name); return (...sent) => { const answer = call(...sent); this.carryOver(); return answer; }; });
    const helped = helpers.filter((_, at) => at % 2).map(index => helperParts[index]);
    this.names = [given, ...functions, ...helpers.filter((_, at) => at % 2 === 0), 'require_', 'import_', 'load_'].filter(Boolean).join(',');
    this.values = [...values, ...hosted, ...helped, requirePackage, importPackage, loadPackage];
    this.code = code;
  }

  run() {
    return new Promise(over => {
      this.over = over;
      let running;
      try {
        running = apply(runInThisContext(`(async function (${this.names}) {\n${this.code}\n})`, { filename: '<input>', lineOffset: firstLine - 2 }), undefined, this.values);
      } catch (error) { this.settle(2, error); return; }
      apply(then, running, [value => this.settle(1, value), error => this.settle(2, error)]);
    });
  }

  settle(state, outcome) {
    if (this.state) return;
    this.state = state;
    this.outcome = outcome;
    if (!this.host.open) this.over();
  }

  async carryOver() {
    if (this.listening) return;
    this.listening = true;
    await null;
    while (this.host.open) {
      if (this.host.calls) { send(`C[${this.host.calls}]`); this.host.calls = ''; }
      const frame = await receive();
      this.takeAnswer(parse(decoder.decode(frame.subarray(1))));
      await null;
    }
    this.listening = false;
    if (this.state) this.over();
  }

  never() { send(`Xnever\n\0[${this.kit.lines || ''}]`); this.over(); }

  report() {
    if (this.state === 1) try { return `D{"value":${this.kit.toJson(this.outcome, this.most)}`; } catch (error) { return 'E{' + this.errors.describe(error, false); }
    const told = isLackOfMemory(this.outcome) ? '"kind":"memory","stack":' + stringify(String(this.outcome.stack)) : this.errors.describe(this.outcome, false);
    return 'E{' + stackOf(told, this.lines);
  }
}

const serve = async request => {
  current = new Call(request);
  await current.run();
  noticeChanges();
  for (const stop of timersOpen) stop();
  timersOpen.clear();
  if (!current.state) return;
  const report = `${current.report()},"console":[${current.kit.lines || ''}]}`;
  current = undefined;
  if (!isChanged) return send(report);
  send(report[0].toLowerCase() + report.slice(1));
  exit(0);
};

world.addEventListener('unhandledrejection', event => { event.preventDefault(); current?.console.error('Unhandled rejection:', event.reason); });
world.addEventListener('error', event => { event.preventDefault(); current?.settle(2, event.error); });
// Nothing is left to do and the call has not ended: it never will.
world.addEventListener('beforeunload', event => { event.preventDefault(); if (current && !current.state) current.never(); });

remember();
send('H');
// Not awaited: Deno would take a call that never ends for a broken entry module.
(async () => { for (;;) await serve(receiveStandingStill()); })();
