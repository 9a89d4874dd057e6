// The page: which conversation, which view.

import { $, h } from './dom.js';
import { get, logIn, of, put } from './api.js';
import * as hooks from './hooks.js';
import * as talk from './talk.js';
import * as timeline from './timeline.js';

const VIEWS = { talk: () => {}, timeline: () => timeline.show(talk.current()), hooks: () => hooks.show(talk.current()) };
let view = 'talk';

function fail(problem) {
  $('state').textContent = problem.status === 401 ? 'Open the link that `hookspec serve` printed.' : problem.message;
  $('state').className = 'lost';
}

async function choose(name) {
  view = name;
  for (const other of Object.keys(VIEWS)) {
    $(other).hidden = other !== name;
    $(`tab-${other}`).setAttribute('aria-selected', String(other === name));
    $(`tab-${other}`).tabIndex = other === name ? 0 : -1;
  }
  await VIEWS[name]();
}

async function list() {
  const query = $('search').value.trim();
  const rows = await get(`/conversations?limit=100${query ? `&q=${encodeURIComponent(query)}` : ''}`);
  $('conversations').replaceChildren(...rows.map((row) => h('li', {}, h('a', {
    href: `#${encodeURIComponent(row.id)}`, 'aria-current': row.id === talk.current() ? 'page' : null,
  }, row.name, h('small', {}, row.preview || new Date(row.modified * 1000).toLocaleString())))));
  if (!rows.length) $('conversations').append(h('li', { class: 'empty' }, query ? 'None has that.' : 'None yet: begin with New.'));
  return rows;
}

async function create() {
  const now = new Date();
  const id = `${now.toISOString().slice(0, 10)}-${crypto.getRandomValues(new Uint32Array(1))[0].toString(36)}`;
  await put(of(id));
  location.hash = encodeURIComponent(id);
}

async function follow() {
  const id = decodeURIComponent(location.hash.slice(1));
  $('list').classList.remove('open');
  $('menu').setAttribute('aria-expanded', 'false');
  if (id && id !== talk.current()) {
    talk.open(id);
    $('say').focus();
    await choose(view);
  }
  await list();
}

const safely = (work) => (...given) => Promise.resolve(work(...given)).catch(fail);

async function start() {
  talk.start();
  talk.onRest.add(safely(list));
  talk.onRest.add(safely(() => view === 'timeline' && timeline.show(talk.current())));
  $('new').addEventListener('click', safely(create));
  let typing;
  $('search').addEventListener('input', () => {
    clearTimeout(typing);
    typing = setTimeout(safely(list), 150);
  });
  $('menu').addEventListener('click', () => {
    const open = $('list').classList.toggle('open');
    $('menu').setAttribute('aria-expanded', String(open));
  });
  const names = Object.keys(VIEWS);
  for (const name of names) {
    $(`tab-${name}`).addEventListener('click', safely(() => choose(name)));
    $(`tab-${name}`).addEventListener('keydown', (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = names[(names.indexOf(name) + step + names.length) % names.length];
      $(`tab-${next}`).focus();
      safely(choose)(next);
    });
  }
  await logIn();
  addEventListener('hashchange', safely(follow));
  const rows = await list();
  if (!location.hash && rows.length) location.hash = encodeURIComponent(rows[0].id);
  else await follow();
}

safely(start)();
