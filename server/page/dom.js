// Making elements. Text is always text: nothing here ever parses markup.

/** An element: `h('button', { class: 'main', onclick }, 'Run')`. */
export function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (key === 'class') element.className = value;
    else if (key in element && typeof value !== 'string') element[key] = value;
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const $ = (id) => document.getElementById(id);

/** Text with fenced blocks as code; a diff in one is coloured. */
export function prose(text) {
  const out = [];
  let rest = text;
  const fence = /^(`{3,})([^\n]*)\n([\s\S]*?)^\1[ \t]*$\n?/m;
  for (let found = fence.exec(rest); found; found = fence.exec(rest)) {
    const before = rest.slice(0, found.index).trim();
    if (before) out.push(h('p', {}, before));
    out.push(code(found[3], found[2].trim()));
    rest = rest.slice(found.index + found[0].length);
  }
  if (rest.trim()) out.push(h('p', {}, rest.trim()));
  return out;
}

/** A block of code; unified diffs are coloured. */
export function code(text, label = '') {
  const isDiff = /^@@ .* @@/m.test(text) || /^diff\b/.test(label) || label.startsWith('patch');
  const block = h('pre', { class: isDiff ? 'diff' : '', tabindex: '0', 'aria-label': label || 'code' });
  if (!isDiff) {
    block.append(text);
    return block;
  }
  for (const line of text.replace(/\n$/, '').split('\n')) {
    const kind = /^(\+\+\+|---|@@)/.test(line) ? 'at' : line.startsWith('+') ? 'plus' : line.startsWith('-') ? 'minus' : '';
    block.append(h('span', { class: kind }, line || ' '));
  }
  return block;
}
