
// Runs after the tool's own file: executes it and says how that ended.
let made_;
Reflect.defineProperty(tool, 'api', { configurable: true, get: () => (made_ ??= make_api({ tool, environment, storage, mocked, info, load_, call_tool })).api });
const answer_ = {};
let failed_ = false;
try {
  if (typeof tool.init === 'function') await tool.init();
  answer_.value = await tool.execute(input) ?? null;
} catch (error) {
  failed_ = true;
  answer_.failure = await name_failure(tool, error);
} finally {
  try {
    if (typeof tool.cleanup === 'function') await tool.cleanup();
  } catch (error) {
    // What went wrong first is what a person must see.
    if (failed_) console.error('cleanup:', error);
    else answer_.failure = await name_failure(tool, error);
  }
}
const kept_ = made_?.kept();
if (kept_) await keep_storage(kept_);
return answer_;
