// Points, hosts and hooks: what runs where, and the switches of this conversation.

import { $, h } from './dom.js';
import { get, of, put } from './api.js';

const HOSTS = ['cli', 'server', 'bridge'];

/** Whether a hook is chosen in a kind of host; one without modes is chosen in all. */
const inHost = (hook, host) => !hook.modes.length || hook.modes.includes(host) || (host === 'cli' && hook.modes.includes('interactive'));

function row(conversation, hook, off) {
  const box = h('input', {
    type: 'checkbox',
    checked: hook.on && !off.has(hook.name),
    disabled: !hook.on || !conversation,
    'aria-label': `${hook.name} in this conversation`,
    onchange: async () => {
      try {
        await put(of(conversation, `/hooks/${encodeURIComponent(hook.name)}`), { enabled: box.checked });
      } catch {
        box.checked = !box.checked;
      }
    },
  });
  return h('tr', {},
    h('th', { scope: 'row', title: hook.docs }, hook.name),
    h('td', {}, String(hook.priority)),
    HOSTS.map((host) => h('td', { class: `mid ${inHost(hook, host) ? 'on' : 'off'}` }, inHost(hook, host) ? '✓' : '–')),
    h('td', { class: hook.on ? 'on' : 'off' }, hook.on ? 'on' : hook.why),
    h('td', { class: 'mid' }, box),
  );
}

export async function show(conversation) {
  const [points, hooks, switches] = await Promise.all([
    get('/points'), get('/hooks'), conversation ? get(of(conversation, '/hooks')) : { off: [] },
  ]);
  const off = new Set(switches.off);
  const head = h('thead', {}, h('tr', {}, ['Hook', 'Priority', ...HOSTS, 'Here', 'In this conversation'].map((name) => h('th', { scope: 'col' }, name))));
  const bodies = points.map((point) => {
    const mine = hooks.filter((hook) => hook.point === point.wire).sort((a, b) => b.priority - a.priority || a.name.localeCompare(b.name));
    return h('tbody', {},
      h('tr', {}, h('th', { colspan: String(HOSTS.length + 4), scope: 'rowgroup' }, point.name, ' ', h('small', { class: 'off' }, `${point.wire} · ${point.verdict}`))),
      mine.length ? mine.map((hook) => row(conversation, hook, off)) : h('tr', {}, h('td', { colspan: String(HOSTS.length + 4), class: 'off' }, 'no hooks')),
    );
  });
  $('hooks').replaceChildren(h('div', { class: 'wide' }, h('table', {}, h('caption', {}, 'Every point, its hooks in the order in which they run, and the kinds of host they are for'), head, bodies)));
}
