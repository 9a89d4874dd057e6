// The timeline as a waterfall: what fired, and which hook ran when, for how long, and what it said.

import { $, h } from './dom.js';
import { get, of } from './api.js';

const time = (us) => (us < 1000 ? `${us} µs` : us < 1e6 ? `${(us / 1000).toFixed(1)} ms` : `${(us / 1e6).toFixed(2)} s`);

/** An axis on which long waits take little room: each gap counts by its square root. */
function axis(moments) {
  const sorted = [...new Set(moments)].sort((a, b) => a - b);
  const places = new Map();
  let at = 0;
  sorted.forEach((moment, index) => {
    if (index) at += Math.sqrt(moment - sorted[index - 1]);
    places.set(moment, at);
  });
  return (moment) => (at ? (100 * places.get(moment)) / at : 0);
}

function verdict(run) {
  const [kind, said] = outcome(run);
  // What a hook in shadow says is shown, and was not done.
  return run.shadow ? ['shadow', said && `${said} (in shadow: not done)`] : [kind, said];
}

function outcome(run) {
  if (run.error) return ['bad', run.error];
  if (run.gate) return ['gate', typeof run.gate === 'string' ? run.gate : Object.entries(run.gate).map(([what, why]) => `${what}: ${why}`).join()];
  if (run.messages?.length) return ['spoke', run.messages.join(' · ')];
  if (run.around) return wrapped(run.around);
  if (run.first !== undefined) return ['spoke', `answered: ${answer(run.first)}`];
  if (run.fold !== undefined) return ['spoke', 'changed the value'];
  return ['', run.background ? 'beside the chain' : ''];
}

/** What a hook did with the work that it stands around. */
function wrapped({ runs, answered }) {
  if (!runs && answered) return ['spoke', 'answered in place of what it wraps'];
  const said = [answered && 'answered', runs > 1 && `ran it ${runs} times`].filter(Boolean).join(', ');
  return [said && 'spoke', said];
}

/** An answer in words: what was done, and with what. */
function answer(value) {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return typeof value === 'string' ? value : JSON.stringify(value);
  const { action, ...rest } = value;
  const more = Object.entries(rest).map(([name, one]) => `${name} ${typeof one === 'string' ? one : JSON.stringify(one)}`);
  return [action, ...more].filter(Boolean).join(', ');
}

/** What the colours mean. */
function legend() {
  const kinds = [['', 'ran'], ['spoke', 'said, answered or changed something'], ['gate', 'denied, asked or allowed'], ['bad', 'failed'], ['shadow', 'in shadow: without effect']];
  return h('ul', { class: 'legend', 'aria-label': 'Colours' }, kinds.map(([kind, text]) => h('li', {}, h('span', { class: `bar ${kind}` }), text)), h('li', { class: 'quiet' }, 'Long waits are drawn shorter than they were.'));
}

export async function show(conversation) {
  const place = $('timeline');
  if (!conversation) return place.replaceChildren(h('p', { class: 'empty' }, 'Choose a conversation.'));
  const entries = [];
  for (let after = 0, part; entries.length < 20000; after = part.at(-1).seq) {
    part = (await get(of(conversation, `/timeline?limit=5000&after=${after}`))).entries;
    entries.push(...part);
    if (part.length < 5000) break;
  }
  if (!entries.length) return place.replaceChildren(h('p', { class: 'empty' }, 'Nothing has fired yet.'));
  const wanted = place.querySelector('#silent')?.checked ?? false;
  const silent = h('input', { type: 'checkbox', id: 'silent', checked: wanted, onchange: () => show(conversation) });
  // Each opening of the session counts its time from zero.
  const openings = [];
  for (const entry of entries) {
    if (!openings.length || (entry.what === 'fired' && entry.point === 'session.start')) openings.push([]);
    openings.at(-1).push(entry);
  }
  place.replaceChildren(
    h('p', {}, h('label', {}, silent, ' show points without hooks')),
    legend(),
    ...openings.reverse().flatMap((opening) => [h('h2', {}, new Date(opening[0].at).toLocaleString()), fall(opening, wanted)]),
  );
  return undefined;
}

function fall(entries, silent) {
  const runs = entries.filter((entry) => entry.what === 'ran');
  const x = axis(entries.flatMap((entry) => [entry.offset_us, entry.offset_us + (entry.duration_us ?? 0)]));
  const grid = h('div', { class: 'fall', role: 'list' });
  const used = new Set();
  for (const entry of entries) {
    if (entry.what !== 'fired') continue;
    const next = entries.indexOf(entry);
    const mine = runs.filter((run) => run.point === entry.point && run.offset_us >= entry.offset_us && !used.has(run));
    const until = entries.slice(next + 1).find((other) => other.what === 'fired' && other.point === entry.point)?.offset_us ?? Infinity;
    const here = mine.filter((run) => run.offset_us < until);
    if (!here.length && !silent) continue;
    grid.append(h('div', { class: 'point', role: 'listitem' }, h('strong', {}, entry.point), h('span', {}, `at ${time(entry.offset_us)}`)));
    for (const run of here) {
      used.add(run);
      const [kind, said] = verdict(run);
      const bar = h('div', { class: `bar ${kind}` });
      bar.style.left = `${x(run.offset_us)}%`;
      bar.style.width = `${x(run.offset_us + run.duration_us) - x(run.offset_us)}%`;
      grid.append(
        h('div', { class: 'name', title: run.hook }, run.hook),
        h('div', { class: 'lane', role: 'img', 'aria-label': `${run.hook} at ${time(run.offset_us)}, for ${time(run.duration_us)}` }, bar),
        h('div', {}, time(run.duration_us)),
      );
      if (said) grid.append(h('p', { class: 'said' }, said.length > 300 ? `${said.slice(0, 300)}…` : said));
    }
  }
  return grid;
}
