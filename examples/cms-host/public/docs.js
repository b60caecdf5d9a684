// "Try it out" acts for whoever is signed in to the shop.
async function withNonce(request) {
  if (new URL(request.url, location.href).pathname === '/openapi.json') return request;
  const answer = await fetch('/nonce');
  if (answer.ok) request.headers['X-WP-Nonce'] = (await answer.json()).nonce;
  return request;
}

SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  validatorUrl: null,
  docExpansion: 'list',
  filter: true,
  defaultModelsExpandDepth: -1,
  requestInterceptor: withNonce,
});
