// The api of a tool that is one JavaScript file; made when the tool first asks for it.
'use strict';
() => ({ tool, environment, storage, mocked, info, load_, call_tool }) => {
const bridges_ = typeof tool.getBridges === 'function' ? tool.getBridges() : {};
const kept_ = new Map(Object.entries(storage));
let changed_ = false;
const keep_ = (key, value) => { changed_ = true; kept_.set(String(key), structuredClone(value)); };
const drop_ = key => { changed_ = true; return kept_.delete(String(key)); };
const look_ = key => kept_.get(String(key)) ?? null;

const bridge = async (name, ...values) => {
  const known = bridges_?.[name];
  if (!known) throw new Error(`There is no bridge '${name}'.`);
  const act = mocked ? known.mock : known.real;
  if (typeof act !== 'function') throw new Error(`The bridge '${name}' has no ${mocked ? 'mock' : 'real'} function.`);
  const given = mocked && !values.length && typeof tool.getMockArgs === 'function' ? [await tool.getMockArgs(name) ?? []].flat() : values;
  // The api comes after the values: where there are none, it must not stand in their place.
  return act.call(known, ...(given.length ? given : [undefined]), api);
};
bridge.execute = bridge;

// The words that lists of business errors look for, as Node would say them.
const systemNames = { 'file-not-found': 'ENOENT', 'file-exists': 'EEXIST', 'not-a-file': 'EISDIR' };
const withSystemName = error => {
  if (Object.hasOwn(systemNames, error.code)) error.message = `${systemNames[error.code]}: ${error.message}`;
  throw error;
};

const api = Object.freeze({
  logger: Object.freeze({
    log: (...values) => console.log(...values), info: (...values) => console.info(...values),
    warn: (...values) => console.warn(...values), error: (...values) => console.error(...values),
    debug: (...values) => console.debug(...values),
  }),
  environment: Object.freeze({
    get: name => Object.hasOwn(environment, name) ? environment[name] : undefined,
    has: name => Object.hasOwn(environment, name),
    all: () => ({ ...environment }),
  }),
  storage: Object.freeze({
    get: look_, getItem: look_, set: keep_, setItem: keep_,
    has: key => kept_.has(String(key)),
    delete: drop_, removeItem: key => { drop_(key); },
    keys: () => [...kept_.keys()],
    clear: () => { changed_ = true; kept_.clear(); },
  }),
  importx: load_,
  callTool: (name, parameters) => call_tool(name, parameters ?? {}).catch(withSystemName),
  bridge: Object.freeze(bridge),
  getInfo: () => ({ ...info }),
});
return { api, kept: () => changed_ ? Object.fromEntries(kept_) : null };
}
