// How values look in the console: close to what browsers and Node show, on one line, never endless.
'use strict';
kit => {
const quote = text => "'" + text.replace(/[\\']/g, '\\$&').replace(/\n/g, '\\n') + "'";
const keyText = key => /^[A-Za-z_$][\w$]*$/.test(key) ? key : quote(key);
const many = (values, brackets, label) => {
  const [open, close] = brackets;
  const inside = values.length ? (open === '{' ? ` ${values.join(', ')} ` : values.join(', ')) : '';
  return label + open + inside + close;
};
const entries = (value, seen) => {
  const show = item => inspect(item, seen);
  const short = values => values.length > 100 ? [...values.slice(0, 100).map(show), `… ${values.length - 100} more`] : values.map(show);
  if (Array.isArray(value)) return many(short(value), '[]', '');
  if (value instanceof Map) return many([...value].slice(0, 100).map(([k, v]) => `${show(k)} => ${show(v)}`), '{}', `Map(${value.size}) `);
  if (value instanceof Set) return many(short([...value]), '{}', `Set(${value.size}) `);
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return many(short([...value]), '[]', `${value.constructor.name}(${value.length}) `);
  const name = Object.getPrototypeOf(value)?.constructor?.name;
  const label = name && name !== 'Object' ? `${name} ` : '';
  const names = Object.keys(value);
  const texts = names.slice(0, 100).map(key => `${keyText(key)}: ${show(value[key])}`);
  if (names.length > 100) texts.push(`… ${names.length - 100} more`);
  return many(texts, '{}', label);
};
const inspect = (value, seen) => {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'function') return `[Function ${value.name || 'anonymous'}]`;
  if (Object.is(value, -0)) return '-0';
  if (typeof value !== 'object' || value === null) return String(value);
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (value instanceof Date) return isNaN(value) ? 'Invalid Date' : value.toISOString();
  if (value instanceof RegExp) return String(value);
  if (value instanceof Promise) return 'Promise {}';
  if (typeof value.toJSON === 'function' && typeof value.href === 'string') return value.href;
  if (seen.includes(value)) return '[Circular]';
  return seen.length > 4 ? (Array.isArray(value) ? '[Array]' : '[Object]') : entries(value, [...seen, value]);
};
const one = value => { try { return typeof value === 'string' ? value : inspect(value, []); } catch { return '[cannot be shown]'; } };
const fill = (template, values) => template.replace(/%([sdifjoO%])/g, (whole, kind) => {
  if (kind === '%') return '%';
  if (!values.length) return whole;
  const value = values.shift();
  if (kind === 's') return one(value);
  if (kind === 'd' || kind === 'f') return String(Number(value));
  return kind === 'i' ? String(parseInt(value)) : inspect(value, []);
});
const show = values => {
  const rest = [...values];
  const first = typeof rest[0] === 'string' && rest.length > 1 && rest[0].includes('%') ? [fill(rest.shift(), rest)] : [];
  return [...first, ...rest.map(one)].join(' ');
};
let count = 0;
kit.lines = '';
const write = (level, values) => {
  if (count > 1000) return;
  if (count++ === 1000 || kit.lines.length > 250000) { count = 1001; level = 'truncated'; values = []; }
  kit.lines += (kit.lines && ',') + '[' + kit.stringify(level) + ',' + kit.stringify(show(values).slice(0, 16384)) + ']';
};
const console = {};
for (const name of ['info', 'debug', 'warn', 'error']) console[name] = (...values) => write(name, values);
for (const name of ['log', 'trace', 'dir', 'table', 'group', 'groupCollapsed']) console[name] = (...values) => write('log', values);
console.assert = (truth, ...values) => { if (!truth) write('error', ['Assertion failed:', ...values]); };
for (const name of ['groupEnd', 'time', 'timeEnd', 'timeLog', 'count', 'clear']) console[name] = () => {};
return { console };
}
