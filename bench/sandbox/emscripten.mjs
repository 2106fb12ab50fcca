// Runs blocks in quickjs-emscripten, a fresh runtime for each, as its documentation recommends for isolation.
// One JSON line in, one JSON line out; the time is taken here so that the pipe does not count.
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

const { getQuickJS, shouldInterruptAfterDeadline } = createRequire(new URL('../peers/', import.meta.url))('quickjs-emscripten');
const quickjs = await getQuickJS();

const runFresh = ({ code, input }) => {
  const runtime = quickjs.newRuntime();
  runtime.setMemoryLimit(256 << 20);
  runtime.setInterruptHandler(shouldInterruptAfterDeadline(Date.now() + 5000));
  const context = runtime.newContext();
  const source = `JSON.stringify(((input) => {${code}\n})(${JSON.stringify(input)}))`;
  const handle = context.unwrapResult(context.evalCode(source));
  const value = JSON.parse(context.getString(handle));
  handle.dispose(); context.dispose(); runtime.dispose();
  return value;
};

for await (const line of createInterface({ input: process.stdin })) {
  const started = process.hrtime.bigint();
  const value = runFresh(JSON.parse(line));
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  process.stdout.write(JSON.stringify({ value, seconds }) + '\n');
}
