// The CSV of all visits beside the driver's own cursor with the same CSV writer, and the memory it takes.
import { nextMessage, startChild } from './child.mjs';

/**
 * { rows, bytes, seconds, before, peak } of the service (MiB) and { rows, seconds } of the driver:
 * the best of `repeats`, in turns.
 */
export async function exportFigures({ host, url, headers }, database, { repeats = 2 } = {}) {
  await drain(`${url}/visits/export?format=csv&search=u1-nothing`, headers); // loads what an export needs
  await host.ask({ do: 'memory' });
  const before = await host.ask({ do: 'memory' });
  let service;
  let driver;
  let peak = 0;
  for (let at = 0; at < repeats; at += 1) {
    driver = faster(driver, await byDriver(database));
    service = faster(service, await drain(`${url}/visits/export?format=csv`, headers));
    peak = Math.max(peak, await host.ask({ do: 'memory' }));
  }
  return { service, driver, before, peak };
}

const faster = (known, found) => (known === undefined || found.seconds < known.seconds ? found : known);

/** Reads an export to its end, or as long as somebody wants it. */
export async function drain(url, headers, isWanted = () => true) {
  const began = performance.now();
  const answer = await fetch(url, { headers });
  if (answer.status !== 200) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  let rows = -1; // the header
  let bytes = 0;
  for await (const part of answer.body) {
    if (!isWanted()) break;
    bytes += part.length;
    for (let at = part.indexOf(10); at >= 0; at = part.indexOf(10, at + 1)) rows += 1;
  }
  return { rows, bytes, seconds: (performance.now() - began) / 1000 };
}

const byDriver = (database) => nextMessage(startChild('export-driver.mjs', [JSON.stringify(database)]));
