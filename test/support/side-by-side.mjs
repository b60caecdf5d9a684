// `node test/support/side-by-side.mjs lint typecheck …`: runs these npm scripts at the same time. What a script
// prints comes in one piece when it ends. The status is 1 when one of them failed.
import { spawn } from 'node:child_process';

const ended = await Promise.all(process.argv.slice(2).map(run));
if (ended.includes(false)) process.exitCode = 1;

/** Answers whether it ended well. */
function run(script) {
  const child = spawn(process.execPath, [process.env.npm_execpath, 'run', '--silent', script]);
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk));
  return new Promise((resolve) => {
    child.once('close', (status) => {
      if (status !== 0) console.log(`npm run ${script} failed:`);
      process.stdout.write(Buffer.concat(output));
      resolve(status === 0);
    });
  });
}
