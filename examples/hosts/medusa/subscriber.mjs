// src/subscribers/affiliates.js
export default async function affiliates({ event, container }) {
  const { shop } = await container.resolve('affiliates').start(container.resolve('query'));
  await shop.handle(event.name, event.data);
}

export const config = {
  event: ['order.placed', 'order.completed', 'order.canceled', 'payment.captured', 'payment.refunded'],
};
