// Takes a picture of every view, at three widths, in both themes, to be looked at. Not part of the tests. Those that documents
// show are copied to docs/page by hand.
//
// usage: node pictures.mjs FOLDER_OF_PAGE URL [FOLDER]     (see browser.mjs; default: .cache/pictures, which git ignores)
// PRIOCTL is the path of prioctl, which makes the replay. FILL=1 gives the server at URL, which is empty, deploy/example with weeks of usage behind it first. ONLY=VIEW,...: these views alone.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { finish, kWidths, open, pictures as given, url } from './browser.mjs';
import { makeReplay } from './history.mjs';
import { asker, fill } from './site.mjs';

async function chooseReplay(page) {
  const folder = mkdtempSync(path.join(tmpdir(), 'pictures-'));
  await page.locator('input[type=file]').setInputFiles(makeReplay(folder).path);
  await page.locator('.plotted canvas').nth(1).waitFor();
  rmSync(folder, { recursive: true });
}

// Where each view is, what is there once it is whole, and what is done before.
const kViews = {
  queue: ['#/queue', '.order .body .row'],
  held: ['#/queue?tab=held', '.held .body .row'],
  job: ['#/job/40?versus=9', '.cost, .forecast'],
  shares: ['#/shares', '.shares .body .row'],
  pies: ['#/shares?form=pies', '.pie .part'],
  tree: ['#/shares?form=tree', '.boxes .part'],
  budgets: ['#/budgets', '.budgets .body .row'],
  budget: ['#/budgets/chem', '.spenders tbody tr'],
  grants: ['#/grants', '.grants .body .row'],
  grant: ['#/grants/chem-2026', '.spenders tbody tr'],
  reached: ['#/budgets?tab=events', '.events .body .row'],
  'qos-usage': ['#/budgets?tab=qos', '.qos-usage tbody tr'],
  cost: ['#/budgets?tab=cost&user=fay&cpus=16&time=2-0', '.cost .parts'],
  history: ['#/history/chem', '.plotted canvas'],
  'what-if': ['#/whatif?p.PriorityWeightFairshare=2000&s.chem=10', '.moved .body .row'],
  replay: ['#/whatif?tab=replay', '.compared', chooseReplay],
  versions: ['#/whatif?tab=versions', '.diff table'],
  administration: ['#/admin/chem', '.associations button'],
  audit: ['#/admin?tab=audit', '.audit tbody tr'],
  service: ['#/service', '.cards .card'],
  signin: ['#/signin', 'input[name=token]'],
  card: ['card?user=fay', '.portal tbody tr'],
};
const pictures = given ?? '.cache/pictures';
const kQuality = 70;
const kCard = [400, 420];

if (process.env.FILL) await fill(asker(url), 'deploy/example', { budgets: true, grants: true });
mkdirSync(pictures, { recursive: true });

async function take(page, debug, name) {
  // What follows the size and the colours is drawn in the frames after.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 100)))));
  const { data } = await debug.send('Page.captureScreenshot', { format: 'webp', quality: kQuality });
  writeFileSync(path.join(pictures, `${name}.webp`), Buffer.from(data, 'base64'));
}

for (const [view, [hash, landmark, prepare]] of Object.entries(kViews)) {
  if (process.env.ONLY && !process.env.ONLY.split(',').includes(view)) continue;
  const page = await open(hash);
  const debug = await page.context().newCDPSession(page);
  await prepare?.(page);
  await page.locator(landmark).first().waitFor();
  await page.waitForLoadState('networkidle', { timeout: 2000 }).catch(() => {});
  for (const theme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme: theme });
    for (const [width, [w, h]] of view === 'card' ? [['frame', kCard]] : Object.entries(kWidths)) {
      await page.setViewportSize({ width: w, height: h });
      await take(page, debug, `${view}-${width}-${theme}`);
    }
  }
  await page.context().close();
}

await finish();
