// Calls to the host: written down here, carried over the border by the worker, answered one by one.
'use strict';
({ stringify, create, defineProperty, Promise, Error, TypeError, refusal, toJson, host }) => {
const waiting = create(null);
let count = 0;
const argumentsOf = (name, values) => {
  try { return toJson(values, host.maxSize); } catch (error) {
    if (error !== refusal) throw error;
    throw new TypeError(name + ': an argument cannot cross as JSON (' + refusal.problem + ' at ' + refusal.path + ')');
  }
};
const callHost = name => (...values) => new Promise((resolve, reject) => {
  const text = argumentsOf(name, values);
  if (count >= host.maxCalls) throw new Error('too many calls to the host in one block');
  waiting[++count] = { __proto__: null, resolve, reject };
  host.open++;
  host.calls += (host.calls && ',') + '[' + count + ',' + stringify(name) + ',' + text + ']';
});
const takeAnswer = ({ id, value, message, code }) => {
  const { resolve, reject } = waiting[id];
  delete waiting[id];
  host.open--;
  if (message === undefined) return resolve(value);
  const error = new Error(message);
  defineProperty(error, 'code', { __proto__: null, value: code, writable: true, configurable: true, enumerable: true });
  reject(error);
};
return { __proto__: null, callHost, takeAnswer };
}
