// What an endpoint for events adds to clicks and orders: the same requests in turns without and with it.
// Another process delivers meanwhile.
import { ask, startChild } from './child.mjs';
import { median, takeTurn, told, TURNS, WARM_SECONDS } from './requests.mjs';

const ROWS = [
  { what: 'page with a new tracked click, an endpoint on', scenario: 'click' },
  { what: 'conversion recorded, an endpoint on', scenario: 'conversion' },
];
/** The service may take 5 % more of the processor. */
const LEAST = 0.95;

export async function endpoint({ database, seconds, connections }) {
  const [server, load, teller] = ['server', 'load', 'teller'].map((name) => startChild(`${name}.mjs`));
  const host = await ask(server, { database });
  await ask(load, { host, connections });
  await ask(teller, { database });
  const rows = [];
  for (const { what, scenario } of ROWS) {
    const [without, withOne] = [[], []];
    const turn = async (status, length) => {
      await ask(teller, status);
      return takeTurn({ server, load }, { scenario, server: 'site', seconds: length });
    };
    await turn('active', WARM_SECONDS);
    for (let at = 0; at < TURNS; at += 1) {
      without.push(await turn('disabled', seconds / TURNS));
      withOne.push(await turn('active', seconds / TURNS));
    }
    rows.push({
      what,
      got: told(withOne),
      against: `without: ${told(without)}`,
      figure: median(withOne.map((each, at) => without[at].cpu / each.cpu)),
      least: LEAST,
    });
  }
  load.disconnect();
  const delivered = await ask(teller, 'end');
  const { violations } = await ask(server, 'end');
  return {
    rows,
    notes: [`The figures of the endpoint compare processor time; it took ${delivered} events meanwhile.`],
    problems: [...violations, ...(delivered === 0 ? ['nothing was delivered'] : [])],
  };
}
