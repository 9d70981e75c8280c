// What the walks share: Chromium's headless shell, and checks that print a line each.
//
// Of every walk the arguments are FOLDER_OF_PAGE URL [FOLDER_FOR_PICTURES]; FOLDER_OF_PAGE has
// node_modules with playwright-core and axe-core. ONLY=TEXT runs the checks whose names have it,
// SKIP=TEXT leaves those out, PATIENCE=MS waits so long for what should be there, CHROMIUM_ARGS has more arguments for Chromium, one a line.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const [, , page_folder, address, folder] = process.argv;
export const url = address;
export const pictures = folder;
const require = createRequire(path.resolve(page_folder, 'package.json'));
const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

export const kWidths = { desktop: [1440, 900], tablet: [820, 1100], phone: [390, 844] };
const kPatience = Number(process.env.PATIENCE ?? 180000);

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell',
  args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', ...(process.env.CHROMIUM_ARGS ?? '').split('\n').filter(Boolean)],
});
const faults = [];

export async function check(name, claim) {
  if (!name.includes(process.env.ONLY ?? '') || (process.env.SKIP && name.includes(process.env.SKIP))) return;
  const begin = Date.now();
  try {
    await claim();
    console.log(`ok ${name} (${Date.now() - begin} ms)`);
  } catch (error) {
    faults.push(name);
    console.log(`FAULT ${name}: ${error.message}`);
  }
}

// A page on which nothing may go to the console as an error, the policy's refusals among it.
// `before` is done with the page before it goes anywhere.
export async function open(hash, { width = 'desktop', theme = 'light', at = url, before = async () => {} } = {}) {
  const [w, h] = kWidths[width];
  const context = await browser.newContext({ viewport: { width: w, height: h }, colorScheme: theme, bypassCSP: false });
  const page = await context.newPage();
  page.setDefaultTimeout(kPatience);
  page.errors = [];
  // That an older service has no GetCaller the page takes.
  page.on('console', (message) => message.type() === 'error' && !message.location().url.includes('/GetCaller') && page.errors.push(message.text()));
  page.on('pageerror', (error) => page.errors.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(new URL(at).origin) && !request.url().startsWith('data:')) page.errors.push(`asks ${request.url()}`);
  });
  await before(page);
  await page.goto(at + hash);
  return page;
}

export async function close(page) {
  assert.deepEqual(page.errors, []);
  await page.unrouteAll({ behavior: 'ignoreErrors' });  // A call that is under way has nobody to answer.
  await page.context().close();
}

// Rules of axe-core; only those of colour depend on the theme.
const kAllRules = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] };
const kColourRules = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };

// axe-core is run by the debugger, which the policy does not block.
export async function accessible(page, name = '', rules = kAllRules) {
  if (!(await page.evaluate(() => !!window.axe))) await page.evaluate(axe);
  // What axe-core passed stays in the page: to bring it here takes longer than to find it.
  const violations = await page.evaluate(async (runOnly) => (await window.axe.run(document, { runOnly })).violations, rules);
  const found = violations.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => node.html.slice(0, 120)).join(' | ')}`);
  assert.ok(found.length === 0, `${name} ${found.join('\n')}`);
}

// Each view by its name: where it is, and what is there once it is whole. A page is opened once, and
// is then made narrower and darker, which costs a part of what six would.
export async function everywhere(views) {
  for (const [name, [hash, landmark]] of Object.entries(views)) {
    await check(`${name} is there, accessible, and no wider than the screen, in both themes, at each width`, async () => {
      const page = await open(hash);
      await page.locator(landmark).first().waitFor();
      for (const theme of ['light', 'dark']) {
        await page.emulateMedia({ colorScheme: theme });
        for (const [width, [w, h]] of Object.entries(kWidths)) await lookAt(page, `${name}-${theme}-${width}`, w, h, theme === 'light' ? kAllRules : kColourRules);
      }
      await close(page);
    });
  }
}

export async function lookAt(page, name, width, height, rules = kAllRules) {
  await page.setViewportSize({ width, height });
  // What follows the size is drawn in the frame after.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  if (pictures) await page.screenshot({ path: path.join(pictures, `${name}.png`) });
  await accessible(page, name, rules);
  const [inner, screen] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(inner <= screen, `${name}: ${inner} pixels on ${screen}`);
}

export async function finish() {
  await browser.close();
  console.log(faults.length ? `${faults.length} faults` : 'no fault');
  process.exit(faults.length ? 1 : 0);
}
