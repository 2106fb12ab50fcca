// Runs the blocks of one tool in quickjs-emscripten, a fresh runtime for each: preprocess, function, postprocess.
// One JSON line in, one JSON line out; the time is taken here so that the pipe does not count.
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

const { getQuickJS, shouldInterruptAfterDeadline } = createRequire(new URL('../peers/', import.meta.url))('quickjs-emscripten');
const quickjs = await getQuickJS();

const runFresh = (code, names) => {
  const runtime = quickjs.newRuntime();
  runtime.setMemoryLimit(256 << 20);
  runtime.setInterruptHandler(shouldInterruptAfterDeadline(Date.now() + 5000));
  const context = runtime.newContext();
  const values = Object.values(names).map(value => JSON.stringify(value)).join(',');
  const source = `JSON.stringify(((${Object.keys(names)}) => {${code}\n})(${values}))`;
  const handle = context.unwrapResult(context.evalCode(source));
  const value = JSON.parse(context.getString(handle));
  handle.dispose(); context.dispose(); runtime.dispose();
  return value;
};

const runTool = ({ preprocess, function: body, postprocess, input }) => {
  const prepared = runFresh(preprocess, { input });
  const output = runFresh(body, { input: prepared });
  return runFresh(postprocess, { input: prepared, output });
};

for await (const line of createInterface({ input: process.stdin })) {
  const tool = JSON.parse(line);
  const started = process.hrtime.bigint();
  const value = runTool(tool);
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  process.stdout.write(JSON.stringify({ value, seconds }) + '\n');
}
