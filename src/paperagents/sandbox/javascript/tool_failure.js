// The name that a tool's own list has for a failure; a failure without a name stays as it is.
'use strict';
() => (tool, error) => {
const message = String(error?.message ?? error);
const matches = match => {
  if (match instanceof RegExp) return match.test(message);
  if (typeof match === 'function') return Boolean(match(error));
  return typeof match === 'string' && message.includes(match);
};
// A mistake in the list must not hide what really happened.
const find = () => {
  const named = typeof tool.getBusinessErrors === 'function' ? tool.getBusinessErrors() : [];
  return Array.isArray(named) ? named.find(each => matches(each?.match)) : undefined;
};
let known;
try { known = find(); } catch (mistake) { console.error('getBusinessErrors:', mistake); }
if (!known) throw error;
return {
  code: String(known.code),
  description: String(known.description ?? message),
  solution: known.solution == null ? null : String(known.solution),
  retryable: Boolean(known.retryable),
  message,
};
}
