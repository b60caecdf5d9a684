// The script for the host's pages, as text. It is served unchanged, followed by its settings in brackets.
// It runs in browsers only, so it is written in plain ES2017 without dependencies, and stays below 3 KB compressed.
//
// Pages call `affiliateTracker = window.affiliateTracker || []; affiliateTracker.push(...)` before or after the
// script has loaded. They push 'grant' or 'revoke' (consent), a function that runs once the visitor has a cookie,
// or an order: `{ token }` or `{ amount, reference, … }`.
// A thank-you page may give its order in the tag of the script instead: `data-token="…"`, or
// `data-amount="49.00" data-reference="A-1"`. With `data-conversion`, what the tag lacks is read from the page's
// address (docs/tracking.md §10).
// Once the script has loaded, `affiliateTracker.grant()`, `.revoke()` and `.value()` exist too.
// `fluent_aff_pre_ref` sets the value of a landing page, and `fluent_aff_ready_ajaxs` takes `{url, data}` entries
// that are posted once there is a cookie.
export const SCRIPT = String.raw`(function (vars) {
  'use strict';
  var win = window, doc = document, nav = navigator, loc = win.location;
  if (!vars.aff_param) return;
  if (nav.globalPrivacyControl) {
    // Pages may call everything a script documents, whatever the visitor's browser asks for.
    var nothing = function () {};
    win.affiliateTracker = { push: nothing, grant: nothing, revoke: nothing, value: function () { return ''; } };
    return;
  }
  var order = orderOf(doc.currentScript);
  if (win.affiliateTracker && win.affiliateTracker.grant) {
    if (order) win.affiliateTracker.push(order);
    return;
  }
  // What the page pushed before this script loaded, the waiting orders and functions, and the last link.
  var early = Array.isArray(win.affiliateTracker) ? win.affiliateTracker : [];
  var orders = [], waiting = [], loaded = false, busy = false, found = null, seen = '';

  function readCookie(name) {
    var found = ('; ' + doc.cookie).split('; ' + name + '=')[1];
    try { return found === undefined ? '' : decodeURIComponent(found.split(';')[0]); } catch (error) { return ''; }
  }

  function holder() {
    var own = readCookie(vars.cookie).split('|')[0];
    return own || (vars.adopt && readCookie('affwp_ref_visit_id') && readCookie('affwp_ref')) || '';
  }

  function agreed() { return vars.consent !== 'required' || readCookie(vars.consent_cookie) === 'yes'; }

  function setConsent(days) {
    var secure = loc.protocol === 'https:' ? '; Secure' : '';
    doc.cookie = vars.consent_cookie + '=yes; path=/; SameSite=Lax; max-age=' + days * 86400 + secure;
  }

  function post(url, data) {
    var call = { method: 'POST', body: new URLSearchParams(data), keepalive: true, credentials: 'same-origin' };
    // An answer that is not read would keep its connection busy.
    return win.fetch(url, call).then(function (answer) { return answer.text(); });
  }

  function orderOf(tag) {
    var found = {}, some = false, query = new URLSearchParams(loc.search);
    if (!tag || !tag.getAttribute) return null;
    [
      'token', 'amount', 'currency', 'description', 'provider', 'provider_id', 'provider_sub_id', 'reference',
      'status', 'type'
    ].forEach(function (name) {
      var said = tag.getAttribute('data-' + name);
      // The type attribute of a script names its language.
      if (!said && name !== 'type') said = tag.getAttribute(name);
      if (!said && tag.hasAttribute('data-conversion')) said = query.get(name);
      if (said) found[name] = said;
      if (said && /token|amount|reference|provider_id/.test(name)) some = true;
    });
    return some ? found : null;
  }

  function sendOrders() {
    if (!agreed()) return;
    orders.splice(0).forEach(function (each) { post(vars.request_url + '/conversion', each).catch(function () {}); });
  }

  function named(query, name) {
    var path = loc.pathname.split('/').filter(Boolean), n = path.length, last = '';
    if (n > 1 && path[n - 2] === name) {
      try { last = decodeURIComponent(path[n - 1]); } catch (error) { last = ''; }
    }
    return query.get(name) || last;
  }

  function value(query) {
    var found = win.fluent_aff_pre_ref || named(query, vars.aff_param);
    (vars.old_params || []).forEach(function (each) {
      var old = !found && named(query, each[0]);
      if (old) found = each[1] + ':' + old;
    });
    return String(found || '');
  }

  function runQueue() {
    sendOrders();
    if (!holder()) return;
    waiting.splice(0).forEach(function (run) {
      try { run(); } catch (error) { setTimeout(function () { throw error; }); }
    });
    (win.fluent_aff_ready_ajaxs || []).splice(0).forEach(function (each) {
      post(each.url, each.data || {}).catch(function () {});
    });
  }

  function track() {
    if (!loaded || busy) return;
    look();
    var held = holder(), data = found;
    if (data && ((held && !vars.credit_last) || held === data.__aff_id__)) data = found = null;
    if (!data) return runQueue();
    if (!agreed()) return;
    if (vars.consent === 'required') data.consent = '1';
    found = null;
    busy = true;
    function done() { busy = false; runQueue(); }
    post(vars.request_url, data).then(done, done);
  }

  // A link is handled once per address. It waits in this page until the visitor agrees.
  function look() {
    var page = new URL(loc.href), aff = value(page.searchParams);
    if (!aff || seen === page.href + aff) return;
    seen = page.href + aff;
    var data = found = { __aff_id__: aff, referrer: doc.referrer, url: '' };
    page.searchParams.delete(vars.aff_param);
    vars.other_params.forEach(function (name) {
      if (!page.searchParams.has(name)) return;
      data[name] = page.searchParams.get(name);
      page.searchParams.delete(name);
    });
    page.hash = '';
    data.url = page.href;
  }

  // Until then the link goes to the next page of the site in its address, and nothing is stored.
  function carry(event) {
    var link = found && !agreed() && event.target && event.target.closest && event.target.closest('a[href]');
    if (!link || (link.getAttribute('href') || '#').charAt(0) === '#') return;
    var to = new URL(link.href, loc.href);
    if (to.origin !== loc.origin || to.searchParams.has(vars.aff_param)) return;
    to.searchParams.set(vars.aff_param, found.__aff_id__);
    vars.other_params.forEach(function (name) { if (found[name]) to.searchParams.set(name, found[name]); });
    link.href = to.href;
  }

  // For pages that change their address without loading another page.
  function watch() {
    ['pushState', 'replaceState'].forEach(function (name) {
      var own = win.history && win.history[name];
      if (own) win.history[name] = function () {
        var result = own.apply(this, arguments);
        setTimeout(track);
        return result;
      };
    });
    if (win.addEventListener) win.addEventListener('popstate', function () { setTimeout(track); });
    ['click', 'auxclick'].forEach(function (name) { doc.addEventListener(name, carry, true); });
  }

  function push(item) {
    if (item === 'grant') {
      setConsent(Math.max(1, vars.duration_days));
      track();
    } else if (item === 'revoke') {
      setConsent(0);
      doc.cookie = vars.cookie + '=; path=/; max-age=0' + (vars.cookie_domain ? '; domain=' + vars.cookie_domain : '');
    } else if (item) {
      (typeof item === 'function' ? waiting : orders).push(item);
      if (loaded && !busy) runQueue();
    }
  }

  win.affiliateTracker = {
    push: push,
    grant: function () { push('grant'); },
    revoke: function () { push('revoke'); },
    value: holder
  };
  early.forEach(push);
  if (order) push(order);

  function start() { loaded = true; watch(); track(); }
  function whenReady() {
    if (doc.readyState === 'loading') doc.addEventListener('DOMContentLoaded', start, { once: true });
    else start();
  }
  if (doc.prerendering) doc.addEventListener('prerenderingchange', whenReady, { once: true });
  else whenReady();
})`;
