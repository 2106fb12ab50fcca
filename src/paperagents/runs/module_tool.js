
// Runs after the tool's own file: executes it and says how that ended.
let made_;
Reflect.defineProperty(tool, 'api', { configurable: true, get: () => (made_ ??= make_api({ tool, environment, storage, mocked, info, load_, call_tool })).api });
const answer_ = {}, mistakes_ = [];
const attempt_ = async (name, act) => {
  try { await act(); } catch (error) {
    // What went wrong first is what a person must see.
    if (mistakes_.length) console.error(name, error);
    mistakes_.push(error);
  }
};
await attempt_('execute:', async () => {
  if (typeof tool.init === 'function') await tool.init();
  answer_.value = await tool.execute(input) ?? null;
});
await attempt_('cleanup:', async () => { if (typeof tool.cleanup === 'function') await tool.cleanup(); });
await attempt_('storage:', async () => {
  const kept = made_?.kept();
  if (kept) await keep_storage(kept);
});
if (mistakes_.length) answer_.failure = await name_failure(tool, mistakes_[0]);
return answer_;
