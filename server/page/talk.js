// The conversation as it streams.

import { $, code, h, prose } from './dom.js';
import { get, listen, of, post } from './api.js';
import { markdown } from './markdown.js';
import * as asking from './asking.js';

let id = null;
let hangUp = () => {};
let streaming = null;
let running = false;
const known = new Set();

export const current = () => id;
export const onRest = new Set();

function state(text, kind = '') {
  $('state').textContent = text;
  $('state').className = kind;
}

function setRunning(on) {
  running = on;
  $('stop').hidden = !on;
  state(on ? 'working' : 'at rest', on ? 'busy' : '');
}

function atEnd() {
  const list = $('messages');
  return list.scrollHeight - list.scrollTop - list.clientHeight < 80;
}

function add(element) {
  const follow = atEnd();
  $('messages').append(element);
  if (follow) $('messages').scrollTop = $('messages').scrollHeight;
  return element;
}

/** Who speaks, for people. */
function who(message) {
  if (message.hook) return `⚑ ${message.hook}`;
  const tool = message.metadata?.tool;
  if (tool) return `⚙ ${tool}`;
  return { user: 'You', assistant: message.metadata?.model ?? 'Assistant', system: 'System' }[message.role];
}

/** What somebody says is markdown; what a tool found is shown as it is, and so is what the user typed. */
function content(kind, text) {
  if (kind === 'user') return prose(text);
  if (kind === 'tool') return text.includes('```') ? prose(text) : [code(text, 'result')];
  return markdown(text).flat(Infinity).filter(Boolean);
}

function element(message) {
  const kind = message.hook ? 'hook' : message.metadata?.tool ? 'tool' : message.role;
  const item = h('li', { class: `message ${kind}${message.hide ? ' hide' : ''}` }, h('span', { class: 'who' }, who(message)));
  item.append(...content(kind, message.content));
  for (const call of message.metadata?.tool_calls ?? []) {
    const args = Object.entries(call.kwargs ?? {}).map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`);
    item.append(code([...(call.args ?? []), ...args, call.content].filter(Boolean).join('\n'), call.tool));
  }
  item.hidden = Boolean(message.hide) && !$('hidden').checked;
  return item;
}

function addMessage(message) {
  if (message.id && known.has(message.id)) return;
  if (message.id) known.add(message.id);
  add(element(message));
}

function notice(text) {
  add(h('li', { class: 'message notice' }, h('p', {}, text)));
}

function stream(text = '') {
  streaming?.item.remove();
  const [thinking, said] = [h('p', { class: 'thinking' }), h('p', {}, text)];
  const item = add(h('li', { class: 'message assistant streaming' }, h('span', { class: 'who' }, 'Assistant'), thinking, said));
  streaming = { item, thinking, said };
}

function endStream() {
  if (streaming && !streaming.said.textContent) streaming.item.remove();
  streaming?.item.classList.remove('streaming');
  streaming = null;
}

async function readAgain() {
  const wanted = id;
  const whole = await get(of(wanted));
  if (wanted !== id) return;
  known.clear();
  $('messages').replaceChildren();
  streaming = null;
  $('title').textContent = `${whole.name} · ${whole.model}`;
  whole.log.forEach(addMessage);
  $('messages').scrollTop = $('messages').scrollHeight;
}

const handlers = {
  async connected(event) {
    asking.clear();
    if (event.missed || !known.size) await readAgain();
    if (event.partial) stream(event.partial);
    setRunning(event.generating);
    event.pending_tools.forEach((question) => asking.tool(id, question));
    event.elicitations.forEach((question) => asking.elicitation(id, question));
  },
  message_added: ({ message }) => addMessage(message),
  generation_started: () => {
    setRunning(true);
    stream();
  },
  generation_progress({ token }) {
    const follow = atEnd();
    if (!streaming) stream();
    streaming.said.append(token);
    if (follow) $('messages').scrollTop = $('messages').scrollHeight;
  },
  thinking_progress({ token }) {
    if (!streaming) stream();
    streaming.thinking.append(token);
  },
  generation_complete({ message }) {
    streaming?.item.remove();
    streaming = null;
    addMessage(message);
  },
  tool_pending: (question) => asking.tool(id, question),
  elicit_pending: (question) => asking.elicitation(id, question),
  question_closed: (event) => asking.close(event.id),
  tool_executing: ({ tooluse }) => state(`running ${tooluse.tool}`, 'busy'),
  tool_output: ({ output }) => addMessage(output),
  tool_complete: () => state('working', 'busy'),
  interrupted: endStream,
  error: ({ error }) => notice(error),
  notice: ({ text }) => notice(text),
  conversation_edited: readAgain,
  config_changed: readAgain,
  rested() {
    endStream();
    setRunning(false);
    onRest.forEach((told) => told());
  },
};

/** One event after the other, also where one has to read first. */
let queue = Promise.resolve();

export function open(conversation) {
  hangUp();
  asking.clear();
  known.clear();
  $('messages').replaceChildren();
  id = conversation;
  streaming = null;
  state('connecting');
  const take = (event) => {
    if (conversation !== id) return undefined;
    return handlers[event.type]?.(event);
  };
  hangUp = listen(
    conversation,
    (event) => (queue = queue.then(() => take(event)).catch((problem) => notice(problem.message))),
    (here, forGood) => {
      if (conversation !== id) return;
      if (!here) state(forGood ? 'the connection is closed: load the page again' : 'the connection is lost; trying again', 'lost');
    },
  );
}

async function send() {
  const text = $('say').value;
  if (!text.trim() || !id) return;
  $('send').disabled = true;
  try {
    await post(of(id), { role: 'user', content: text });
    $('say').value = '';
    $('messages').scrollTop = $('messages').scrollHeight;
    if (!running) await post(of(id, '/step'));
  } catch (problem) {
    if (problem.status !== 409) notice(problem.message);
  } finally {
    $('send').disabled = false;
    $('say').focus();
  }
}

const stop = () => id && post(of(id, '/interrupt')).catch((problem) => notice(problem.message));

export function start() {
  $('say-form').addEventListener('submit', (event) => {
    event.preventDefault();
    send();
  });
  $('say').addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      send();
    }
  });
  $('stop').addEventListener('click', stop);
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && running) stop();
  });
  $('hidden').addEventListener('change', () => {
    document.querySelectorAll('.message.hide').forEach((item) => (item.hidden = !$('hidden').checked));
  });
}
