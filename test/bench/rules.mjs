// What 50 reward rules add to an order: the same orders in turns without and with them.
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, startChild } from './child.mjs';
import { median, takeTurn, told, TURNS, WARM_SECONDS } from './requests.mjs';

/** The service may take 5 % more of the processor. */
const LEAST = 0.95;
/** Longer than the service takes settings as it read them. */
const SETTINGS_KEPT_MS = 2500;

export async function rules({ database, seconds, connections }) {
  const [server, load, ruler] = ['server', 'load', 'ruler'].map((name) => startChild(`${name}.mjs`));
  const host = await ask(server, { database });
  await ask(load, { host, connections });
  await ask(ruler, { database });
  const [without, withRules] = [[], []];
  const turn = async (state, length) => {
    await ask(ruler, state);
    await sleep(SETTINGS_KEPT_MS);
    return takeTurn({ server, load }, { scenario: 'conversion', server: 'site', seconds: length });
  };
  await turn('on', WARM_SECONDS);
  for (let at = 0; at < TURNS; at += 1) {
    without.push(await turn('off', seconds / TURNS));
    withRules.push(await turn('on', seconds / TURNS));
  }
  load.disconnect();
  const counted = await ask(ruler, 'end');
  const { violations } = await ask(server, 'end');
  return {
    rows: [
      {
        what: 'conversion recorded, 50 reward rules active',
        got: told(withRules),
        against: `without: ${told(without)}`,
        figure: median(withRules.map((each, at) => without[at].cpu / each.cpu)),
        least: LEAST,
      },
    ],
    notes: [`The figure of the rules compares processor time; rules counted for ${counted} orders.`],
    problems: [...violations, ...(counted === 0 ? ['no rule counted'] : [])],
  };
}
