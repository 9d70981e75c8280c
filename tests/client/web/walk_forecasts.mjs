// Walks the forecasts of starts: each figure is that of the answer that the page got.
//
// usage: AMY=TOKEN ROOT=TOKEN node walk_forecasts.mjs FOLDER_OF_PAGE URL     (see browser.mjs)
// The server at URL is a SecuredPriorityd with an empty queue, on the real clock; with --forecast_interval=1 it learns soonest.
import assert from 'node:assert/strict';
import { check, close, finish, kWidths, lookAt, open, url } from './browser.mjs';
import { asker } from './site.mjs';
import { begin, learn, learnFast } from './waits.mjs';

const ask = asker(url, process.env.ROOT);

// A page of that reader; `answers` are those that it got, by method.
async function look(hash, { token = process.env.AMY, before = async () => {}, ...options } = {}) {
  const answers = {};
  const page = await open(hash, {
    ...options,
    before: async (fresh) => {
      await fresh.addInitScript((text) => sessionStorage.setItem('priorityd-token', text), token);
      fresh.on('response', async (response) => {
        const method = /v1\/\w+\/(\w+)/.exec(response.url())?.[1];
        if (method && method !== 'WatchRanking') (answers[method] ??= []).push(response.json().catch(() => undefined));
      });
      await before(fresh);
    },
  });
  return { page, answers };
}
const last = (answers, method) => answers[method].at(-1);
const startOf = (forecast, level) => Date.parse(forecast.start.find((one) => one.level === level).startTime);
const minuteOf = (at) => new Date(at).toTimeString().slice(0, 5);
const near = (a, b, by, what) => assert.ok(Math.abs(a - b) <= by, `${what}: ${a}, want ${b}`);
const kSeconds = { ms: 0.001, s: 1, min: 60, h: 3600, d: 86400 };
const kRounding = { ms: 1, s: 1, min: 31, h: 181, d: 4321 };
// `half in 35 min, 9 of 10 in 5.4 h` against the times.
function isWait(text, seconds) {
  const [, number, unit] = /([\d.]+) (\w+)$/.exec(text);
  near(Number(number) * kSeconds[unit], seconds, kRounding[unit], text);
}

await begin(ask);

await check('before the first start nothing is forecast, and nothing was scored', async () => {
  const { page } = await look('#/forecasts');
  await page.getByText('No forecast has been scored yet.').waitFor();
  await page.goto(`${url}#/job/8816000`);
  await page.locator('.factors').waitFor();
  assert.equal(await page.locator('.job-forecast').count(), 0);
  await page.goto(`${url}#/mine`);
  await page.locator('.mine').waitFor();
  assert.equal(await page.locator('.interval').count(), 0);
  await close(page);
});

await learn(ask);

// From where the interval begins, as a part of what is between now and the time by which nine of ten have started.
const placesOf = (interval) =>
  interval.evaluate((one) => {
    const box = (name) => one.querySelector(name).getBoundingClientRect();
    const [line, thin, thick, middle] = ['.line', '.thin', '.thick', 'b'].map(box);
    const now = line.left + 2;
    return [thin.left, thick.left, middle.left + middle.width / 2, thick.right].map((x) => (x - now) / (thin.right - now));
  });

await check('a job has the interval in words and as a picture, what moves it, and what would start earlier', async () => {
  const { page, answers } = await look('#/job/8816007');
  await page.locator('.job-forecast .effects li').first().waitFor();
  const facts = await page.locator('.job-forecast .facts dd').allInnerTexts();
  const explained = (await Promise.all(answers.ExplainPriority)).filter((one) => one?.forecast);
  const timesOf = (one) => [startOf(one, 0.5), startOf(one, 0.9), Date.parse(one.expectedEnd)];
  // The page asks again after half a minute, and for later times.
  const { forecast, asOf } = explained.find((one) => timesOf(one.forecast).every((at, n) => facts[n].includes(minuteOf(at)))) ?? explained[0];
  assert.equal(forecast.source, 'FORECAST_SOURCE_FOREST');
  const now = Date.parse(asOf);
  timesOf(forecast).forEach((at, n) => {
    assert.ok(facts[n].includes(minuteOf(at)), facts[n]);
    isWait(facts[n], (at - now) / 1000);
  });
  const places = await placesOf(page.locator('.job-forecast .interval'));
  [0.1, 0.25, 0.5, 0.75].forEach((level, n) => near(places[n], (startOf(forecast, level) - now) / (startOf(forecast, 0.9) - now), 0.01, `${level}`));
  assert.match(await page.locator('.job-forecast .line').getAttribute('aria-label'), new RegExp(`half by .*${minuteOf(startOf(forecast, 0.5))}`));
  const text = await page.locator('.job-forecast').innerText();
  assert.match(text, /It starts .* with \d0 % \(half of such jobs by .*\)\. Of the last \d+ forecasts \d+ % held\./);
  assert.ok(text.includes(`on the last ${forecast.examples} starts`), text);
  const influences = await page.locator('.influences li').allInnerTexts();
  assert.equal(influences.length, forecast.influences.length);
  forecast.influences.forEach(({ group, factor }, n) => {
    assert.equal(influences[n].toLowerCase().split(': ')[0], group.toLowerCase());
    assert.match(influences[n], factor >= 1.9 && factor <= 2.1 ? /twice as long/ : factor > 2.1 ? /times as long/ : factor > 1.06 ? /% longer|times as long/ : factor < 0.94 ? /shorter|as long/ : /hardly|longer|shorter/);
  });
  await page.getByRole('link', { name: 'What can I do?' }).waitFor();
  for (const [theme, width] of [['light', 'desktop'], ['dark', 'phone']]) {
    await page.emulateMedia({ colorScheme: theme });
    await lookAt(page, `job-${theme}`, ...kWidths[width]);
  }
  await close(page);
});

const kFactors = [[2.04, 'twice as long'], [3.44, '3.4 times as long'], [1.3, '30 % longer'], [0.52, 'half as long'], [0.8, '20 % shorter'], [1.01, 'hardly longer or shorter']];

await check('over minutes, hours and days the times below the picture are apart and within it, and factors are words', async () => {
  let hours = 0;
  let now = 0;
  const { page } = await look('#/signin', {
    width: 'phone',
    before: (fresh) => fresh.route('**/ExplainPriority', async (route) => {
      const answer = await route.fetch();
      const json = await answer.json();
      // Of a later time than now the page shows the priority only.
      if (!json.forecast || route.request().postDataJSON().asOf) return route.fulfill({ response: answer });
      now = Date.parse(json.asOf);
      const start = json.forecast.start.map((one) => ({ ...one, startTime: new Date(now + one.level ** 2 * hours * 3600e3).toISOString() }));
      const influences = kFactors.map(([factor]) => ({ group: 'the queue ahead', factor }));
      return route.fulfill({ response: answer, json: { ...json, forecast: { ...json.forecast, start, influences } } });
    }),
  });
  let shown = null;
  for (hours of [0.01, 9, 40, 400]) {
    await page.goto(`${url}#/signin`);
    await page.goto(`${url}#/job/8816007`);
    await page.locator('.ticks').waitFor();
    // Until the next answer comes the job has its last one.
    shown = await page.waitForFunction((last) => {
      const text = document.querySelector('.job-forecast .facts').textContent;
      return text !== last && text;
    }, shown).then((text) => text.jsonValue());
    const boxes = await page.locator('.ticks span').evaluateAll((all) => all.map((one) => one.getBoundingClientRect()).map(({ left, right }) => [left, right]));
    assert.ok(boxes.length >= 2 && boxes.length <= 6, `${hours} h: ${boxes.length}`);
    boxes.forEach(([left, right], n) => assert.ok(left >= 0 && right <= kWidths.phone[0] && (n === 0 || left > boxes[n - 1][1]), `${hours} h: ${boxes}`));
    const [half, high] = await page.locator('.job-forecast .facts dd').allInnerTexts();
    if (hours === 0.01) assert.deepEqual([half, high, await page.locator('.job-forecast .line').getAttribute('aria-label')], ['at once', 'at once', 'Starts at once (9 of 10)']);
    else isWait(high, 0.81 * hours * 3600);
    assert.equal(/^\d+ \w{3,4}, \d\d:\d\d/.test(high), new Date(now + 0.81 * hours * 3600e3).getDate() !== new Date(now).getDate() && hours > 1, high);
    assert.deepEqual(await page.locator('.influences li b').allInnerTexts(), kFactors.map(([, words]) => words));
  }
  await close(page);
});

await check('the queue has the forecast of each row below its plan, by one call', async () => {
  const { page, answers } = await look('#/queue');
  await page.locator('.c-start .soft').first().waitFor();
  const { forecasts, asOf } = await last(answers, 'ForecastStarts');
  const of = new Map(forecasts.map((one) => [one.jobId, one]));
  const shown = await page.locator('.order .body .row').evaluateAll((rows) => rows.map((row) => [row.querySelector('.c-job').textContent, row.querySelector('.c-start .soft').textContent]));
  assert.ok(shown.length > 15);
  const all = (await Promise.all(answers.ForecastStarts)).filter(Boolean); // The page asks again after a while.
  assert.ok(all.every((one) => one.forecasts.length >= shown.length), 'each call is for all rows');
  for (const [id, text] of shown) {
    const wait = (level) => (startOf(of.get(id), level) - Date.parse(asOf)) / 1000;
    const [half, high] = text.split(', ');
    assert.equal(half === 'half at once', wait(0.5) < 60, text);
    if (wait(0.5) >= 60) isWait(half, wait(0.5));
    isWait(high, wait(0.9));
  }
  for (const [theme, width] of [['dark', 'desktop'], ['light', 'phone']]) {
    await page.emulateMedia({ colorScheme: theme });
    await lookAt(page, `queue-${theme}`, ...kWidths[width]);
    const cut = await page.locator('.order .body :is(.c-start span, .c-start, .c-job, .c-priority)').evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight + 1).map((one) => one.textContent));
    assert.deepEqual(cut, [], width);
  }
  await close(page);
});

await check('my jobs start between, and half by, the times of ForecastStarts', async () => {
  const { page, answers } = await look('#/mine');
  await page.locator('.mine .starts').first().waitFor();
  const { forecasts } = await last(answers, 'ForecastStarts');
  const shown = await page.locator('.mine').evaluateAll((all) => all.map((one) => [one.querySelector('h3 a').textContent, one.querySelector('.starts b').textContent]));
  assert.equal(shown.length, 21);
  for (const [id, text] of shown) {
    const forecast = forecasts.find((one) => one.jobId === id);
    const levels = text.startsWith('between') ? [0.1, 0.9, 0.5] : [0.9, 0.5];
    assert.deepEqual(text.match(/\d\d:\d\d/g), levels.map((level) => minuteOf(startOf(forecast, level))).slice(0, text.includes('half at once') ? -1 : undefined), text);
  }
  for (const [theme, width] of [['light', 'desktop'], ['dark', 'phone']]) {
    await page.emulateMedia({ colorScheme: theme });
    await lookAt(page, `mine-${theme}`, ...kWidths[width]);
  }
  await close(page);
});

await check('a shorter limit has the forecast that the service gives such a job, and is set', async () => {
  const { page, answers } = await look('#/mine');
  const mine = page.locator('.mine').filter({ has: page.getByRole('link', { name: '8816007', exact: true }) });
  await mine.getByText('What can I do?').click();
  await mine.locator('.sooner').first().waitFor();
  const { forecasts, asOf } = await last(answers, 'ForecastStarts');
  const half = (one) => (startOf(one, 0.5) - Date.parse(asOf)) / 1000;
  const [before, ...shorter] = forecasts;
  const items = await mine.locator('.effects li').filter({ has: page.locator('.sooner') }).all();
  assert.ok(items.length > 0 && items.length <= shorter.length);
  for (const item of items) {
    const limit = await item.getByRole('button').innerText();
    const [of, than] = (await item.locator('.sooner').innerText()).split(' instead of ');
    const seconds = Number(/[\d.]+/.exec(limit)[0]) * kSeconds[limit.split(' ').at(-1)];
    isWait(of, half(shorter.find((one) => Math.abs(parseFloat(one.jobId) - seconds) < 200)));
    isWait(than, half(before));
  }
  await Promise.all([page.waitForResponse((response) => response.url().includes('/UpdateJobs')), items.at(-1).getByRole('button').click()]);
  const { jobs: [tracked] } = await ask('PriorityService/ListJobs', { jobIds: ['8816007'] });
  assert.ok(shorter.some((one) => one.jobId === tracked.timeLimit), tracked.timeLimit);
  await close(page);
});

await check('the scores are those of ScoreForecasts, and a user sees no other user', async () => {
  const { page, answers } = await look('#/forecasts');
  await page.locator('.reliability').waitFor();
  const { scores, model } = await last(answers, 'ScoreForecasts');
  const [all] = scores;
  const drawn = await page.locator('.reliability').evaluate((svg) => {
    const at = (one, name) => Number(one.getAttribute(name));
    const diagonal = svg.querySelector('.diagonal');
    const [x0, y0, x1, y1] = ['x1', 'y1', 'x2', 'y2'].map((name) => at(diagonal, name));
    return [...svg.querySelectorAll('circle')].map((one) => [(at(one, 'cx') - x0) / (x1 - x0), (at(one, 'cy') - y0) / (y1 - y0), one.classList.contains('outside')]);
  });
  [0.1, 0.25, 0.5, 0.75, 0.9].forEach((level, n) => {
    near(drawn[n][0], level, 1e-6, 'level');
    near(drawn[n][1], all.startedBy[n], 1e-6, 'started');
    assert.equal(drawn[n][2], Math.abs(all.startedBy[n] - level) > 0.07);
  });
  const cells = (rows) => page.locator(rows).evaluateAll((every) => every.map((row) => [...row.children].map((cell) => cell.textContent)));
  assert.deepEqual((await cells('table.observed tbody tr')).map((row) => parseInt(row[1], 10)), all.startedBy.map((part) => Math.round(100 * part)));
  assert.deepEqual((await cells('.losses tbody tr')).map((row) => row[1]), [all.loss, all.tableLoss, all.qbetsLoss].map((loss) => loss.toFixed(4)));
  const groups = (await cells('.score-groups tbody tr')).filter((row) => row.length > 1);
  assert.equal(groups.length, scores.length);
  for (const [name, count, early, late, loss, table, qbets] of groups) {
    const score = scores.find((one) => (one.group.split('=')[1] ?? 'All jobs') === name);
    assert.deepEqual([count, early, late, loss, table, qbets], [score.count, `${Math.round(100 * score.beforeQ10)} %`, `${Math.round(100 * score.afterQ90)} %`, score.loss.toFixed(3), (score.loss / score.tableLoss).toFixed(2), (score.loss / score.qbetsLoss).toFixed(2)]);
  }
  const names = groups.map(([name]) => name);
  assert.ok(names.includes('amy') && !names.includes('ben'));
  assert.deepEqual(names.filter((name) => /CPU/.test(name)), ['1 CPU', '2-4 CPUs', '5-16 CPUs']);
  assert.ok((await page.locator('.facts').innerText()).includes(`${model}, on `));
  // The picture: a dot at each part of a group, a bar as long as its loss is of the greatest, a mark at each of the two others.
  const pictured = await page.locator('.score-picture li').evaluateAll((every) => every.map((row) => {
    const box = (one) => one.getBoundingClientRect();
    const [started, losses] = ['.started', '.loss'].map((name) => box(row.querySelector(name)));
    const along = (x, track) => (x - track.left) / track.width;
    return {
      name: row.querySelector('.name').firstChild.textContent,
      dots: [...row.querySelectorAll('.lane b')].map((dot) => along(box(dot).left + box(dot).width / 2, started)),
      outside: [...row.querySelectorAll('.lane')].map((lane) => lane.classList.contains('outside')),
      losses: [along(box(row.querySelector('.own')).right, losses), along(box(row.querySelector('.table')).left + 1, losses), along(box(row.querySelector('.qbets')).left + 2, losses)],
    };
  }));
  assert.equal(pictured.length, scores.length);
  const greatest = Math.max(...scores.flatMap((one) => [one.loss, one.tableLoss, one.qbetsLoss]));
  for (const { name, dots, outside, losses } of pictured) {
    const score = scores.find((one) => (one.group.split('=')[1] ?? 'All jobs') === name);
    score.startedBy.forEach((part, n) => {
      near(dots[n], part, 0.005, `${name}, the dot of quantile ${n}`);
      assert.equal(outside[n], Math.abs(part - [0.1, 0.25, 0.5, 0.75, 0.9][n]) > 0.07 + 1e-9);
    });
    [score.loss, score.tableLoss, score.qbetsLoss].forEach((loss, n) => near(losses[n], loss / greatest, 0.01, `${name}, loss ${n}`));
  }
  for (const [theme, width] of [['light', 'desktop'], ['dark', 'phone']]) {
    await page.emulateMedia({ colorScheme: theme });
    await lookAt(page, `forecasts-${theme}`, ...kWidths[width]);
  }
  await page.emulateMedia({ media: 'print', colorScheme: 'light' });
  assert.ok(await page.locator('.reliability').isVisible() && !(await page.locator('header').isVisible()));
  await close(page);
  const { page: roots } = await look('#/forecasts', { token: process.env.ROOT });
  await roots.locator('.score-groups').getByText('ben', { exact: true }).waitFor();
  await close(roots);
});

await check('the card has the interval of the first job', async () => {
  const { page, answers } = await look('card?user=amy');
  await page.locator('.next-start').waitFor();
  const explained = (await Promise.all(answers.ExplainPriority)).find((one) => one.rank === 1);
  assert.match(await page.locator('.next-start p').innerText(), new RegExp(`^${explained.jobId} starts .*${minuteOf(startOf(explained.forecast, 0.9))}`));
  await lookAt(page, 'card', 400, 420);
  await close(page);
});

await learnFast(ask);

await check('the other partition that the user may use is offered where such jobs start earlier, and only that', async () => {
  const { page, answers } = await look('#/job/8816039');
  await page.locator('.job-forecast .places li').first().waitFor();
  const all = await Promise.all(answers.ForecastStarts);
  const { forecasts, asOf } = all.find((one) => one.forecasts.some(({ jobId }) => jobId === 'own'));
  const half = (one) => (startOf(one, 0.5) - Date.parse(asOf)) / 1000;
  const own = forecasts.find((one) => one.jobId === 'own');
  const [other, ...more] = forecasts.filter((one) => one !== own);
  assert.deepEqual(more, [], 'of four partitions one is left');
  assert.ok(half(other) < 0.9 * half(own));
  const shown = await page.locator('.job-forecast .places li').allInnerTexts();
  assert.equal(shown.length, 1);
  const [of, than] = shown[0].split(' instead of ');
  assert.match(of, /^In partition fast half start (at once|within)/);
  if (half(other) >= 60) isWait(of, half(other));
  isWait(than, half(own));
  await lookAt(page, 'places-light', ...kWidths.phone);
  await page.goto(`${url}#/mine`);
  const mine = page.locator('.mine').filter({ has: page.getByRole('link', { name: '8816039', exact: true }) });
  await mine.getByText('What can I do?').click();
  await Promise.all([page.waitForResponse((response) => response.url().includes('/UpdateJobs')), mine.getByRole('button', { name: 'Move to partition fast' }).click()]);
  const { jobs: [{ job }] } = await ask('PriorityService/ListJobs', { jobIds: ['8816039'] });
  assert.deepEqual([job.partitions, job.qos], [['fast'], []]);
  await close(page);
});

// GetCaller lists the methods, apart from those whose names have this.
const without = (part) => (fresh) => fresh.route('**/GetCaller*', async (route) => {
  const answer = await route.fetch();
  const json = await answer.json();
  await route.fulfill({ response: answer, json: { ...json, methods: json.methods.filter((name) => !name.includes(part)) } });
});

await check('a reader who may not list partitions has the other forecasts', async () => {
  const { page, answers } = await look('#/mine', { before: without('ListPartitions') });
  const mine = page.locator('.mine').filter({ has: page.getByRole('link', { name: '8816037', exact: true }) });
  await mine.getByText('What can I do?').click();
  await mine.locator('.effects li').or(mine.getByText('would not bring an earlier start')).first().waitFor();
  assert.equal(await page.locator('.places, .failed').count(), 0);
  assert.equal(answers.ListPartitions, undefined);
  await close(page);
});

await check('a service that does not list the calls is not asked for forecasts', async () => {
  const { page, answers } = await look('#/queue', { before: without('Forecast') });
  await page.locator('.c-start').first().waitFor();
  await page.getByRole('link', { name: 'My jobs' }).click();
  await page.locator('.mine').first().waitFor();
  assert.equal(await page.getByLabel('Views').getByRole('link', { name: 'Forecasts' }).count(), 0);
  assert.equal(answers.ForecastStarts, undefined);
  await close(page);
});

await check('after a change of cluster no start of the other is shown beside a job of the same id', async () => {
  const conf = 'ClusterName=d\nNodeName=n1 CPUs=1\nPartitionName=p Nodes=n1 Default=YES\n';
  const dump = "Cluster - 'd':Fairshare=1\nParent - 'root'\nAccount - 'a':Fairshare=1\nParent - 'a'\nUser - 'amy':DefaultAccount='a'\n";
  await ask('AdminService/Import', { cluster: 'd', files: [{ kind: 'FILE_KIND_SLURM_CONF', name: 'slurm.conf', content: conf }, { kind: 'FILE_KIND_SACCTMGR_DUMP', name: 'dump', content: dump }] });
  await ask('AdminService/Recalculate', { cluster: 'd' });
  await ask('PriorityService/UpdateJobs', { cluster: 'd', source: 'walk', upserts: [{ jobId: '8816001', user: 'amy', account: 'a', partitions: ['p'], cpus: 1, nodes: 1, timeLimit: '3600s' }] });
  let release;
  const released = new Promise((done) => (release = done));
  const { page } = await look('#/queue?cluster=c', {
    before: (fresh) => fresh.route(/(PlanStarts|ForecastStarts)$/, async (route) => {
      if (route.request().postDataJSON().cluster === 'd') await released;
      await route.continue();
    }),
  });
  await page.locator('.c-start').first().waitFor();
  await page.goto(`${url}#/queue?cluster=d`);
  await page.getByText('Start order').getByText('1', { exact: true }).waitFor();
  await page.locator('.order .body .row').waitFor(); // One.
  assert.equal(await page.locator('.order .body .c-start').count(), 0);
  release();
  await page.locator('.order .body .c-start').waitFor();
  await close(page);
});

await finish();
