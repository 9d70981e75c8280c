// What prioctl prints, as rows by the names of their columns: PRIOCTL is its path, PRIORITYD_SERVER where it asks.
import { execFileSync } from 'node:child_process';
import path from 'node:path';

export const prioctlIn = (folder, ...words) => execFileSync(path.resolve(process.env.PRIOCTL), words, { cwd: folder, encoding: 'utf8', env: { ...process.env, TZ: 'Europe/Berlin' } });
export const prioctl = (...words) => prioctlIn('.', ...words);

// The first table of a text that has these columns. Cells may be empty, and but for the last have no spaces: columns end where
// nobody has a letter.
export function tableOf(text, columns) {
  const lines = text.split('\n');
  const head = lines.findIndex((line) => line.trim().split(/\s+/).join() === columns.join());
  if (head < 0) throw new Error(`no table of ${columns} in\n${text}`);
  const end = lines.findIndex((line, at) => at > head && !line.trim());
  const rows = lines.slice(head, end < 0 ? undefined : end);
  const width = Math.max(...rows.map((row) => row.length));
  const isGap = (at) => rows.every((row) => (row[at] ?? ' ') === ' ');
  const ends = [];
  for (let at = 1; at < width && ends.length < columns.length - 1; ++at) if (isGap(at) && !isGap(at - 1)) ends.push(at);
  const cut = (row) => columns.map((_, n) => row.slice(n ? ends[n - 1] : 0, ends[n]).trim());
  return rows.slice(1).map((row) => Object.fromEntries(cut(row).map((cell, n) => [columns[n], cell])));
}
