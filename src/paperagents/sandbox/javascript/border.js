// The border: one JSON text, or a refusal that knows its path.
'use strict';
({ stringify, create, getPrototypeOf, is, Text, refusal, problemOf }) => {
const { prototype: plain } = Object, { isArray, prototype: list } = Array, { isFinite } = Number;
const refuse = (problem, steps, depth, key) => {
  let path = '';
  for (let i = 1; i < depth; i++) path += stringify(steps[i]) + ',';
  path = '[' + path + (depth ? stringify(key) : '') + ']';
  refusal.problem = problem;
  refusal.path = path.length > 4000 ? '["…"]' : path;
  throw refusal;
};
const dates = Date.prototype;
const toJson = (root, most) => {
  const holders = create(null), steps = create(null);
  let depth = 0, size = 0;
  const text = stringify(root, function (key, value) {
    while (depth && holders[depth - 1] !== this) depth--;
    const step = depth && isArray(this) ? +key : key, type = typeof value;
    let problem;
    if (type === 'string') size += value.length;
    else if (type === 'number') { if (!isFinite(value)) problem = Text(value); }
    else if (value === null) { if (is(dates, this[key])) problem = 'invalid date'; }
    else if (type === 'object') {
      const prototype = getPrototypeOf(value);
      if (prototype !== plain && prototype !== list && prototype !== null) problem = problemOf(value);
      for (let i = 0; i < depth; i++) if (holders[i] === value) problem = 'cycle';
      if (depth > 199) problem = 'depth';
      holders[depth] = value; steps[depth] = step;
      if (!problem) depth++;
    } else if (type !== 'boolean' && type !== 'undefined') problem = type === 'bigint' ? 'BigInt' : type;
    size += 1 + (step.length | 0);
    if (problem || size > most) refuse(problem || 'size', steps, depth, step);
    return value;
  });
  if (text !== undefined && text.length > most) refuse('size', steps, 0);
  return text === undefined ? 'null' : text;
};
return { __proto__: null, toJson };
}
