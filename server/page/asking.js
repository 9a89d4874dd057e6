// What waits for an answer: tool calls and questions.

import { $, code, h } from './dom.js';
import { of, post } from './api.js';

const shown = new Map();

export function clear() {
  shown.clear();
  $('asked').replaceChildren();
}

export function close(id) {
  shown.get(id)?.remove();
  shown.delete(id);
  if (!shown.size && document.activeElement === document.body) $('say').focus();
}

function show(id, form) {
  close(id);
  shown.set(id, form);
  $('asked').append(form);
  $('messages').scrollTop = $('messages').scrollHeight;
  form.querySelector('[autofocus]')?.focus();
}

/** A form whose buttons answer; what the server says against it is shown in it. */
function asked(id, title, parts, buttons) {
  const error = h('p', { class: 'error', role: 'alert' });
  const form = h('form', { class: 'asked', 'aria-label': title }, h('h2', {}, title), parts, error, h('div', { class: 'row' }, buttons));
  form.addEventListener('submit', (event) => event.preventDefault());
  form.answer = async (send) => {
    form.querySelectorAll('button').forEach((button) => (button.disabled = true));
    try {
      await send();
      close(id);
    } catch (problem) {
      if (problem.status === 409 || problem.status === 404) return close(id);
      error.textContent = problem.message;
      form.querySelectorAll('button').forEach((button) => (button.disabled = false));
    }
  };
  return form;
}

export function tool(conversation, question) {
  const { tool_id: id, tooluse: use, preview, why } = question;
  const reply = (body) => form.answer(() => post(of(conversation, '/tool/confirm'), { tool_id: id, ...body }));
  const edited = h('textarea', { 'aria-label': 'Content to run', hidden: true, spellcheck: 'false' }, use.content);
  edited.value = use.content;
  const view = code(preview ?? use.content, preview ? 'diff' : use.tool);
  const count = h('input', { type: 'number', class: 'small', min: '1', value: '5', 'aria-label': 'How many further calls' });
  const run = h('button', { class: 'main', type: 'button', autofocus: '', onclick: () => reply(edited.hidden ? { action: 'confirm' } : { action: 'edit', content: edited.value }) }, 'Run ', h('kbd', {}, 'Ctrl+↵'));
  const edit = h('button', { type: 'button', onclick: () => {
    edited.hidden = !edited.hidden;
    view.hidden = !edited.hidden;
    run.firstChild.textContent = edited.hidden ? 'Run ' : 'Run edited ';
    edit.textContent = edited.hidden ? 'Edit' : 'Keep as it was';
    if (!edited.hidden) edited.focus();
  } }, 'Edit');
  const skip = h('button', { type: 'button', onclick: () => reply({ action: 'skip' }) }, 'Skip');
  const auto = h('button', { type: 'button', onclick: () => reply({ action: 'auto', count: Math.max(1, Number(count.value) || 1) }) }, 'Run, and further');
  const what = [use.tool, use.kwargs?.path ?? use.args.join(' ')].filter(Boolean).join(' ');
  const form = asked(id, `Run ${what}?`, [why ? h('p', { class: 'why' }, why) : null, view, edited], [run, use.content ? edit : null, skip, h('span', { class: 'grow' }), auto, count]);
  form.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) run.click();
  });
  show(id, form);
}

export function elicitation(conversation, question) {
  const { elicit_id: id, elicit_type: kind, prompt, description, options = [], fields = [], default: preset } = question;
  const reply = (body) => form.answer(() => post(of(conversation, '/elicit/respond'), { elicit_id: id, ...body }));
  const { parts, value } = input(kind, { name: 'answer', prompt, options, default: preset }, fields);
  const form = asked(id, prompt, [description ? h('p', {}, description) : null, parts], [
    h('button', { class: 'main' }, 'Answer'),
    h('button', { type: 'button', onclick: () => reply({ action: 'decline' }) }, 'I would rather not say'),
    h('button', { type: 'button', onclick: () => reply({ action: 'cancel' }) }, 'Cancel'),
  ]);
  form.addEventListener('submit', () => {
    const given = value();
    reply({ action: 'accept', ...(Array.isArray(given) ? { values: given } : { value: given }) });
  });
  show(id, form);
}

/** The inputs for a kind of answer, and how to read them. */
function input(kind, field, fields) {
  const name = `field-${Math.random().toString(36).slice(2)}`;
  const preset = field.default ?? '';
  if (kind === 'form') {
    const inner = fields.map((one) => ({ one, ...input(one.type ?? 'text', { ...one, needed: one.required !== false }, []) }));
    return {
      parts: inner.map(({ one, parts }) => h('fieldset', {}, h('legend', {}, one.prompt, one.required === false ? h('span', { class: 'quiet' }, ' (may stay empty)') : ''), parts)),
      value: () => Object.fromEntries(inner.map(({ one, value }) => [one.name, value()]).filter(([, value]) => value !== '')),
    };
  }
  if (kind === 'confirmation' || kind === 'boolean') return choice('radio', name, ['yes', 'no'], preset, field.needed);
  if (kind === 'choice') return choice('radio', name, field.options ?? [], preset, field.needed);
  if (kind === 'multi_choice') return choice('checkbox', name, field.options ?? [], preset);
  const type = { secret: 'password', number: 'text' }[kind] ?? 'text';
  const box = h('input', { type, 'aria-label': field.prompt, autofocus: '', autocomplete: 'off', inputmode: kind === 'number' ? 'decimal' : null, required: Boolean(field.needed) });
  box.value = preset;
  return { parts: h('div', { class: 'row' }, box), value: () => box.value };
}

function choice(type, name, options, preset, needed = false) {
  const boxes = options.map((option, index) => h('input', { type, name, value: option, checked: option === preset, required: needed, autofocus: index === 0 ? '' : null }));
  const chosen = () => boxes.filter((box) => box.checked).map((box) => box.value);
  return {
    parts: options.map((option, index) => h('label', {}, boxes[index], ' ', option)),
    value: () => (type === 'checkbox' ? chosen() : (chosen()[0] ?? '')),
  };
}
