// The end of a forked process: it does what its parent orders, one message each,
// and answers with the outcome.

/** Tells the parent something beside the answers to its orders. */
export const say = (message) => {
  process.send(message);
};

/**
 * Takes orders `{ do: 'name', … }` from now on; each is answered with `{ stage: 'done', value }` or
 * `{ stage: 'failed', error }`.
 */
export function takeOrders(orders) {
  process.on('message', async (order) => {
    try {
      say({ stage: 'done', value: await orders[order.do](order) });
    } catch (error) {
      say({ stage: 'failed', error: String(error.stack ?? error) });
    }
  });
  say({ stage: 'up' });
}
