// The same work in Node's vm: a fresh context per call, the tool's file evaluated in it. No isolation.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import vm from 'node:vm';

const script = new vm.Script(`(function (module) {\n${readFileSync(process.argv[2], 'utf8')}\n})`);
const call = async params => {
  const module = { exports: {} };
  script.runInContext(vm.createContext({ console }))(module);
  return module.exports.execute(params);
};
if (process.argv[3]) {
  console.log(JSON.stringify(await call(JSON.parse(process.argv[3]))));
} else {
  for await (const line of createInterface({ input: process.stdin })) {
    const started = performance.now();
    await call(JSON.parse(line));
    console.log(performance.now() - started);
  }
}
