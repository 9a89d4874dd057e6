// Talking to the server this page came from, and to no other.

const BASE = '/api/v2';

/** The server's own words for what went wrong. */
export class Problem extends Error {
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

export async function call(method, path, body) {
  const response = await fetch(BASE + path, {
    method,
    headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  let value = null;
  try {
    value = JSON.parse(text);
  } catch {
    value = null;
  }
  if (!response.ok) throw new Problem(response.status, value?.detail ?? `The server answered ${response.status}.`);
  return value;
}

export const get = (path) => call('GET', path);
export const post = (path, body = {}) => call('POST', path, body);
export const put = (path, body = {}) => call('PUT', path, body);
export const of = (id, rest = '') => `/conversations/${encodeURIComponent(id)}${rest}`;

/** Exchanges the token of the printed link for a cookie, and takes it out of the address. */
export async function logIn() {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (!token) return;
  history.replaceState(null, '', location.pathname);
  await post('/login', { token });
}

/** Listens to a conversation; the browser comes back by itself and says where it was. */
export function listen(id, onEvent, onState) {
  const source = new EventSource(BASE + of(id, '/events'));
  source.onmessage = (message) => onEvent(JSON.parse(message.data));
  source.onopen = () => onState(true);
  source.onerror = () => onState(false, source.readyState === EventSource.CLOSED);
  return () => source.close();
}
