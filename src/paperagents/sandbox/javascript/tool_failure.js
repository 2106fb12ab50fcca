// The name that a tool's own list has for a failure; a failure without a name stays as it is.
'use strict';
() => async (tool, error) => {
const message = String(error?.message ?? error);
const matches = async match => {
  if (match instanceof RegExp) return match.test(message);
  if (typeof match === 'function') return Boolean(await match(error));
  return typeof match === 'string' && message.includes(match);
};
// A mistake in the list must not hide what really happened.
const find = async () => {
  const named = typeof tool.getBusinessErrors === 'function' ? await tool.getBusinessErrors() : [];
  for (const each of Array.isArray(named) ? named : []) if (await matches(each?.match)) return each;
};
let known;
try { known = await find(); } catch (mistake) { console.error('getBusinessErrors:', mistake); }
if (!known) throw error;
return {
  code: String(known.code),
  description: String(known.description ?? message),
  solution: known.solution == null ? null : String(known.solution),
  retryable: Boolean(known.retryable),
  message,
};
}
