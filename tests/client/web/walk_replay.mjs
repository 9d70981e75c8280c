// Shows a replay of the laboratory, with the figures that prioctl prints of it.
//
// usage: PRIOCTL=FILE node walk_replay.mjs FOLDER_OF_PAGE URL [FOLDER_FOR_PICTURES]     (see browser.mjs)
// The server at URL may be empty; deploy/example is taken from the folder it is run in.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { accessible, check, close, finish, kWidths, lookAt, open } from './browser.mjs';
import { makeReplay, replayIn } from './history.mjs';

const folder = mkdtempSync(path.join(tmpdir(), 'replay-'));
process.on('exit', () => rmSync(folder, { recursive: true }));
const replay = makeReplay(folder);
const json = (change) => { const report = replayIn(replay.path); change(report); return JSON.stringify(report); };

const begin = async (hash = '#/whatif?tab=replay') => {
  const page = await open(hash);
  await page.getByLabel('The file that it wrote').waitFor();
  return page;
};
const give = (page, text, name = 'replay.json') => page.locator('input[type=file]').setInputFiles({ name, mimeType: 'application/json', buffer: Buffer.from(text) });
const shown = async (hash) => {
  const page = await begin(hash);
  await page.locator('input[type=file]').setInputFiles(replay.path);
  await page.locator('.plotted canvas').nth(1).waitFor();
  return page;
};

// Of a table that prioctl prints the cells of each row behind its name; none has two spaces.
const printedRow = (name) => replay.printed.split('\n').find((line) => line.startsWith(`${name} `)).slice(name.length).match(/\S+( \([^)]*\))?( %)?/g);
const printedTable = (head) => {
  const lines = replay.printed.split('\n');
  const from = lines.findIndex((line) => line.startsWith(`${head} `)) + 1;
  return lines.slice(from, lines.indexOf('', from)).map((line) => line.match(/\S+( CPUs?)?( %)?/g));
};

await check('a replay is there, accessible, and no wider than the screen, in both themes, at each width', async () => {
  const page = await shown();
  for (const theme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme: theme });
    for (const [width, [w, h]] of Object.entries(kWidths)) await lookAt(page, `replay-${theme}-${width}`, w, h);
  }
  await close(page);
});

await check('each figure of all jobs is that which prioctl prints', async () => {
  const page = await shown();
  const rows = await page.locator('.figures-of tbody tr').evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
  assert.equal(rows.length, 14);
  // Where nothing is to be said of what was recorded prioctl leaves its cell empty.
  for (const [name, ...cells] of rows) assert.deepEqual(cells.filter(Boolean), printedRow(name), name);
  await close(page);
});

// [what is looked at, where, the head that prioctl prints]
for (const [by, hash, head, isUsed] of [['users', '', 'USER', true], ['accounts', '&by=accounts', 'ACCOUNT', true], ['sizes', '&by=sizes', 'SIZE', false]]) {
  await check(`waits, slowdown and usage of ${by} are those which prioctl prints, in its order`, async () => {
    const page = await shown(`#/whatif?tab=replay${hash}`);
    const printed = printedTable(head);
    assert.ok(printed.length >= 3, replay.printed);
    const columns = ['recorded', 'fifo.conf', 'fair.conf'].length;
    const told = (title) => page.getByRole('region', { name: title, exact: true }).locator('tbody').evaluateAll((all) => all.map((body) => ({ name: body.querySelector('th').firstChild.textContent, note: body.querySelector('th .soft').textContent, cells: [...body.querySelectorAll('td.n')].map((cell) => cell.textContent) })));
    const [waits, slowdowns] = [await told('Wait, mean'), await told('Bounded slowdown, mean')];
    assert.deepEqual(waits.map((one) => [one.name, one.note, ...one.cells]), printed.map((row) => [row[0], `${row[1]} jobs`, ...row.slice(-2 * columns, -columns)]));
    assert.deepEqual(slowdowns.map((one) => one.cells), printed.map((row) => row.slice(-columns)));
    if (isUsed) assert.deepEqual((await told('Usage beside share')).map((one) => [one.name, one.note, ...one.cells]), printed.map((row) => [row[0], `due ${row[2]}`, ...row.slice(3, 3 + columns)]));
    else assert.equal(await page.getByRole('region', { name: 'Usage beside share' }).count(), 0);
    await close(page);
  });
}

await check('a bar is as long as its figure beside the longest, and a share is marked where it is due', async () => {
  const page = await shown();
  const usage = page.getByRole('region', { name: 'Usage beside share', exact: true });
  const { columns } = replayIn(replay.path);
  const longest = Math.max(...columns.flatMap((one) => one.users.flatMap((user) => [user.usage, user.share])));
  const fay = columns.map((one) => one.users.find((user) => user.name === 'fay'));
  const [parts, due] = await usage.locator('tbody').filter({ has: page.getByRole('rowheader', { name: /^fay/ }) }).evaluate((body) => [...body.querySelectorAll('.bar')].map((bar) => bar.querySelector('i').getBoundingClientRect().width / bar.getBoundingClientRect().width)).then(async (widths) => [widths, await usage.locator('tbody').filter({ has: page.getByRole('rowheader', { name: /^fay/ }) }).locator('.bar b').first().evaluate((mark) => parseFloat(mark.style.left) / 100)]);
  fay.forEach((user, at) => assert.ok(Math.abs(parts[at] - user.usage / longest) < 0.01, `${parts[at]} ${user.usage / longest}`));
  assert.ok(Math.abs(due - fay[0].share / longest) < 1e-3);
  await close(page);
});

await check('the keyboard alone chooses the view, and goes through the times of the curves', async () => {
  const page = await shown();
  await page.getByRole('link', { name: 'Accounts' }).focus();
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => location.hash.includes('by=accounts'));
  const when = page.locator('.plotted .when').first();
  const last = await when.innerText();
  await page.locator('.plotted .canvas').first().focus();
  await page.keyboard.press('Home');
  await page.waitForFunction((before) => document.querySelector('.plotted .when').textContent !== before, last);
  await page.getByRole('link', { name: 'Suppose' }).click();
  await page.getByRole('link', { name: 'Replay' }).click();
  await page.locator('.figures-of').waitFor();
  await close(page);
});

await check('the file is sent to nobody', async () => {
  const page = await begin();
  const asked = [];
  await page.waitForLoadState('networkidle');
  page.on('request', (request) => asked.push(request.url()));
  await page.locator('input[type=file]').setInputFiles(replay.path);
  await page.locator('.figures-of').waitFor();
  assert.deepEqual(asked.filter((address) => !address.startsWith('data:')), []);
  await close(page);
});

const kWrong = {
  'a text': ['who waits?', /It is no JSON/],
  'another JSON': ['[1,2]', /the file: got \[1,2\], want an object/],
  'a part that is missing': [json((report) => delete report.columns[1].utilisation), /columns\[1\]\.utilisation: got nothing, want a number/],
  'a text for a number': [json((report) => { report.columns[0].users[0].wait_seconds.mean = '<b>12</b>'; }), /columns\[0\]\.users\[0\]\.wait_seconds\.mean: got "<b>12<\/b>", want a number/],
  'a number that is none': [json((report) => { report.cpus = 12345; }).replace('12345', '1e999'), /cpus: got null, want a number/],
  'a number beyond all bounds': [json((report) => { report.columns[1].bounded_slowdown.mean = 1e30; }), /columns\[1\]\.bounded_slowdown\.mean: got 1e\+30, want a number of 0 to 1e15/],
  'an end before the begin': [json((report) => { report.end = '1970-01-01T00:00:00Z'; }), /end: got "1970-01-01T00:00:00Z", want a time that is not before begin/],
  'no schedule': [json((report) => { report.columns = []; }), /columns: got 0, want a list of 1 to 16/],
};
for (const [what, [text, fault]] of Object.entries(kWrong)) {
  await check(`${what} is refused by its path, and what was shown stays`, async () => {
    const page = await shown();
    await give(page, text, 'other.json');
    await page.locator('.chooser [role=alert]').waitFor();
    const said = await page.locator('.chooser [role=alert]').innerText();
    assert.match(said, /^other\.json is not what prioctl policy replay --json wrote/);
    assert.match(said, fault);
    assert.ok(await page.locator('.figures-of').isVisible());
    await accessible(page);
    await close(page);
  });
}

await check('names of markup are text, and of many users the first are shown until more are wanted', async () => {
  const page = await begin();
  await give(page, json((report) => {
    const [user] = report.columns[0].users;
    report.columns = [{ ...report.columns[0], name: '<img src=x onerror=alert(1)>', users: Array.from({ length: 70 }, (_, at) => ({ ...user, name: `<b>u${at}</b>`, cpu_seconds: 70 - at })) }];
  }));
  const waits = page.getByRole('region', { name: 'Wait, mean', exact: true });
  await waits.waitFor();
  assert.equal(await page.locator('main img, main b:has-text("u0")').count(), 0);
  assert.equal(await waits.locator('tbody').count(), 8);
  assert.ok((await waits.innerText()).includes('62 are not shown'));
  await waits.getByRole('button', { name: 'Show more' }).click();
  assert.equal(await waits.locator('tbody').count(), 58);
  await close(page);
});

await check('what lies between two figures is rounded as printf rounds it', async () => {
  const page = await begin();
  const halves = [1.125, 2.375, 0.625, 1.005, 2.675];
  await give(page, json((report) => { report.columns = halves.map((mean, at) => ({ ...report.columns[1], name: `p${at}`, bounded_slowdown: { ...report.columns[1].bounded_slowdown, mean } })); }));
  const cells = page.locator('.figures-of tbody tr').filter({ hasText: 'bounded slowdown, mean' }).locator('td');
  await cells.first().waitFor();
  const expected = execFileSync('awk', [`BEGIN { ${halves.map((n) => `printf "%.2f\\n", ${n};`).join('')} }`], { encoding: 'utf8' }).trim().split('\n');
  assert.deepEqual(await cells.allInnerTexts(), expected);
  await close(page);
});

await finish();
