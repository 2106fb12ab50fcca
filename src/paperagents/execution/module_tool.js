
// Runs after the tool's own file: gives it its api, executes it, and says how that ended.
const bridges_ = typeof tool.getBridges === 'function' ? tool.getBridges() : {};
const kept_ = new Map(Object.entries(storage));
let changed_ = false;
const keep_ = (key, value) => { changed_ = true; kept_.set(String(key), structuredClone(value)); };
const drop_ = key => { changed_ = true; return kept_.delete(String(key)); };
const look_ = key => kept_.get(String(key)) ?? null;

const api = Object.freeze({
  logger: Object.freeze({
    log: (...values) => console.log(...values), info: (...values) => console.info(...values),
    warn: (...values) => console.warn(...values), error: (...values) => console.error(...values),
    debug: (...values) => console.debug(...values),
  }),
  environment: Object.freeze({
    get: name => environment[name],
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
  callTool: (name, parameters) => call_tool(name, parameters ?? {}),
  bridge: async (name, ...values) => {
    const bridge = bridges_?.[name];
    if (!bridge) throw new Error(`There is no bridge '${name}'.`);
    const act = mocked ? bridge.mock : bridge.real;
    if (typeof act !== 'function') throw new Error(`The bridge '${name}' has no ${mocked ? 'mock' : 'real'} function.`);
    const given = mocked && !values.length && typeof tool.getMockArgs === 'function' ? [await tool.getMockArgs(name) ?? []].flat() : values;
    return act.call(bridge, ...given, api);
  },
  getInfo: () => ({ ...info }),
});
tool.api = api;

const matches_ = (error, match) => {
  const message = String(error?.message ?? error);
  if (match instanceof RegExp) return match.test(message);
  if (typeof match === 'function') return Boolean(match(error));
  return typeof match === 'string' && message.includes(match);
};
const failure_ = (error, known) => ({
  code: String(known.code),
  description: String(known.description ?? error?.message ?? error),
  solution: known.solution == null ? null : String(known.solution),
  retryable: Boolean(known.retryable),
  message: String(error?.message ?? error),
});

const answer_ = {};
try {
  if (typeof tool.init === 'function') await tool.init();
  answer_.value = await tool.execute(input) ?? null;
} catch (error) {
  const named = typeof tool.getBusinessErrors === 'function' ? tool.getBusinessErrors() ?? [] : [];
  const known = named.find(each => matches_(error, each.match));
  if (!known) throw error;
  answer_.failure = failure_(error, known);
} finally {
  if (typeof tool.cleanup === 'function') await tool.cleanup();
}
if (changed_) await keep_storage(Object.fromEntries(kept_));
return answer_;
