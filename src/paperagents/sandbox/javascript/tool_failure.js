// The name that a tool's own list has for a failure; a failure without a name stays as it is.
'use strict';
() => async (tool, error) => {
const message = String(error?.message ?? error);
// A mistake in the list must hide neither what really happened nor a later entry that names it.
const attempt = async act => { try { return await act(); } catch (mistake) { console.error('getBusinessErrors:', mistake); } };
const matches = match => {
  if (match instanceof RegExp) return match.test(message);
  if (typeof match === 'function') return match(error);
  return typeof match === 'string' && message.includes(match);
};
const find = async () => {
  const named = await attempt(() => tool.getBusinessErrors?.());
  for (const each of Array.isArray(named) ? named : []) if (each?.code != null && await attempt(() => matches(each.match))) return each;
};
const known = await find();
if (!known) throw error;
return {
  code: String(known.code),
  description: String(known.description ?? message),
  solution: known.solution == null ? null : String(known.solution),
  retryable: Boolean(known.retryable),
  message,
};
}
