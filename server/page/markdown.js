// Markdown as elements. The library (marked) only takes the text apart; what it finds becomes elements here, one by one,
// so that markup in a message stays text and nothing is ever loaded.

import { lexer } from './marked.js';
import { code, h, prose } from './dom.js';

/** Longer texts stay as they are: to take them apart would keep the page busy. */
const LONGEST = 200_000;

export function markdown(text) {
  if (text.length > LONGEST) return prose(text);
  return blocks(lexer(text));
}

const blocks = (tokens) => tokens.map(block);

function block(token) {
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading':
      // The page has headings of its own; those of a message are below them.
      return h('div', { class: `heading level-${token.depth}`, role: 'heading', 'aria-level': String(Math.min(token.depth + 2, 6)) }, inline(token.tokens));
    case 'paragraph':
      return h('p', {}, inline(token.tokens));
    case 'text':
      return token.tokens ? inline(token.tokens) : token.text;
    case 'code':
      return code(token.text, token.lang ?? '');
    case 'blockquote':
      return h('blockquote', {}, blocks(token.tokens));
    case 'list':
      return h(token.ordered ? 'ol' : 'ul', token.ordered && token.start !== 1 ? { start: String(token.start) } : {}, token.items.map(item));
    case 'hr':
      return h('hr');
    case 'table':
      return table(token);
    default:
      return h('p', {}, token.raw.trim());
  }
}

function item(token) {
  const box = token.task ? h('input', { type: 'checkbox', checked: Boolean(token.checked), disabled: true, 'aria-label': token.checked ? 'done' : 'open' }) : null;
  // The library puts a box of its own before a task's text.
  return h('li', { class: token.task ? 'task' : null }, box, blocks(token.tokens.filter((inner) => inner.type !== 'checkbox')));
}

function table(token) {
  const cell = (name) => (one) => h(name, { style: one.align ? `text-align: ${one.align}` : null }, inline(one.tokens));
  return h('div', { class: 'wide' }, h('table', {},
    h('thead', {}, h('tr', {}, token.header.map(cell('th')))),
    h('tbody', {}, token.rows.map((row) => h('tr', {}, row.map(cell('td'))))),
  ));
}

const inline = (tokens) => tokens.map((token) => {
  switch (token.type) {
    case 'strong':
    case 'em':
    case 'del':
      return h(token.type, {}, inline(token.tokens));
    case 'codespan':
      return h('code', {}, token.text);
    case 'br':
      return h('br');
    case 'link':
      return link(token.href, inline(token.tokens));
    case 'image':
      // A picture would be fetched from elsewhere; its address is shown.
      return link(token.href, [token.text || token.href]);
    case 'escape':
      return token.text;
    case 'checkbox':
      return null;
    case 'text':
      return token.tokens ? inline(token.tokens) : token.raw;
    default:
      return token.raw;
  }
});

function link(address, children) {
  if (!/^(https?:|mailto:)/i.test(address)) return [children, ` (${address})`];
  return h('a', { href: address, target: '_blank', rel: 'noopener noreferrer' }, children);
}
