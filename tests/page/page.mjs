// The server's page in a real headless browser: streaming, a confirmation confirmed, skipped, edited and timed out, a
// question, an interrupt, a connection that breaks in mid-stream, two clients on one session.
//
//   npm install && HOOKSPEC=path/to/hookspec npm test      (PICTURES=folder keeps screenshots)

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import chromium from '@sparticuz/chromium';
import { chromium as playwright } from 'playwright-core';

const PATIENCE = 15_000;
const program = resolve(process.env.HOOKSPEC ?? '../../target/debug/hookspec');
const pictures = process.env.PICTURES && resolve(process.env.PICTURES);
const folder = mkdtempSync(join(tmpdir(), 'page-'));
const root = join(folder, 'work');
mkdirSync(root);
writeFileSync(join(folder, 'test.toml'), '[hooks]\nallow = ["cwd_awareness", "time_awareness", "tool.*", "tool.elicit"]\n[hooks.server_confirm]\ntimeout_s = 4\n');

const LONG = Array.from({ length: 120 }, (_, number) => `word${number}`).join(' ');
const save = (text, path, content) => ({ text, tool_calls: [{ tool: 'save', kwargs: { path, content } }] });
const script = [
  { ...save('Here is what I would do:\n\n1. write `greet.py`\n2. make it friendlier\n\n```python\ndef greet(name): ...\n```\n\nLet me begin.', 'greet.py', 'def greet(name):\n    return f"Hello, {name}!"\n\nprint(greet("world"))\n'), chunk_size: 6, delay_ms: 10 },
  { text: 'Now I make it friendlier.', tool_calls: [{ tool: 'patch', kwargs: { path: 'greet.py', patch: '<<<<<<< ORIGINAL\n    return f"Hello, {name}!"\n=======\n    return f"Good morning, {name}!"\n>>>>>>> UPDATED\n' } }] },
  { text: 'One question.', tool_calls: [{ tool: 'elicit', kwargs: { prompt: 'In which language shall it greet?', kind: 'choice', options: ['English', 'Deutsch', 'Français'] } }] },
  { text: 'And a few details.', tool_calls: [{ tool: 'elicit', kwargs: { prompt: 'How shall it be published?', kind: 'form', fields: [
    { name: 'name', prompt: 'Under which name?', type: 'text' },
    { name: 'year', prompt: 'Since which year?', type: 'number', required: false },
    { name: 'license', prompt: 'Which license?', type: 'choice', options: ['MIT', 'Apache-2.0'] },
    { name: 'tests', prompt: 'With its tests?', type: 'boolean', default: 'yes' },
    { name: 'key', prompt: 'The registry\'s key', type: 'secret' },
  ] } }] },
  { text: 'All done:\n\n| file | lines |\n|---|--:|\n| `greet.py` | 4 |\n\n- [x] **written**\n- [ ] published, see [the guide](https://example.org/guide) or ![a picture](https://example.org/p.png)' },
  save('Another file.', 'skipped.txt', 'no\n'),
  save('And one more.', 'late.txt', 'no\n'),
  { text: LONG, chunk_size: 4, delay_ms: 25 },
  { text: LONG, chunk_size: 4, delay_ms: 25 },
  { text: '<img src=x onerror="document.title=\'broken\'"><b>text</b>' },
];
writeFileSync(join(folder, 'script.jsonl'), script.map((line) => JSON.stringify(line)).join('\n'));

/** Between browser and server, so that a connection can break. */
const sockets = new Set();
let port = 0;
const proxy = net.createServer((here) => {
  const there = net.connect(port, '127.0.0.1');
  for (const [one, other] of [[here, there], [there, here]]) {
    sockets.add(one);
    one.pipe(other);
    one.on('error', () => other.destroy());
    one.on('close', () => { sockets.delete(one); other.destroy(); });
  }
});
await new Promise((ready) => proxy.listen(0, '127.0.0.1', ready));
const front = `127.0.0.1:${proxy.address().port}`;

const server = spawn(program, ['serve', '--listen', '127.0.0.1:0', '--workspace', root, '--model', 'replay:script.jsonl', '--host-name', front, '--config', 'test.toml'], {
  cwd: folder, env: { HOME: folder, HOOKSPEC_HOME: join(folder, 'home'), PATH: process.env.PATH }, stdio: ['ignore', 'pipe', 'inherit'],
});
const link = await new Promise((found, failed) => {
  server.stdout.once('data', (text) => found(String(text).trim()));
  server.once('exit', (code) => failed(new Error(`the server ended with ${code}`)));
});
port = Number(new URL(link).port);

const browser = await playwright.launch({ args: ['--no-sandbox', '--headless=shell'], executablePath: process.env.CHROMIUM ?? (await chromium.executablePath()) });
let failed = false;
try {
  await play();
  console.log('the page works');
} catch (error) {
  failed = true;
  console.error(error);
} finally {
  await browser.close();
  proxy.close();
  sockets.forEach((socket) => socket.destroy());
  server.kill();
  await new Promise((ended) => server.once('exit', ended));
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);

async function open(context) {
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  page.on('pageerror', (error) => { throw error; });
  page.on('request', (request) => assert.equal(new URL(request.url()).host, front, 'the page asks nobody else'));
  return page;
}

async function picture(page, name) {
  if (pictures) await page.screenshot({ path: join(pictures, `server-${name}.png`) });
}

function atRest(page) {
  return page.waitForFunction(() => document.getElementById('state').textContent === 'at rest');
}

function lastText(page) {
  return page.locator('.message.assistant p').last().textContent();
}

/** Whatever can be used has a name that can be read out. */
async function named(page) {
  const nameless = await page.evaluate(() => [...document.querySelectorAll('button, input, textarea, select, a[href], [role=tab], [role=img]')]
    .filter((one) => one.checkVisibility() && !one.getAttribute('aria-label') && !one.labels?.length && !one.textContent.trim())
    .map((one) => one.outerHTML.slice(0, 120)));
  assert.deepEqual(nameless, [], 'each control has a name');
}

async function say(page, text) {
  await page.fill('#say', text);
  await page.keyboard.press('Enter');
}

async function play() {
  const context = await browser.newContext({ viewport: { width: 1180, height: 800 } });
  const page = await open(context);
  await page.goto(link.replace(new URL(link).host, front));
  await page.getByRole('button', { name: 'New' }).click();
  await atRest(page);
  assert.ok(!page.url().includes('token'), 'the token is out of the address');
  assert.equal(await page.evaluate(() => document.cookie), '', 'and out of reach of scripts');

  // Streaming, then a confirmation, by keyboard alone.
  await say(page, 'Write me a small greeter, please.');
  await page.waitForSelector('.message.streaming');
  await page.waitForSelector('form.asked');
  await picture(page, 'confirmation');
  await page.keyboard.press('Control+Enter');

  // An edit, seen and answered by a second client.
  await page.getByRole('form', { name: 'Run patch greet.py?' }).waitFor();
  const other = await open(context);
  await other.goto(page.url());
  const form = other.getByRole('form', { name: 'Run patch greet.py?' });
  await form.waitFor();
  assert.ok((await form.locator('.plus').textContent()).includes('Good morning'), 'the diff is shown and coloured');
  await picture(other, 'diff');
  await form.getByRole('button', { name: 'Edit' }).click();
  const box = form.getByRole('textbox', { name: 'Content to run' });
  await box.fill((await box.inputValue()).replace('Good morning', 'Good evening'));
  await other.keyboard.press('Control+Enter');
  await page.getByRole('form', { name: 'Run patch greet.py?' }).waitFor({ state: 'detached' });

  // A question.
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.getByRole('radio', { name: 'Deutsch' }).check();
  await picture(page, 'question-dark');
  await page.getByRole('button', { name: 'Answer' }).click();

  // A form: what is needed is asked for, and a secret is seen by nobody.
  const publish = page.getByRole('form', { name: 'How shall it be published?' });
  await publish.waitFor();
  await page.emulateMedia({ colorScheme: 'light' });
  const name = publish.getByRole('textbox', { name: 'Under which name?' });
  assert.ok(await name.evaluate((box) => box === document.activeElement), 'one may type at once');
  await publish.getByRole('button', { name: 'Answer' }).click();
  assert.equal(await name.evaluate((box) => box.validity.valueMissing), true);
  await publish.waitFor();
  await page.keyboard.type('greeter');
  await publish.getByRole('radio', { name: 'Apache-2.0' }).check();
  const key = publish.getByLabel('The registry\'s key');
  assert.equal(await key.getAttribute('type'), 'password');
  await key.fill('hunter2-hunter2');
  await publish.getByRole('textbox', { name: 'Since which year?' }).fill('soon');
  await picture(page, 'form');
  await page.keyboard.press('Enter');
  await publish.getByRole('alert').getByText('number').waitFor();
  await publish.getByRole('textbox', { name: 'Since which year?' }).fill('2026');
  await page.keyboard.press('Enter');
  await publish.waitFor({ state: 'detached' });
  await page.getByText('"license":"Apache-2.0"').waitFor();
  assert.ok(!(await page.content()).includes('hunter2'), 'the secret is nowhere on the page');
  await page.emulateMedia({ colorScheme: 'dark' });
  await atRest(page);
  assert.ok(readFileSync(join(root, 'greet.py'), 'utf8').includes('Good evening'));
  for (const one of [page, other]) {
    const last = one.locator('.message.assistant').last();
    await last.getByRole('table').getByRole('cell', { name: 'greet.py' }).waitFor();
    assert.equal(await last.getByRole('link', { name: 'a picture' }).getAttribute('href'), 'https://example.org/p.png');
  }
  await picture(page, 'markdown-dark');
  await named(page);
  await page.getByRole('tab', { name: 'Timeline' }).click();
  await page.getByText('server_elicit.ask').first().waitFor();
  await named(page);
  await picture(page, 'timeline-dark');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.getByRole('tab', { name: 'Timeline' }).press('ArrowRight');
  await page.getByRole('rowheader', { name: 'server_confirm.ask' }).waitFor();
  await named(page);
  await picture(page, 'hooks');
  await page.getByRole('tab', { name: 'Conversation' }).click();

  // Skipped, and timed out.
  await say(page, 'Another.');
  await page.getByRole('button', { name: 'Skip' }).click();
  await atRest(page);
  await say(page, 'One more.');
  await page.waitForSelector('form.asked');
  await page.waitForSelector('form.asked', { state: 'detached' });
  await atRest(page);
  for (const file of ['skipped.txt', 'late.txt']) assert.ok(!existsSync(join(root, file)), file);

  // A connection that breaks in mid-stream: nothing is missing and nothing is there twice.
  await say(page, 'Tell me much.');
  await page.waitForFunction(() => document.querySelector('.message.streaming p:last-child')?.textContent.includes('word20'));
  sockets.forEach((socket) => socket.destroy());
  await page.waitForFunction(() => document.getElementById('state').className === 'lost');
  await atRest(page);
  assert.equal(await lastText(page), LONG);

  // An interrupt, on a phone.
  await page.setViewportSize({ width: 390, height: 800 });
  await say(page, 'Again.');
  await page.waitForFunction(() => document.querySelector('.message.streaming p:last-child')?.textContent.includes('word5'));
  await page.keyboard.press('Escape');
  await atRest(page);
  assert.ok((await lastText(page)).length < LONG.length);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 390, `the page is ${wide} wide on a phone`);
  await picture(page, 'phone');

  // Markup stays text.
  await say(page, '<script>document.title = "broken"</script>');
  await atRest(page);
  await page.getByRole('list', { name: 'Messages' }).getByText('<b>text</b>').waitFor();
  assert.equal(await page.title(), 'hookspec');
  assert.equal(await page.locator('#messages img, #messages script').count(), 0);
}
