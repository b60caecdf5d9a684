// The script for the host's pages, as text. It is served without comments, followed by its settings in brackets.
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
const SOURCE = String.raw`(function (vars) {
  'use strict';
  var win = window, doc = document, nav = navigator, loc = win.location;
  if (!vars.aff_param) return;
  if (nav.globalPrivacyControl) {
    // Pages may call all documented functions, also in browsers with Global Privacy Control.
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

  // A browser may send several cookies with one name: the first in the service's own form counts.
  function readCookie(name, form) {
    var all = ('; ' + doc.cookie).split('; ' + name + '=').slice(1).map(function (part) {
      try { return decodeURIComponent(part.split(';')[0]); } catch (error) { return ''; }
    });
    return all.filter(function (text) { return form && form.test(text); })[0] || all[0] || '';
  }

  function own() { return readCookie(vars.cookie, /^[^|]+\|\d*\|\d+\|[^|]+$/).split('|'); }

  function holder() {
    return own()[0] || (vars.adopt && readCookie('affwp_ref_visit_id') && readCookie('affwp_ref')) || '';
  }

  // Was the cookie set within the last hour by a link with this value? An older one is renewed.
  function isFresh(value) {
    var parts = own(), mark = 0, at = 0;
    for (; at < value.length; at++) mark = (mark * 31 + value.charCodeAt(at)) % 4294967296;
    return Date.now() / 1000 - parts[2] < 3600 &&
      (parts[0] === value || (parts[3] || '').split('.')[0] === mark.toString(36));
  }

  function agreed() { return vars.consent !== 'required' || readCookie(vars.consent_cookie) === 'yes'; }

  function setConsent(days) {
    var secure = loc.protocol === 'https:' ? '; Secure' : '';
    doc.cookie = vars.consent_cookie + '=yes; path=/; SameSite=Lax; max-age=' + days * 86400 + secure;
  }

  function post(url, data) {
    var call = { method: 'POST', body: new URLSearchParams(data), keepalive: true, credentials: 'same-origin' };
    // An unread response would keep its connection busy.
    return win.fetch(url, call).then(function (answer) { return answer.text(); });
  }

  function orderOf(tag) {
    var found = {}, some = false, query = new URLSearchParams(loc.search);
    if (!tag || !tag.getAttribute) return null;
    [
      'token', 'amount', 'currency', 'description', 'provider', 'provider_id', 'provider_sub_id', 'reference',
      'status', 'type'
    ].forEach(function (name) {
      var value = tag.getAttribute('data-' + name);
      // The type attribute of a script names its language.
      if (!value && name !== 'type') value = tag.getAttribute(name);
      if (!value && tag.hasAttribute('data-conversion')) value = query.get(name);
      if (value) found[name] = value;
      if (value && /token|amount|reference|provider_id/.test(name)) some = true;
    });
    return some ? found : null;
  }

  function sendOrders() {
    if (!agreed()) return;
    orders.splice(0).forEach(function (each) { post(vars.request_url + '/conversion', each).catch(function () {}); });
  }

  // Names of parameters in capitals, or after &amp;, as in links that were copied from the source of a page.
  function keysOf(query, name) {
    var keys = [];
    query.forEach(function (text, key) {
      if (key.replace(/^(amp;)+/i, '').toLowerCase() === name.toLowerCase()) keys.push(key);
    });
    return keys;
  }

  function take(page, name) {
    var text = page.searchParams.get(name) || '';
    keysOf(page.searchParams, name).forEach(function (key) {
      text = text || page.searchParams.get(key) || '';
      page.searchParams.delete(key);
    });
    return text;
  }

  function named(page, name) {
    var path = page.pathname.split('/').filter(Boolean), n = path.length, last = '';
    if (n > 1 && path[n - 2] === name) {
      try { last = decodeURIComponent(path[n - 1]); } catch (error) { last = ''; }
    }
    return take(new URL(page.href), name) || last;
  }

  function value(page) {
    var found = named(page, vars.aff_param);
    (vars.old_params || []).forEach(function (each) {
      var old = !found && named(page, each[0]);
      if (old) found = each[1] ? each[1] + ':' + old : old;
    });
    return String(found || '');
  }

  function parse(address) {
    try { return new URL(address, loc.href); } catch (error) { return null; }
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
    if (data && ((held && !vars.credit_last) || isFresh(data.__aff_id__))) data = found = null;
    if (!data) return runQueue();
    if (!agreed()) return keep();
    if (vars.consent === 'required') data.consent = '1';
    found = null;
    busy = true;
    function done() { busy = false; runQueue(); }
    post(vars.request_url, data).then(done, done);
  }

  // A link is handled once per address. It waits in this page until the visitor agrees; the first page counts.
  function look() {
    var page = new URL(loc.href), from = page, aff = String(win.fluent_aff_pre_ref || value(page));
    if (!aff && !found && !agreed()) {
      // A page that a program opened: the address of the page before still has the value.
      from = parse(doc.referrer || 'about:blank');
      aff = from && from.origin === loc.origin ? value(from) : '';
    }
    if (!aff || seen === page.href + aff) return;
    seen = page.href + aff;
    if (found && found.__aff_id__ === aff) return;
    var data = found = { __aff_id__: aff, referrer: from === page ? doc.referrer : '', url: '' };
    take(page, vars.aff_param);
    vars.other_params.forEach(function (name) {
      var own = take(page, name), text = own || (from === page ? '' : take(from, name));
      if (text) data[name] = text;
    });
    page.hash = '';
    data.url = page.href;
  }

  // Until the visitor agrees, nothing is stored: the value goes to the next page of the site in its address,
  // by links and forms, and remains in the address of this page.
  function carried(to, put) {
    if (!found || agreed() || !to || to.origin !== loc.origin || value(to)) return false;
    put(vars.aff_param, found.__aff_id__);
    vars.other_params.forEach(function (name) { if (found[name]) put(name, found[name]); });
    return true;
  }

  function inQuery(to) { return function (name, text) { to.searchParams.set(name, text); }; }

  function carry(event) {
    var link = event.target && event.target.closest && event.target.closest('a[href]');
    if (!link || (link.getAttribute('href') || '#').charAt(0) === '#') return;
    var to = parse(link.href);
    if (carried(to, inQuery(to))) link.href = to.href;
  }

  function carryForm(event) {
    var form = event.target, button = event.submitter, at = 'action';
    if (!form || !form.getAttribute) return;
    // The browser replaces the query of the address by the fields of such a form.
    var byGet = (form.getAttribute('method') || 'get').toLowerCase() === 'get';
    if (button && button.getAttribute && button.getAttribute('formaction')) { form = button; at = 'formaction'; }
    var to = parse(form.getAttribute(at) || loc.href);
    var done = carried(to, byGet ? function (name, text) {
      var field = doc.createElement('input');
      field.type = 'hidden';
      field.name = name;
      field.value = text;
      event.target.appendChild(field);
    } : inQuery(to));
    if (done && !byGet) form.setAttribute(at, to.href);
  }

  function keep() {
    var to = new URL(loc.href), history = win.history;
    if (history && history.replaceState && carried(to, inQuery(to))) history.replaceState(history.state, '', to.href);
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
    doc.addEventListener('submit', carryForm, true);
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

/** Without comments and indentation. */
export const SCRIPT = SOURCE.replaceAll(/^\s*\/\/.*\n/gm, '').replaceAll(/^\s+/gm, '');
