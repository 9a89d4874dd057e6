// Points, hosts and hooks: what runs where, and the switches of this conversation.

import { $, h } from './dom.js';
import { get, of, put } from './api.js';

const HOSTS = ['cli', 'server', 'bridge'];

/** Whether a hook is chosen in a kind of host; one without modes is chosen in all. */
const inHost = (hook, host) => !hook.modes.length || hook.modes.includes(host) || (host === 'cli' && hook.modes.includes('interactive'));

const SHADOWED = [['denied', 'refusal'], ['asked', 'question'], ['changed', 'change'], ['answered', 'answer'], ['said', 'message'], ['ended', 'end']];

/** A hook that runs for trial: what it said so far that was not made. */
function shadow(hook) {
  const counted = SHADOWED.map(([key, word]) => [hook.shadowed?.[key] ?? 0, word]).filter(([number]) => number);
  const said = counted.map(([number, word]) => `${number} ${word}${number === 1 ? '' : 's'}`).join(', ');
  const were = counted.length === 1 && counted[0][0] === 1 ? 'was' : 'were';
  const place = hook.ruled?.find((said) => said.key === 'shadow')?.source;
  return h('span', { class: 'shadow', title: `In shadow: it runs, and nothing that it says is done${place ? ` (${place})` : ''}` },
    said ? `in shadow: ${said} that ${were} not made` : 'in shadow');
}

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
    h('td', { class: hook.on ? 'on' : 'off' }, hook.on ? (hook.shadow ? shadow(hook) : 'on') : hook.why),
    h('td', { class: 'mid' }, box),
  );
}

export async function show(conversation) {
  // A conversation has the hooks of its own workspace, so that its list is another than the server's.
  const listed = conversation ? get(of(conversation, '/hooks')) : get('/hooks').then((hooks) => ({ hooks, off: [], warnings: [] }));
  const [points, { hooks, off: names, warnings }] = await Promise.all([get('/points'), listed]);
  const off = new Set(names);
  const head = h('thead', {}, h('tr', {}, ['Hook', 'Priority', ...HOSTS, 'Here', 'In this conversation'].map((name) => h('th', { scope: 'col' }, name))));
  const bodies = points.map((point) => {
    const mine = hooks.filter((hook) => hook.point === point.wire);
    return h('tbody', {},
      h('tr', {}, h('th', { colspan: String(HOSTS.length + 4), scope: 'rowgroup' }, point.name, ' ', h('small', { class: 'off' }, `${point.wire} · ${point.verdict}`))),
      mine.length ? mine.map((hook) => row(conversation, hook, off)) : h('tr', {}, h('td', { colspan: String(HOSTS.length + 4), class: 'off' }, 'no hooks')),
    );
  });
  $('hooks').replaceChildren(
    warnings.length ? h('ul', { class: 'warnings', 'aria-label': 'Not in force' }, warnings.map((text) => h('li', {}, text))) : '',
    h('div', { class: 'wide' }, h('table', {}, h('caption', {}, 'Every point, its hooks in the order in which they run, and the kinds of host they are for'), head, bodies)));
}
